"""What comes between DATA and the final dot, line by line: one mail, or one reason why it is none.

A line ends with CR LF and nothing else. Whoever sends a bare LF or CR may mean another end of the mail than
we do, and everything after it would be a second mail from nobody (SMTP smuggling, T-33); a NUL is cut off or
kept by the next program as it likes. Such a mail is refused as a whole (550 5.6.11), after its true end.
"""

from __future__ import annotations

from dataclasses import dataclass, field

BARE = "550 5.6.11 bare CR, bare LF or NUL in the message"
TOO_BIG = "552 5.3.4 message too big"
TOO_LONG = "500 5.6.0 line too long (RFC 5321 4.5.3.1.6)"
NO_ROOM = "452 4.3.1 no room for the message now"

END = b".\r\n"


@dataclass
class MailBytes:
    """Collects a mail. `refusal`: the reply that it has earned, None while nothing is wrong with it.

    What is refused is no longer kept, only counted: `received` says how much came in all.
    """

    size_max: int
    received: int = 0
    refusal: str | None = None
    _lines: list[bytes] = field(default_factory=list)

    def add(self, line: bytes) -> None:
        """Take a line with its CR LF."""
        self.received += len(line)
        if self.refusal is not None:
            return
        if self.received > self.size_max:
            self.refuse(TOO_BIG)
        elif b"\n" in line[:-2] or b"\r" in line[:-2] or b"\0" in line:
            self.refuse(BARE)
        else:
            self._lines.append(line[1:] if line.startswith(b".") else line)

    def add_piece(self, piece: bytes) -> None:
        """Take a piece of a line that is longer than any may be."""
        self.received += len(piece)
        self.refuse(TOO_LONG)

    def refuse(self, reply: str) -> None:
        """Refuse the mail, for the first reason that was found."""
        self.refusal = self.refusal or reply
        self._lines.clear()

    def content(self) -> bytes:
        """Return the mail, its doubled dots undone (RFC 5321 4.5.2)."""
        return b"".join(self._lines)
