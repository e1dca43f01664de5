"""Until when certificates are good: of the servers that we speak with, and our own."""

from __future__ import annotations

import ssl
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mailflow.doctor.findings import Found, Patient, bad, left_out, note, well
from mailflow.doctor.ways import relay_of
from mailflow.doors.imap_session import MailboxAway, open_session
from mailflow.doors.transport import NotTaken

SOON = timedelta(days=14)
ROUNDS_MAX = 10


def certificates_are_good(patient: Patient) -> Found:
    """A server whose certificate is not good is said to be so by its own check: here is the end in sight."""
    ends: dict[str, datetime] = {}
    settings = patient.settings
    if settings.imap.host and settings.imap.tls != "none":
        with suppress(MailboxAway):
            session = open_session(settings.imap)
            if session.certified_until is not None:
                ends[settings.imap.host] = session.certified_until
            session.close()
    if settings.relay.host and settings.relay.tls != "none":
        with suppress(NotTaken):
            until = relay_of(settings).certified_until()
            if until is not None:
                ends[settings.relay.host] = until
    ours, key = settings.listen.tls_certificate, settings.listen.tls_key
    if ours is not None and key is not None:
        try:
            ends[ours.name] = end_of(ours, key)
        except (OSError, ssl.SSLError) as error:
            return bad(f"{ours.name}: {getattr(error, 'verify_message', None) or error.strerror or error}")
    return judged(ends, patient.now)


def judged(ends: dict[str, datetime], now: datetime) -> Found:
    """Say which certificate ends first."""
    if not ends:
        return left_out("no certificate is in use, or no server could be reached")
    who = min(ends, key=lambda name: ends[name])
    end = ends[who]
    said = f"{who}: good until {end:%d %b %Y}"
    if end <= now:
        return bad(f"{who}: ended on {end:%d %b %Y}")
    return note(said) if end - now < SOON else well(said)


def end_of(certificate: Path, key: Path) -> datetime:
    """Return until when our own certificate is good, by a handshake with ourselves. Raises SSLError."""
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate, key, password="")  # never ask at the terminal
    asking = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    asking.check_hostname = False
    asking.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # it is trusted itself, whoever signed it
    asking.load_verify_locations(certificate)
    here, there = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = (asking.wrap_bio(here, there), serving.wrap_bio(there, here, server_side=True))
    for _ in range(ROUNDS_MAX):
        for side in sides:
            with suppress(ssl.SSLWantReadError):
                side.do_handshake()
        if sides[0].version() and (found := sides[0].getpeercert()):
            return datetime.fromtimestamp(ssl.cert_time_to_seconds(str(found["notAfter"])), UTC)
    raise ssl.SSLError("the certificate cannot be looked at")
