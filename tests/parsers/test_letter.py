# ruff: noqa: E501 - mails stand here as they are written
"""The letter's headers and identity, and who wrote it: hazards E and F."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.kinds import LetterKind
from parsers.letter import read_letter
from tests.parsers.mail_scene import HEAD, mail, parts, plain, said

TOKEN = "chrz6tkef4che96d0ecjqkrg7wn"


def from_header(value: str) -> bytes:
    return f"From: {value}\nTo: club@example.org\n\nCOMPTE\n".encode()


FROM_REFUSED = [
    pytest.param("", "from_missing", id="E01-empty"),
    pytest.param("a@example.org, b@example.org", "from_many", id="E03"),
    pytest.param("Anna <a@example.org>, Bela <b@example.org>", "from_many", id="E03-names"),
    pytest.param("Anna <a@example.org> b@example.org", "from_many", id="E03-no comma"),
    pytest.param("amis: a@example.org;", "from_many", id="E04"),
    pytest.param("a: b: c@example.org;;", "from_many", id="E04-nested"),
    pytest.param("alice@example.org(<bob@example.org>", "from_unreadable", id="E05"),
    pytest.param("boss@example.org <evil@example.org>", "from_unreadable", id="E05-two"),
    pytest.param("a@b@example.org", "from_unreadable", id="E06"),
    pytest.param("<a@b@example.org>", "from_unreadable", id="E06-angle"),
    pytest.param("Anna Keller", "from_missing", id="E08"),
    pytest.param("Anna <>", "from_missing", id="E08-angle"),
    pytest.param(".a@example.org", "from_unreadable", id="E09-dot"),
    pytest.param("a.@example.org", "from_unreadable", id="E09-dot-end"),
    pytest.param('"', "from_unreadable", id="E09-quote"),
    pytest.param("(c)", "from_missing", id="E09-comment"),
    pytest.param("a@example", "from_unreadable", id="no domain"),
    pytest.param('"a b"@example.org', "from_unreadable", id="quoted local part"),
    pytest.param("z@stra\u00dfe.example", "from_unreadable", id="T-6-sharp s"),
    pytest.param("z@\uff45xample.org", "from_unreadable", id="T-6-wide"),
    pytest.param("an\u202ena@example.org", "from_unreadable", id="T-6-override"),
]


@pytest.mark.parametrize(("value", "reason"), FROM_REFUSED)
def test_no_single_sender_is_malformed(value: str, reason: str) -> None:
    letter = read_letter(from_header(value))
    assert (letter.kind, letter.reason, letter.sender) == (LetterKind.MALFORMED, reason, None)


def test_e01_no_from_at_all() -> None:
    assert read_letter(b"To: club@example.org\n\nCOMPTE").reason == "from_missing"


def test_e02_two_from_headers() -> None:
    assert read_letter(mail("COMPTE", headers="From: b@example.org\n")).reason == "from_twice"


FROM_READ = [
    pytest.param('"boss@example.org" <evil@example.net>', "evil@example.net", id="E07"),
    pytest.param("=?utf-8?Q?boss=40example.org?= <evil@example.net>", "evil@example.net", id="E07-encoded"),
    pytest.param("Zoé <z@Bücher.example>", "z@xn--bcher-kva.example", id="E13"),
    pytest.param("z@XN--BCHER-KVA.example", "z@xn--bcher-kva.example", id="E13-alabel"),
    pytest.param("Zoe\u0301@example.org", "zo\u00e9@example.org", id="E14"),
    pytest.param("xn--a@example.org", "xn--a@example.org", id="E14-alabel"),
    pytest.param("an\u200bna@example.org", "anna@example.org", id="E15"),
    pytest.param("Anna.K+club@Example.ORG", "anna.k+club@example.org", id="E16"),
    pytest.param("anna@example.org (Anna, la vraie)", "anna@example.org", id="comment"),
    pytest.param(
        "=?utf-8?Q?Keller,?= Anna <anna@example.org>", "anna@example.org", id="comma in an encoded-word"
    ),
    pytest.param('"Keller, Anna" <anna@example.org>', "anna@example.org", id="quoted comma"),
]


@pytest.mark.parametrize(("value", "address"), FROM_READ)
def test_the_address_alone_says_who_it_is(value: str, address: str) -> None:
    letter = read_letter(from_header(value))
    assert (letter.kind, letter.sender) == (LetterKind.PERSON, address)


def test_e10_an_odd_message_id_is_kept_as_it_is() -> None:
    raw = mail("COMPTE").replace(b"<m1@example.org>", b"<[m1]@example.org>")
    assert read_letter(raw).message_id == "<[m1]@example.org>"
    assert said(raw) == ("command", ["COMPTE"])


@pytest.mark.parametrize(
    "date", ["hier", "Tue, 99 Nov 99999999999 99:99:99 +9999", ""], ids=lambda d: f"E11-{d}"
)
def test_e11_the_date_is_only_a_claim(date: str) -> None:
    letter = read_letter(mail("COMPTE", headers=f"Date: {date}\n"))
    assert (letter.kind, letter.date) == (LetterKind.PERSON, date or None)


@pytest.mark.parametrize("value", ["", "<>"], ids=["E17", "E17-empty"])
def test_e17_without_message_id_the_fingerprint_tells_mails_apart(value: str) -> None:
    head = HEAD.replace("<m1@example.org>", value).encode()
    one, other = read_letter(head + b"\nCOMPTE"), read_letter(head + b"\nPARTIES")
    assert one.message_id is None
    assert one.kind is LetterKind.PERSON
    assert one.fingerprint != other.fingerprint
    assert one.fingerprint == read_letter(head + b"\nCOMPTE").fingerprint  # E18: stable, not random


def test_e19_other_content_under_a_known_id_has_another_fingerprint() -> None:
    one, other = read_letter(mail("COMPTE")), read_letter(mail("PARTIES"))
    assert one.message_id == other.message_id
    assert one.fingerprint != other.fingerprint


def test_e20_the_same_mail_delivered_twice_has_one_fingerprint() -> None:
    raw = mail("VIREMENT 10 à bela", "x")
    again = b"Return-Path: <a@b.org>\r\nReceived: by x\r\nDelivered-To: club@example.org\r\n" + raw + b"\r\n"
    assert read_letter(raw).fingerprint == read_letter(again).fingerprint
    assert read_letter(raw).fingerprint == read_letter(raw.replace(b"\r\n", b"\n")).fingerprint


def test_e21_another_message_id_is_another_mail_here() -> None:
    # The redirected copy is caught by the window over member and content, which is not the parser's.
    raw = mail("VIREMENT 10 à bela")
    assert read_letter(raw).fingerprint != read_letter(raw.replace(b"<m1@", b"<m2@")).fingerprint


def test_e30_reply_to_is_not_read() -> None:
    assert read_letter(mail("COMPTE", headers="Reply-To: evil@example.net\n")).sender == "anna@example.org"


@pytest.mark.parametrize("name", ["Message-ID", "Reply-To", "Content-Type", "Sender"])
def test_other_headers_twice_are_malformed(name: str) -> None:
    assert read_letter(mail("COMPTE", headers=f"{name}: a\n{name}: b\n")).reason == "header_twice"


@pytest.mark.parametrize(
    "ends", [b"\n", b"\r", b"\r\r\n", b"\r\n"], ids=["G05", "G05-cr", "G05-crcrlf", "crlf"]
)
def test_g05_every_line_end_is_one_line_end(ends: bytes) -> None:
    raw = mail("VIREMENT 10 à bela\nCOMPTE", "x").replace(b"\r\n", b"\n").replace(b"\n", ends)
    assert said(raw) == ("command", ["VIREMENT amount_cents=1000 to=bela", "COMPTE"])


# --- tokens -------------------------------------------------------------------------------------------


def addressed(to: str, subject: str = "x", more: str = "") -> bytes:
    return f"From: a@example.org\nTo: {to}\n{more}Subject: {subject}\n\nOUI\n".encode()


TOKENS = [
    (addressed(f"club+{TOKEN}@example.org"), TOKEN),
    (addressed(f"Club <CLUB+{TOKEN.upper()}@example.org>"), TOKEN),
    (addressed("club@example.org", f"Re: accord [#{TOKEN}]"), TOKEN),
    (addressed("club@example.org", f"Re: accord [#{TOKEN[:9]}\n {TOKEN[9:]}]"), TOKEN),
    (addressed(f"club+{TOKEN}@example.org", f"[#{TOKEN}]"), TOKEN),
    (addressed("club@example.org", more=f"Delivered-To: club+{TOKEN}@example.org\n"), TOKEN),
    (addressed(f"club+{TOKEN}@example.org", f"[#{TOKEN[:-1]}0]"), None),
    (addressed(f"club+{TOKEN}@example.org", more=f"Cc: club+{TOKEN[:-1]}0@example.org\n"), None),
    (addressed("club+poker@example.org"), None),
    (addressed(f"club+{TOKEN[:-1]}u@example.org"), None),
    (addressed("club@example.org"), None),
]


@pytest.mark.parametrize(("raw", "token"), TOKENS)
def test_the_token_of_the_outer_headers(raw: bytes, token: str | None) -> None:
    assert read_letter(raw).token == token


# --- kinds --------------------------------------------------------------------------------------------

DSN = "Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; Carl@example.net\nAction: {0}"
RETURNED = f"Content-Type: message/rfc822\n\nFrom: club+{TOKEN}@example.org\n\nVIREMENT 8 à dora"


def report(action: str) -> bytes:
    raw = parts(
        plain("could not be delivered"),
        DSN.format(action),
        RETURNED,
        kind="report; report-type=delivery-status",
    )
    return raw.replace(b"From: Anna Keller <anna@example.org>", b"From: MAILER-DAEMON@mx.example.net", 1)


ORDER = "VIREMENT 10 à bela"
KINDS = {
    "F01": (mail(ORDER, headers="Auto-Submitted: auto-replied\n"), "ignore-auto"),
    "F02": (mail("Oui\nje suis absent", "Re: x", "Auto-Submitted: auto-replied (vacation)\n"), "ignore-auto"),
    "F03": (mail(ORDER, headers="X-Autoreply: yes\n"), "ignore-auto"),
    "F03-precedence": (mail(ORDER, headers="Precedence: auto_reply\n"), "ignore-auto"),
    "F03-fr": (mail("Oui", "Réponse automatique : accord"), "ignore-auto"),
    "F03-de": (mail("Ja", "Automatische Antwort: x"), "ignore-auto"),
    "F03-it": (mail("Si", "Risposta automatica: x"), "ignore-auto"),
    "F03-null": (mail("Oui", headers="Return-Path: <>\n"), "ignore-auto"),
    "F04": (mail(ORDER, headers="X-Auto-Response-Suppress: All\n"), "command"),
    "F04-feedback": (mail(ORDER, headers="Feedback-ID: 1:user:proton\n"), "command"),
    "F04-no": (mail(ORDER, headers="Auto-Submitted: no\n"), "command"),
    "F07": (mail(ORDER, headers="X-Loop: club@example.org\n"), "ignore-auto"),
    "F07-from": (mail(ORDER).replace(b"anna@example.org", b"club@example.org"), "ignore-auto"),
    "F07-plus": (
        mail(ORDER, headers=f"Delivered-To: club+{TOKEN}@example.org\n").replace(b"anna@", b"club+x@"),
        "ignore-auto",
    ),
    "F08": (report("failed"), "bounce"),
    "F09": (mail("Undeliverable", "Undeliverable: x", "Return-Path: <>\n"), "bounce"),
    "F10": (report("delayed"), "bounce"),
    "F11": (mail("Hi. This is the qmail-send program").replace(b"anna@", b"MAILER-DAEMON@"), "bounce"),
    "F11-postmaster": (mail("x", "Non remis : ordre").replace(b"anna@", b"postmaster@"), "bounce"),
    "F11-failed": (mail("x", headers="X-Failed-Recipients: carl@example.net\n"), "bounce"),
    "F12": (report("failed").replace(b"--b0\r\nContent-Type: message/delivery-status", b"--b\r\n"), "bounce"),
    "F13": (
        parts(
            plain("lu"), kind="report; report-type=disposition-notification", subject="Lu : VIREMENT 8 à dora"
        ),
        "ignore-auto",
    ),
    "F14": (
        parts(
            plain("ACCEPTE 5 oui"),
            "Content-Type: text/calendar; method=REPLY\n\nBEGIN:VCALENDAR",
            kind="alternative",
        ),
        "ignore-auto",
    ),
    "F15": (mail(ORDER, headers="Precedence: bulk\n"), "ignore-auto"),
    "F15-list": (mail(ORDER, headers="List-Id: <x.example.org>\n"), "ignore-auto"),
    "F16": (mail(ORDER, headers="List-Post: <mailto:l@example.org>\n"), "ignore-auto"),
    "D07": (
        parts(plain(ORDER), plain("liste des membres"), headers="List-Id: <l.example.org>\n"),
        "ignore-auto",
    ),
}


@pytest.mark.parametrize(("raw", "mail_class"), KINDS.values(), ids=KINDS.keys())
def test_who_speaks(raw: bytes, mail_class: str) -> None:
    assert said(raw)[0] == mail_class
    if mail_class != "command":
        assert said(raw)[1] == []


def test_f07_own_addresses_are_known_without_their_plus_part() -> None:
    raw = mail("COMPTE", headers="Delivered-To: other@example.org\n").replace(b"anna@", b"secretariat+x@")
    assert read_letter(raw).kind is LetterKind.PERSON
    assert read_letter(raw, frozenset({"secretariat@example.org"})).kind is LetterKind.OWN


def test_a_member_who_copies_himself_is_not_our_own_mail() -> None:
    assert said(mail("COMPTE", headers="Cc: anna@example.org\n")) == ("command", ["COMPTE"])


# --- broken mails -------------------------------------------------------------------------------------

BROKEN = {
    "T-25-message-id": mail("COMPTE").replace(b"<m1@example.org>", b"<>"),
    "T-25-newline-in-a-name": b"From: =?utf-8?q?Anna=0D=0ABcc=3A_x=40y.org?= <anna@example.org>\n\nCOMPTE",
    "T-25-rot13": mail(b"PBZCGR", headers="Content-Type: text/plain; charset=rot13\n"),
    "T-25-charset-with-nul": mail(b"COMPTE", headers='Content-Type: text/plain; charset="utf\0-8"\n'),
    "T-25-nested": (HEAD + "Content-Type: multipart/mixed; boundary=b\n\n--b\n" * 1000).encode(),
    "T-25-lone-cr": mail("COMPTE\rCOMPTE").replace(b"\n", b""),
    "T-25-nul": mail("COM\0PTE\0"),
}


@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_mail_is_read_or_set_aside_with_its_reason(raw: bytes) -> None:
    letter = read_letter(raw)
    assert letter.reason != "unreadable"
    assert (letter.kind is LetterKind.MALFORMED) == (letter.reason is not None)
    for words in (letter.sender_name, letter.subject, letter.message_id or ""):
        assert not {"\n", "\r", "\0"} & set(words)
    assert letter.message_id != "<>"
    assert said(mail("COMPTE")) == ("command", ["COMPTE"])


# --- anything -----------------------------------------------------------------------------------------

HEADER_NAMES = [
    "From",
    "To",
    "Subject",
    "Content-Type",
    "Content-Transfer-Encoding",
    "Date",
    "Message-ID",
    "References",
]
FRAGMENTS = [
    b"=?utf-8?b?", b"?=", b"multipart/mixed; boundary=", b"b", b"--b", b"--b--", b"\r\n", b"\n\n", b"<", b">", b'"', b"(",
    b"@", b"a@b.org", b"base64", b"quoted-printable", b"=", b"=C3", b"\x00", b"\xff", b"charset=", b"utf-16", b"text/html",
    b"<div>", b"VIREMENT 10 ", b"\xc3\xa0 bela", b" ", b"\t", b"\r", b";", b"*0*=", b"message/rfc822", b"format=flowed",
]  # fmt: skip


@given(st.binary(max_size=2000))
def test_g06_any_bytes_are_read_without_an_exception(raw: bytes) -> None:
    letter = read_letter(raw)
    assert letter.reason != "unreadable"
    assert len(letter.fingerprint) == 64


@given(
    st.lists(
        st.tuples(st.sampled_from(HEADER_NAMES), st.lists(st.sampled_from(FRAGMENTS), max_size=6)), max_size=8
    ),
    st.lists(st.sampled_from(FRAGMENTS), max_size=30),
)
def test_mails_of_broken_pieces_are_read_without_an_exception(
    headers: list[tuple[str, list[bytes]]], body: list[bytes]
) -> None:
    head = b"".join(name.encode() + b": " + b"".join(pieces) + b"\n" for name, pieces in headers)
    letter = read_letter(head + b"\n" + b"".join(body))
    assert letter.reason != "unreadable"
    letter.text.encode("utf-8")
    letter.subject.encode("utf-8")
