"""Delivery reports as servers write them, each with what it says. The words are made up in their manner."""

from __future__ import annotations

from dataclasses import dataclass

from parsers.bounces import Fate

ANNA = "anna@example.net"


@dataclass(frozen=True)
class Case:
    """`said`: what the diagnostic must hold."""

    raw: bytes
    fate: Fate
    recipient: str | None = ANNA
    status: str = ""
    hard: bool = False
    said: str = ""


def report(words: str, fields: str, sender: str = "MAILER-DAEMON@mx.example.net", subject: str = "") -> bytes:
    """A multipart/report with its three parts (RFC 3462)."""
    return f"""\
Return-Path: <>
Delivered-To: club+b000000000000000000000000000@example.org
From: Mail Delivery System <{sender}>
To: club+b000000000000000000000000000@example.org
Subject: {subject or "Undelivered Mail Returned to Sender"}
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b/1"

--b/1
Content-Type: text/plain; charset=utf-8

{words}
--b/1
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net
Arrival-Date: Mon, 23 Nov 2026 20:00:41 +0100 (CET)

{fields}

--b/1
Content-Type: message/rfc822

From: club@example.org
To: {ANNA}
Subject: VIREMENT 500 to bela

550 5.1.1 this line came back and says nothing
--b/1--
""".encode()


def plain(words: str, sender: str, subject: str, headers: str = "") -> bytes:
    return f"""\
Return-Path: <>
From: {sender}
To: club+b000000000000000000000000000@example.org
Subject: {subject}
{headers}MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8

{words}
""".encode()


