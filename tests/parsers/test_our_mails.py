"""Our own mails pasted back without any mark (TRUST 4): they say nothing, what stands around them does."""

import textwrap
from email import message_from_bytes
from email.policy import default

import pytest

from mailflow.compose import text_part
from parsers.markup import html_to_text
from parsers.our_mails import without_our_mails
from parsers.own_words import own_words
from tests.house.test_templates import sent
from tests.parsers.mail_scene import GRAMMAR, mail, reading, said


def flat(text: str) -> str:
    """As an HTML editor leaves it: no indentation."""
    return "\n".join(line.strip() for line in text.split("\n"))


def dense(text: str) -> str:
    """No empty line left either."""
    return "\n".join(line for line in flat(text).split("\n") if line)


def narrow(text: str) -> str:
    """Wrapped anew by a program for telephones."""
    return "\n".join(w for line in flat(text).split("\n") for w in (textwrap.wrap(line, 50) or [""]))


PROGRAMS = {"as sent": str, "flat": flat, "dense": dense, "narrow": narrow}


def texts() -> dict[str, str]:
    """One mail of ours of each kind and subject's beginning."""
    return {f"{m.kind} {m.subject[:16]}": text_part(m) for m, _ in sent()}


def pages() -> dict[str, str]:
    """The same mails as HTML."""
    return {f"{m.kind} {m.subject[:16]}": page_of(raw) for m, raw in sent()}


def page_of(raw: bytes) -> str:
    part = message_from_bytes(raw, policy=default).get_body(("html",))
    assert part is not None
    return str(part.get_content())


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_pasted_mail_says_nothing(program):
    for name, text in texts().items():
        found = reading(mail(PROGRAMS[program](text), "Re: x"))
        assert (name, found.commands) == (name, ())


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    ("own", "runs"), [("OUI", "OUI"), ("virement 12 à carl", "VIREMENT amount_cents=1200 to=carl")]
)
def test_an_answer_above_or_below_it_is_kept(program, own, runs):
    for name, text in texts().items():
        pasted = PROGRAMS[program](text)
        for body in (f"{own}\n\n{pasted}", f"{pasted}\n\n{own}"):
            assert (name, said(mail(body, "Re: x"))[1]) == (name, [runs])


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_page_of_ours_pasted_as_text_says_nothing(program):
    for name, page in pages().items():
        found = reading(mail(PROGRAMS[program](html_to_text(page)), "Re: x"))
        assert (name, found.commands) == (name, ())


def test_a_page_of_ours_pasted_into_another_says_nothing():
    """What is between its body's tags, below an answer, as an editor that sets no quote mark leaves it."""
    for name, ours in pages().items():
        inner = ours.partition("<body")[2].partition(">")[2].partition("</body>")[0]
        for body, runs in ((f"<div>{inner}</div>", []), (f"<div>oui</div><div>{inner}</div>", ["OUI"])):
            page = f"<html><body>{body}</body></html>"
            pasted = mail(page, "Re: x", "Content-Type: text/html; charset=utf-8\n")
            assert (name, said(pasted)[1]) == (name, runs)


def test_an_answer_directly_above_is_kept():
    text = "Oui\nTu es d'accord ? Réponds à ce mail par ce seul mot :\n\nOUI\n\nTu y renonces :\n\nNON\n"
    assert said(mail(text, "Re: x")) == ("reply-confirm", ["OUI"])


def test_a_form_copied_out_of_a_mail_runs():
    assert said(mail("    VIREMENT 15 à carl"))[1] == ["VIREMENT amount_cents=1500 to=carl"]
    assert said(mail("Bonjour, voici :\n\n    VIREMENT 15 à carl"))[1] == [
        "VIREMENT amount_cents=1500 to=carl"
    ]


def test_one_short_sentence_of_ours_is_no_mail_of_ours():
    assert said(mail("Je voudrais la liste de toutes les commandes :\nAIDE"))[1] == ["AIDE"]


def test_the_cut_names_its_lines():
    text = "OUI\n\nTu es d'accord ? Réponds à ce mail par ce seul mot :\n\n    OUI\n\nmerci"
    own = without_our_mails(own_words(text), GRAMMAR)
    assert [(c.first, c.last, c.reason) for c in own.cuts] == [(3, 5, "ours")]
    assert [line.text for line in own.lines if line.text] == ["OUI", "merci"]


def test_a_reason_that_quotes_us_is_still_a_command():
    found = said(mail("CONTESTE 3 vous écrivez que le résultat est définitif après ce jour, et c'est faux"))
    assert found[0] == "command"


def test_a_reason_that_goes_on_with_our_words_is_asked_about():
    text = (
        "ANNONCE le règlement dit ceci :\n"
        "Qui a joué, sauf le créateur, peut contester le résultat\njusqu'à la fin du 7e jour après"
    )
    assert reading(mail(text)).doubt
