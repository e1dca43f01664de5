"""Members with habits: how they write, quote, err, and what they do with what the club asks of them."""

from __future__ import annotations

from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from random import Random

QUOTING = ("top", "bottom", "outlook", "none", "html")
HOSTING = ("in two mails", "afterwards in one mail", "in two mails, with a change between")


@dataclass(frozen=True)
class Person:
    """One member. The shares are how often he does so, from 0 to 1.

    quoting      how his program quotes what he answers
    hosting      how he tells the club of a game that he creates
    plain        writes a new mail to the club's address though he could answer its last one
    typo         writes a command with a slip first
    double_tap   sends the same command twice, impatient
    to_all       puts a friend into Cc
    forgets      never answers a confirmation
    away         has a vacation notice on
    """

    handle: str
    quoting: str
    hosting: str
    plain: float
    typo: float
    double_tap: float
    to_all: float
    forgets: float
    away: float

    @property
    def address(self) -> str:
        return f"{self.handle}@example.org"


def people(count: int, dice: Random) -> list[Person]:
    """Return so many members; the first manages."""
    return [
        Person(
            "anna" if n == 0 else f"ami{n}",
            dice.choice(QUOTING),
            dice.choice(HOSTING),
            plain=dice.choice((0.1, 0.5, 0.9)),
            typo=dice.uniform(0, 0.1),
            double_tap=dice.uniform(0, 0.06),
            to_all=dice.uniform(0, 0.08),
            forgets=dice.uniform(0, 0.05),
            away=0.03,
        )
        for n in range(count)
    ]


def mail(sender: str, to: str, text: str, number: int, subject: str = "", cc: str = "") -> EmailMessage:
    """A new mail as a program sends it."""
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"] = sender, to
    if cc:
        message["Cc"] = cc
    if subject:
        message["Subject"] = subject
    message["Message-ID"] = f"<{number}@mail.example>"
    message.set_content(text)
    return message


def reply(person: Person, ours: EmailMessage, text: str, number: int, cc: str = "") -> EmailMessage:
    """An answer to a mail of ours, in his program's way of quoting it."""
    body = ours.get_body(("plain",))
    words = [] if body is None else str(body.get_content()).splitlines()
    quoted = "\n".join(f"> {line}" for line in words)
    said = {
        "top": f"{text}\n\nLe lun. 5 janv. 2026 à 20:31, Le club <club@example.org> a écrit :\n{quoted}\n",
        "bottom": f"Le 05/01/2026 à 20:31, Le club a écrit :\n{quoted}\n\n{text}\n",
        "outlook": f"{text}\n\nDe : Le club\nEnvoyé : lundi 5 janvier 2026\nÀ : {person.handle}\n"
        f"Objet : {ours['Subject']}\n\n" + "\n".join(words),
        "none": text,
        "html": text,
    }[person.quoting]
    to = str(ours["Reply-To"] or ours["From"])
    message = mail(person.address, to, said, number, f"Re: {ours['Subject']}", cc)
    message["In-Reply-To"] = message["References"] = str(ours["Message-ID"])
    if person.quoting == "html":
        lines = "".join(f"<div>{line}</div>" for line in text.splitlines())
        history = "<br>".join(words)
        page = f"{lines}<blockquote type='cite'>{history}</blockquote>"
        message.set_content(page, subtype="html")
    return message
