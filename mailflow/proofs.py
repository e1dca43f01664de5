"""Tokens: proofs that a member controls his mailbox (TRUST § 3).

The text of a token is derived with a secret key from a public nonce, so it never needs to be kept:
the database holds the nonce and a SHA-256 of the text. Without the key no token can be made from a
stolen database (T-15).
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field

CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
TOKEN_CHARACTERS = 26
"""Of five bits each: 130 bits."""

LETTERS = {
    "confirm": "c", "session": "s", "answer": "g", "resume": "r", "invite": "i", "application": "a",
    "identity": "d", "stop": "n", "forget": "e",
}  # fmt: skip
"""The first letter of a token tells a person what it is for; it proves nothing."""


@dataclass(frozen=True)
class Keyring:
    """The club's secret key, which never enters the database, a backup or a log."""

    key: bytes = field(repr=False)

    def token(self, purpose: str, nonce: str, epoch: int = 0) -> str:
        """Return the text of a token: a letter and 26 characters of lower-case Crockford base32.

        In another epoch the same nonce makes another token: what a restored club issues anew is not what
        it issued before (T-37).
        """
        source = f"{purpose}\0{nonce}\0{epoch}" if epoch else f"{purpose}\0{nonce}"
        mac = hmac.digest(self.key, source.encode(), "sha256")
        bits = int.from_bytes(mac, "big")
        return LETTERS[purpose] + "".join(CROCKFORD[bits >> 5 * i & 31] for i in range(TOKEN_CHARACTERS))


def digest(token: str) -> str:
    """Return what is kept of a token: the SHA-256 of its text in lower case, in hex."""
    return hashlib.sha256(token.lower().encode()).hexdigest()
