"""What our own border found out about a mail's sender (RFC 8601; TRUST § 1, T-2, T-3, hazards E22-E29).

Pure: no DNS, no clock. A mail can carry any number of Authentication-Results; what counts is what our border
wrote, and that is told by its name and its place. Whatever cannot be told for sure counts as absent: then the
mail is as good as any other from that address, which is to say that it proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from parsers.addresses import canonical
from parsers.authentication_results import HEADER_FROM, MethodResult, authserv_id_of, read_results
from parsers.headers import Headers, split_headers
from parsers.limits import SIZE_BYTES_MAX
from parsers.received import written_by
from parsers.signatures import flaw_of

STAMPS_MAX = 4
"""Headers of ours that are read, from the top: a border writes one, or one for each of its filters. What a
sender brought along stands lower, and must not cost us more the more of it there is (T-24)."""


@dataclass(frozen=True)
class Border:
    """The servers of ours that mail from outside passes; without names nothing is trusted.

    authserv_ids   how they sign the Authentication-Results that they write, in lower case
    hosts          the names after `by` in the Received lines that may stand above those: of our own servers
                   behind them. A `*` at the end or at the beginning of a name stands for any letters
    """

    authserv_ids: frozenset[str] = frozenset()
    hosts: tuple[str, ...] = ()

    def wrote(self, host: str | None) -> bool:
        """Whether a Received line with this `by` name is one of ours."""
        return host is not None and any(_matches(host, pattern) for pattern in self.hosts)


def _matches(host: str, pattern: str) -> bool:
    if pattern.startswith("*"):
        return host.endswith(pattern[1:])
    return host.startswith(pattern[:-1]) if pattern.endswith("*") else host == pattern


class Finding(StrEnum):
    """What the border's word comes to. Only FAIL ever changes what is done with a mail."""

    PASS = "pass"
    FAIL = "fail"
    NONE = "none"


@dataclass(frozen=True)
class Verdict:
    """A finding with its reason.

    PASS and FAIL have the reason `dmarc`. NONE says why nothing is known:

        no_border           no border is configured
        unreadable_mail     no single sender, or headers that cannot be read safely
        absent              no header of our border at its place
        twice               more than one
        unreadable          it is not to the letter of RFC 8601
        no_dmarc            it says nothing of DMARC, or contradicts itself
        other_domain        it speaks of another domain than that of From (E24)
        undecided           its result is neither pass nor fail
        dkim_partial dkim_uncovered dkim_unreadable     a pass that words of others may hide behind (E27-E29)
    """

    finding: Finding
    reason: str

    @property
    def failed(self) -> bool:
        return self.finding is Finding.FAIL


@dataclass(frozen=True)
class Stamp:
    """An Authentication-Results header where it stands, and the `by` names of the lines above."""

    authserv_id: str | None
    value: str
    above: tuple[str | None, ...]


def verdict_of(raw: bytes, sender: str | None, border: Border) -> Verdict:
    """Return what our border says of this mail from `sender`, a canonical address. Never raises.

    A fail counts in whichever of our headers it stands: nobody can be hurt by failing his own mail, and a
    second header must not hide the first. A pass counts only if it is the only word of ours.
    """
    if not border.authserv_ids:
        return Verdict(Finding.NONE, "no_border")
    headers, body = split_headers(_plain_line_ends(raw))
    if sender is None or headers.defect is not None:
        return Verdict(Finding.NONE, "unreadable_mail")
    ours = [s for s in stamps(headers) if s.authserv_id in border.authserv_ids and in_place(s, border)]
    verdicts = [_verdict(stamp, sender) for stamp in ours[:STAMPS_MAX]]
    failure = next((verdict for verdict in verdicts if verdict.failed), None)
    if failure is not None:
        return failure
    if len(verdicts) != 1:
        return Verdict(Finding.NONE, "twice" if verdicts else "absent")
    flaw = flaw_of(headers, body) if verdicts[0].finding is Finding.PASS else None
    return verdicts[0] if flaw is None else Verdict(Finding.NONE, flaw)


def stamps(headers: Headers) -> tuple[Stamp, ...]:
    """Return every Authentication-Results header of a mail, whoever wrote it, from the top."""
    found: list[Stamp] = []
    above: list[str | None] = []
    for name, value in headers.fields:
        if name == "received":
            above.append(written_by(value))
        elif name == "authentication-results":
            text = value.decode("latin-1")
            found.append(Stamp(authserv_id_of(text), text, tuple(above)))
    return tuple(found)


def in_place(stamp: Stamp, border: Border) -> bool:
    """Whether all Received lines above are ours: what stands lower came in with the mail (T-3)."""
    return all(map(border.wrote, stamp.above))


def _verdict(stamp: Stamp, sender: str) -> Verdict:
    results = read_results(stamp.value)
    if results is None:
        return Verdict(Finding.NONE, "unreadable")
    verdicts = [_of_dmarc(one, sender) for one in results if one.method == "dmarc"]
    failure = next((verdict for verdict in verdicts if verdict.failed), None)
    if failure is not None or len(verdicts) == 1:
        return failure or verdicts[0]
    return Verdict(Finding.NONE, "no_dmarc")


def _of_dmarc(one: MethodResult, sender: str) -> Verdict:
    """DMARC is about the domain of From: a result for another one is about another mail (E24)."""
    domains = one.values(HEADER_FROM)
    if len(domains) != 1 or canonical(f"postmaster@{domains[0].rpartition('@')[2]}") != _postmaster(sender):
        return Verdict(Finding.NONE, "other_domain")
    if one.result not in ("pass", "fail"):
        return Verdict(Finding.NONE, "undecided")
    return Verdict(Finding(one.result), "dmarc")


def _postmaster(address: str) -> str:
    return f"postmaster@{address.rpartition('@')[2]}"


def _plain_line_ends(raw: bytes) -> bytes:
    """As the letter is read: a mail beyond what is read at all is looked at no further than its headers."""
    return raw[: 2 * SIZE_BYTES_MAX].replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
