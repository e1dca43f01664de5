"""What a delivery report says: whom a mail did not reach, whether for good, in which words (RFC 3464, 3463).

Most servers write the fields of RFC 3464; old and odd ones only words (hazards F08-F12). Pure, never raises,
linear, and nothing of the mail that came back is looked at. What it says may be forged: the caller must know
by other means that it is about a mail of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from parsers.addresses import addresses_in
from parsers.characters import clean, folded, one_line
from parsers.headers import Headers
from parsers.mime import Part, Unreadable, segments, text_of

TEXT_CHARACTERS_MAX = 32 * 1024
LINES_MAX = 1000
DIAGNOSTIC_CHARACTERS_MAX = 300


class Fate(StrEnum):
    """What became of the mail."""

    FAILED = "failed"
    DELAYED = "delayed"
    """It is still being tried: nobody is dead yet (F10)."""
    DELIVERED = "delivered"
    """Delivered, relayed or expanded: a success that somebody asked to be told of."""


@dataclass(frozen=True)
class BounceReport:
    """What a report says of one recipient; of several, of the one that fared worst.

    recipient    canonical address, None if none can be made out. Behind a forwarder it is one that we never
                 wrote to
    status       enhanced status code such as 5.1.1, or empty
    diagnostic   what the refusing server said, on one line, at most 300 characters
    hard         whether trying again is of no use: no such mailbox or domain, or a refusal without a reason
                 that may pass (full, too big, spam, out of time)
    """

    fate: Fate
    recipient: str | None = None
    status: str = ""
    diagnostic: str = ""
    hard: bool = False


def read_bounce(headers: Headers, tree: Part | None, body: bytes) -> BounceReport:
    """Read a mail that is a delivery report. `tree` is None, and `body` is read, if its parts are broken."""
    words = _words(tree, body)
    reports = [_of_fields(fields) for fields in _field_blocks(tree, words)]
    if not reports:
        return _of_words(headers, words)
    worst = min(reports, key=lambda report: list(Fate).index(report.fate))
    if not worst.diagnostic:
        found = _of_words(headers, words)
        return _judged(worst.fate, worst.recipient or found.recipient, worst.status, found.diagnostic)
    return worst


def _words(tree: Part | None, body: bytes) -> str:
    """The words of the report itself, not those of the mail that came back."""
    if tree is None:
        return _before_the_copy(clean(body[:TEXT_CHARACTERS_MAX].decode("utf-8", "replace")))
    texts = []
    for segment in segments(tree, alone=True):
        part = segment.plain or segment.html
        if part is None:
            continue
        try:
            text, _ = text_of(part)
        except Unreadable:
            continue
        texts.append(text if part is segment.plain else re.sub(r"<[^<>]{0,2000}>", " ", text))
    return _before_the_copy("\n".join(texts)[:TEXT_CHARACTERS_MAX])


def _before_the_copy(text: str) -> str:
    """Cut the mail that came back off, where it stands in the same text (qmail, Exim)."""
    lines = text.split("\n")[:LINES_MAX]
    for number, line in enumerate(lines):
        if line.startswith(("---", "===", "___")) and _holds(line, _COPY):
            return "\n".join(lines[:number])
    return "\n".join(lines)


# ---------------------------------------------------------------- fields


def _field_blocks(tree: Part | None, words: str) -> Iterator[dict[str, str]]:
    """The blocks about single recipients; taken from the words where the parts are broken (F12)."""
    texts = []
    for part in () if tree is None else tree.walk():
        if part.media in ("message/delivery-status", "message/global-delivery-status"):
            try:
                texts.append(text_of(part)[0][:TEXT_CHARACTERS_MAX])
            except Unreadable:
                continue
    for text in texts or [words]:
        for block in text.split("\n\n"):
            fields = _fields(block)
            if "final-recipient" in fields or ("action" in fields and "status" in fields):
                yield fields


def _fields(block: str) -> dict[str, str]:
    """Field names in lower case to values, continuation lines joined; the first of a name counts."""
    fields: dict[str, str] = {}
    last = ""
    for line in block.split("\n")[:LINES_MAX]:
        name, colon, value = line.partition(":")
        if line[:1] in (" ", "\t") and last:
            fields[last] += " " + line.strip()
        elif colon and name.replace("-", "").isalnum():
            last = name.lower()
            if last in fields:
                last = ""
            else:
                fields[last] = value.strip()
    return fields


def _of_fields(fields: dict[str, str]) -> BounceReport:
    recipient = fields.get("final-recipient") or fields.get("original-recipient") or ""
    diagnostic = fields.get("diagnostic-code", "").partition(";")[2] or fields.get("diagnostic-code", "")
    status = _STATUS.search(fields.get("status", ""))
    fate = {
        "failed": Fate.FAILED,
        "failure": Fate.FAILED,
        "delayed": Fate.DELAYED,
        "delivered": Fate.DELIVERED,
        "relayed": Fate.DELIVERED,
        "expanded": Fate.DELIVERED,
    }.get(fields.get("action", "").split(" ")[0].strip(".,;").lower())
    if fate is None:
        fate = Fate.DELIVERED if status and status[0][0] == "2" else Fate.FAILED
    return _judged(
        fate, _first_address(recipient.rpartition(";")[2]), status[0] if status else "", diagnostic
    )


# ---------------------------------------------------------------- words


_STATUS = re.compile(r"(?<![\d.])[245]\.[0-7]\.\d{1,3}(?!\.?\d)")
_CODE = re.compile(r"(?<![\d.:/-])(?:4[2-5]\d|5[0-5]\d)(?=[ :-][^\d])")
_RECIPIENT_LINE = re.compile(r"^\s*<([^<>\s]{3,320})>\s*:?\s*(.*)$")
_DELAYED = (
    "DELAYED", "NOT YET BEEN DELIVERED", "WILL BE RETRIED", "WILL RETRY", "WILL CONTINUE TO BE ATTEMPTED",
    "WARNING ONLY", "STILL TRYING", "KEEP TRYING", "DO NOT NEED TO RESEND", "A ETE RETARDE", "EST RETARDE",
    "N'A PAS ENCORE", "NOUVELLES TENTATIVES", "NOCH NICHT ZUGESTELLT", "VERZOGER", "VERZOEGER", "RITARDATA",
)  # fmt: skip
_GAVE_UP = (
    "GIVING UP", "COULD NOT BE DELIVERED", "PERMANENT", "HAS BEEN RETURNED", "FAILED", "GAVE UP", "EXPIRED",
)  # fmt: skip
_NOBODY_THERE = (
    "USER UNKNOWN", "UNKNOWN USER", "NO SUCH USER", "DOES NOT EXIST", "DOESN'T EXIST", "NO MAILBOX HERE",
    "NO SUCH MAILBOX", "INVALID RECIPIENT", "UNKNOWN RECIPIENT", "RECIPIENT NOT FOUND", "ADDRESS NOT FOUND",
    "RECIPNOTFOUND", "N'EXISTE PAS", "ADRESSE INCONNUE", "DESTINATAIRE INCONNU", "UTILISATEUR INCONNU",
    "ADRESSE D'AU MOINS UN DESTINATAIRE INVALIDE", "INVALIDE", "COULDN'T FIND ANY HOST", "HOST NOT FOUND",
    "DOMAIN NAME NOT FOUND", "NO LONGER VALID", "UNBEKANNT", "EXISTIERT NICHT", "NON ESISTE", "SCONOSCIUTO",
    "MAILBOX DISABLED", "ACCOUNT DISABLED", "ADRESSE DESACTIVEE",
)  # fmt: skip
_MAY_PASS = (
    "FULL", "QUOTA", "PLEINE", "TOO LARGE", "TOO BIG", "TROP VOLUMINEUX", "SPAM", "BLOCKED", "BLACKLIST",
    "REPUTATION", "POLICY", "TIMED OUT", "TEMPORAR", "UBERSCHRITTEN", "PIENA",
)  # fmt: skip
_SOFT_STATUS = re.compile(r"4\.|5\.2\.[23]\Z|5\.3\.4\Z|5\.4\.7\Z|5\.6\.|5\.7\.")
_HARD_STATUS = re.compile(r"5\.1\.|5\.2\.1\Z|5\.4\.[14]\Z")
_COPY = ("COPY OF", "COPIE DU", "ORIGINAL", "MESSAGE HEADER", "UNSENT MESSAGE", "KOPIE DER")
_SERVERS = ("mailer-daemon@", "postmaster@")


def _of_words(headers: Headers, words: str) -> BounceReport:
    """Read what is written for people: qmail's, Exim's, a provider's own."""
    lines = words.split("\n")[:LINES_MAX]
    recipient, said = _named_in(headers, lines)
    telling = next((line for line in said if _CODE.search(line) or _STATUS.search(line)), "")
    telling = telling or next((line for line in said if _holds(line, _NOBODY_THERE + _MAY_PASS)), "")
    status = _STATUS.search(telling)
    capitals = folded(headers.text("subject") + "\n" + words)
    delayed = any(sign in capitals for sign in _DELAYED) and not any(sign in capitals for sign in _GAVE_UP)
    diagnostic = telling or next((line for line in said if line.strip()), "")
    return _judged(
        Fate.DELAYED if delayed else Fate.FAILED, recipient, status[0] if status else "", diagnostic
    )


