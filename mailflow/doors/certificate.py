"""The certificate with which the SMTP entry offers STARTTLS; read again when its file has been renewed."""

from __future__ import annotations

import logging
import ssl
from pathlib import Path

from mailflow.errors import SettingsError

log = logging.getLogger("mailflow.smtp")


class Certificate:
    """A certificate and its key, in PEM files. Raises SettingsError where they cannot be used at first."""

    def __init__(self, certificate: Path, key: Path) -> None:
        self._files = (certificate, key)
        try:
            self._seen, self._context = self._stamps(), self._load()
        except (OSError, ssl.SSLError) as error:
            raise SettingsError(f"[smtp] {certificate} and {key}: {error.strerror or error}") from error

    def context(self) -> ssl.SSLContext:
        """Return what the next conversation uses. A renewed file that cannot be read changes nothing."""
        try:
            stamps = self._stamps()
            if stamps != self._seen:
                self._context, self._seen = self._load(), stamps
        except (OSError, ssl.SSLError):
            log.error("%s cannot be read: the certificate stays as it was", self._files[0])
        return self._context

    def _stamps(self) -> tuple[int, ...]:
        return tuple(path.stat().st_mtime_ns for path in self._files)

    def _load(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(*self._files, password="")  # never ask at the terminal
        return context
