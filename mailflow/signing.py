"""Sign a finished mail with DKIM (RFC 6376): whoever takes it in can see that the club's domain sent it.

The signature is part of the mail, so it must be the same at every retry (P-4): its time is when the mail was
written, not when it is sent, and RSA signs the same bytes alike.
"""

from __future__ import annotations

import base64
import hashlib
from datetime import datetime
from typing import Any

import dkim
from dkim.canonicalization import CanonicalizationPolicy
from dkim.crypto import UnparsableKeyError, parse_pem_private_key

from mailflow.errors import SettingsError
from mailflow.sections.dkim import Dkim

SIGNED = (
    "from", "to", "reply-to", "subject", "date", "message-id", "in-reply-to", "references", "auto-submitted",
    "list-id", "mime-version", "content-type",
)  # fmt: skip
FROZEN = ("from", "to", "cc", "reply-to", "subject", "date", "message-id", "content-type")
"""Named once more than they occur: a second one put on top breaks the signature (RFC 6376 8.15, E28)."""
KEY_BITS_MIN = 1024


class Signer:
    """Signs for one domain. Raises SettingsError where the key cannot be used."""

    def __init__(self, settings: Dkim) -> None:
        if settings.key_file is None:
            raise SettingsError("[dkim] key_file is missing")
        self._domain, self._selector = settings.domain.encode(), settings.selector.encode()
        try:
            self._key: dict[str, Any] = parse_pem_private_key(settings.key_file.read_bytes())
        except (OSError, UnparsableKeyError, ValueError, KeyError, TypeError) as error:
            raise SettingsError(f"[dkim] {settings.key_file} holds no RSA key in PEM form") from error
        if self._key["modulus"].bit_length() < KEY_BITS_MIN:
            raise SettingsError(f"[dkim] the key in {settings.key_file} is shorter than {KEY_BITS_MIN} bits")

    def signed(self, raw: bytes, written_at: datetime) -> bytes:
        """Return the mail with its signature on top."""
        signer = dkim.DKIM(raw)
        signer.hasher = hashlib.sha256
        policy = CanonicalizationPolicy.from_c_value(b"relaxed/relaxed")
        body = hashlib.sha256(policy.canonicalize_body(signer.body)).digest()
        present = {name.lower() for name, _ in signer.headers}
        names = [name.encode() for name in SIGNED if name.encode() in present]
        names += [name.encode() for name in FROZEN]
        fields = [
            (b"v", b"1"),
            (b"a", b"rsa-sha256"),
            (b"c", b"relaxed/relaxed"),
            (b"d", self._domain),
            (b"s", self._selector),
            (b"t", str(int(written_at.timestamp())).encode()),
            (b"h", b" : ".join(names)),
            (b"bh", base64.b64encode(body)),
            (b"b", b"0" * 60),
        ]
        header: bytes = signer.gen_header(fields, names, policy, b"DKIM-Signature", self._key)
        return b"DKIM-Signature: " + header + raw