def _named_in(headers: Headers, lines: list[str]) -> tuple[str | None, list[str]]:
    """Whom the report is about, and the lines that say what happened: those from where he is named."""
    recipient = _first_address(headers.text("x-failed-recipients"))
    for number, line in enumerate(lines):
        found = _RECIPIENT_LINE.match(line)
        if found and _first_address(found[1]):
            return recipient or _first_address(found[1]), [found[2], *lines[number + 1 :]]
    for number, line in enumerate(lines):
        address = _first_address(line) if "@" in line else None
        if address is not None and address == (recipient or address):
            return address, [line, *lines[number + 1 :]]
    return recipient, lines


def _first_address(text: str) -> str | None:
    found = addresses_in(text.encode("utf-8", "replace")[:2000])
    return next((address for address in found if not address.startswith(_SERVERS)), None)


def _holds(line: str, signs: tuple[str, ...]) -> bool:
    capitals = folded(line)
    return any(sign in capitals for sign in signs)


# ---------------------------------------------------------------- both


def _judged(fate: Fate, recipient: str | None, status: str, diagnostic: str) -> BounceReport:
    """Make the report, and say whether the failure is for good."""
    said = one_line(diagnostic)[:DIAGNOSTIC_CHARACTERS_MAX]
    if not status and (found := _STATUS.search(said)):
        status = found[0]
    return BounceReport(fate, recipient, status, said, fate is Fate.FAILED and _is_hard(status, said))


def _is_hard(status: str, said: str) -> bool:
    """By the status where that says anything; else by the words; else by the code of the server."""
    if _HARD_STATUS.match(status) or _SOFT_STATUS.match(status):
        return bool(_HARD_STATUS.match(status))
    if _holds(said, _NOBODY_THERE) or _holds(said, _MAY_PASS):
        return _holds(said, _NOBODY_THERE)
    code = _CODE.search(said)
    return status.startswith("5") or (code is not None and code[0].startswith("5"))
