"""Begin a club: init, as a conversation at a terminal, by its options in a script."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mailflow import ambient
from mailflow.command_line.parts import DONE, SAID_NO, Commands, add, office_of, say, show_lines
from mailflow.errors import SettingsError

if TYPE_CHECKING:
    from mailflow.asker import Asker
    from mailflow.founding_file import NewClub, Secret
    from mailflow.providers import Provider

PASSWORD_FILE, OAUTH_FILE = "mail.password", "oauth.toml"


def add_to(commands: Commands) -> None:
    """Add this sub-command."""
    parser = add(commands, "init", _init, "begin a club: write club.toml into a folder")
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--name", default="", help="the club's name")
    parser.add_argument("--address", default="", help="the address that members write to")
    parser.add_argument(
        "--manager", default="", metavar="HANDLE=ADDRESS", help="the first member, who manages"
    )
    parser.add_argument("--timezone", default="", help="the club's civil time (Europe/Paris)")
    parser.add_argument("--currency", default="", help="the club's one currency (EUR)")
    parser.add_argument("--forum", default="", help="where questions belong")
    parser.add_argument("--port", type=int, default=2525, help="where mail comes in")
    parser.add_argument("--relay", default="", metavar="HOST[:PORT]", help="server for outgoing mail")
    _mail_options(parser)
    parser.add_argument("--yes", action="store_true", help="ask nothing: what is not given is the usual")


def _mail_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--provider", default="", metavar="NAME", help="whose mailbox it is; 'list' names them"
    )
    parser.add_argument("--user", default="", help="the login there (the address)")
    parser.add_argument("--password-variable", default="", metavar="NAME", help="environment variable")
    parser.add_argument("--password-file", default="", metavar="FILE", help="a file with the password")
    parser.add_argument("--password-keyring", default="", metavar="SERVICE", help="a service of the keyring")
    parser.add_argument(
        "--oauth-file", default="", metavar="FILE", help="token_url, client_id, refresh_token"
    )
    parser.add_argument("--try", dest="attempt", action="store_true", help="try the logins at the end")


@dataclass(frozen=True)
class Answers:
    """What came of the conversation. `kept`: what is to be written beside club.toml, secret as it is."""

    club: NewClub
    manager: tuple[str, str] | None
    kept: dict[str, str]
    oauth: dict[str, str]
    attempt: bool


def _init(options: argparse.Namespace) -> int:
    from mailflow.app import make_key
    from mailflow.asker import asker_of
    from mailflow.founding_file import checked, write_settings
    from mailflow.providers import providers
    from mailflow.settings import FILE_NAME, load

    if options.provider == "list":
        return show_lines(f"{one.key:12} {one.title}: {one.hint}" for one in providers().values())
    if (options.folder / FILE_NAME).exists():
        raise SettingsError(f"{options.folder / FILE_NAME} exists already: nothing was changed")
    answers = _asked(options, asker_of(os.environ.get("TERM", ""), options.yes))
    checked(answers.club)
    _keep(options.folder, answers)
    path = write_settings(options.folder, answers.club)
    make_key(load(options.folder), ambient.random_key())
    say(f"Wrote {path}: look it over. Then:")
    for name in (*answers.kept, *([OAUTH_FILE] if answers.oauth else [])):
        say(f"  {options.folder / name} holds the secret, for you alone; club.toml only names it")
    code = _attempted(options.folder) if answers.attempt else DONE
    _open_account(options.folder, answers.manager)
    say(f"  mailflow doctor --dir {options.folder}")
    say(f"  mailflow run --dir {options.folder}")
    return code


# ---------------------------------------------------------------- the conversation


def _asked(options: argparse.Namespace, ask: Asker) -> Answers:
    from mailflow.founding_file import NewClub

    name = options.name or ask.text("Name of the club", "Les amis du jeudi")
    address = options.address or ask.text("Address that members write to", "club@example.org")
    zone = options.timezone or ask.text("Civil time of the club", "Europe/Paris")
    currency = options.currency or ask.text("Currency of the club", "EUR")
    manager = _manager(options.manager or ask.text("First manager, as handle=address (or nothing)", ""))
    if options.relay and options.provider:
        raise SettingsError("give --relay or --provider: the provider says where mail goes out")
    club = NewClub(name, address, zone, currency, options.forum, options.port)
    if options.relay:
        return Answers(_with_relay(club, options.relay), manager, {}, {}, options.attempt)
    provider = _provider(options, ask)
    if provider is None:
        return Answers(club, manager, {}, {}, options.attempt)
    user = options.user or (ask.text("Login there", address) if provider.login != "none" else "")
    secret, kept, oauth = _secret(options, ask, provider)
    attempt = options.attempt or ask.yes("Try the logins now", False)
    return Answers(_with_provider(club, provider, user, secret), manager, kept, oauth, attempt)


def _manager(given: str) -> tuple[str, str] | None:
    handle, equals, address = given.strip().partition("=")
    if not given.strip():
        return None
    if not (handle and equals and address):
        raise SettingsError(f"{given!r} is not of the form anna=anna@example.org")
    return handle.strip(), address.strip()


def _provider(options: argparse.Namespace, ask: Asker) -> Provider | None:
    from mailflow.providers import providers

    known = providers()
    titles = {"": "none yet: mails go into a folder, to try it out"}
    titles |= {one.key: one.title for one in known.values()}
    key = options.provider or ask.choice("Where the club's mailbox is", titles, "")
    if key and key not in known:
        raise SettingsError(f"--provider {key!r} is not among {', '.join(known)}")
    return known.get(key)


def _secret(
    options: argparse.Namespace, ask: Asker, provider: Provider
) -> tuple[Secret, dict[str, str], dict[str, str]]:
    """Where the secret lies, and what is to be written for it. Raises SettingsError where there is none."""
    given = [
        (name, getattr(options, name))
        for name in ("password_file", "password_variable", "password_keyring", "oauth_file")
        if getattr(options, name)
    ]
    if provider.login == "none":
        return ("", ""), {}, {}
    if len(given) > 1:
        raise SettingsError("one secret is enough: a file, a variable, the keyring or an OAuth file")
    if given:
        if provider.login == "oauth" and given[0][0] != "oauth_file":
            raise SettingsError(f"{provider.title} takes no password: --oauth-file names {provider.hint}")
        if given[0][0].endswith("_file") and not (options.folder / given[0][1]).is_file():
            raise SettingsError(
                f"there is no file {options.folder / given[0][1]}: write the secret there first"
            )
        return given[0], {}, {}
    if provider.login == "oauth":
        say(f"{provider.title} wants {provider.hint}")
        oauth = {
            "token_url": ask.text("Address of the token server", provider.token_url),
            "client_id": ask.text("Client id of the application", ""),
            "client_secret": ask.secret("Client secret (or nothing)"),
            "refresh_token": ask.secret("Refresh token"),
            "scope": provider.scope,
        }
        if not (oauth["client_id"] and oauth["refresh_token"]):
            raise SettingsError(f"{provider.title} needs --oauth-file: {provider.hint}")
        return ("oauth_file", OAUTH_FILE), {}, {name: value for name, value in oauth.items() if value}
    password = ask.secret(f"Password for it ({provider.hint})")
    if not password:
        raise SettingsError(
            f"{provider.title} needs a password: --password-file, --password-variable or --password-keyring "
            f"({provider.hint})"
        )
    return ("password_file", PASSWORD_FILE), {PASSWORD_FILE: password}, {}


def _with_relay(club: NewClub, relay: str) -> NewClub:
    host, _, port = relay.partition(":")
    if port and not port.isdecimal():
        raise SettingsError(f"--relay {relay}: the port must be a number")
    return replace(club, relay_host=host, relay_port=int(port or 25))


def _with_provider(club: NewClub, provider: Provider, user: str, secret: Secret) -> NewClub:
    return replace(
        club,
        imap=provider.imap,
        relay_host=provider.smtp.host,
        relay_port=provider.smtp.port,
        relay_tls=provider.smtp.tls,
        user=user,
        secret=secret,
        bounce_address=provider.bounce_address,
        protocol="smtp" if provider.imap.host else "lmtp",
    )


# ---------------------------------------------------------------- what is done with the answers


def _keep(folder: Path, answers: Answers) -> None:
    """Write the secrets first: club.toml names their files, and must not be there without them."""
    from mailflow.doors.oauth import write

    try:
        if answers.kept or answers.oauth:
            folder.mkdir(parents=True, exist_ok=True)
        for name, text in answers.kept.items():
            file = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "w", encoding="utf-8") as out:
                out.write(f"{text}\n")
    except OSError as error:
        raise SettingsError(f"{folder} cannot be written: {error.strerror}") from error
    if answers.oauth:
        write(folder / OAUTH_FILE, answers.oauth)


def _attempted(folder: Path) -> int:
    """Try to log in as `mailflow doctor` does."""
    from mailflow.doctor.findings import Line, Patient, State
    from mailflow.doctor.table import CHECKS
    from mailflow.settings import load

    patient, code = Patient(load(folder), ambient.now()), DONE
    for check in CHECKS:
        if check.name in ("mailbox", "relay"):
            found = check.look(patient)
            show_lines(Line(check.name, found, check.mend).shown())
            code = SAID_NO if found.state is State.BAD else code
    return code


def _open_account(folder: Path, manager: tuple[str, str] | None) -> None:
    from mailflow.app import add_member, welcome
    from mailflow.founding import Founder

    if manager is None:
        say(f"  mailflow member add anna anna@example.org --manager --dir {folder}")
        return
    handle, address = manager
    with office_of(folder) as office:
        refusals = add_member(office, Founder(handle, address, True), ambient.now())
        if refusals:
            say(
                f"{handle} could not be made a manager ({refusals[0].code}): choose another handle or address"
            )
            say(f"  mailflow member add HANDLE ADDRESS --manager --dir {folder}")
            return
        welcome(office, handle, ambient.now())
    say(f"{handle} manages the club; a mail to {address} says so when 'mailflow run' is at work.")
