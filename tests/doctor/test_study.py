"""What the doctor reads in a mail that came back: a table of ways that mail takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailflow.doctor.findings import State
from mailflow.doctor.learnt import record
from mailflow.doctor.study import Learnt, Sent, learnt, study
from mailflow.sections.border import LEARNT_FILE, Border, learnt_in
from tests.desk.desk_scene import START

ADDRESS = "club@example.org"
TAG, PLUS = "doctor" + "0" * 21, "doctor" + "1" * 21
MX = "Authentication-Results: mx.example.org; dmarc=pass header.from=example.org"
FAIL = MX.replace("pass", "fail")
IN = "Received: from relay.example by mx.example.org with ESMTPS id 1; Tue"
OUT = "Received: from club.example by relay.example with ESMTPSA id 1; Tue"
INNER = "Received: from mx.example.org by imap.example.org with LMTP id 1; Tue"
CONFIGURED = Border(frozenset({"mx.example.org"}), ("imap.example.org",))


def mail(*headers: str, to: str = ADDRESS, subject: str = f"Essai [#{TAG}]") -> bytes:
    top = "".join(f"{h}\r\n" for h in headers)
    return f"{top}From: {ADDRESS}\r\nTo: {to}\r\nSubject: {subject}\r\n\r\nx\r\n".encode()


def both(*headers: str) -> tuple[Sent, Sent]:
    """Both mails come back with these headers on top."""
    plus = mail(*headers, to=f"club+{PLUS}@example.org", subject="Essai")
    return Sent(TAG, raw=mail(*headers)), Sent(PLUS, raw=plus)


def said(tagged: Sent, plussed: Sent, border: Border = CONFIGURED) -> dict[str, str]:
    return {
        line.name: f"{line.found.state.value} {line.found.said}"
        for line in study(tagged, plussed, 60, ADDRESS, border)
    }


# ---------------------------------------------------------------- the way, the tag, the plus


def test_all_that_arrives_as_it_was_sent_is_well() -> None:
    lines = study(*both(MX, IN, OUT), 60, ADDRESS, CONFIGURED)
    assert [line.name for line in lines] == ["way", "subject", "plus", "stamp", "border"]
    assert {line.found.state for line in lines} == {State.WELL}


def test_what_does_not_come_back_is_told_and_nothing_is_made_of_it() -> None:
    nothing = Sent(TAG), Sent(PLUS)
    assert said(*nothing) == {"way": f"BAD a mail to {ADDRESS} did not come back within 60 s"}
    assert learnt(*nothing) == Learnt()
    refused = Sent(TAG, refused="550 no"), Sent(PLUS, refused="550 no")
    assert said(*refused) == {"way": f"BAD the relay does not take a mail to {ADDRESS}: 550 no"}


@pytest.mark.parametrize(
    ("plussed", "words"),
    [
        (Sent(PLUS, refused="550 unknown"), "note the relay does not take a mail to club+…@example.org: 550"),
        (Sent(PLUS), "note a mail to club+…@example.org did not come back within 60 s"),
        (Sent(PLUS, raw=mail(subject="Essai")), "note a mail to club+…@example.org comes back without"),
        (Sent(PLUS, raw=mail(to=f"club+{TAG}@example.org", subject="x")),
         "note a mail to club+…@example.org comes back without"),
    ],
)  # fmt: skip
def test_t14_a_server_that_knows_no_plus_is_told(plussed: Sent, words: str) -> None:
    tagged, _ = both(MX)
    assert said(tagged, plussed)["plus"].startswith(words)
    assert learnt(tagged, plussed).plus is False


def test_the_plus_may_survive_in_the_envelope_alone() -> None:
    raw = f"Delivered-To: club+{PLUS}@example.org\r\n".encode() + mail(subject="Essai")
    assert Sent(PLUS, raw=raw).token_survived


@pytest.mark.parametrize("subject", ["Essai", f"Essai [#{PLUS}]", f"Essai [#{TAG[:-1]}]", "[externe] Essai"])
def test_a_subject_that_loses_its_tag_is_bad(subject: str) -> None:
    _, plussed = both(MX)
    assert said(Sent(TAG, raw=mail(MX, subject=subject)), plussed)["subject"].startswith("BAD")


def test_words_added_to_a_subject_do_no_harm() -> None:
    _, plussed = both(MX)
    tagged = Sent(TAG, raw=mail(MX, subject=f"[externe] Re: Essai [#{TAG.upper()}]"))
    assert said(tagged, plussed)["subject"].startswith("ok")


# ---------------------------------------------------------------- the stamp


@pytest.mark.parametrize(
    ("headers", "words", "taught"),
    [
        ((MX, IN, OUT), "ok mx.example.org stamps, above the Received line of mx.example.org",
         Learnt(("mx.example.org",), (), True)),
        ((INNER, MX, IN, OUT),
         "ok mx.example.org stamps, above the Received line of mx.example.org,"
         " below that of imap.example.org",
         Learnt(("mx.example.org",), ("imap.example.org",), True)),
        (("Received: by 2002:a05:7300:b0:1 with SMTP id q; Tue", IN, MX, OUT),
         "ok mx.example.org stamps, above the Received line of relay.example,"
         " below that of 2002:a05:7300:b0:1, mx.example.org",
         Learnt(("mx.example.org",), ("2002:a05:*", "mx.example.org"), True)),
        ((MX,), "ok mx.example.org stamps, below all Received lines that can be read",
         Learnt(("mx.example.org",), (), True)),
        ((MX, IN, MX.replace("mx.", "relay."), OUT),
         "ok mx.example.org stamps, above the Received line of mx.example.org;"
         " further stamps, not believed: relay.example.org", Learnt(("mx.example.org",), (), True)),
        ((IN, OUT), "note nobody stamps", Learnt((), (), True)),
        (("Received: (qmail 1 invoked by uid 89); Tue", MX, IN),
         "note mx.example.org stamps, above the Received line of mx.example.org,"
         " below that of a server that cannot be told", Learnt((), (), True)),
        (("Authentication-Results: spf=pass smtp.mailfrom=example.org", IN),
         "note a stamp without a usable name stands above the Received line of mx.example.org",
         Learnt((), (), True)),
        ((INNER, "Authentication-Results: spf=pass smtp.mailfrom=example.org", IN),
         "note a stamp without a usable name stands above the Received line of mx.example.org",
         Learnt((), (), True)),
        (("Received: from a by [192.0.2.1] with SMTP; Tue", MX), "ok mx.example.org stamps, below all",
         Learnt((), (), True)),
    ],
)  # fmt: skip
def test_e26_who_stamps_and_where_is_told_and_learnt(
    headers: tuple[str, ...], words: str, taught: Learnt
) -> None:
    assert said(*both(*headers))["stamp"].startswith(words)
    assert learnt(*both(*headers)) == taught


def test_several_servers_that_stamp_are_all_learnt() -> None:
    """A border of two machines: which of them a mail meets is chance."""
    tagged, _ = both(MX, IN)
    _, plussed = both(INNER, MX.replace("mx.", "mx2."), IN)
    assert learnt(tagged, plussed) == Learnt(
        ("mx.example.org", "mx2.example.org"), ("imap.example.org",), True
    )


@pytest.mark.parametrize(
    ("headers", "border", "words"),
    [
        ((MX, IN), Border(), "note nothing is configured"),
        ((IN,), CONFIGURED, "BAD mx.example.org is configured, and has not stamped this mail"),
        ((MX.replace("mx.", "mx2."), IN), CONFIGURED, "BAD mx.example.org is configured, and has not"),
        ((IN, MX), CONFIGURED, "BAD mx.example.org stamps below servers that hosts does not name"),
        ((INNER, MX, IN), CONFIGURED, "ok what is configured agrees; the club's own mail passes DMARC"),
        ((FAIL, IN), CONFIGURED, "BAD what is configured agrees, but the club's own mail fails DMARC"),
        (("Authentication-Results: mx.example.org; none", IN), CONFIGURED,
         "note what is configured agrees; of the club's own mail it says nothing (no_dmarc)"),
    ],
)  # fmt: skip
def test_what_is_configured_is_held_against_what_came(
    headers: tuple[str, ...], border: Border, words: str
) -> None:
    assert said(*both(*headers), border)["border"].startswith(words)


@pytest.mark.parametrize("headers", [(MX, IN, OUT), (INNER, MX, IN, OUT), (INNER, IN, MX, OUT)])
def test_what_was_learnt_is_what_then_counts(tmp_path: Path, headers: tuple[str, ...]) -> None:
    """Recorded and read again, the border is believed on the very mail that taught it."""
    from mailflow.sections import border

    assert said(*both(*headers), Border())["border"].startswith("note")
    record(tmp_path, learnt(*both(*headers)), START)
    assert said(*both(*headers), border.read({}, tmp_path))["border"].startswith("ok")


@given(st.binary(max_size=200))
def test_no_bytes_that_come_back_make_the_doctor_raise(noise: bytes) -> None:
    for raw in (
        noise,
        b"Received: " + noise + b"\r\n" + mail(MX),
        b"Authentication-Results: " + noise + b"\n\n",
    ):
        study(Sent(TAG, raw=raw), Sent(PLUS, raw=raw), 1, ADDRESS, CONFIGURED)
        learnt(Sent(TAG, raw=raw), Sent(PLUS, raw=raw))


# ---------------------------------------------------------------- the file


def test_the_file_keeps_what_a_mail_did_not_show(tmp_path: Path) -> None:
    first = Learnt(("mx.example.org",), ("imap.example.org", "2002:a05:*"), True)
    path = record(tmp_path, first, START)
    assert path == tmp_path / LEARNT_FILE
    values = {"authserv_ids": ["mx.example.org"], "hosts": ["imap.example.org", "2002:a05:*"], "plus": True}
    assert learnt_in(tmp_path) == values
    record(tmp_path, Learnt(plus=False), START)
    assert learnt_in(tmp_path) == {**values, "plus": False}
    record(tmp_path, Learnt(("mx3.example.org",)), START)
    assert learnt_in(tmp_path) == {"authserv_ids": ["mx3.example.org"], "hosts": [], "plus": False}
    assert [p.name for p in tmp_path.iterdir()] == [LEARNT_FILE]
    assert "2026-01-06" in path.read_text("utf-8")


names = st.from_regex(r"[a-z0-9][a-z0-9.:-]{2,40}", fullmatch=True)


@settings(max_examples=20, deadline=None)
@given(st.lists(names, max_size=4), st.booleans())
def test_whatever_was_recorded_is_read_again(hosts: list[str], plus: bool) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        record(Path(folder), Learnt(("mx.example.org",), tuple(hosts), plus), START)
        assert learnt_in(Path(folder)) == {"authserv_ids": ["mx.example.org"], "hosts": hosts, "plus": plus}
