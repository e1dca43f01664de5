"""What other servers say about our mails, made fit to be kept, logged and shown."""

from __future__ import annotations

import re

REASON_MAX = 200

_ADDRESS = re.compile(r"<?[^\s<>\"';,]{1,64}@[^\s<>\"';,]{1,255}>?")


def reason_of(text: str) -> str:
    """Return it on one bounded line, without escape sequences (T-28) and without addresses.

    Whose mail it is about stands beside it, and goes when he is forgotten (T-38).
    """
    printable = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(_ADDRESS.sub("(address)", printable).split())[:REASON_MAX]
