# ruff: noqa: E501 - mails stand here as they are written
"""Charsets, transfer encodings and MIME shapes: hazards C07-C29 and D."""

from __future__ import annotations

import base64
import time

import pytest

from parsers.kinds import LetterKind
from parsers.letter import Letter, read_letter
from tests.parsers.mail_scene import HEAD, html, mail, parts, plain, problems, reading, said

RUNS = ("command", ["VIREMENT amount_cents=1000 to=bela"])
CHLOE = ("command", ["VIREMENT amount_cents=1000 to=chloé"])
BASE64 = "Content-Transfer-Encoding: base64\n"
QP = "Content-Transfer-Encoding: quoted-printable\n"
FLOWED = "Content-Type: text/plain; charset=utf-8; format=flowed\n"


def labelled(text: bytes, label: str, more: str = "") -> bytes:
    return mail(text, headers=f"Content-Type: text/plain{label}\n{more}")


CHARSETS = [
    pytest.param("VIREMENT 10 € à Chloé".encode("cp1252"), "; charset=iso-8859-1", id="C07"),
    pytest.param("VIREMENT 10 à Chloé".encode(), "; charset=iso-8859-1", id="C08"),
    pytest.param("VIREMENT 10 à Chloé".encode(), "; charset=utf-8x", id="C09"),
    pytest.param("VIREMENT 10 à Chloé".encode("cp1252"), '; charset="uft-8; junk"', id="C09-junk"),
    pytest.param("VIREMENT 10 à Chloé".encode("cp1252"), "; charset=", id="C09-empty"),
    pytest.param("VIREMENT 10 à Chloé".encode(), "; charset=rot13", id="C09-rot13"),
    pytest.param("VIREMENT 10 à Chloé".encode("latin-1"), "; charset*=us-ascii'fr'iso-8859-1", id="C10"),
    pytest.param("VIREMENT 10 à Chloé".encode("cp1252"), "", id="C11"),
    pytest.param("VIREMENT 10 € à Chloé".encode("iso-8859-15"), "; charset=ISO-8859-15", id="C13"),
    pytest.param("VIREMENT 10 à Chloé".encode("cp1252"), "; charset=utf-8", id="broken utf-8"),
    pytest.param("VIREMENT 10 à Chloe\u0301".encode(), "; charset=utf-8", id="C23"),
    pytest.param("VIRE\u200bM\u00adENT 10 à \ufeffChl\u034foé".encode(), "; charset=utf-8", id="C24"),
    pytest.param("VIREMENT 10 à Chl\0oé".encode(), "; charset=utf-8", id="C27"),
    pytest.param("VIREMENT\u202f10\u00a0€\u2009à\u3000Chloé".encode(), "; charset=utf-8", id="A01-spaces"),
]


@pytest.mark.parametrize(("text", "label"), CHARSETS)
def test_the_command_is_read_whatever_the_label_says(text: bytes, label: str) -> None:
    assert said(labelled(text, label)) == CHLOE


def test_c12_utf16_in_base64() -> None:
    body = base64.encodebytes("VIREMENT 10 à Chloé".encode("utf-16"))
    assert said(labelled(body, "; charset=utf-16", BASE64)) == CHLOE


def test_c14_base64_with_junk_and_a_second_block() -> None:
    body = (
        base64.b64encode(b"VIREMENT 10 ")
        + b"\n"
        + base64.b64encode("à bela!".encode())
        + b"\n-- list footer --"
    )
    assert said(labelled(body, "; charset=utf-8", BASE64)) == RUNS
    assert "base64_junk" in read_letter(labelled(body, "; charset=utf-8", BASE64)).defects


def test_c15_cut_base64_is_malformed() -> None:
    body = base64.b64encode("VIREMENT 1000 à bela".encode())[:-3]
    assert read_letter(labelled(body, "; charset=utf-8", BASE64)).reason == "base64_cut"


def test_c16_only_the_first_word_of_the_encoding_counts() -> None:
    body = base64.b64encode("VIREMENT 10 à bela".encode())
    assert said(labelled(body, "; charset=utf-8", "Content-Transfer-Encoding: base64 junk\n")) == RUNS


def test_c17_a_broken_escape_inside_a_command_is_refused() -> None:
    raw = labelled(b"VIREMENT 10=ZZ =C3=A0 bela", "; charset=utf-8", QP)
    assert said(raw) == ("malformed", [])
    assert "quoted_printable_broken" in read_letter(raw).defects
    raw = labelled(b"CONTESTE 5 il manque =ZZ deux cartes", "; charset=utf-8", QP)
    assert problems(raw)[0][0] == "undecodable_characters"


