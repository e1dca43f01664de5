"""What the other end of a connection showed of itself."""

from __future__ import annotations

import socket
import ssl
from datetime import UTC, datetime


def end_of_peer(connection: socket.socket) -> datetime | None:
    """Return until when the certificate of the other end is good; None in clear text."""
    if not isinstance(connection, ssl.SSLSocket):
        return None
    shown = connection.getpeercert() or {}
    end = shown.get("notAfter")
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(end), UTC) if isinstance(end, str) else None
