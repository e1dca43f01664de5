"""A certificate for localhost and 127.0.0.1 that signed itself, from 2020 to 2120. Its key guards nothing."""

from __future__ import annotations

import ssl
from pathlib import Path

CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBZzCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBZdJlWuyoC/EJZ1
rJg7W1c4vETHUORtymvq/of/KVZhgP1WnomAZfkbUzCb8wu49NSC8U9FHLyR68uZ
BWlhAgajTjBMMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8E
BTADAQH/MB0GA1UdDgQWBBSChzUkIIBHhgVfLtM0cBABYuLe+TAKBggqhkjOPQQD
AgNIADBFAiAO2DPy47uIe7f1Kjc5jPsFWU62VmWxonGbhWA6dm1mjQIhAIkXaGY5
Ke3DT6hyQT0ZiS/vHLRNPImYHMFk/6HjV4jV
-----END CERTIFICATE-----
"""

KEY = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgft1IcRz5u7z3R6kr
nClRHRTrQ/Mhj3zDNCoel04sIluhRANCAAQWXSZVrsqAvxCWdayYO1tXOLxEx1Dk
bcpr6v6H/ylWYYD9Vp6JgGX5G1Mwm/MLuPTUgvFPRRy8kevLmQVpYQIG
-----END PRIVATE KEY-----
"""


def written(folder: Path) -> tuple[Path, Path]:
    """Write certificate and key into a folder."""
    folder.mkdir(exist_ok=True)
    files = folder / "certificate.pem", folder / "key.pem"
    for path, text in zip(files, (CERTIFICATE, KEY), strict=True):
        path.write_text(text)
    return files


def trusting() -> ssl.SSLContext:
    """A client's context that knows this certificate."""
    return ssl.create_default_context(cadata=CERTIFICATE)