def test_c17_a_broken_escape_elsewhere_does_no_harm() -> None:
    assert said(labelled(b"50 =ZZ\n\nVIREMENT 10 =C3=A0 bela=", "; charset=utf-8", QP)) == RUNS


def test_c18_a_soft_break_inside_a_letter() -> None:
    assert said(labelled(b"VIREMENT 10 =C3=\n=A0 be=\nla", "; charset=utf-8", QP)) == RUNS


def test_c19_flowed_lines_are_joined() -> None:
    raw = mail("CONTESTE 5 le motif est \nlong et \ndétaillé\n\nAnna", headers=FLOWED)
    assert said(raw) == ("command", ["CONTESTE game=5 reason=le motif est long et détaillé"])


def test_c19_also_under_quoted_printable() -> None:
    raw = mail("CONTESTE 5 le=20\nmotif", headers=FLOWED + QP)
    assert said(raw) == ("command", ["CONTESTE game=5 reason=le motif"])


def test_c20_delsp_drops_the_joining_space() -> None:
    raw = mail("CONTESTE 5 inco \nmplète\n", headers=FLOWED.replace("flowed", "flowed; delsp=yes"))
    assert said(raw) == ("command", ["CONTESTE game=5 reason=incomplète"])


def test_c21_stuffed_lines_are_neither_quotes_nor_shifted() -> None:
    raw = mail("CONTESTE 5 voir\n From Anna\n > la table", headers=FLOWED)
    assert said(raw) == ("command", ["CONTESTE game=5 reason=voir From Anna > la table"])


def test_c22_text_that_only_claims_to_be_flowed() -> None:
    assert said(mail("VIREMENT 10 à bela\nMerci", headers=FLOWED)) == RUNS
    assert said(mail("VIREMENT 10 à bela \nCOMPTE", headers=FLOWED)) == ("command", [*RUNS[1], "COMPTE"])


def test_c22_prose_that_flows_into_a_verb_is_no_command() -> None:
    assert said(mail("je voudrais voir mon \ncompte", headers=FLOWED)) == ("unknown-command", [])


def test_c25_a_foreign_letter_makes_another_word() -> None:
    raw = mail("VIR\u0415MENT 10 à bela")
    assert said(raw) == ("unknown-command", [])
    assert problems(raw) == [("unknown_verb", "VIR\u0415MENT")]


def test_c26_a_line_with_an_override_is_refused() -> None:
    assert problems(mail("VIREMENT 1\u202e05\u202c à bela"))[0][0] == "direction_override"
    assert said(mail("bonjour \u202eabc\n\nVIREMENT 10 à bela")) == RUNS


def test_c28_nothing_that_leaves_has_lone_surrogates() -> None:
    letter = read_letter(mail(b"VIREMENT \xed\xa0\x80", headers="Content-Type: text/plain; charset=utf-7\n"))
    letter.text.encode("utf-8")


@pytest.mark.parametrize("amount", ["１５", "15,5O", "١٥", "1٥"], ids=lambda a: f"C29-{a}")
def test_c29_only_ascii_digits_are_digits(amount: str) -> None:
    assert said(mail(f"VIREMENT {amount} à bela")) == ("malformed", [])


# --- shapes -------------------------------------------------------------------------------------------

ORDER = plain("VIREMENT 10 à bela")
ORDER_HTML = html("<div>VIREMENT 10 à bela</div>")
OTHER = "VIREMENT 500 à dora"
ATTACHED = "Content-Type: text/plain\nContent-Disposition: attachment; filename=x.txt\n\n" + OTHER
PICTURE = "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\nAAAA"
FORWARD = f"Content-Type: message/rfc822\n\nFrom: x@example.org\nSubject: x\n\n{OTHER}"

