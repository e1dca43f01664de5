"""One mail through the whole reader, and what has to hold of any mail at all."""

from __future__ import annotations

import json

from mailflow.explain import told
from mailflow.letters import explainer
from parsers.commands import PROBLEM_CODES, as_contract, read_commands
from parsers.explanation import Explanation, explain
from parsers.kinds import LetterKind
from parsers.letter import read_letter
from parsers.limits import SUBJECT_CHARACTERS_MAX, TEXT_CHARACTERS_MAX
from tests.parsers.mail_scene import GRAMMAR

OWN = frozenset({"club@example.org"})
CLASSES = {
    "command", "reply-confirm", "reply-arbitration", "unknown-command", "empty", "ignore-auto", "bounce",
    "malformed",
}  # fmt: skip


def check(raw: bytes) -> None:
    """Read the bytes to the end; raises what the reader raises, and AssertionError for a broken promise."""
    letter = read_letter(raw, OWN)
    assert letter.reason != "unreadable", "an error of the reader's own"
    assert len(letter.text) <= TEXT_CHARACTERS_MAX
    assert len(letter.subject) <= SUBJECT_CHARACTERS_MAX
    assert "\n" not in letter.subject
    for words in (letter.text, letter.subject, letter.sender_name):
        words.encode("utf-8")
        assert not {"\0", "\r", "\x1b"} & set(words)
    reading = read_commands(letter, GRAMMAR)
    assert reading.mail_class in CLASSES
    assert letter.kind is LetterKind.PERSON or not reading.commands
    assert all(p.code in PROBLEM_CODES for p in reading.problems)
    assert not (reading.problems and reading.mail_class not in ("malformed", "unknown-command", "empty"))
    found = explain(letter, reading)
    record = json.loads(json.dumps(found.as_record()))
    assert told(Explanation.of_record(record), explainer("fr"), letter.text.split("\n"))
    assert json.dumps(as_contract(reading, "fuzz.eml"))
    if letter.token:
        assert letter.token not in json.dumps(record).lower()
