"""[dkim]: the signature of outgoing mail, for a club at a domain of its own whose relay does not sign."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mailflow.errors import SettingsError
from mailflow.sections.values import only_known, secret_file_of, text_of

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")


@dataclass(frozen=True)
class Dkim:
    """[dkim]. The public key is in the DNS at `selector._domainkey.domain`. No domain: nothing is signed."""

    domain: str = ""
    selector: str = ""
    key_file: Path | None = None


def read(values: Mapping[str, Any], folder: Path, address: str) -> Dkim:
    """Read the table. Raises SettingsError."""
    only_known(values, {"domain", "selector", "key_file"}, "[dkim]")
    domain = text_of(values, "domain", "[dkim]").lower()
    if not domain:
        return Dkim()
    home = address.rpartition("@")[2]
    if home != domain and not home.endswith(f".{domain}"):
        raise SettingsError(f"[dkim] domain {domain!r} is not that of {address}: it would not count")
    selector = text_of(values, "selector", "[dkim]", required=True).lower()
    if not _NAME.fullmatch(selector):
        raise SettingsError(f"[dkim] selector {selector!r} is no name such as mail2026")
    key_file = secret_file_of(values, "key_file", "[dkim]", folder)
    if key_file is None:
        raise SettingsError("[dkim] key_file is missing: the file with the private key")
    return Dkim(domain, selector, key_file)