SHAPES = {
    "D01": mail("<p>VIREMENT 10 à <b>bela</b></p>", headers="Content-Type: text/html; charset=utf-8\n"),
    "D02": parts(plain(" \n"), ORDER_HTML, kind="alternative"),
    "D02-stock": parts(plain("Votre logiciel n'affiche pas le HTML."), ORDER_HTML, kind="alternative"),
    "D03": parts(ORDER, ORDER_HTML, kind="alternative"),
    "D03-signature": parts(ORDER, html("<p>VIREMENT 10 à bela</p><hr><p>Anna</p>"), kind="alternative"),
    "D06": parts(ORDER, PICTURE, plain("Merci")),
    "D06-second": parts(plain("Bonjour"), PICTURE, ORDER),
    "D08": parts(ORDER_HTML, plain("_______________________________________________\nliste des membres")),
    "D09": parts(ORDER_HTML, html(f"<p>{OTHER}</p>")),
    "D10": parts(ORDER, ATTACHED),
    "D10-inline": parts(ORDER, ATTACHED.replace("attachment", "inline")),
    "B03": parts(ORDER, FORWARD),
    "D11": mail("<p>VIRE<span>ME</span><wbr>NT 10 à bela</p>", headers="Content-Type: text/html\n"),
    "D14": parts(ORDER, "Content-Type: application/pkcs7-signature\n\nAAAA", kind="signed"),
    "D16": mail(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nVIREMENT 10 à bela\n\n- -- \nPARTIES\n"
        "-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----"
    ),
    "D17": parts(
        "Content-Type: multipart/mixed; boundary=i; protected-headers=v1\nSubject: VIREMENT 500 à dora\n\n"
        f"--i\n{ORDER}\n--i--",
        "Content-Type: application/pgp-signature\n\nabc",
        kind="signed",
    ),
    "D18": parts(ORDER, "Content-Type: application/ms-tnef; name=winmail.dat\n\nAAAA"),
    "D19": parts(ORDER).replace(b"--b0--", b""),
    "D21": mail(f"--<a>\n{ORDER}\n--<a>--", headers='Content-Type: multipart/mixed; boundary="<a>"\n'),
    "D24": parts(ORDER, FORWARD.replace("\n\n", "\nContent-Transfer-Encoding: quoted-printable\n\n", 1)),
    "D25": parts(ORDER, f"Content-Type: =?utf-8?Q?text/plain?=\n\n{OTHER}"),
    "D26": parts(ORDER, ATTACHED.replace("filename=x.txt", "filename*=bogus'x'%ff%fe")),
}


@pytest.mark.parametrize("raw", SHAPES.values(), ids=SHAPES.keys())
def test_the_words_are_found_and_nothing_else(raw: bytes) -> None:
    assert said(raw) == RUNS


def test_d04_two_alternatives_that_disagree_are_refused() -> None:
    raw = parts(ORDER, html(f"<p>{OTHER}</p>"), kind="alternative")
    assert said(raw) == ("malformed", [])
    assert problems(raw)[0][0] == "parts_disagree"
    assert said(parts(plain("Bonjour"), ORDER_HTML, kind="alternative"))[0] == "malformed"


def test_d04_free_texts_may_be_marked_up_differently() -> None:
    markup = "<p>CONTESTE 5 voir <b>ici</b></p>"
    raw = parts(plain("CONTESTE 5 voir *ici* <https://x.example/>"), html(markup), kind="alternative")
    assert said(raw) == ("command", ["CONTESTE game=5 reason=voir *ici* <https://x.example/>"])


def test_d04_an_alternative_too_large_to_be_read_is_asked_about() -> None:
    raw = parts(ORDER, html("<b>a</b>" * 20_001), kind="alternative")
    assert "html_unread" in read_letter(raw).defects
    assert (said(raw), reading(raw).doubt) == (RUNS, True)


def test_d05_an_invitation_is_automatic() -> None:
    calendar = "Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR"
    assert said(parts(ORDER, calendar, kind="alternative")) == ("ignore-auto", [])


@pytest.mark.parametrize(
    "hidden",
    [
        '<div style="display:none">VIREMENT 500 à dora</div>',
        '<div style="max-height:0px; overflow:hidden">VIREMENT 500 à dora</div>',
        "<p hidden>VIREMENT 500 à dora</p>",
        '<p class="pre">VIREMENT 500 à dora</p>',
        "<!-- VIREMENT 500 à dora -->",
        '<p style="font-size:0">VIREMENT 500 à dora</p>',
    ],
)
def test_d12_what_nobody_saw_does_not_run(hidden: str) -> None:
    markup = (
        "<html><head><title>VIREMENT 500 à dora</title><style>.pre {display:none}</style></head>"
        f"<body>{hidden}<div>VIREMENT 10 à bela</div></body></html>"
    )
    assert said(mail(markup, headers="Content-Type: text/html; charset=utf-8\n")) == RUNS


def test_d13_no_marks_are_added_to_words() -> None:
    markup = "<table><tr><td>RESULTAT 5</td><td>1=bruno_b</td></tr></table>"
    assert said(mail(markup, headers="Content-Type: text/html\n")) == (
        "command",
        ["RESULTAT game=5 places={'1': ['bruno_b']}"],
    )


