"""A conversation with the relay up to where it takes mails: greeting, TLS, login."""

from __future__ import annotations

import socket
import ssl
from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from mailflow.doors.imap_secrets import SecretMissing, from_keyring, from_oauth, from_variable
from mailflow.doors.smtp_wire import Broken, Reply, Stopwatch, Wire
from mailflow.doors.transport import NotTaken
from mailflow.sections.relay import Relay


@dataclass(frozen=True)
class Patience:
    """How long to wait, in seconds; RFC 5321 4.5.3.2 would wait longer still.

    `taken`: after the final dot. Who hangs up too early there sends the mail twice.
    """

    connect: float = 20
    reply: float = 30
    data: float = 120
    taken: float = 180
    farewell: float = 5


class RelaySession:
    """`offers`: what the server said to EHLO, by keyword. Opening raises NotTaken, for all mails alike."""

    def __init__(self, relay: Relay, hello: str, stopwatch: Stopwatch, patience: Patience) -> None:
        self.offers: dict[str, str] = {}
        self._relay = relay
        self._hello = hello
        self._patience = patience
        try:
            connection = socket.create_connection((relay.host, relay.port), patience.connect)
            # The end of a mail must not wait until the server has acknowledged what came before it.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._wire = Wire(connection, stopwatch)
        except OSError as error:
            words = f"{type(error).__name__}: {error.strerror or error}"
            raise NotTaken(words, closed=True) from error
        try:
            self._open()
        except Broken as error:
            self._wire.close()
            raise NotTaken(str(error), closed=True) from error
        except BaseException:
            self._wire.close()
            raise

    # ---------------------------------------------------------------- once it is open

    def say(self, command: str) -> Reply:
        """Say one command and hear its reply. Raises Broken."""
        self.put(f"{command}\r\n".encode(), self._patience.reply)
        return self.hear(self._patience.reply)

    def put(self, data: bytes, seconds: float) -> None:
        """Send bytes. Raises Broken."""
        self._wire.send(data, seconds)

    def hear(self, seconds: float) -> Reply:
        """Hear one reply. Raises Broken."""
        return self._wire.reply(seconds)

    @property
    def certified_until(self) -> datetime | None:
        """The end of the server's certificate; None in clear text."""
        return self._wire.certified_until

    def say_good_bye(self) -> None:
        with suppress(Broken):
            self.put(b"QUIT\r\n", self._patience.farewell)
            self.hear(self._patience.farewell)
        self.drop()

    def drop(self) -> None:
        """Hang up without a word."""
        self._wire.close()

    # ---------------------------------------------------------------- opening it

    def _open(self) -> None:
        if self._relay.tls == "implicit":
            self._go_over_to_tls()
        _want(220, self.hear(self._patience.reply))
        self._greet()
        if self._relay.tls == "starttls":
            if "STARTTLS" not in self.offers:
                raise NotTaken("the server offers no STARTTLS", closed=True)
            _want(220, self.say("STARTTLS"))
            self._go_over_to_tls()
            self._greet()
        if self._relay.user:
            self._log_in()

    def _greet(self) -> None:
        """Say EHLO, and note what the server offers: before TLS anybody may have said that."""
        reply = self.say(f"EHLO {self._hello}")
        _want(250, reply)
        offers = (line.strip().upper().partition(" ") for line in reply.lines[1:])
        self.offers = {name: words for name, _, words in offers}

    def _go_over_to_tls(self) -> None:
        try:
            context = ssl.create_default_context()
            if self._relay.tls_ca is not None:
                context.load_verify_locations(self._relay.tls_ca)
        except OSError as error:
            raise NotTaken(f"{self._relay.tls_ca} cannot be read", closed=True) from error
        self._wire.start_tls(context, self._relay.host, self._patience.reply)

    def _log_in(self) -> None:
        """Raises NotTaken. What the server says to a login is not repeated: it may hold the password."""
        user, secret = self._relay.user, self._secret()
        known = self.offers.get("AUTH", "").split()
        if self._relay.oauth_file is not None:
            reply = self._by_token(user, secret)
            if reply.code != 235:  # the last token is over after an hour
                reply = self._by_token(user, self._secret(refused=secret))
        elif self._relay.login == "xoauth2":
            reply = self._by_token(user, secret)
        elif "PLAIN" in known:
            reply = self.say(f"AUTH PLAIN {_base64('', user, secret, by=0)}")
        elif "LOGIN" in known:
            reply = self.say("AUTH LOGIN")
            for answer in (user, secret):
                reply = self.say(_base64(answer)) if reply.code == 334 else reply
        else:
            raise NotTaken("the server offers no login by password (AUTH PLAIN or LOGIN)", closed=True)
        if reply.code != 235:
            raise NotTaken(f"the login was refused with {reply.code}", closed=True)

    def _by_token(self, user: str, token: str) -> Reply:
        answer = _base64(f"user={user}", f"auth=Bearer {token}", "", "", by=1)
        reply = self.say(f"AUTH XOAUTH2 {answer}")
        return self.say("") if reply.code == 334 else reply  # it explains itself, and waits for an empty line

    def _secret(self, refused: str = "") -> str:
        relay, path = self._relay, self._relay.password_file
        try:
            if relay.oauth_file is not None:
                return from_oauth(relay.oauth_file, refused)
            if relay.password_variable:
                return from_variable(relay.password_variable)
            if relay.password_keyring:
                return from_keyring(relay.password_keyring, relay.user)
            return path.read_text("utf-8").strip() if path is not None else ""
        except SecretMissing as error:
            raise NotTaken(str(error), closed=True) from error
        except (OSError, UnicodeDecodeError) as error:
            raise NotTaken(f"{path} cannot be read", closed=True) from error


def _want(code: int, reply: Reply) -> None:
    if reply.code != code:
        raise NotTaken(reply.reason, closed=True)


def _base64(*texts: str, by: int = 0) -> str:
    """Encode texts with a control character between each two."""
    return b64encode(chr(by).join(texts).encode()).decode()
