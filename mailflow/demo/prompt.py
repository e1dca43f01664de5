"""`mailflow demo --interactive`: write to the club as any of its members, and read what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from email.message import EmailMessage
from email.policy import SMTP

from mailflow.agenda import WindowEnd
from mailflow.demo.screen import Screen
from mailflow.demo.stage import Happening, Stage
from mailflow.register import Handled
from mailflow.suggestions import nearest
from mailflow.words import moment
from store.records import MemberStatus, OutboxMail, fold_handle

DAYS_MAX = 800
BOX_LINES_MAX = 20
BETWEEN_MAILS = timedelta(minutes=1)

HELP = """\
  Écris un mail, ligne par ligne ; une ligne vide (ou un point seul) l'envoie. Par exemple :

      PARTIE buyin=5 joueurs=bela,chloe
      AIDE

  Pour la démo elle-même :

      :moi anna        écrire au nom d'anna
      :boite [anna]    les mails reçus (par anna)
      :lire 12         relire le mail 12
      :reponds [12]    le prochain mail répond au mail 12, ou au dernier reçu
      :jours 8         laisser passer huit jours
      :soldes          tous les comptes
      :histoire        jouer d'abord les quatre semaines de la démo (tant que rien n'est écrit)
      :garder          garder le dossier du club à la fin
      :aide            ces lignes
      :fin             terminer"""


@dataclass
class Prompt:
    """A conversation. `ask` shows a prompt and returns a line, or raises EOFError."""

    stage: Stage
    screen: Screen
    ask: Callable[[str], str]
    story: Callable[[], None]
    me: str = field(default="", init=False)
    _address: str = field(default="", init=False)
    _answered: OutboxMail | None = field(default=None, init=False)
    _written: int = field(default=0, init=False)
    _keep: bool = field(default=False, init=False)
    _ended: bool = field(default=False, init=False)

    def run(self) -> bool:
        """Talk until `:fin` or the end of the input; tell whether the folder is to be kept."""
        members = self.stage.picture.active
        self.me, self._address = members[0].handle, members[0].address
        self.screen.narrate(f"Le club est ouvert. Membres : {', '.join(m.handle for m in members)}.")
        self.screen.speak(HELP)
        self.screen.when(self.stage.clock.now)
        while not self._ended:
            lines = self._lines()
            if lines and lines[0].startswith(":"):
                self._command(lines[0])
            elif lines:
                self._write("\n".join(lines) + "\n")
        return self._keep

    def _lines(self) -> list[str]:
        """Read one mail, or one command of the prompt; the end of the input ends both.

        Who breaks off (Ctrl-C) sends nothing: what he had begun to write is dropped.
        """
        lines: list[str] = []
        try:
            while True:
                line = self.ask(f"{self.me}> ").rstrip()
                if line.strip() in ("", "."):
                    if lines:
                        return lines
                elif line.startswith(":") and not lines:
                    return [line]
                else:
                    lines.append(line)
        except (EOFError, KeyboardInterrupt) as end:
            self._ended = True
            return lines if isinstance(end, EOFError) else []

    # ------------------------------------------------------------ a mail

    def _write(self, text: str) -> None:
        """Send a mail as the chosen member, a minute after what was before."""
        self._pass(BETWEEN_MAILS)
        self._written += 1
        raw, self._answered = self._mail(text), None
        for happening in self.stage.receive(raw):
            if isinstance(happening.what, Handled):
                self.screen.became(happening.what)
            self.screen.sent(happening.sent, reader=self.me)

    def _mail(self, text: str) -> bytes:
        message = EmailMessage(policy=SMTP)
        message["From"] = self._address
        message["To"] = self.stage.office.club.address
        message["Date"] = self.stage.clock.now
        message["Message-ID"] = f"<{self._written}@demo.example>"
        answered = self._answered
        if answered is not None:
            message["Subject"] = f"Re: {answered.subject}"
            message["In-Reply-To"] = answered.message_id
            token = self.stage.token_of(answered)
            if token is not None:
                local, _, domain = self.stage.office.club.address.partition("@")
                message.replace_header("To", f"{local}+{token}@{domain}")
        message.set_content(text)
        return message.as_bytes()

    def _pass(self, time: timedelta) -> None:
        for happening in self.stage.pass_time(self.stage.clock.now + time):
            self._show_due(happening)

    def _show_due(self, happening: Happening) -> None:
        ended = isinstance(happening.what, WindowEnd)
        if happening.sent or ended:
            self.screen.when(happening.at)
        if isinstance(happening.what, WindowEnd):
            self.screen.narrate(f"Le délai de la partie {happening.what.game} est passé.")
        self.screen.sent(happening.sent, reader=self.me)

    # ------------------------------------------------------------ commands of the prompt

    def _command(self, line: str) -> None:
        word, _, rest = line[1:].strip().partition(" ")
        commands: dict[str, Callable[[str], None]] = {
            "moi": self._become,
            "boite": self._box,
            "lire": self._read,
            "reponds": self._reply,
            "jours": self._days,
            "soldes": lambda _: self.screen.balances(self.stage.picture),
            "histoire": self._story,
            "garder": self._stay,
            "aide": lambda _: self.screen.speak(HELP),
            "fin": self._end,
        }
        command = commands.get(fold_handle(word))
        if command is not None:
            command(rest.strip())
            return
        near = nearest(word, commands) if word else []
        hint = f" Voulais-tu dire :{near[0]} ?" if near else " :aide montre ce qui existe."
        self.screen.speak(f"  « :{word} » n'existe pas.{hint}")

    def _become(self, handle: str) -> None:
        """Choose a member, or somebody who was invited."""
        club = self.stage.picture
        member = club.members.get(fold_handle(handle))
        invitation = None if member is not None or not handle else club.books.invitation(handle)
        if member is not None:
            self.me, self._address = member.handle, member.address
        elif invitation is not None:
            self.me, self._address = invitation.handle, invitation.address
        else:
            there = ", ".join(m.handle for m in club.members.values() if m.status is not MemberStatus.LEFT)
            self.screen.speak(f"  « {handle} » n'est pas du club. Il y a : {there}.")
        self._answered = None

    def _box(self, handle: str) -> None:
        member = self.stage.picture.members.get(fold_handle(handle))
        owner = member.handle if member is not None else handle or self.me
        mails = self.stage.mails(owner)
        for mail in mails[-BOX_LINES_MAX:]:
            at = moment(mail.created_at, self.screen.zone, "fr")
            self.screen.speak(f"  {mail.id:5}  {at}  {mail.subject}")
        if len(mails) > BOX_LINES_MAX:
            self.screen.speak(f"  (les {BOX_LINES_MAX} derniers de {len(mails)})")
        if not mails:
            self.screen.speak(f"  Aucun mail pour {owner}.")

    def _read(self, number: str) -> None:
        mail = self._numbered(number, self.stage.mails())
        if mail is not None:
            self.screen.sent([mail], reader=mail.recipient)

    def _reply(self, number: str) -> None:
        self._answered = self._numbered(number, self.stage.mails(self.me))
        if self._answered is not None:
            self.screen.speak(f"  Le prochain mail répond à « {self._answered.subject} ».")

    def _numbered(self, number: str, mails: list[OutboxMail]) -> OutboxMail | None:
        """Find a mail by its number; the newest where none is given."""
        found = mails[-1:] if not number else [m for m in mails if str(m.id) == number]
        if not found:
            self.screen.speak("  Ce mail n'existe pas : :boite montre les numéros.")
        return found[0] if found else None

    def _days(self, number: str) -> None:
        days = int(number or "1") if (number or "1").isascii() and (number or "1").isdigit() else 0
        if not 1 <= days <= DAYS_MAX:
            self.screen.speak(f"  Un nombre de jours, de 1 à {DAYS_MAX} : « :jours 8 ».")
            return
        self._pass(timedelta(days=days))
        self.screen.when(self.stage.clock.now)

    def _story(self, _: str) -> None:
        if self._written or self.stage.mails():
            self.screen.speak("  Trop tard : le club a déjà vécu. Recommence la démo pour voir l'histoire.")
            return
        self.story()
        self.screen.speak("")
        self.screen.narrate("À toi.")

    def _stay(self, _: str) -> None:
        self._keep = True
        self.screen.speak(f"  Le dossier {self.stage.office.settings.folder} restera.")

    def _end(self, _: str) -> None:
        self._ended = True
