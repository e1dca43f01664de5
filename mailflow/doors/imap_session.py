"""One conversation with an IMAP server, from the greeting to its end; whatever fails ends it.

Everything is asked for by UID and nothing is marked: bodies with BODY.PEEK, sizes first. ENVELOPE and
BODYSTRUCTURE are never asked for, as servers and libraries stumble over odd mails there (G07).

Known of imapclient, and why `wait` is as careful as it is: `idle_done` waits for ever on a connection that
was cut (mjs/imapclient#449, #403), so every socket has a time-out and keep-alive probes; `idle_check` returns
nothing, at once and again and again, when the server has hung up (#565), so a return that comes too soon is
followed by DONE, which finds out; `idle` raises where news come before the server's go-ahead.
"""

from __future__ import annotations

import logging
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientError

from mailflow.doors.imap_secrets import SecretMissing, password_of, token_of
from mailflow.doors.peers import end_of_peer
from mailflow.doors.waker import Waker, readable
from mailflow.errors import MailflowError
from mailflow.sections.imap import Imap

CONNECT_SECONDS = 15
READ_SECONDS = 30
"""For each piece of an answer, not for the whole."""
TICK_SECONDS = 10.0
"""How often a sign of life is given during IDLE."""
LISTED_MAX = 100_000
"""UIDs asked for in one SEARCH: an answer is one line, and the library reads no line over a million bytes."""

HEAD_BYTES_MAX = 64 * 1024
"""How much of the headers is asked for where a mail is not taken whole."""

_HEAD = b"BODY[HEADER]<0>"
_WHOLE = b"BODY[]"
_KEEPALIVE = (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4))

logging.getLogger("imapclient").setLevel(logging.WARNING)  # below that it shows mails and secrets (T-28)


class MailboxAway(MailflowError):
    """The mailbox cannot be read now. `doing`: at what it failed."""

    def __init__(self, doing: str, reason: str) -> None:
        super().__init__(f"{doing}: {reason}")
        self.doing = doing


class Refused(MailflowError):
    """The server said no, or what it said cannot be used; the connection is still good."""


@dataclass(frozen=True)
class Fetched:
    """A mail as the server gave it. `received_at`: its INTERNALDATE, None where there is none of use."""

    raw: bytes
    received_at: datetime | None


