"""One mail at most, whatever a client or the server before it takes for the end of one (T-33, T-23)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailflow.doors.smtp import SmtpDoor
from mailflow.doors.smtp_data import BARE, MailBytes

from .door_scene import MAIL, RawLine

SMUGGLED = b"MAIL FROM:<boss@example.org>\r\nRCPT TO:<club@example.org>\r\nDATA\r\n" + MAIL + b"\r\n.\r\n"

FALSE_ENDS = [
    b"\n.\n", b"\r\n.\n", b"\n.\r\n", b"\r.\r", b"\r\n.\r", b"\r.\r\n", b"\n.\r", b"\r.\n",
    b"\r\n\0.\r\n", b"\r\n.\0\r\n",
]  # fmt: skip


@pytest.mark.parametrize("end", FALSE_ENDS)
def test_a_false_end_of_data_smuggles_no_second_mail(door: SmtpDoor, kept: list[bytes], end: bytes) -> None:
    """T-33 (hazard G01): all up to the true end is one mail, and refused."""
    with RawLine(door.port) as line:
        line.to_data()
        line.send(MAIL.removesuffix(b"\r\n") + end + SMUGGLED)
        assert line.reply() == BARE.encode()
        assert line.ask(b"NOOP").startswith(b"250"), "nothing of it was taken for a command"
    assert kept == []


@pytest.mark.parametrize("bad", [b"a\nb", b"a\rb", b"a\0b", b"a\r\r\nb", b"\n", b"\r"])
def test_a_bare_line_end_or_nul_refuses_the_mail_and_the_next_is_taken(
    door: SmtpDoor, kept: list[bytes], bad: bytes
) -> None:
    with RawLine(door.port) as line:
        line.to_data()
        line.send(MAIL + bad + b"\r\n.\r\n")
        assert line.reply() == BARE.encode()
        line.to_data()
        line.send(MAIL + b".\r\n")
        assert line.reply().startswith(b"250")
    assert len(kept) == 1


def test_honest_mails_in_a_row_are_each_one(door: SmtpDoor, kept: list[bytes]) -> None:
    """Sent at one go, as PIPELINING allows."""
    with RawLine(door.port) as line:
        line.to_data()
        line.send(MAIL + b".\r\n" + SMUGGLED.replace(b"boss", b"bela"))
        codes = [line.reply()[:3] for _ in range(5)]
    assert codes == [b"250", b"250", b"250", b"354", b"250"]
    assert [re.search(rb"<(\w+)@", raw).group(1) for raw in kept] == [b"anna", b"bela"]  # type: ignore[union-attr]


@given(
    st.lists(st.sampled_from([b"a", b".", b"\r", b"\n", b"\0", b"\r\n", b"\r\n.\r\n", b".."]), max_size=40)
)
def test_what_is_kept_has_no_line_end_but_crlf_and_is_what_was_sent(pieces: list[bytes]) -> None:
    lines = [part + b"\r\n" for part in b"".join(pieces).split(b"\r\n")]
    sent = lines[: lines.index(b".\r\n")] if b".\r\n" in lines else lines
    mail = MailBytes(10_000)
    for line in sent:
        mail.add(line)
    if mail.refusal is None:
        assert not re.search(rb"\r(?!\n)|(?<!\r)\n|\0", mail.content())
        assert mail.content() == b"".join(line[1:] if line[:1] == b"." else line for line in sent)
    else:
        assert mail.refusal == BARE
        assert any(re.search(rb"[\r\n\0]", line[:-2]) for line in sent)
