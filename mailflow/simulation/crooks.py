"""People who are not who they say: forged senders, guessed, leaked and replayed proofs (TRUST § 7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from mailflow.ambient import Dice
from mailflow.simulation.model import Command
from mailflow.simulation.people import People
from mailflow.simulation.post_office import BORDER
from mailflow.simulation.texts import mail_text
from mailflow.simulation.town import MINUTE, Town
from mailflow.simulation.writing import CLUB, Carrier, Draft, Hand, Received, Style

CROOK = "mallory@elsewhere.example"
HAND = Hand(Style.PLAIN, Carrier.BOTH)


@dataclass
class Crooks:
    town: Town
    people: People

    def plan(self, week: int, monday: datetime) -> None:
        """What they will try this week."""
        for n, deed in enumerate(DEEDS):
            name = f"w{week}.crook{n}"
            chance = self.town.dice(f"{name}>odds")
            if chance.random() < 0.22:
                at = monday + timedelta(minutes=chance.randrange(7 * 24 * 60))
                self.town.later(at, name, lambda n=name, d=deed: getattr(self, d)(n, self.town.dice(n)))  # type: ignore[misc]

    def _acting(self, who: str, chance: Dice) -> tuple[Command, ...]:
        """Something that would hurt."""
        others = [h for h in self.town.addresses if h != who]
        to = chance.choice(others)
        return chance.choice((
            (Command("VIREMENT", {"amount_cents": chance.choice((100, 2500)), "to": to}),),
            (Command("BANNIT", {"member": to, "reason": "il triche"}),),
            (Command("PARTIE", {"players": [to], "buyin_cents": 1000}),),
        ))  # fmt: skip

    def _member(self, chance: Dice) -> str:
        return chance.choice(sorted(self.town.addresses))

    def _forge(
        self, name: str, who: str, commands: tuple[Command, ...], chance: Dice, to: str | None = None,
        token: str | None = None, headers: tuple[tuple[str, str], ...] = (), verdict: str | None = None,
    ) -> None:  # fmt: skip
        """Write under a member's name; our border may find it out, or not."""
        text = mail_text(commands, 0)
        draft = Draft(
            self.town.addresses[who], text, None, self.town.now, f"<{name}@elsewhere.example>", to=to,
            headers=(("Reply-To", CROOK), *headers),
        )  # fmt: skip
        found = verdict or chance.choice(("fail", "none"))
        self.town.send(name, None, draft, HAND, commands, None, token, plain=False, verdict=found)

    def forged(self, name: str, chance: Dice) -> None:
        """T-1, T-2, T-5."""
        who = self._member(chance)
        self._forge(name, who, self._acting(who, chance), chance)

    def forged_results(self, name: str, chance: Dice) -> None:
        """T-3: he brings along what our border would write."""
        who = self._member(chance)
        domain = self.town.addresses[who].rpartition("@")[2]
        headers = (("Authentication-Results", f"{BORDER}; dmarc=pass header.from={domain}"),)
        self._forge(name, who, self._acting(who, chance), chance, headers=headers, verdict="fail")

    def guessed(self, name: str, chance: Dice) -> None:
        """T-7."""
        who, alphabet = self._member(chance), "0123456789abcdefghjkmnpqrstvwxyz"
        secret = chance.choice("scg") + "".join(chance.choice(alphabet) for _ in range(26))
        to = CLUB.replace("@", f"+{secret}@")
        self._forge(name, who, self._acting(who, chance), chance, to, secret)

    def leaked(self, name: str, chance: Dice) -> None:
        """T-8: he answers, under his own name or another member's, a question that was forwarded to him."""
        if not self.people.leaks:
            return
        mail = chance.choice(self.people.leaks[-5:])
        self._answer(name, mail, chance)

    def heard_of(self, mail: Received) -> None:
        """A question was forwarded: it is answered before its owner does."""
        name = f"leak.{mail.message_id[1:9]}"
        at = self.town.now + 10 * MINUTE
        self.town.later(at, name, lambda: self._answer(name, mail, self.town.dice(name)))

    def _answer(self, name: str, mail: Received, chance: Dice) -> None:
        others = [h for h, a in self.town.addresses.items() if a != mail.address]
        who = chance.choice((None, *others))
        sender = CROOK if who is None else self.town.addresses[who]
        draft = Draft(sender, "OUI", mail, self.town.now, f"<{name}@elsewhere.example>")
        self.town.send(name, who, draft, HAND, (), "OUI", mail.token)

    def planted(self, name: str, chance: Dice) -> None:
        """T-11: a cold command just before, and during, a member's own evening."""
        open_ones = [p.handle for p in self.people.persons.values() if p.session is not None]
        who = chance.choice(open_ones) if open_ones else self._member(chance)
        self._forge(name, who, self._acting(who, chance), chance, verdict="none")

    def replayed(self, name: str, chance: Dice) -> None:
        """T-17: somebody, perhaps banned, uses the address of a session that is long over."""
        persons = [p for p in self.people.persons.values() if p.session is not None]
        if persons:
            person = chance.choice(persons)
            command = Command("ANNULE", {"game": 1 + chance.randrange(5)})
            self.people.say(name, person.handle, (command,), person.session)

    def stolen_session(self, name: str, chance: Dice) -> None:
        """T-9: another member writes to a session's address."""
        persons = [p for p in self.people.persons.values() if p.session is not None]
        if persons:
            person = chance.choice(persons)
            others = [h for h in self.town.addresses if h != person.handle]
            who = chance.choice(others)
            amount = {"amount_cents": 100 + chance.randrange(900), "to": person.handle}
            self.people.say(name, who, (Command("VIREMENT", amount),), person.session)

    def bombed(self, name: str, chance: Dice) -> None:
        """T-16: eight within the hour."""
        who = self._member(chance)
        for n in range(8):
            step = f"{name}+{n}"
            commands = (Command("VIREMENT", {"amount_cents": 100 + n, "to": self._other(who, chance)}),)
            self.town.later(
                self.town.now + n * 7 * MINUTE, step,
                lambda s=step, c=commands: self._forge(s, who, c, self.town.dice(s), verdict="none"),  # type: ignore[misc]
            )  # fmt: skip

    def _other(self, who: str, chance: Dice) -> str:
        return chance.choice([h for h in sorted(self.town.addresses) if h != who])

    def snoop(self, name: str, chance: Dice) -> None:
        """R-SEC-2: he asks for somebody's account."""
        self._forge(name, self._member(chance), (Command("COMPTE"),), chance, verdict="none")

    def stranger(self, name: str, chance: Dice) -> None:
        """T-31."""
        draft = Draft(CROOK, "COMPTE", None, self.town.now, f"<{name}@elsewhere.example>")
        self.town.send(name, None, draft, HAND, (Command("COMPTE"),), plain=False)


DEEDS = (
    "forged", "forged_results", "guessed", "leaked", "planted", "replayed", "stolen_session", "bombed",
    "snoop", "stranger",
)  # fmt: skip
