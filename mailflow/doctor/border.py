"""What is known of the servers before us, and whether the mails that came lately agree (E26)."""

from __future__ import annotations

from collections import Counter

from mailflow.doctor.findings import Found, Patient, left_out, note, well
from parsers.authentication import in_place, stamps
from parsers.headers import split_headers
from store.condition import latest_mails
from store.errors import StoreError

MAILS_MAX = 50
HEAD_BYTES = 64 * 1024


def border_agrees(patient: Patient) -> Found:
    """A wrong name does no harm but to make the border mute: no forged mail would ever be refused."""
    border = patient.settings.border
    names = Counter(_topmost(mail) for mail in _latest(patient))
    mails, written = names.total(), sum(n for name, n in names.items() if name is not None)
    if not border.authserv_ids:
        said = "no server's word about a sender is trusted"
        seen = f"; of the last {mails} mails {written} bear one" if mails else ""
        return note(said + seen)
    ours = ", ".join(sorted(border.authserv_ids))
    if not mails:
        return left_out(f"{ours} is trusted; no mail has come yet to see it at work")
    trusted = sum(_is_trusted(mail, patient) for mail in _latest(patient))
    said = f"{ours} has stamped {trusted} of the last {mails} mails"
    others = ", ".join(sorted(name for name in names if name and name not in border.authserv_ids))
    if trusted or not others:
        return well(said) if trusted else note(said)
    return note(f"{said}; others were stamped by {others}")


def _latest(patient: Patient) -> tuple[bytes, ...]:
    settings = patient.settings
    if not patient.has_books:
        return ()
    try:
        return latest_mails(settings.books, settings.address, MAILS_MAX, HEAD_BYTES)
    except StoreError:
        return ()


def _topmost(mail: bytes) -> str | None:
    found = stamps(split_headers(mail.replace(b"\r\n", b"\n"))[0])
    return found[0].authserv_id if found else None


def _is_trusted(mail: bytes, patient: Patient) -> bool:
    border = patient.settings.border
    found = stamps(split_headers(mail.replace(b"\r\n", b"\n"))[0])
    return any(s.authserv_id in border.authserv_ids and in_place(s, border) for s in found)
