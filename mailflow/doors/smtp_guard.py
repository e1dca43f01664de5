"""What all clients of the SMTP entry share: its places and its memory, both bounded (T-34).

Used within the entry's event loop only, so nothing is locked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from ipaddress import ip_address

from mailflow.sections.listen import Limits

NETWORK_BITS = 64
"""An IPv6 client has a whole network of addresses: they count as one."""


@dataclass
class Guard:
    """Counts clients, and the bytes of mails that are just coming in."""

    limits: Limits
    _clients: Counter[str] = field(default_factory=Counter)
    _bytes: int = 0

    def admit(self, peer: object) -> str | None:
        """Give a client a place and return its name, to be handed to `leave`; None where none is free."""
        name = client_of(peer)
        full = self._clients.total() >= self.limits.connections_max
        if full or self._clients[name] >= self.limits.connections_per_client_max:
            return None
        self._clients[name] += 1
        return name

    def leave(self, name: str) -> None:
        """Give the place back."""
        self._clients[name] -= 1
        if not self._clients[name]:
            del self._clients[name]

    def take(self, size: int) -> bool:
        """Take memory for a mail; False, and nothing taken, where there is none left."""
        if self._bytes + size > self.limits.memory_bytes_max:
            return False
        self._bytes += size
        return True

    def give_back(self, size: int) -> None:
        self._bytes -= size


def client_of(peer: object) -> str:
    """Name the client at the other end, given what the socket says of it."""
    host = str(peer[0]) if isinstance(peer, tuple) and peer else ""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if address.version == 6:
        return str(address.ipv4_mapped or int(address) >> (128 - NETWORK_BITS))
    return str(address)
