"""The servers themselves: what the other tests here build upon."""

from __future__ import annotations

import smtplib
import ssl

from imapclient import IMAPClient

from tests.command_line.cli_scene import letter

from .dovecot import PASSWORD, Dovecot
from .ground import until
from .postfix import Postfix


def test_a_mail_travels_from_postfix_to_a_mailbox(dovecot: Dovecot, postfix: Postfix) -> None:
    postfix.send(letter("anna@example.org", "bonjour", "travel@example.org", "voyage"))
    until(lambda: dovecot.subjects("travel@example.org") == ["voyage"], "the mail")


def test_imaps_and_submission_ask_for_a_certificate_that_fits(dovecot: Dovecot, postfix: Postfix) -> None:
    context = ssl.create_default_context(cafile=dovecot.ca_file)
    with IMAPClient("127.0.0.1", dovecot.imaps_port, ssl_context=context, timeout=20) as client:
        client.login("tls@example.org", PASSWORD)
    with smtplib.SMTP("127.0.0.1", postfix.submission_port, timeout=20) as server:
        server.starttls(context=ssl.create_default_context(cafile=postfix.ca_file))
        server.login("tls@example.org", PASSWORD)
