"""The table of what is looked at, in the order in which one thing rests upon the other."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from mailflow.doctor import books, border, certificates, files, names, ways
from mailflow.doctor.findings import Check, Found, Line, Patient, bad, well
from mailflow.errors import MailflowError, described
from mailflow.settings import FILE_NAME, load

CHECKS: tuple[Check, ...] = (
    Check(
        "key",
        files.key_is_secret,
        "chmod 600 {folder}/secret.key; a lost one comes from its copy: a new one ends all that is open",
    ),
    Check(
        "folder",
        files.folder_is_ours,
        "chmod -R go= {folder}, and have it belong to the user that runs mailflow",
    ),
    Check("disk", files.disk_has_room, "make room, or put old copies away: mailflow backup --keep N"),
    Check("disk kind", files.disk_is_local, "move {folder} to a disk of this machine"),
    Check("sqlite", books.sqlite_serves, "install a newer Python, which brings a newer SQLite"),
    Check("books", books.books_open, "put a sound copy in place (mailflow backup), or update mailflow"),
    Check(
        "integrity", books.books_are_sound, "stop the service; mailflow restore FILE puts a sound copy back"
    ),
    Check("clock", books.clock_is_sane, "set the machine's clock, by NTP; then look again"),
    Check("port", ways.port_is_free, "stop what holds it, or choose another port under [smtp] in club.toml"),
    Check("mailbox", ways.mailbox_opens, "look at host, tls, user, folder and password or token of [imap]"),
    Check("relay", ways.relay_takes_mail, "look at host, port, tls, user and password_file of [relay]"),
    Check(
        "tls",
        certificates.certificates_are_good,
        "have it renewed by whoever keeps that server; for your own, look at certbot's timer",
    ),
    Check(
        "mx",
        names.mail_finds_us,
        "at whoever keeps the domain's DNS: an MX record that names your mail server",
    ),
    Check(
        "spf",
        names.senders_are_named,
        'one TXT record at the domain, such as "v=spf1 mx -all"; your provider says what belongs there',
    ),
    Check(
        "dkim",
        names.signature_can_be_checked,
        "publish the key of [dkim] key_file at that name: docs/operating.md shows how",
    ),
    Check(
        "dmarc",
        names.forgeries_are_judged,
        'a TXT record at _dmarc.DOMAIN, such as "v=DMARC1; p=quarantine", once SPF or DKIM pass',
    ),
    Check(
        "border",
        border.border_agrees,
        "mailflow doctor --mail --record finds out who stamps mail on its way here",
    ),
)
"""A further check is a row: a function that looks, and what to do when it is not well."""


def examine(folder: Path, now: datetime, name_server: str = "") -> Iterator[Line]:
    """Look at everything. Without settings that can be read there is nothing else to look at."""
    try:
        patient = Patient(load(folder), now, name_server)
    except MailflowError as error:
        yield Line(
            "settings",
            bad(str(error)),
            "mend what it says; 'mailflow init' in a new folder writes a club.toml with all settings",
        )
        return
    yield Line("settings", well(f"{folder / FILE_NAME} can be read"))
    for check in CHECKS:
        yield Line(check.name, _looked(check, patient), check.mend.format(folder=patient.settings.folder))


def _looked(check: Check, patient: Patient) -> Found:
    """A check that fails itself must not keep the others from being made."""
    try:
        return check.look(patient)
    except Exception as error:
        return bad(f"could not be looked at: {described(error)}")
