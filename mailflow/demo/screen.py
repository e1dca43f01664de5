"""How the demo shows a mail that comes in, what becomes of it, and the mails that go out."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from mailflow.compose import text_part
from mailflow.model import Club
from mailflow.notices import KINDS
from mailflow.register import Handled
from mailflow.words import moment, money, names
from parsers.letter import Letter
from parsers.own_words import own_words
from store.records import InboxState, MemberStatus, OutboxMail

WIDTH = 96
OWN_LINES_MAX = 8
FIRST_OF_KIND_LINES_MAX = 48
"""The first mail of a kind is shown whole, as a rule; later ones only begin."""
LATER_LINES_MAX = 3
ANSWER_LINES_MAX = 16

BECAME = {
    "refused": "refusé",
    "malformed": "pas compris : la bonne forme est renvoyée",
    "unknown-command": "aucune commande : de l'aide est renvoyée",
    "empty": "rien à lire : de l'aide est renvoyée",
    "simulation": "simulé : rien n'a changé",
    "automatic": "réponse automatique : ignorée, personne ne reçoit de réponse",
    "bounce": "rapport de non-remise : ignoré, personne ne reçoit de réponse",
    "own": "notre propre mail qui revient : ignoré",
    "stranger": "inconnu du club : ignoré",
    "duplicate": "déjà reçu : ignoré",
}
_NO_BREAK = re.compile(r" ([:;!?»])")

STATES = {
    InboxState.EXECUTED: "fait",
    InboxState.ANSWERED: "répondu",
    InboxState.PENDING: "attend un OUI",
    InboxState.IGNORED: "ignoré",
    InboxState.QUARANTINED: "mis de côté pour l'exploitant",
}


@dataclass
class Screen:
    """Says lines, in French, with times of the club."""

    speak: Callable[[str], None]
    zone: ZoneInfo
    _kinds_seen: set[str] = field(default_factory=set, init=False)

    def when(self, at: datetime) -> None:
        self.speak("")
        self.speak(f"━━ {moment(at, self.zone, 'fr')} ".ljust(WIDTH, "━"))

    def narrate(self, text: str) -> None:
        for line in textwrap.wrap(_NO_BREAK.sub("\u00a0\\1", text), WIDTH):
            self.speak(line)

    def incoming(self, letter: Letter, who: str, file: str = "") -> None:
        """Show who writes, and his own words; quoted history is only counted."""
        self.speak("")
        title = f"« {letter.subject} »" if letter.subject else "(sans objet)"
        self.speak(f"  ✉  {who} → club   {title}{f'   ({file})' if file else ''}")
        self._block(_own_lines(letter), OWN_LINES_MAX, "│")

    def became(self, handled: Handled) -> None:
        """Say what a mail came to, with the rule that said no."""
        words = BECAME.get(handled.reason, STATES[handled.state])
        rules = [line.rule for line in handled.lines if line.rule is not None]
        self.speak(f"     ⇒ {words}{f' ({rules[0]})' if rules else ''}")

    def sent(self, mails: Iterable[OutboxMail], reader: str | None = None) -> None:
        """Show mails that left: of those alike one, and to whom else they went.

        `reader`: whose eyes these are; he sees his own whole, of the others only that they were told.
        """
        for alike in _alike(mails):
            shown = next((mail for mail in alike if reader in (None, mail.recipient)), None)
            if shown is not None:
                self.speak(f"  ✉  club → {shown.recipient}   « {shown.subject} »")
                self._block(_text_lines(shown), self._room(shown, reader), "┆")
            for subject, to in _others(alike, shown).items():
                same = shown is not None and subject == shown.subject
                self.speak(f"  ✉  club → {names(to, 'fr')}   {'de même' if same else f'« {subject} »'}")

    def _room(self, mail: OutboxMail, reader: str | None) -> int:
        """How many lines of a mail to show."""
        if reader is not None:
            return 10_000
        if mail.kind not in KINDS:
            return ANSWER_LINES_MAX
        seen = mail.kind in self._kinds_seen
        self._kinds_seen.add(mail.kind)
        return LATER_LINES_MAX if seen else FIRST_OF_KIND_LINES_MAX

    def balances(self, club: Club) -> None:
        """Show every account."""
        self.speak(f"  {'':12}{'solde':>12}{'engagé':>12}{'disponible':>12}")
        for m in club.members.values():
            cells = (m.balance_cents, m.committed_cents, m.available_cents)
            row = "".join(money(cents, club.currency, "fr").rjust(12) for cents in cells)
            state = {MemberStatus.BANNED: "  banni", MemberStatus.LEFT: "  parti"}.get(m.status, "")
            self.speak(f"  {m.handle:12}{row}{'  gestionnaire' if m.manages else state}")

    def _block(self, lines: list[str], room: int, bar: str) -> None:
        """Show the first lines; at least two are left out, or none."""
        cut = lines if len(lines) <= room + 1 else lines[:room]
        for line in cut:
            self.speak(f"     {bar} {line}".rstrip())
        if len(cut) < len(lines):
            self.speak(f"     {bar} … (encore {len(lines) - len(cut)} lignes)")


def _own_lines(letter: Letter) -> list[str]:
    own = own_words(letter.text, letter.is_flowed)
    lines = own.text.strip().splitlines()
    left_out = sum(cut.last - cut.first + 1 for cut in own.cuts)
    note = [f"({left_out} lignes citées ou ajoutées par le logiciel : pas lues)"] if left_out > 1 else []
    return [line.rstrip() for line in lines] + note


def _alike(mails: Iterable[OutboxMail]) -> Iterator[list[OutboxMail]]:
    """Part mails by kind and game, in the order in which they left; direct answers first."""
    groups: dict[tuple[str, int | None], list[OutboxMail]] = {}
    for mail in mails:
        groups.setdefault((mail.kind, mail.game), []).append(mail)
    yield from sorted(groups.values(), key=lambda alike: alike[0].kind in KINDS)


def _others(alike: list[OutboxMail], shown: OutboxMail | None) -> dict[str, list[str]]:
    """Return who else got such a mail, by its subject; those like the one shown first."""
    told: dict[str, list[str]] = {} if shown is None else {shown.subject: []}
    for mail in alike:
        if mail is not shown:
            told.setdefault(mail.subject, []).append(mail.recipient)
    return {subject: to for subject, to in told.items() if to}


def _text_lines(mail: OutboxMail) -> list[str]:
    """The lines of a mail, without a first one that only says the subject again."""
    lines = text_part(mail).strip("\n").split("\n")
    return lines[2:] if lines[0] == mail.subject and lines[1:2] == [""] else lines
