"""Write a new club's `club.toml`, with a comment for every entry, and its secret key."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from mailflow.errors import SettingsError
from mailflow.providers import NOWHERE, Server
from mailflow.sections.values import checked_port
from mailflow.settings import FILE_NAME, checked_address, checked_currency, checked_timezone

TEMPLATE = """\
# Settings of a mailflow club. Lines that begin with # are comments.
# After a change: stop 'mailflow run' and start it again.

[club]
# The name that mails bear, and the address that members write to.
name = {name}
address = {address}
# Civil time of the club: deadlines end at its midnight. Fixed once the club has members.
timezone = {timezone}
# One currency per club, as an ISO code. Fixed once the club has members.
currency = {currency}
# Language of the mails.
language = "fr"
# Where questions belong; help mails name it. May be empty.
forum = {forum}
# The kind of club: which rulebook it starts from.
rulebook = "friends"

# Numbers of the rulebook that differ from the kind's own, in cents, days, months or hours. They count
# when the club is founded; later the manager changes them by mail (REGLE).
[rulebook]
# initial_credit_cents = 20000
# reserve_threshold_cents = 5000
# dispute_window_days = 7

# Where mail comes in: mailflow listens here. Point your mail server (or the MX) at it.
[smtp]
host = {listen}
port = {port}
# "lmtp" where a mail server on this machine (Postfix, Dovecot) hands the mail over, else "smtp".
protocol = {protocol}
# PEM files beside this one, or with their whole path: with both, senders may use TLS (STARTTLS).
tls_certificate = ""
tls_key = ""
# What is taken of one mail, of one client and of all together; these are the usual values.
# size_bytes_max = 35000000
# recipients_max = 10
# connections_max = 100
# connections_per_client_max = 50
# mails_per_connection_max = 200
# errors_max = 20
# timeout_seconds = 300
# memory_bytes_max = 250000000

# Or a mailbox that mailflow reads, at any provider with IMAP. Both ways may be used together; where the
# mailbox is the only one, give [smtp] host = "".
[imap]
{imap}
# port = 993
# "imaps", "starttls", or "none" for a server on this very machine.
# tls = "imaps"
# user = "club@example.org"
# One of these: a password in a file beside this one, in an environment variable or in the keyring (under this
# service, for the user), or an OAuth 2 token: in a file, printed by a command, or had for the refresh token
# in a file with token_url, client_id, refresh_token. Each is read anew whenever a connection is opened.
# password_file = "imap.password"
# password_variable = "CLUB_IMAP_PASSWORD"
# password_keyring = "mailflow"
# oauth_file = "oauth.toml"
# token_file = "imap.token"
# token_command = "oauth2-helper club@example.org"
# The folder to read, and where handled mails are moved; with an empty name they stay. Missing ones are made.
# folder = "INBOX"
# done = "mailflow-done"
# ignored = "mailflow-ignored"
# quarantine = "mailflow-quarantine"
# Where copies of what goes out are laid, with an x for each letter of a token; "": nowhere.
# sent = ""
# How often to look where the server does not tell of new mail by itself; idle = false: always look.
# poll_seconds = 60
# idle = true
# Certificates to trust instead of the system's.
# ca_file = ""

# Where mail goes out: the server that takes your outgoing mail. Without a host, mails are put into the
# folder 'outbox' beside this file, one file each, so that a first try needs no account anywhere.
[relay]
host = {relay_host}
port = {relay_port}
# "starttls" (often port 587), "implicit" (often port 465), or "none" for a server on this machine.
# Without this line: "none" for this machine, "starttls" for any other.
{relay_tls}
# A PEM file with the certificates to trust besides the system's, for a server with a certificate of its own.
tls_ca = ""
user = {relay_user}
# Instead of the next one: password_variable, password_keyring or oauth_file, as under [imap].
# A file beside this one that holds the password, nothing else; with login = "xoauth2" an access token.
{relay_secret}
login = "password"
# Each mail has a return path of its own (club+b...@), so that reports about it are known for it. false where
# the server takes only your own plain address as sender.
bounce_address = {bounce_address}

# A signature on outgoing mail, for a domain of your own whose relay does not sign (docs/operating.md).
[dkim]
domain = ""
selector = ""
# A file beside this one with the private key, RSA in PEM form.
key_file = ""

# What the server that takes your mail in finds out about senders. 'mailflow doctor --mail --record' learns
# these from a mail to itself and keeps them in border.toml beside this file; what stands here goes before it.
# Without names no word of any server about a sender is trusted.
[border]
# How that server signs its Authentication-Results: the name at the beginning of that header.
# authserv_ids = ["mx.example.org"]
# Your own servers behind it: the names after 'by' in the Received lines above that header, if any.
# hosts = ["imap.example.org"]
# Whether the part behind a plus in the club's address survives on the way.
# plus = true

