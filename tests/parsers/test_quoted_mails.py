# ruff: noqa: E501 - markup stands here as programs write it
"""Every mail that we send, quoted in the way of each program, says nothing; the answer above it is kept (TRUST 4)."""

from functools import cache

import pytest

from tests.house.test_templates import sent
from tests.parsers.mail_scene import mail, reading, said
from tests.parsers.test_our_mails import pages, texts
from tests.parsers.test_reading_properties import STYLES

SHARE = 4
"""With an answer above, every mail is quoted in every way; alone, each in a quarter of them."""


HEAD = "Le lun. 9 mars 2026 à 21:14, Les amis &lt;club@example.org&gt; a écrit :"
LABELS = "<b>De :</b> Les amis<br><b>Envoyé :</b> lundi<br><b>À :</b> Anna<br><b>Objet :</b> x"


def quoted_page(own: str, old: str, head: str = HEAD, labels: str = LABELS) -> dict[str, str]:
    """Our mail's HTML part quoted by programs; `old` is what stands in its body."""
    mine = f"<div>{own}</div>"
    return {
        "gmail": f'{mine}<div class="gmail_quote"><div class="gmail_attr">{head}<br></div>'
        f'<blockquote class="gmail_quote">{old}</blockquote></div>',
        "gmail forward": f'{mine}<div class="gmail_quote"><div class="gmail_attr">---------- Forwarded message'
        f"<br>De : Les amis</div>{old}</div>",
        "outlook": f'{mine}<div style="border:none;border-top:solid #E1E1E1 1.0pt"><p>{labels}</p></div>{old}',
        "outlook web": f'{mine}<div id="appendonsend"></div><hr><div id="divRplyFwdMsg">{labels}</div>{old}',
        "outlook mobile": f'{mine}<div class="ms-outlook-mobile-reference-message">{labels}</div>{old}',
        "apple": f'{mine}<div><blockquote type="cite"><div>{head}</div>{old}</blockquote></div>',
        "thunderbird": f'<div class="moz-cite-prefix">{head}</div><blockquote type="cite">{old}</blockquote>{mine}',
        "yahoo": f'{mine}<div class="yahoo_quoted"><div>{head}</div><div>{old}</div></div>',
        "gmx": f'{mine}<div name="quote"><div>{labels}</div><div name="quoted-content">{old}</div></div>',
        "zimbra": f'{mine}<hr id="zwchr"><div>{labels}</div>{old}',
        "samsung": f"{mine}<div>-------- Message d'origine --------</div><div>De : Les amis</div>{old}",
        "labels only": f"{mine}<p>De : Les amis<br>Envoyé : lundi<br>À : Anna<br>Objet : x</p>{old}",
        "attribution only": f"{mine}<div>{head}</div><br>{old}",
    }


@cache
def plain_texts() -> dict[str, str]:
    return texts()


@cache
def bodies() -> dict[str, str]:
    """What stands in the body of the HTML part of each kind of mail."""
    found = ((name, page.partition("<body")[2].partition(">")[2]) for name, page in pages().items())
    return {name: page.rpartition("</body>")[0] for name, page in found}


@pytest.mark.parametrize("style", STYLES)
def test_any_mail_of_ours_quoted_says_nothing_and_the_answer_is_kept(style):
    """TRUST 4, T-29: every kind of mail that we send, in the way of each program."""
    for number, (name, text) in enumerate(plain_texts().items()):
        assert (name, said(mail(STYLES[style]("Oui", text), "Re: x"))) == (name, ("reply-confirm", ["OUI"]))
        if number % SHARE == len(style) % SHARE:
            assert (name, said(mail(STYLES[style]("", text), "Re: x"))) == (name, ("empty", []))


@pytest.mark.parametrize("style", quoted_page("", ""))
def test_any_page_of_ours_quoted_says_nothing_and_the_answer_is_kept(style):
    headers = "Content-Type: text/html; charset=utf-8\n"
    for number, (name, page) in enumerate(bodies().items()):
        answer = said(mail(quoted_page("Oui", page)[style], "Re: x", headers))
        assert (name, answer) == (name, ("reply-confirm", ["OUI"]))
        if number % SHARE == len(style) % SHARE:
            assert (name, said(mail(quoted_page("", page)[style], "Re: x", headers))) == (name, ("empty", []))


@pytest.mark.parametrize("style", quoted_page("", ""))
def test_the_reference_line_of_a_page_that_is_quoted_is_found(style):
    """T-14: where the plus part was stripped, the quoted page carries the token, although its words are cut."""
    token, html = "c" + "0123456789abcdefghjkmnpqrs", "Content-Type: text/html; charset=utf-8\n"
    old = f"<p>Tu es d'accord ?</p><p>[#{token}]</p>"
    assert reading(mail(quoted_page("Oui", old)[style], "Re: x", html)).token == token
    two = f"{old}<p>[#{token[:-1]}0]</p>"
    assert reading(mail(quoted_page("Oui", two)[style], "Re: x", html)).token is None


def test_any_mail_of_ours_that_comes_back_is_ours():
    """F07: forwarded by a rule, or delivered to ourselves, it is never answered."""
    for mail_sent, raw in sent():
        found = reading(raw)
        assert (mail_sent.kind, found.mail_class, found.commands) == (mail_sent.kind, "ignore-auto", ())
