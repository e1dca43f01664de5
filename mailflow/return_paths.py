"""Return paths: the address that a report comes to when a mail of ours could not be delivered.

Each mail has one of its own, `club+b…@`, which names the mail and proves that we made it, so that a forged
report does nothing (T-32) and no row has to be kept for it. It is no token: it opens nothing, and it is
longer than any, so that it is never taken for one. Whoever receives a mail can only report that very mail.
"""

from __future__ import annotations

import hmac

from mailflow.proofs import CROCKFORD, Keyring

MARK = "b"
MAIL_CHARACTERS = 10
"""Of five bits each: which mail. Masked, so that nobody reads from it how many mails we send."""
PROOF_CHARACTERS = 17
"""85 bits."""


def return_path(keyring: Keyring, address: str, mail_id: int) -> str:
    """Return the return path of a mail of the club that lives at an address."""
    proof = _proof(keyring, mail_id)
    masked = _base32(mail_id ^ _mask(keyring, proof), MAIL_CHARACTERS)
    local, _, domain = address.rpartition("@")
    return f"{local}+{MARK}{masked}{proof}@{domain}"


def mail_returned_to(keyring: Keyring, address: str) -> int | None:
    """Return the id of the mail whose return path this is; None where it is none of ours."""
    part = address.rpartition("@")[0].partition("+")[2].lower()
    if len(part) != 1 + MAIL_CHARACTERS + PROOF_CHARACTERS or part[0] != MARK or set(part) - set(CROCKFORD):
        return None
    masked, proof = part[1 : 1 + MAIL_CHARACTERS], part[1 + MAIL_CHARACTERS :]
    mail_id = _number(masked) ^ _mask(keyring, proof)
    return mail_id if hmac.compare_digest(_proof(keyring, mail_id), proof) else None


def _proof(keyring: Keyring, mail_id: int) -> str:
    return _base32(_derived(keyring, f"return path\0{mail_id}"), PROOF_CHARACTERS)


def _mask(keyring: Keyring, proof: str) -> int:
    return _derived(keyring, f"return path mask\0{proof}") % (1 << 5 * MAIL_CHARACTERS)


def _derived(keyring: Keyring, text: str) -> int:
    return int.from_bytes(hmac.digest(keyring.key, text.encode(), "sha256"), "big")


def _base32(number: int, characters: int) -> str:
    return "".join(CROCKFORD[number >> 5 * i & 31] for i in range(characters))


def _number(text: str) -> int:
    return sum(CROCKFORD.index(c) << 5 * i for i, c in enumerate(text))