@pytest.mark.parametrize(
    "markup",
    [
        '<div style="margin-top:99999999em">x</div>',
        '<p style="padding-left:99999999px">x</p>',
        "<table><tr><td>" + "x" * 50_000 + "<tr><td>y" * 3000 + "</table>",
    ],
    ids=["margin", "padding", "table"],
)
def test_d13_small_markup_does_not_become_a_large_text(markup: str) -> None:
    letter = read_letter(mail(markup, headers="Content-Type: text/html\n"))
    assert letter.kind is LetterKind.PERSON
    assert len(letter.text) < 60_000


def test_preformatted_lines_are_lines() -> None:
    markup = '<div style="white-space: pre-wrap">VIREMENT 10 à bela\nCOMPTE</div>'
    assert said(mail(markup, headers="Content-Type: text/html; charset=utf-8\n")) == (
        "command",
        [*RUNS[1], "COMPTE"],
    )


def test_d15_an_encrypted_mail_is_explained() -> None:
    raw = mail("AAAA", headers="Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n")
    assert read_letter(raw).reason == "encrypted"
    assert read_letter(mail("-----BEGIN PGP MESSAGE-----\n\nabc")).reason == "encrypted"


def test_d18_only_winmail_is_explained() -> None:
    assert read_letter(parts("Content-Type: application/ms-tnef\n\nAAAA")).reason == "winmail_only"


def test_d20_a_boundary_that_never_comes_is_malformed() -> None:
    for parameter in ("boundary=none", "boundary=", ""):
        raw = mail("--x\n\nCOMPTE", headers=f"Content-Type: multipart/mixed; {parameter}\n")
        assert read_letter(raw).reason == "boundary_missing"


def test_d22_no_blank_line_after_the_headers_is_malformed() -> None:
    assert read_letter((HEAD + "VIREMENT 10 à bela\n\nAnna\n").encode()).reason == "headers_unfinished"


def test_d23_nesting_and_number_of_parts_are_bounded() -> None:
    deep = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(1500))
    start = time.process_time()
    assert read_letter((HEAD + deep).encode()).reason == "too_deep"
    assert read_letter(parts(*[ORDER] * 60)).reason == "too_many_parts"
    assert time.process_time() - start < 1


def test_d27_a_huge_mail_is_told_by_its_headers() -> None:
    letter = read_letter(mail("x" * 2_000_000))
    assert (letter.kind, letter.reason, letter.sender) == (
        LetterKind.MALFORMED,
        "too_large",
        "anna@example.org",
    )


def test_d27_the_fingerprint_covers_a_huge_mail_too() -> None:
    assert read_letter(mail("x" * 2_000_000)).fingerprint != read_letter(mail("x" * 2_000_001)).fingerprint


@pytest.mark.parametrize("ends", [b"\n", b"\r", b"\r\r\n"])
def test_d27_a_huge_mail_is_the_same_whatever_its_line_ends(ends: bytes) -> None:
    raw = mail("xyz\n" * 400_000, "x")
    one, other = read_letter(raw), read_letter(raw.replace(b"\r\n", ends) + ends)
    assert (other.reason, other.sender, other.subject) == ("too_large", "anna@example.org", "x")
    assert one.fingerprint == other.fingerprint


def test_t23_headers_are_bounded() -> None:
    assert read_letter(mail("COMPTE", headers="X: 1\n" * 300)).reason == "too_many_headers"
    assert read_letter(mail("COMPTE", headers="X: 1\n" * 200)).kind is LetterKind.PERSON
    assert read_letter(mail("COMPTE", headers=f"X: {'y' * 8300}\n")).reason == "header_too_long"
    assert read_letter(b"a" * 4_000_000).kind is LetterKind.MALFORMED
    assert read_letter(b"a: b\n" * 800_000).kind is LetterKind.MALFORMED


def test_t23_a_header_that_is_too_long_is_not_looked_at() -> None:
    letter = read_letter(b"From: " + b"=?u?q?a?= " * 900 + b"<b@example.org>\n\nCOMPTE")
    assert (letter.reason, letter.sender) == ("header_too_long", None)


@pytest.mark.parametrize(
    ("address", "most"),
    [("a{0}@example.org", 1000), ("a{0}@bücher.example", 30), ("b\u00e9{0}@example.org", 30)],
)
def test_t24_recipients_are_bounded(address: str, most: int) -> None:
    def letter(count: int) -> Letter:
        lines = "".join(f"Cc: {address.format(i)}\n" for i in range(5))
        lines += "".join(
            f"X-Original-To: {', '.join(address.format(i) for i in range(start, min(start + 100, count)))}\n"
            for start in range(5, count, 100)
        )
        return read_letter(mail("COMPTE", headers=lines).replace(b"To: club@example.org\r\n", b"", 1))

    just, over = letter(most), letter(most + 1)
    assert (just.kind, len(just.recipients)) == (LetterKind.PERSON, most)
    assert (over.kind, over.reason, over.recipients) == (LetterKind.MALFORMED, "too_many_recipients", ())


