"""A name server of the tests' own, on a free UDP port of this machine."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import dns.flags
import dns.message
import dns.rcode
import dns.rrset

Zone = Mapping[tuple[str, str], list[str]]
"""By name and kind: the records, as they stand in a zone file."""


@contextmanager
def serving(zone: Zone) -> Iterator[str]:
    """Answer from the zone; gives HOST:PORT."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=_answer, args=(server, zone), daemon=True)
        thread.start()
        try:
            yield f"127.0.0.1:{server.getsockname()[1]}"
        finally:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
                last.sendto(b"", server.getsockname())
            thread.join(10)


def _answer(server: socket.socket, zone: Zone) -> None:
    names = {name for name, _ in zone}
    while True:
        raw, client = server.recvfrom(4096)
        if not raw:
            return
        query = dns.message.from_wire(raw)
        question = query.question[0]
        name, kind = question.name.to_text().rstrip("."), question.rdtype.name
        reply = dns.message.make_response(query)
        reply.flags |= dns.flags.AA | dns.flags.RA
        records = zone.get((name, kind), [])
        if records:
            reply.answer.append(dns.rrset.from_text(question.name, 60, "IN", kind, *records))
        elif name not in names:
            reply.set_rcode(dns.rcode.NXDOMAIN)
        server.sendto(reply.to_wire(), client)
