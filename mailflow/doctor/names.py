"""What the DNS says of the club's domain: where its mail goes, who may send in its name."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import wraps
from typing import Any

import dns.exception
import dns.resolver
from dkim.crypto import UnparsableKeyError, parse_pem_private_key, parse_public_key

from mailflow.doctor.findings import Found, Patient, bad, left_out, note, well

ASK_SECONDS = 4.0
"""For one question, whatever the number of servers asked."""
RESERVED = frozenset(("example", "invalid", "localhost", "test"))
EXAMPLES = frozenset(("example.com", "example.net", "example.org"))
"""RFC 2606: nobody's mail goes there, so nobody's name server is asked."""


class NoAnswer(Exception):
    """No name server could be asked, or none answered: nothing is known."""


Look = Callable[[Patient], Found]


def _asking(look: Look) -> Look:
    """Leave a check out where there is nothing to ask, or nobody answers: a home without DNS is not ill."""

    @wraps(look)
    def looked(patient: Patient) -> Found:
        domain = domain_of(patient)
        if domain in EXAMPLES or domain.rpartition(".")[2] in RESERVED:
            return left_out(f"{domain} is a domain for examples")
        try:
            return look(patient)
        except NoAnswer as error:
            return left_out(f"the name server did not answer: {error}")

    return looked


def domain_of(patient: Patient) -> str:
    return patient.settings.address.rpartition("@")[2]


@_asking
def mail_finds_us(patient: Patient) -> Found:
    """RFC 5321 5.1, RFC 7505: without MX the domain's own address serves; a lone dot takes no mail."""
    domain = domain_of(patient)
    hosts = sorted(_mx(patient, domain))
    if [host for _, host in hosts] == ["."]:
        return bad(f"{domain} says that it takes no mail (an MX of a lone dot)")
    if hosts:
        lost = [host for _, host in hosts if not _has_address(patient, host)]
        if lost:
            return bad(f"{domain}: {', '.join(lost)} has no address")
        return well(f"mail for {domain} goes to {', '.join(host.rstrip('.') for _, host in hosts)}")
    if _has_address(patient, domain):
        return note(f"{domain} has no MX: mail goes to the machine of that name itself")
    return bad(f"{domain} has neither MX nor address: no mail comes in")


@_asking
def senders_are_named(patient: Patient) -> Found:
    """RFC 7208: one record; two are an error, and count as none."""
    domain = domain_of(patient)
    records = [text for text in _texts(patient, domain) if text.lower().split(" ")[0] == "v=spf1"]
    if not records:
        return note(f"{domain} has no SPF record: receivers do not know who may send for it")
    if len(records) > 1:
        return bad(f"{domain} has {len(records)} SPF records: receivers take none of them")
    if any(word in ("all", "+all") for word in records[0].lower().split()[1:]):
        return bad(f"the SPF record lets everybody send: {records[0]}")
    return well(records[0])


@_asking
def signature_can_be_checked(patient: Patient) -> Found:
    """RFC 6376 3.6: the public key at the selector belongs to the private key here."""
    dkim = patient.settings.dkim
    if dkim.key_file is None:
        return left_out("mailflow does not sign: whoever sends for you does, under a name of his own")
    place = f"{dkim.selector}._domainkey.{dkim.domain}"
    records = _texts(patient, place)
    if not records:
        return bad(f"there is no TXT record at {place}: every signature is void")
    if len(records) > 1:
        return bad(f"there are {len(records)} TXT records at {place}: one must stand there")
    try:
        tags = dict(part.strip().partition("=")[::2] for part in records[0].split(";"))
        published = parse_public_key(base64.b64decode("".join(tags.get("p", "").split()), validate=True))
        ours = parse_pem_private_key(dkim.key_file.read_bytes())
    except (UnparsableKeyError, ValueError, KeyError, TypeError, OSError):
        return bad(f"the record at {place} holds no RSA key that can be read")
    if published["modulus"] != ours["modulus"]:
        return bad(f"the key at {place} is not that of {dkim.key_file.name}")
    return well(f"{place} holds our key")


@_asking
def forgeries_are_judged(patient: Patient) -> Found:
    """RFC 7489 6.6.3: the record of the domain, or of one above it."""
    domain = domain_of(patient)
    labels = domain.split(".")
    for start in range(len(labels) - 1):
        place = "_dmarc." + ".".join(labels[start:])
        records = [text for text in _texts(patient, place) if text.replace(" ", "").startswith("v=DMARC1")]
        if len(records) > 1:
            return bad(f"there are {len(records)} DMARC records at {place}: receivers take none of them")
        if records:
            policy = "p=none" in records[0].replace(" ", "").split(";")
            said = f"{place}: {records[0]}"
            return note(f"{said}; forged mail is let pass") if policy else well(said)
    return note(f"{domain} has no DMARC record: receivers decide by themselves about forged mail")


# ---------------------------------------------------------------- asking


def _mx(patient: Patient, name: str) -> list[tuple[int, str]]:
    return [(int(rr.preference), str(rr.exchange)) for rr in _ask(patient, name, "MX")]


def _texts(patient: Patient, name: str) -> list[str]:
    return [b"".join(rr.strings).decode("utf-8", "replace").strip() for rr in _ask(patient, name, "TXT")]


def _has_address(patient: Patient, name: str) -> bool:
    return bool(_ask(patient, name, "A") or _ask(patient, name, "AAAA"))


def _ask(patient: Patient, name: str, kind: str) -> list[Any]:
    """Return the records, none where there is no such name. Raises NoAnswer."""
    try:
        resolver = dns.resolver.Resolver(configure=not patient.name_server)
        if patient.name_server:
            host, _, port = patient.name_server.partition(":")
            resolver.nameservers, resolver.port = [host], int(port or 53)
        return list(resolver.resolve(f"{name.rstrip('.')}.", kind, lifetime=ASK_SECONDS))
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    except (dns.exception.DNSException, OSError, ValueError) as error:
        raise NoAnswer(type(error).__name__) from error
