"""What a mail that the club sent to itself shows of its way: tokens, stamps, the lines above them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mailflow.doctor.findings import Found, Line, bad, note, well
from mailflow.sections.border import Border, is_host
from parsers.authentication import Finding, Stamp, in_place, stamps, verdict_of
from parsers.headers import split_headers
from parsers.letter import read_letter
from parsers.received import written_by


@dataclass(frozen=True)
class Sent:
    """One of the mails sent, and what came of it.

    `token`: what it carries where others carry a token, in its subject or behind a plus. `refused`: with
    which words the relay would not take it. `raw`: the mail as it came back; None if it did not.
    """

    token: str
    refused: str = ""
    raw: bytes | None = None

    @property
    def token_survived(self) -> bool:
        """Whether it is found again where the reader would look for a token, however it is wrapped."""
        if self.raw is None:
            return False
        letter = read_letter(self.raw)
        parts = [address.rpartition("@")[0].partition("+")[2] for address in letter.recipients]
        return self.token in parts or f"[#{self.token}]" in "".join(letter.subject.split()).lower()


@dataclass(frozen=True)
class Learnt:
    """What a round trip taught: entries of [border]. None, or nothing: it did not show."""

    authserv_ids: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    plus: bool | None = None


def study(tagged: Sent, plussed: Sent, waited_seconds: int, address: str, border: Border) -> list[Line]:
    """Say in plain words what the two mails show; `border`: what is configured."""
    lines = [_way(tagged, waited_seconds, address)]
    if tagged.raw is None and plussed.raw is None:
        return lines
    lines += [_tag(tagged), _plus(plussed, waited_seconds, address)]
    raw = tagged.raw or plussed.raw or b""
    lines += [_stamp(raw), _trusted(raw, address, border)]
    return lines


def learnt(tagged: Sent, plussed: Sent) -> Learnt:
    """Return what may be kept: of the stamps the topmost of each mail, which was written last."""
    returned = [sent.raw for sent in (tagged, plussed) if sent.raw is not None]
    found = [one for one in map(_usable, returned) if one is not None]
    ids = dict.fromkeys(one.authserv_id for one in found if one.authserv_id)
    hosts = dict.fromkeys(_pattern(name) for one in found for name in one.above if name)
    plus = plussed.token_survived if tagged.raw is not None or plussed.raw is not None else None
    return Learnt(tuple(ids), tuple(hosts), plus)


# ---------------------------------------------------------------- the way and the tokens


def _way(tagged: Sent, waited_seconds: int, address: str) -> Line:
    mend = "look into the relay's log, and have mail for the address delivered to the club's entry"
    if tagged.refused:
        return Line("way", bad(f"the relay does not take a mail to {address}: {tagged.refused}"), mend)
    if tagged.raw is None:
        return Line("way", bad(f"a mail to {address} did not come back within {waited_seconds} s"), mend)
    return Line("way", well(f"a mail to {address} comes back"))


def _tag(tagged: Sent) -> Line:
    found = well("the tag in the subject arrives as it was sent")
    if tagged.raw is not None and not tagged.token_survived:
        found = bad("the tag in the subject is changed or lost on the way")
    return Line("subject", found, "find out which server rewrites subjects: answers to the club rely on them")


def _plus(plussed: Sent, waited_seconds: int, address: str) -> Line:
    local, _, domain = address.rpartition("@")
    where = f"{local}+…@{domain}"
    mend = "have your server deliver plus addresses too; until then the tag in the subject serves"
    if plussed.refused:
        return Line("plus", note(f"the relay does not take a mail to {where}: {plussed.refused}"), mend)
    if plussed.raw is None:
        return Line("plus", note(f"a mail to {where} did not come back within {waited_seconds} s"), mend)
    if not plussed.token_survived:
        return Line("plus", note(f"a mail to {where} comes back without what stood behind the plus"), mend)
    return Line("plus", well(f"a mail to {where} comes back as it was sent"))


# ---------------------------------------------------------------- stamps


def _stamp(raw: bytes) -> Line:
    """Who stamps, and where his stamp stands among the Received lines."""
    headers = split_headers(_lines(raw))[0]
    found = stamps(headers)
    if not found:
        said = "nobody stamps Authentication-Results: forged mail cannot be told from other mail"
        return Line("stamp", note(said), "have your server check SPF, DKIM and DMARC, if it can")
    top = found[0]
    servers = [written_by(value) for value in headers.all("received")]
    below = servers[len(top.above)] if len(top.above) < len(servers) else None
    place = f"above the Received line of {below}" if below else "below all Received lines that can be read"
    if top.above:
        place += f", below that of {_named(top.above)}"
    if top.authserv_id is None:
        mend = "RFC 8601 asks for the server's name alone before the first semicolon"
        return Line("stamp", note(f"a stamp without a usable name stands {place}"), mend)
    others = [stamp.authserv_id for stamp in found[1:] if stamp.authserv_id != top.authserv_id]
    more = f"; further stamps, not believed: {_named(others)}" if others else ""
    unknown = None in top.above
    name = f"{top.authserv_id} stamps, {place}{more}"
    if unknown:
        return Line("stamp", note(name), "a Received line above it names no server: it cannot be trusted")
    return Line("stamp", well(name))


def _trusted(raw: bytes, address: str, border: Border) -> Line:
    """Whether what is configured makes use of it, and what it says of our own mail."""
    mend = "mailflow doctor --mail --record keeps what was seen, or write it under [border]"
    if not border.authserv_ids:
        return Line("border", note("nothing is configured: no server's word about a sender counts"), mend)
    configured = _named(sorted(border.authserv_ids))
    found = stamps(split_headers(_lines(raw))[0])
    ours = [stamp for stamp in found if stamp.authserv_id in border.authserv_ids]
    if not ours:
        return Line("border", bad(f"{configured} is configured, and has not stamped this mail"), mend)
    if not any(in_place(stamp, border) for stamp in ours):
        return Line("border", bad(f"{configured} stamps below servers that hosts does not name"), mend)
    return Line("border", _own_mail(raw, address, border), "look at SPF, DKIM and DMARC of your own domain")


def _own_mail(raw: bytes, address: str, border: Border) -> Found:
    verdict = verdict_of(raw, address, border)
    if verdict.finding is Finding.PASS:
        return well("what is configured agrees; the club's own mail passes DMARC")
    if verdict.finding is Finding.FAIL:
        return bad("what is configured agrees, but the club's own mail fails DMARC: members may not get it")
    return note(f"what is configured agrees; of the club's own mail it says nothing ({verdict.reason})")


def _usable(raw: bytes) -> Stamp | None:
    """The topmost stamp, if its name and all servers above it can be told."""
    found = stamps(split_headers(_lines(raw))[0])[:1]
    usable = found and found[0].authserv_id and all(n and is_host(_pattern(n)) for n in found[0].above)
    return found[0] if usable else None


def _pattern(name: str) -> str:
    """An IPv6 address among a provider's own servers changes with each mail: its beginning stands for it."""
    groups = name.split(":")
    return f"{groups[0]}:{groups[1]}:*" if len(groups) > 3 and groups[0] and groups[1] else name


def _named(names: Sequence[str | None]) -> str:
    return ", ".join(name or "a server that cannot be told" for name in names)


def _lines(raw: bytes) -> bytes:
    return raw.replace(b"\r\n", b"\n")