class Session:
    """Logged in, with the folder selected. Used by one thread; `cut` alone may come from another."""

    def __init__(self, client: IMAPClient, settings: Imap) -> None:
        self._client = client
        self._settings = settings
        self._socket = client.socket()
        with _failing("select"):
            selected = client.select_folder(settings.folder)
            self.uidvalidity = int(selected[b"UIDVALIDITY"])
            self._uidnext = int(selected.get(b"UIDNEXT", 1))
            self.can_idle = client.has_capability("IDLE")
            self.can_move = client.has_capability("MOVE")
            self._can_expunge_some = client.has_capability("UIDPLUS")

    def uids(self) -> list[int]:
        """List the folder."""
        self._told.pop("EXISTS", None)
        with _failing("search"):
            starts = range(1, max(self._uidnext, 1) + 1, LISTED_MAX)
            ends = [f"{start + LISTED_MAX - 1}" for start in starts]
            ends[-1] = "*"
            found: list[int] = []
            for start, end in zip(starts, ends, strict=True):
                found += self._client.search(["UID", f"{start}:{end}"])
            return found

    @property
    def certified_until(self) -> datetime | None:
        """The end of the server's certificate; None in clear text."""
        return end_of_peer(self._socket)

    @property
    def grown(self) -> bool:
        """Whether the server has told of mail since the folder was listed, with its answer to a command.

        It does not tell again of the same mail, so whoever goes to wait for news must ask here first.
        """
        return "EXISTS" in self._told

    @property
    def _told(self) -> dict[str, list[object]]:
        told: dict[str, list[object]] = self._client._imap.untagged_responses
        return told

    def sizes(self, uids: Sequence[int]) -> dict[int, int]:
        """Return the sizes in bytes of the mails that are still there."""
        answer = self._fetch(uids, "RFC822.SIZE")
        return {uid: int(said[b"RFC822.SIZE"]) for uid, said in answer.items() if b"RFC822.SIZE" in said}

    def mails(self, uids: Sequence[int]) -> dict[int, Fetched]:
        """Return the mails that are still there, whole. Raises Refused, then for all of them."""
        return self._fetched(uids, "BODY.PEEK[]", _WHOLE)

    def heads(self, uids: Sequence[int]) -> dict[int, Fetched]:
        """Likewise, of each mail its headers."""
        return self._fetched(uids, f"BODY.PEEK[HEADER]<0.{HEAD_BYTES_MAX}>", _HEAD)

    def _fetched(self, uids: Sequence[int], item: str, key: bytes) -> dict[int, Fetched]:
        """A mail without bytes was removed while we asked: it is left out (RFC 2180 4.1)."""
        answer = self._fetch(uids, item, "INTERNALDATE")
        return {
            uid: Fetched(said[key], _aware(said.get(b"INTERNALDATE")))
            for uid, said in answer.items()
            if isinstance(said.get(key), bytes) and said[key]
        }

    def _fetch(self, uids: Sequence[int], *items: str) -> Mapping[int, Mapping[bytes, Any]]:
        with _failing("fetch"), _refused():
            return self._client.fetch(uids, items)  # type: ignore[no-any-return]

    def move(self, uids: Sequence[int], folder: str) -> None:
        """Move mails; those that are gone do not matter. Raises Refused.

        Without MOVE they are copied first and then removed; without UIDPLUS too they are left there marked
        as deleted, as EXPUNGE would remove what others have marked.
        """
        with _failing("move"), _refused():
            if self.can_move:
                self._client.move(uids, folder)
                return
            self._client.copy(uids, folder)
            self._client.delete_messages(uids, silent=True)
            if self._can_expunge_some:
                self._client.uid_expunge(uids)

    def make_folder(self, name: str) -> str:
        """Return the folder's full name, made if it is missing. Raises Refused."""
        with _failing("create"), _refused():
            full = self._prefixed(name)
            if not self._client.folder_exists(full):
                self._create(full)
            return full

    def append(self, folder: str, raw: bytes, at: datetime) -> None:
        """Lay a mail into a folder, as one that was read. Raises Refused."""
        with _failing("append"), _refused():
            self._client.append(folder, raw, ("\\Seen",), at)

    def _create(self, full: str) -> None:
        """A list may be older than the folder: that it exists already is what we want (RFC 5530)."""
        try:
            self._client.create_folder(full)
        except IMAPClientError as error:
            if "ALREADYEXISTS" not in str(error).upper():
                raise
        with suppress(IMAPClientError):
            self._client.subscribe_folder(full)

    def _prefixed(self, name: str) -> str:
        """Put the server's own prefix before a name, where it wants one (RFC 2342)."""
        if not self._client.has_capability("NAMESPACE"):
            return name
        personal = self._client.namespace().personal
        prefix = str(personal[0][0]) if personal else ""
        return name if name.startswith(prefix) else prefix + name

    def wait(
        self, seconds: float, waker: Waker, tick: Callable[[], None], stopwatch: Callable[[], float]
    ) -> bool:
        """IDLE until the server has news (True), we are woken, or the time is over (False)."""
        with _failing("idle"):
            self._client.idle()
            end = stopwatch() + seconds
            news = self._unread()
            while not news and (left := end - stopwatch()) > 0:
                tick()
                ready = readable(min(left, TICK_SECONDS), self._socket, waker)
                if waker.fileno() in ready:
                    break
                if ready:
                    told = self._client.idle_check(timeout=0)
                    if not told:
                        break  # hung up, or an empty TLS record: DONE tells which
                    news = _has_mail(told)
            _, late = self._client.idle_done()
            return news or _has_mail(late)

    def _unread(self) -> bool:
        """Whether news came together with the go-ahead: they lie in a buffer, where no poll sees them."""
        imap = self._client._imap
        if hasattr(imap, "_readbuf"):  # Python 3.14 and later
            return bool(imap._readbuf)
        self._socket.setblocking(False)
        try:
            return bool(imap.file.peek(1))
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        finally:
            self._socket.settimeout(READ_SECONDS)

    def close(self, seconds: float = 2.0) -> None:
        """Log out, but do not wait long for the answer."""
        try:
            self._socket.settimeout(seconds)
            self._client.logout()
        except Exception:
            _hang_up(self._client)

    def cut(self) -> None:
        """End the connection under the feet of a thread that waits for it."""
        with suppress(OSError):
            # Not the SSL object's own way, which would change it while the other thread reads.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


