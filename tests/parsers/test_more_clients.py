# ruff: noqa: E501 - mails stand here as they are written
"""Mails as real programs write them, each with what a person would expect of it.

A block begins with `%%%% name | class | command; command`, then the mail from its headers on. From, To and a
Message-ID are added if there are none, line ends become CRLF, `␠` is a blank at the end of a line, and the bytes
are in the charset that the mail declares (`!charset` in the name's line if it lies).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.parsers.mail_scene import said

FILES = [Path(__file__).with_name(f"{name}_clients.txt") for name in ("more", "further")]
HEAD = "From: Anna Keller <anna@example.org>\nTo: Les amis <club@example.org>\nMessage-ID: <x1@mail.example.org>\n"


def blocks() -> list[tuple[str, str, list[str], bytes]]:
    """Each mail: its name, class, commands, bytes."""
    found = []
    for block in "".join(file.read_text("utf-8") for file in FILES).split("%%%% ")[1:]:
        title, _, text = block.partition("\n")
        name, mail_class, commands = (piece.strip() for piece in title.split("|"))
        name, _, charset = name.partition("!")
        declared = re.search(r"charset=\"?([\w-]+)", text)
        text = text.rstrip("\n").replace("␠\n", " \n").replace("␠", " ") + "\n"
        if not text.lower().startswith("from:"):
            text = HEAD + text
        coding = charset or (declared[1] if declared else "utf-8")
        raw = text.encode(coding, "strict").replace(b"\n", b"\r\n")
        found.append((name.strip(), mail_class, [c.strip() for c in commands.split(";") if c.strip()], raw))
    return found


BLOCKS = blocks()


@pytest.mark.parametrize(
    ("mail_class", "commands", "raw"), [b[1:] for b in BLOCKS], ids=[b[0] for b in BLOCKS]
)
def test_a_mail_is_read_as_a_person_would(mail_class: str, commands: list[str], raw: bytes) -> None:
    assert said(raw) == (mail_class, commands)