def test_text_one_character_over_the_limit_is_set_aside() -> None:
    line = "x" * 63 + "\n"
    assert read_letter(mail(line * 1023 + "x" * 63)).kind is LetterKind.PERSON
    assert read_letter(mail(line * 1025)).reason == "text_too_long"


HTML_REPLIES = {
    "gmail": '<div>{0}</div><br><div class="gmail_quote"><div class="gmail_attr">Le 3 nov. 2026 à 19:05, Club a écrit :'
    "</div><blockquote>{1}</blockquote></div>",
    "gmail-forward": '<div>{0}</div><div class="gmail_quote"><div>---- Forwarded ----</div>{1}</div>',
    "B01-gmail-forward-of-a-reply": '<div>{0}</div><div class="gmail_quote"><div class="gmail_attr">'
    "---------- Forwarded message ---------<br>De : Bela</div>{1}<br><blockquote>x</blockquote></div>",
    "gmail-indent": '<blockquote style="margin:0 0 0 40px;border:none;padding:0px"><div>{0}</div></blockquote>'
    "<blockquote>{1}</blockquote>",
    "A16-outlook-web": '<div>{0}</div><div id="x_appendonsend"></div><hr><div id="x_divRplyFwdMsg">De : Club</div>'
    "<div>{1}</div>",
    "A16-outlook": '<div><p>{0}</p><div><div style="border:none;border-top:solid #E1E1E1 1.0pt"><p><b>De :</b> Club</p>'
    "</div></div><p>{1}</p></div>",
    "A17": '<div class="wrap">{0}<blockquote type="cite">{1}</blockquote></div>',
    "A20-thunderbird": '<div class="moz-cite-prefix">Le 03/11/2026 à 19:05, Club a écrit :</div>'
    '<blockquote type="cite">{1}</blockquote><p>{0}</p>',
    "A20-gmail": '<div class="gmail_quote"><div class="gmail_attr">Le 3 nov. 2026, Club a écrit :</div>'
    "<blockquote>{1}</blockquote></div><div>{0}</div>",
    "A20-outlook-rule-of-his-own": '<div style="border-top:solid black 1pt">{0}</div><blockquote>{1}</blockquote>',
    "preformatted": "<pre>Bonjour\n{0}\n</pre><blockquote>{1}</blockquote>",
    "preformatted-style": '<div style="white-space: pre-wrap">Bonjour\n{0}</div><blockquote>{1}</blockquote>',
    "lists": "<ol><li></li><li>Bonjour<ul><li>{0}</li></ul></li></ol><blockquote>{1}</blockquote>",
    "tags-in-values": '<div title="</div><b>" alt=\'a>b"c\'>{0}</div><blockquote title="&lt;/blockquote>">{1}</blockquote>',
    "signs": "<div>{0}</div>&#1;&#2;&#3;\x01\x02\x03<blockquote>{1}</blockquote>",
    "yahoo": '<div>{0}</div><div class="yahoo_quoted">Le mardi, Club a écrit :<div>{1}</div></div>',
    "outlook-ios": '<div>{0}</div><div id="ms-outlook-mobile-signature">Envoyé</div>'
    '<div class="ms-outlook-mobile-reference-message"><hr>De : Club<br></div><div>{1}</div>',
    "gmx": '<div>{0}</div><div name="quote">{1}</div>',
    "signature": '<div>{0}</div><div class="gmail_signature">{1}</div>',
    "text-marks": "<div>{0}</div><div>-----Message d'origine-----</div><div>{1}</div>",
}


@pytest.mark.parametrize("markup", HTML_REPLIES.values(), ids=HTML_REPLIES.keys())
def test_html_history_is_cut_and_own_words_stay(markup: str) -> None:
    body = f"<html><body>{markup.format('VIREMENT 10 à bela', 'VIREMENT 8 à dora')}</body></html>"
    assert said(mail(body, "Re: x", "Content-Type: text/html; charset=utf-8\n")) == RUNS


@pytest.mark.parametrize("unit", ["<div>", "<b>", "<style ", "<p>x", "<", "&", "<td>", "<blockquote>x"])
def test_hostile_markup_is_bounded(unit: str) -> None:
    markup = unit * (150_000 // len(unit))
    start = time.process_time()
    read_letter(mail(markup, headers="Content-Type: text/html\n"))
    read_letter(parts(plain("x"), html(markup), kind="alternative"))
    assert time.process_time() - start < 5
