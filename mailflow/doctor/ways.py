"""The ways in and out: the port that mail comes in by, the server that it goes out through."""

from __future__ import annotations

import os
from socket import AF_INET, AF_INET6, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket

from mailflow.ambient import stopwatch
from mailflow.doctor.findings import Found, Patient, bad, left_out, note, well
from mailflow.doors.imap_session import MailboxAway, open_session
from mailflow.doors.relay import RelayTransport
from mailflow.doors.transport import NotTaken
from mailflow.errors import SettingsError
from mailflow.service import only_one
from mailflow.settings import Settings


def is_at_work(patient: Patient) -> bool:
    """Whether `mailflow run` holds the folder."""
    if not patient.settings.lock_file.exists() or not os.access(patient.settings.lock_file, os.W_OK):
        return False
    try:
        with only_one(patient.settings.lock_file):
            return False
    except SettingsError:
        return True


def port_is_free(patient: Patient) -> Found:
    listen = patient.settings.listen
    if not listen.host:
        return left_out("mail does not come in by SMTP here")
    place = f"{listen.host}:{listen.port}"
    if is_at_work(patient):
        return well(f"{place}: 'mailflow run' is at work")
    try:
        with socket(AF_INET6 if ":" in listen.host else AF_INET, SOCK_STREAM) as probe:
            probe.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
            probe.bind((listen.host, listen.port))
    except OSError as error:
        return bad(f"{place} cannot be had: {error.strerror or error}")
    return well(f"{place} is free")


def mailbox_opens(patient: Patient) -> Found:
    """Connect, log in and select the folder as for reading, and leave again."""
    settings = patient.settings.imap
    if not settings.host:
        return left_out("no mailbox is read")
    place = f"{settings.folder} of {settings.account}"
    try:
        session = open_session(settings)
    except MailboxAway as error:
        return bad(f"{place} does not open: {error}")
    try:
        lying = len(session.uids())
    except MailboxAway as error:
        return bad(f"{place} cannot be listed: {error}")
    finally:
        session.close()
    said = f"{place} opens, mails that lie there: {lying}"
    if not session.can_move:
        said += "; the server knows no MOVE: handled mails are copied away, then removed"
    if settings.idle and session.can_idle:
        return well(f"{said}; the server tells of new ones")
    return note(f"{said}; new ones are looked for every {settings.poll_seconds} s")


def relay_takes_mail(patient: Patient) -> Found:
    """Connect as for a mail, STARTTLS and login included, and leave again."""
    relay = patient.settings.relay
    if not relay.host:
        return note(f"no server is named: mails go into {patient.settings.outbox}, to nobody")
    place = f"{relay.host}:{relay.port}"
    try:
        offered = relay_of(patient.settings).greet()
    except NotTaken as error:
        return bad(f"{place}: {error}")
    in_tls = relay.tls != "none"
    how = "in TLS" if in_tls else "in clear text"
    said = f"{place} answers, {how}{', and knows us' if relay.user else ''}"
    if not in_tls and "STARTTLS" in offered:
        return note(f"{said}: it offers STARTTLS, which [relay] tls does not ask for")
    return well(said)


def relay_of(settings: Settings) -> RelayTransport:
    """Return what sends from the club's own address."""
    hello = settings.address.rpartition("@")[2]
    return RelayTransport(settings.relay, hello, lambda mail: settings.address, stopwatch)