CASES: dict[str, Case] = {
    "postfix, no such user": Case(
        report(
            f"<{ANNA}>: host mail.example.net[192.0.2.60] said: 550 5.1.1 <{ANNA}>: Recipient address\n"
            "    rejected: User unknown (in reply to RCPT TO command)",
            f"Final-Recipient: rfc822; {ANNA}\nOriginal-Recipient: rfc822;{ANNA}\nAction: failed\n"
            "Status: 5.1.1\nRemote-MTA: dns; mail.example.net\n"
            "Diagnostic-Code: smtp; 550 5.1.1 Recipient address\n    rejected: User unknown",
        ),
        Fate.FAILED, status="5.1.1", hard=True, said="550 5.1.1 Recipient address rejected: User unknown",
    ),
    "postfix, mailbox full": Case(
        report(
            "mailbox full",
            f"Final-Recipient: rfc822; {ANNA}\nAction: failed\nStatus: 5.2.2\n"
            "Diagnostic-Code: smtp; 552 5.2.2 Mailbox full",
        ),
        Fate.FAILED, status="5.2.2", said="Mailbox full",
    ),
    "postfix, given up after five days": Case(
        report(
            "connect to mail.example.net[192.0.2.60]:25: Connection timed out",
            f"Final-Recipient: rfc822; {ANNA}\nAction: failed\nStatus: 4.4.1\n"
            "Diagnostic-Code: X-Postfix; connect to mail.example.net[192.0.2.60]:25: Connection timed out",
        ),
        Fate.FAILED, status="4.4.1", said="Connection timed out",
    ),
    "postfix, delayed": Case(
        report(
            "THIS IS A WARNING ONLY. YOU DO NOT NEED TO RESEND YOUR MESSAGE.",
            f"Final-Recipient: rfc822; {ANNA}\nAction: delayed\nStatus: 4.4.1\n"
            "Diagnostic-Code: X-Postfix; connect to mail.example.net: Connection refused\n"
            "Will-Retry-Until: Sat, 28 Nov 2026 20:00:41 +0100 (CET)",
            subject="Delayed Mail (still being retried)",
        ),
        Fate.DELAYED, status="4.4.1",
    ),
    "postfix, delivered, as somebody asked to be told": Case(
        report("delivered", f"Final-Recipient: rfc822; {ANNA}\nAction: delivered\nStatus: 2.0.0"),
        Fate.DELIVERED, status="2.0.0",
    ),
    "several recipients, the dead one last": Case(
        report(
            "",
            "Final-Recipient: rfc822; bela@example.net\nAction: delayed\nStatus: 4.2.0\n\n"
            f"Final-Recipient: rfc822; {ANNA}\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 no",
        ),
        Fate.FAILED, status="5.1.1", hard=True,
    ),
    "behind a forwarder": Case(
        report(
            "",
            "Final-Recipient: rfc822; a.very.other@example.com\nOriginal-Recipient: rfc822; a@example.net\n"
            "Action: failed\nStatus: 5.1.1",
        ),
        Fate.FAILED, "a.very.other@example.com", "5.1.1", True,
    ),
    "exchange online, unknown": Case(
        report(
            f"Votre message à {ANNA} n'a pas pu être remis.\nanna est introuvable dans example.net.",
            f"Final-Recipient: rfc822;{ANNA}\nAction: failed\nStatus: 5.1.10\n"
            f"Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient {ANNA} not found by"
            " SMTP address lookup",
            sender="MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@example.net",
            subject="Non remis : Partie 4",
        ),
        Fate.FAILED, status="5.1.10", hard=True, said="RecipientNotFound",
    ),
    "exchange online, access denied": Case(
        report(
            "",
            f"Final-Recipient: rfc822;{ANNA}\nAction: failed\nStatus: 5.4.1\n"
            "Diagnostic-Code: smtp;550 5.4.1 Recipient address rejected: Access denied.",
            sender="postmaster@example.net",
        ),
        Fate.FAILED, status="5.4.1", hard=True,
    ),
    "exchange in a company, words alone": Case(
        plain(
            f"Your message did not reach some or all of the intended recipients.\n\n"
            f"The following recipient(s) cannot be reached:\n\n      {ANNA} on 23/11/2026 20:01\n"
            "            The e-mail account does not exist at the organization this message was sent to.\n"
            "            <mail.example.net #5.1.1>\n",
            "System Administrator <postmaster@example.net>", "Undeliverable: Partie 4",
        ),
        Fate.FAILED, status="5.1.1", hard=True,
    ),
    "qmail": Case(
        plain(
            "Hi. This is the qmail-send program at mx.example.net.\n"
            "I'm afraid I wasn't able to deliver your message to the following addresses.\n"
            "This is a permanent error; I've given up. Sorry it didn't work out.\n\n"
            f"<{ANNA}>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n"
            "--- Below this line is a copy of the message.\n\nReturn-Path: <club@example.org>\n"
            "Subject: 552 5.2.2 full\n",
            "MAILER-DAEMON@mx.example.net", "failure notice",
        ),
        Fate.FAILED, status="5.1.1", hard=True, said="no mailbox here by that name",
    ),
    "qmail, the other server said": Case(
        plain(
            "Hi. This is the qmail-send program at mx.example.net.\n\n"
            f"<{ANNA}>:\n192.0.2.60 does not like recipient.\nRemote host said: 452 4.2.2 Over quota\n"
            "Giving up on 192.0.2.60.\nI'm not going to try again; it has been in the queue too long.\n",
            "MAILER-DAEMON@mx.example.net", "failure notice",
        ),
        Fate.FAILED, status="4.2.2", said="452 4.2.2 Over quota",
    ),
    "exim": Case(
        plain(
            "This message was created automatically by mail delivery software.\n\n"
            "A message that you sent could not be delivered to one or more of its\nrecipients. This is a"
            f" permanent error. The following address(es) failed:\n\n  {ANNA}\n    host mail.example.net"
            " [192.0.2.60]\n    SMTP error from remote mail server after RCPT TO:\n"
            "    550 No such user here\n\n------ This is a copy of the message, with all headers. ------\n"
            "Subject: anything\n",
            "Mail Delivery System <Mailer-Daemon@host.example.net>",
            "Mail delivery failed: returning message to sender", f"X-Failed-Recipients: {ANNA}\n",
        ),
        Fate.FAILED, hard=True, said="550 No such user here",
    ),
    "exim, delayed": Case(
        plain(
            "This message was created automatically by mail delivery software.\nA mail that you sent has"
            f" not yet been delivered to one or more\nrecipients after more than 24 hours.\n\n  {ANNA}\n"
            "    Delay reason: SMTP timeout\n\nNo action is required on your part. Delivery attempts will"
            " continue for\nsome time.\n",
            "Mail Delivery System <Mailer-Daemon@host.example.net>", "Warning: message 1q delayed 24 hours",
        ),
        Fate.DELAYED,
    ),
    "gmail": Case(
        report(
            f"** Adresse introuvable **\n\nVotre message n'est pas parvenu à {ANNA}.",
            f"Final-Recipient: rfc822; {ANNA}\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp;"
            " 550-5.1.1 The email account that you tried to reach does not exist. Please try\n"
            " 550-5.1.1 double-checking the recipient's email address\n 550 5.1.1 gsmtp",
            sender="mailer-daemon@googlemail.com", subject="Delivery Status Notification (Failure)",
        ),
        Fate.FAILED, status="5.1.1", hard=True, said="does not exist",
    ),
    "gmail, over its rate": Case(
        report(
            "",
            f"Final-Recipient: rfc822; {ANNA}\nAction: failed\nStatus: 4.2.1\nDiagnostic-Code: smtp;"
            " 450-4.2.1 The user you are trying to contact gets mail at a rate that\n 450 4.2.1 prevents it",
            sender="mailer-daemon@googlemail.com", subject="Delivery Status Notification (Failure)",
        ),
        Fate.FAILED, status="4.2.1",
    ),
    "refused as spam": Case(
        report(
            "",
            f"Final-Recipient: rfc822; {ANNA}\nAction: failed\nStatus: 5.7.1\n"
            "Diagnostic-Code: smtp; 554 5.7.1 Message rejected as spam by content filter",
        ),
        Fate.FAILED, status="5.7.1", said="spam",
    ),
    "a french operator, words alone": Case(
        plain(
            "Bonjour,\n\nVotre message n'a pas pu être remis à son destinataire.\n\n"
            f"    <{ANNA}> : 550 5.1.1 Adresse d'au moins un destinataire invalide. Invalid recipient.\n\n"
            "Cordialement,\nL'administrateur de messagerie\n",
            "Mail Delivery Service <postmaster@operateur.example>", "Message non remis : Partie 4",
        ),
        Fate.FAILED, status="5.1.1", hard=True, said="destinataire invalide",
    ),
    "a french provider, without any code": Case(
        plain(
            f"Bonjour,\n\nLe message que vous avez adressé à {ANNA} n'a pas été distribué :\n"
            "cette adresse n'existe pas ou plus chez nous.\n\nLe service de messagerie\n",
            "postmaster@fournisseur.example", "Échec de la remise de votre message",
        ),
        Fate.FAILED, hard=True, said="n'existe pas",
    ),
    "a french mailbox that is full, without any code": Case(
        plain(
            f"Le message adressé à {ANNA} n'a pas été distribué :\nla boîte aux lettres est pleine.\n",
            "postmaster@fournisseur.example", "Non délivré : Partie 4",
        ),
        Fate.FAILED, said="pleine",
    ),
    "a french delay": Case(
        plain(
            f"Votre message à {ANNA} n'a pas encore été remis. De nouvelles tentatives auront lieu.\n",
            "MAILER-DAEMON@fournisseur.example", "Message retardé",
        ),
        Fate.DELAYED,
    ),
    "sendmail": Case(
        plain(
            "The original message was received at Mon, 23 Nov 2026 20:00:41 +0100\nfrom localhost\n\n"
            f"   ----- The following addresses had permanent fatal errors -----\n<{ANNA}>\n"
            "    (reason: 550 5.1.1 User unknown)\n\n   ----- Transcript of session follows -----\n"
            "... while talking to mail.example.net.:\n>>> DATA\n<<< 550 5.1.1 User unknown\n",
            "Mail Delivery Subsystem <MAILER-DAEMON@mx.example.net>",
            "Returned mail: see transcript for details",
        ),
        Fate.FAILED, status="5.1.1", hard=True, said="User unknown",
    ),
    "yahoo": Case(
        plain(
            f"Sorry, we were unable to deliver your message to the following address.\n\n<{ANNA}>:\n"
            "554: delivery error: dd Sorry, your message cannot be delivered. This mailbox is disabled.\n",
            "MAILER-DAEMON@yahoo.example", "Failure Notice",
        ),
        Fate.FAILED, hard=True,
    ),
    "fields in a text part, boundaries broken": Case(
        report("words", f"Final-Recipient: rfc822; {ANNA}\nAction: failed\nStatus: 5.1.1").replace(
            b"\n--b/1\n", b"\n--b/2\n"
        ),
        Fate.FAILED, status="5.1.1", hard=True,
    ),
    "fields without an action": Case(
        report("", f"Final-Recipient: rfc822; {ANNA}\nStatus: 5.0.0"), Fate.FAILED, status="5.0.0", hard=True,
    ),
    "a report in base64": Case(
        b"Return-Path: <>\nFrom: MAILER-DAEMON@mx.example.net\nTo: club@example.org\nSubject: failure\n"
        b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
        b"PGFubmFAZXhhbXBsZS5uZXQ+Ogo1NTAgNS4xLjEgVXNlciB1bmtub3duCg==\n",
        Fate.FAILED, status="5.1.1", hard=True, said="User unknown",
    ),
    "a report in html": Case(
        b"Return-Path: <>\nFrom: postmaster@example.net\nTo: club@example.org\nSubject: Undeliverable: x\n"
        b"Content-Type: text/html; charset=utf-8\n\n<html><body><p><b>anna@example.net</b></p>"
        b"<p>550 5.1.1 User unknown</p></body></html>\n",
        Fate.FAILED, status="5.1.1", hard=True, said="User unknown",
    ),
    "a report without anything": Case(
        plain("", "MAILER-DAEMON@mx.example.net", "failure notice"), Fate.FAILED, None,
    ),
}  # fmt: skip
