"""DKIM signatures: they hold, the same at every retry, and break when anything that counts is changed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dkim
import pytest

from mailflow.compose import compose
from mailflow.errors import SettingsError
from mailflow.sections.dkim import Dkim
from mailflow.signing import Signer
from parsers.letter import read_letter
from store.records import ClubRow, OutboxMail, OutboxState

WRITTEN = datetime(2026, 1, 6, 9, 30, tzinfo=UTC)
CLUB = ClubRow(1, "Les amis de l'été", "club@example.org", "Europe/Paris", "EUR", "fr", "")
MAIL = OutboxMail(
    7, "answer", "anna", "anna@example.org", "Ton solde : 200 €", "# Ton solde\n\nIl est de 200 €.\n", None,
    "<1@example.org>", None, "<7@example.org>", WRITTEN, OutboxState.QUEUED, 0, "",
)  # fmt: skip

# It guards nothing: made for these tests.
KEY = """\
-----BEGIN PRIVATE KEY-----
MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCoYEpuc4smkiUt
1T3/q+6ziIwkWkCnCCZx6g4ELlQNsSbRJV+tPvnSSskWvEgIwLXsQO6sLmJ7PGab
4VuF5nbHLi7Z7AH1lwtuxLoyUhKIYY+zf8wimmfYjN2SBFL7kx6wPAfh5vcC648g
3zdLcLXQvZXDI3YlJnAK/UyT5q8nJYDmujSuFqAQBnUW+5HNkGJ5HdbBtHiTJ3mO
cuow4Ua5cuHjPg567J1G9AC6y04qJNwARWA1JPQ5O/g4Gz1PS4cETm7fleJkrVN+
GZw2MR7eRihpzdiM0vvrkdAyWZzoH6md6qMOD7DrHdwUWI9gGGNatQNDu4dcssuG
PSAz30VtAgMBAAECggEANBqsHdbqmjKCh9bj2zEg6nTYbU1ykV3Py9OSp8+QWjZW
XUVUAMAqvd0/siXsoqzD/0qusSCfgCRWWmmYEW0al5OekvhaON4Xfx0ow3arXoHW
XsUu7gxbE2OwE0X8SfaiegXxqIH5MXGktpbsvQ8xbFmmtR7NqjxlUrlEz8YEsLeE
mqDrkPqSFLT2GYiJG34PSwExYbLMTBE78TkFboHM3RXRBDYh3pwS9+iid2sF8jRV
gZlHnDIDpSGwthyzgWzhkQquVvrWoNA3o1BoEkTsBBNoMQp9UaCk77Rysrm+z1Vx
3yMgnVwqAA27B3fUI/IUt0cgij2V2ZCR2CmDmcPjvwKBgQDnGegK0J5EAV5af1/b
PZjp+bkDGmqqHEjWorsoCynwEsxUKehGZHiPR6bzPWEakRL5jt4Gc5cw3KVKEOPq
MB+2m91spQf5RaYgOIeCL8/r2gPbKkJLhqiE43DT5stsX+nRbFnmx5FVCo9XD7NS
//IrvwIqwWCKQsvFKnHKvWMI1wKBgQC6hFbvisAJ0K1ocCdKLmbVS2ZpkktG8ibF
LHlcczfd+7OshG/KSZB+RCBbOk4UTX+7tDaka9Rj/+myeqLVPnVmVpOqos4dsAex
dPGyYcHk1hqmT2jvJa+V/27e1Lk7wlrTww0k6eAZqr+YvTBLm6hOtCUccPwRtM5f
kyKX0xTHWwKBgHAOzcdAtR1AlKHJFY/XZGg/oIhyrLnjkSYSLjISh7lTRCSjVW+c
lCDVm4xifM1G/y5nKh1yuyMEOlmZqwoJX7dKCKn/s8gZD56cCokD6gvw4OHKse6x
UtFs/26ggI8CSvwzT7xplHzp6+tJP6jFVoYDzmcw8UDZdrkaBadLAdRtAoGAYDA7
vVFq9CTgKQod2Q3RDpLSAAPoOnBLOkhTVjA9UYerA39RP5tsnxF3NlT9S08kXqLz
wxuw7tldpiPEsgCB/wMLKGbJsVnEvem3c+0iV2drWvV9AkgHI24VuWkvFfiHasoe
jzjlz5bVNGns7DEcPWp98Qr7lA4QmA2DO5UqFB0CgYAh8fLQmVMPaC9AQCb+WlN4
2FcXqyMMfZdjszqNDavoBClPfRzl3e1wt3gx4qH5ezzLMiGkgxRBEdJB4WdWX686
ulBjfGy88B6haQtAqY38wXIp5/gg/CLRTjWMHA4ZY3bSeafBH+IpQE9Wf4HR5ljy
M99vpoB2t99LoMz8Iiod3w==
-----END PRIVATE KEY-----
"""
PUBLIC = (
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAqGBKbnOLJpIlLdU9/6vus4iMJFpApwgmceoOBC5UDbEm"
    "0SVfrT750krJFrxICMC17EDurC5iezxmm+FbheZ2xy4u2ewB9ZcLbsS6MlISiGGPs3/MIppn2IzdkgRS+5MesDwH"
    "4eb3AuuPIN83S3C10L2VwyN2JSZwCv1Mk+avJyWA5ro0rhagEAZ1FvuRzZBieR3WwbR4kyd5jnLqMOFGuXLh4z4O"
    "euydRvQAustOKiTcAEVgNST0OTv4OBs9T0uHBE5u35XiZK1TfhmcNjEe3kYoac3YjNL765HQMlmc6B+pneqjDg+w"
    "6x3cFFiPYBhjWrUDQ7uHXLLLhj0gM99FbQIDAQAB"
)


@pytest.fixture
def signer(tmp_path: Path) -> Signer:
    (tmp_path / "dkim.pem").write_text(KEY)
    return Signer(Dkim("example.org", "mail2026", tmp_path / "dkim.pem"))


def holds(raw: bytes) -> bool:
    """Verified by the library, with the public key where the DNS would have it."""
    asked: list[bytes] = []

    def dns(name: bytes, timeout: int = 5) -> bytes:
        asked.append(name)
        return f"v=DKIM1; k=rsa; p={PUBLIC}".encode()

    found = bool(dkim.verify(raw, dnsfunc=dns))
    assert asked == [b"mail2026._domainkey.example.org."]
    return found


@pytest.mark.parametrize("token", [None, "c" + "0123456789abcdefghjkmnpqrs"])
def test_a_signed_mail_verifies(signer: Signer, token: str | None) -> None:
    raw = compose(MAIL, CLUB, token)
    signed = signer.signed(raw, MAIL.created_at)
    assert signed.endswith(raw)
    assert holds(signed)
    assert read_letter(signed).sender == "club@example.org"


def test_every_retry_has_the_same_signature(signer: Signer, tmp_path: Path) -> None:
    """P-4: by another process too, whenever it is sent."""
    raw = compose(MAIL, CLUB, None)
    other = Signer(Dkim("example.org", "mail2026", tmp_path / "dkim.pem"))
    assert signer.signed(raw, MAIL.created_at) == other.signed(raw, MAIL.created_at)
    later = replace(MAIL, created_at=WRITTEN + timedelta(seconds=1))
    assert b"t=1767691800;" in signer.signed(raw, MAIL.created_at)
    assert b"t=1767691801;" in signer.signed(raw, later.created_at)


@pytest.mark.parametrize(
    "header",
    [
        b"From: boss@example.org",
        b"Subject: VIREMENT",
        b"Reply-To: evil@example.net",
        b"To: x@y.z",
        b"Cc: x@y.z",
        b"Date: x",
    ],
)
def test_a_header_put_on_top_breaks_it(signer: Signer, header: bytes) -> None:
    """E28: mail programs show the first one."""
    signed = signer.signed(compose(MAIL, CLUB, None), MAIL.created_at)
    assert not holds(header + b"\r\n" + signed)


@pytest.mark.parametrize(("old", "new"), [(b"200", b"900"), (b"anna@", b"bela@"), (b"auto-replied", b"no")])
def test_what_is_changed_breaks_it(signer: Signer, old: bytes, new: bytes) -> None:
    raw = compose(MAIL, CLUB, None)
    signed = signer.signed(raw, MAIL.created_at)
    assert old in raw
    assert not holds(signed[: -len(raw)] + raw.replace(old, new))


def test_white_space_that_servers_change_does_not_break_it(signer: Signer) -> None:
    signed = signer.signed(compose(MAIL, CLUB, None), MAIL.created_at)
    assert holds(signed.replace(b"Auto-Submitted: ", b"Auto-Submitted:   "))


@pytest.mark.parametrize(
    "text", ["", "no key", KEY.replace("A", "!"), KEY[:200], "-----BEGIN PRIVATE KEY-----\nAAAA\n"]
)
def test_a_key_that_is_none_is_told_at_the_start(tmp_path: Path, text: str) -> None:
    (tmp_path / "dkim.pem").write_text(text)
    with pytest.raises(SettingsError, match="dkim"):
        Signer(Dkim("example.org", "mail2026", tmp_path / "dkim.pem"))