# Where the books are kept. Without a url they are in the file 'mailflow.db' beside this one. A PostgreSQL
# database may keep the books of many clubs: postgresql://user@host:5432/name ('mailflow migrate-to' moves
# books there). The password stands in a file of its own, or where PostgreSQL looks for it (~/.pgpass).
[database]
url = ""
password_file = ""

# What the weekly digest shows: with balances = "everyone" each member sees the balances of all, with "own"
# his own alone. With a picture the balances are drawn over time.
[digest]
balances = "everyone"
picture = true

# How long proofs last, and how much the club lets itself be made to write.
[trust]
# How long an OUI may take (decisions of the manager have their own delay, in the rulebook).
# confirm_hours = 24
# A session: so long after the last mail in it, and never longer than so many hours.
# session_minutes = 60
# session_hours_max = 8
# To one address, for mails that prove nothing: questions waiting at a time, answers an hour and a day.
# open_confirmations_max = 3
# answers_per_hour_max = 6
# answers_per_day_max = 40
# After so many NON within so many hours, such mails get no more confirmations.
# declines_max = 2
# declines_hours = 12
# For so long the answer to the last NON can be used to be asked again.
# resume_days = 30
# So many guessed tokens an hour, and an address is not heard for an hour.
# misses_per_hour_max = 10
# The same command again within so many minutes is asked before it is done.
# double_tap_minutes = 10
# Somebody who is no member gets at most one mail in so many hours, and all who apply so many a day together;
# managers get so many applications a day and have so many days to answer them. An invitation is good for so
# many days.
# stranger_mail_hours = 24
# stranger_mails_per_day_max = 20
# applications_per_day_max = 10
# application_days = 30
# invitation_days = 30
# Changes of address and of manager: hours for the second OUI, hours until they count, how many at a time.
# identity_answer_hours = 24
# identity_effect_hours = 72
# identity_changes_max = 3
"""


Secret: TypeAlias = tuple[str, str]
"""The entry that names a secret, and its value: never the secret itself."""


@dataclass(frozen=True)
class NewClub:
    """What `mailflow init` asks for. `relay_tls` "": as fits the host. Without `imap` mail comes by SMTP."""

    name: str
    address: str
    timezone: str = "Europe/Paris"
    currency: str = "EUR"
    forum: str = ""
    port: int = 2525
    relay_host: str = ""
    relay_port: int = 25
    relay_tls: str = ""
    imap: Server = NOWHERE
    user: str = ""
    secret: Secret = ("", "")
    bounce_address: bool = True
    protocol: str = "smtp"


def checked(club: NewClub) -> None:
    """Raise SettingsError for what cannot be written into a club.toml that works."""
    if not club.name.strip():
        raise SettingsError("the club needs a name")
    checked_address(club.address)
    checked_timezone(club.timezone)
    checked_currency(club.currency)
    checked_port(club.port, "SMTP", least=0)
    checked_port(club.relay_port, "relay")


def write_settings(folder: Path, club: NewClub) -> Path:
    """Write `club.toml` into the folder, made if missing. Raises SettingsError; never overwrites."""
    checked(club)
    entry, value = club.secret
    secret = f"{entry} = {quoted(value)}" if entry else 'password_file = ""'
    values = {
        "name": quoted(club.name),
        "address": quoted(checked_address(club.address)),
        "timezone": quoted(club.timezone),
        "currency": quoted(club.currency),
        "forum": quoted(club.forum),
        "listen": quoted("" if club.imap.host else "127.0.0.1"),
        "port": club.port,
        "protocol": quoted(club.protocol),
        "imap": _mailbox(club, secret),
        "relay_host": quoted(club.relay_host),
        "relay_port": club.relay_port,
        "relay_tls": f"tls = {quoted(club.relay_tls)}" if club.relay_tls else '# tls = "starttls"',
        "relay_user": quoted(club.user),
        "relay_secret": secret,
        "bounce_address": "true" if club.bounce_address else "false",
    }
    path = folder / FILE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(TEMPLATE.format(**values))
    except FileExistsError as error:
        raise SettingsError(f"{path} exists already: nothing was changed") from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror}") from error
    return path


def _mailbox(club: NewClub, secret: str) -> str:
    server = club.imap
    if not server.host:
        return 'host = ""'
    lines = [f"host = {quoted(server.host)}", f"port = {server.port}", f"tls = {quoted(server.tls)}"]
    return "\n".join([*lines, f"user = {quoted(club.user)}", secret])


def quoted(text: str) -> str:
    """Write a TOML basic string."""
    return '"' + "".join(c if c.isprintable() and c not in '"\\' else _escaped(c) for c in text) + '"'


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