def open_session(settings: Imap) -> Session:
    """Connect, log in and select the folder. Raises MailboxAway."""
    with _failing("connect"):
        client = _connected(settings)
    try:
        with _failing("login"):
            _log_in(client, settings)
        return Session(client, settings)
    except BaseException:
        _hang_up(client)
        raise


def _connected(settings: Imap) -> IMAPClient:
    context = None if settings.tls == "none" else ssl.create_default_context(cafile=settings.ca_file)
    client = IMAPClient(
        settings.host,
        settings.port,
        ssl=settings.tls == "imaps",
        ssl_context=context,
        timeout=SocketTimeout(CONNECT_SECONDS, READ_SECONDS),
    )
    client.normalise_times = False  # instants keep their time zone
    try:
        if settings.tls == "starttls":
            client.starttls(context)
    except BaseException:
        _hang_up(client)
        raise
    connection = client.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE:
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return client


def _hang_up(client: IMAPClient) -> None:
    """Close a connection in whatever state it is."""
    with suppress(Exception):
        client.shutdown()


def _log_in(client: IMAPClient, settings: Imap) -> None:
    try:
        password = password_of(settings)
        secret = token_of(settings) if password is None else password
    except SecretMissing as error:
        raise MailboxAway("login", str(error)) from error
    try:
        if password is not None:
            client.login(settings.user, secret)
            return
        try:
            client.oauth2_login(settings.user, secret)
        except IMAPClientError:
            if settings.oauth_file is None:
                raise
            secret = token_of(settings, refused=secret)  # the last one is over after an hour
            client.oauth2_login(settings.user, secret)
    except SecretMissing as error:
        raise MailboxAway("login", str(error)) from None
    except IMAPClientError as error:
        raise MailboxAway("login", _printable(str(error).replace(secret, "…"))) from None


@contextmanager
def _refused() -> Iterator[None]:
    """Turn a plain no, and an answer that cannot be read, into Refused: both came to their end (G06)."""
    try:
        yield
    except IMAPClient.AbortError:
        raise
    except (IMAPClientError, ValueError, TypeError, LookupError) as error:
        raise Refused(_printable(str(error)) or type(error).__name__) from error


@contextmanager
def _failing(doing: str) -> Iterator[None]:
    """Turn whatever goes wrong within into MailboxAway; what the server said is shown on one line (T-28)."""
    try:
        yield
    except MailflowError:
        raise
    except (IMAPClientError, OSError) as error:
        raise MailboxAway(doing, _printable(str(error)) or type(error).__name__) from error
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise MailboxAway(doing, f"{type(error).__name__}: the server's answer cannot be used") from error


def _has_mail(told: Sequence[Sequence[object]]) -> bool:
    return any(len(line) > 1 and line[1] in (b"EXISTS", b"RECENT") for line in told)


def _aware(instant: object) -> datetime | None:
    return instant if isinstance(instant, datetime) and instant.tzinfo is not None else None


def _printable(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:200]
