"""The envelope of a mail that comes in: for whom we take one, and what is put on top of its bytes."""

from __future__ import annotations


def is_ours(address: str, club: str) -> bool:
    """Tell whether an address is the club's, with or without a plus part."""
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}" == club


def stamped(content: bytes, mail_from: str, rcpt_tos: list[str]) -> bytes:
    """Put the envelope on top of a mail, as whoever delivers it last does (RFC 5321 4.4).

    Return-Path tells bounces apart; Delivered-To keeps a plus part that the To header lacks.
    """
    lines = [f"Return-Path: <{_clean(mail_from)}>", *(f"Delivered-To: {_clean(r)}" for r in rcpt_tos)]
    return "".join(f"{line}\r\n" for line in lines).encode("utf-8", "replace") + content


def _clean(address: str) -> str:
    return "".join(c for c in address if c.isprintable() and c not in "<>")
