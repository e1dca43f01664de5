"""Members: what they want, how they write, and what they do with the mails that they get.

They choose by looking at the model of the club, as people who know the state of play; what they answer, they
answer to the bytes that they were sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mailflow.ambient import Dice
from mailflow.simulation.model import PAYOUTS, Command, Game
from mailflow.simulation.texts import mail_text
from mailflow.simulation.town import DAY, HOUR, MINUTE, Town
from mailflow.simulation.writing import Carrier, Draft, Hand, Received, Style

REASONS = ("le classement est faux", "erreur de saisie", "il manque une recave", "je n'ai pas joué")
READINGS = ("COMPTE", "AIDE", "REGLEMENT", "HISTORIQUE", "JOUEURS", "PARTIES")
ODDS_OF_DISPUTE = {"game.result": 0.15, "dispute.filed": 0.08, "dispute.withdrawn": 0.08}
VACATION = (("Auto-Submitted", "auto-replied"), ("X-Autoreply", "yes"), ("Precedence", "bulk"))


@dataclass
class Person:
    """`wrote`: Message-IDs of his own. `session`: the last mail with a session's address, and since when."""

    handle: str
    address: str
    hand: Hand
    habit: int
    wrote: set[str] = field(default_factory=set)
    session: Received | None = None
    session_at: datetime | None = None
    away_until: datetime | None = None
    seen: dict[str, Received] = field(default_factory=dict)


@dataclass
class People:
    town: Town
    persons: dict[str, Person]
    leaks: list[Received] = field(default_factory=list)
    """Mails that somebody else got to see: what crooks answer."""
    when_leaked: Callable[[Received], None] = lambda mail: None

    @classmethod
    def of(cls, town: Town) -> People:
        persons = {}
        for handle, address in town.addresses.items():
            chance = town.dice(f"{handle}'s ways")
            hand = Hand(chance.choice(tuple(Style)), chance.choice((*Carrier, Carrier.BOTH, Carrier.BOTH)))
            persons[handle] = Person(handle, address, hand, chance.randrange(4))
        return cls(town, persons)

    # ---------------------------------------------------------------- writing

    def say(
        self,
        name: str,
        who: str,
        commands: Sequence[Command],
        about: Received | None = None,
        slip: bool = False,
        cold: bool = False,
    ) -> None:
        """Write commands: in the session, if one seems open, else to the plain address."""
        person, chance = self.persons[who], self.town.dice(f"{name}>say")
        if about is None and not cold and self._in_session(person):
            about = person.session
        text = mail_text(commands, person.habit)
        if slip:
            text = _slipped(text, chance)
        exposed = about is not None and chance.random() < 0.1
        copies = (f"{chance.choice(sorted(self.persons))}@example.org",) if exposed else ()
        draft = self._draft(name, person, text, about, chance, copies)
        person.session_at = self.town.now if about is person.session else person.session_at
        if exposed and about is not None and chance.random() < 0.5:
            step, same = f"{name}+same", about
            self.town.later(
                self.town.now + 9 * MINUTE, step,
                lambda: self._one_more(step, person, same, self.town.dice(step)),
            )  # fmt: skip
        self.town.send(
            name,
            who,
            draft,
            person.hand,
            tuple(commands),
            None,
            about.token if about else None,
            plain=not slip,
        )
        if chance.random() < 0.05 and self.town.faults:
            again = self._draft(f"{name}+tap", person, text, about, chance, copies)
            after = timedelta(seconds=chance.choice((5, 90, 700)))
            self.town.later(
                self.town.now + after,
                f"{name}+tap",
                lambda: self._tap(f"{name}+tap", person, again, commands, about, slip),
            )

    def _tap(
        self, name: str, person: Person, draft: Draft, commands: Sequence[Command], about: Received | None,
        slip: bool,
    ) -> None:  # fmt: skip
        """The same once more, as another mail."""
        self.town.send(
            name,
            person.handle,
            draft,
            person.hand,
            tuple(commands),
            None,
            about.token if about else None,
            not slip,
        )

    def word(self, name: str, who: str, word: str, about: Received) -> None:
        """Answer OUI, NON … to a mail of the club."""
        person, chance = self.persons[who], self.town.dice(f"{name}>say")
        written = {"OUI": ("OUI", "oui", "Oui.", "OUI !"), "NON": ("NON", "non.")}.get(word, (word,))
        draft = self._draft(name, person, chance.choice(written), about, chance, ())
        self.town.send(name, who, draft, person.hand, (), word, about.token)

    def _draft(
        self,
        name: str,
        person: Person,
        text: str,
        about: Received | None,
        chance: Dice,
        copies: tuple[str, ...],
    ) -> Draft:
        message_id = f"<{name.replace(' ', '.')}@{person.address.rpartition('@')[2]}>"
        person.wrote.add(message_id)
        clock = self.town.now + timedelta(minutes=chance.choice((0, 0, 0, 0, -90, 300)))
        if chance.random() < 0.03:
            message_id = "<1@phone.invalid>"  # a program that gives all its mails the same
        return Draft(person.address, text, about, clock, message_id, copies=copies)

    def _in_session(self, person: Person) -> bool:
        """He goes on in the last thread if it was not long ago; now and then he is wrong about that."""
        at = person.session_at
        return person.session is not None and at is not None and self.town.now - at < 75 * MINUTE

    # ---------------------------------------------------------------- getting mail

    def got(self, mail: Received) -> None:
        """A mail of the club is read."""
        person = next((p for p in self.persons.values() if p.address == mail.address), None)
        if person is None:
            return
        name = f"{person.handle}.{mail.message_id[1:9]}"
        if mail.answered is not None:  # so that what comes of an event goes when the event is left out
            name = f"{mail.answered[1:].rpartition('@')[0]}+{name}"
        chance = self.town.dice(f"{name}>got")
        person.seen[mail.kind] = mail
        if mail.token is not None and mail.token.startswith("s"):
            person.session, person.session_at = mail, self.town.now
            if name.count("+") < 4:  # what he thinks of makes him think of more, but not for ever
                self._think_of_more(name, person, mail, chance)
        if person.away_until is not None and self.town.now < person.away_until:
            self._away(name, person, mail, chance)
            return
        if mail.kind == "confirm":
            self._asked(name, person, mail, chance)
        elif mail.kind == "game.result" and mail.token is not None and chance.random() < 0.15:
            self._dispute_another(name, person, mail, chance)
        elif mail.kind in ODDS_OF_DISPUTE and chance.random() < ODDS_OF_DISPUTE[mail.kind]:
            self._dispute(name, person, mail, chance)
        elif mail.kind == "arbitration.opened":
            self._judge(name, person, mail, mail.game, chance)
        elif mail.kind == "digest.weekly" and (cases := self.town.model.cases_of(person.handle)):
            self._judge(name, person, mail, cases[0], chance)

    def _away(self, name: str, person: Person, mail: Received, chance: Dice) -> None:
        """T-13: a robot answers, quoting everything."""
        draft = self._draft(f"{name}+away", person, "Je suis en vacances. OUI, vraiment.", mail, chance, ())
        draft = Draft(
            draft.sender, draft.text, mail, draft.written_at, draft.message_id, "Absent", headers=VACATION
        )
        self.town.send(f"{name}+away", None, draft, person.hand, token=mail.token, plain=False)

    def _asked(self, name: str, person: Person, mail: Received, chance: Dice) -> None:
        """A confirmation: nearly always OUI, to what he asked himself; NON to what he does not know."""
        mine = mail.answered in person.wrote
        several = "demandes à la fois" in mail.text
        luck = chance.random()
        if luck > 0.95:
            self.leaks.append(mail)
            self.when_leaked(mail)
        if not mine and (several or luck < 0.8):
            if luck < 0.5:
                self._soon(
                    f"{name}+non", chance, lambda: self.word(f"{name}+non", person.handle, "NON", mail)
                )
            return
        if luck < 0.05:
            return
        word = "NON" if luck < 0.08 else "OUI"
        after = timedelta(minutes=chance.choice((1, 2, 5, 20, 90)))
        if luck > (0.9 if several or "gestion" not in mail.text else 0.75):
            lasts = 12 * HOUR if "décision de gestion" in mail.text else DAY
            more = chance.choice((-HOUR, -10 * MINUTE, -6 * MINUTE, HOUR, 6 * HOUR))
            after = mail.written_at + lasts + more - self.town.now
        step = f"{name}+{word.lower()}"
        self.town.later(self.town.now + after, step, lambda: self.word(step, person.handle, word, mail))
        if 0.08 < luck < 0.14:
            again = after + chance.choice((timedelta(seconds=2), 3 * MINUTE, 2 * HOUR))
            twice = f"{name}+twice"
            self.town.later(
                self.town.now + again, twice, lambda: self.word(twice, person.handle, "OUI", mail)
            )

    def _dispute_another(self, name: str, person: Person, mail: Received, chance: Dice) -> None:
        """He answers the mail about one game with the number of another."""
        recent = [g for g in self.town.model.club.games if g.state == "recent" and g.number != mail.game]
        his = [g.number for g in recent if person.handle in g.players and person.handle != g.creator]
        if his:
            command = Command("CONTESTE", {"game": chance.choice(his), "reason": chance.choice(REASONS)})
            step = f"{name}+autre"
            self._soon(step, chance, lambda: self.say(step, person.handle, (command,), mail))

    def _dispute(self, name: str, person: Person, mail: Received, chance: Dice) -> None:
        """By the reply address, or to the plain one; perhaps on the last minute; perhaps taken back."""
        game = self._game(mail.game)
        if game is None or game.window_ends is None or person.handle == game.creator:
            return
        reason = chance.choice(REASONS)
        last = game.window_ends - self.town.now
        after = chance.choice(
            (10 * MINUTE, DAY, 3 * DAY, last - HOUR, last - timedelta(seconds=20), last + MINUTE)
        )
        about = mail if mail.token is not None and chance.random() < 0.7 else None
        mine = [g for g in self.town.model.club.games if g.state == "recent" and person.handle in g.players]
        others = [g.number for g in mine if g.creator != person.handle and g is not game]
        other = chance.choice(others) if others and chance.random() < 0.6 else game.number
        command = Command("CONTESTE", {"game": other, "reason": reason})
        step = f"{name}+conteste"
        self.town.later(
            self.town.now + after, step, lambda: self.say(step, person.handle, (command,), about, cold=True)
        )
        if chance.random() < 0.35:
            back, taken = Command("RETIRE", {"game": game.number}), f"{name}+retire"
            self.town.later(
                self.town.now + after + DAY, taken,
                lambda: self.say(taken, person.handle, (back,), about, cold=True),
            )  # fmt: skip

    def _judge(self, name: str, person: Person, mail: Received, game: int | None, chance: Dice) -> None:
        """By the mail about the case, or the digest that still lists it; or by the plain address."""
        if game is None or chance.random() < 0.1:
            return
        verb = chance.choice(("ACCEPTE", "REJETTE"))
        command = Command(verb, {"game": game, "reason": chance.choice(REASONS)})
        about = mail if chance.random() < 0.8 else None
        step, after = f"{name}+juge", chance.choice((HOUR, DAY, 2 * DAY))
        self.town.later(
            self.town.now + after, step, lambda: self.say(step, person.handle, (command,), about, cold=True)
        )

    def _soon(self, name: str, chance: Dice, action: Callable[[], None]) -> None:
        self.town.later(self.town.now + timedelta(minutes=chance.choice((1, 7, 40))), name, action)

    def _game(self, number: int | None) -> Game | None:
        games = self.town.model.club.games
        return games[number - 1] if number and number <= len(games) else None

    def _think_of_more(self, name: str, person: Person, mail: Received, chance: Dice) -> None:
        """He answers the same mail again: at once, within the hour, when it is long cold."""
        luck = chance.random()
        if luck < 0.06:
            end = f"{name}+fin"
            self._soon(end, chance, lambda: self._finish(end, person, mail))
        elif luck < 0.09:
            self._watch_over(f"{name}+night", person)
        elif luck < 0.17:
            self._forget_the_session(f"{name}+cold", person, mail)
        elif luck < 0.45:
            after, step = chance.choice((5, 30, 58, 61, 75, 150, 400)) * MINUTE, f"{name}+more"
            self.town.later(
                self.town.now + after, step, lambda: self._one_more(step, person, mail, self.town.dice(step))
            )

    def _forget_the_session(self, name: str, person: Person, mail: Received) -> None:
        """He writes to the plain address, then goes on in the session: what waits is not carried along."""
        for step, after, about in ((name, MINUTE, None), (f"{name}+on", 4 * MINUTE, mail)):
            self.town.later(
                self.town.now + after, step,
                lambda s=step, a=about: self._one_more(s, person, a, self.town.dice(s)),  # type: ignore[misc]
            )  # fmt: skip

    def _one_more(self, name: str, person: Person, about: Received | None, chance: Dice) -> None:
        """Something that the rules most likely allow him."""
        m, club = self.town.model, self.town.model.club
        poor = [x.handle for x in club.members.values() if x.balance < club.credit]
        poor = [h for h in poor if h != person.handle]
        others = [h for h in club.members if h != person.handle and m.is_active(h)]
        if person.handle in m.managers() and chance.random() < 0.4 and len(others) > 3:
            args = {"member": chance.choice(others), "reason": chance.choice(REASONS)}
            self.say(name, person.handle, (Command("BANNIT", args),), about)
        elif poor:
            amount = {"amount_cents": chance.randrange(1, 10), "to": chance.choice(poor)}
            self.say(name, person.handle, (Command("VIREMENT", amount),), about)
        elif others:
            game = {"players": [chance.choice(others)], "buyin_cents": club.buyins[0]}
            self.say(name, person.handle, (Command("PARTIE", game),), about)

    # ---------------------------------------------------------------- wanting

    def plan(self, week: int, monday: datetime) -> None:
        """What the members will want to do this week, each at his hour."""
        chance = self.town.dice(f"w{week}")
        for n in range(chance.choice((1, 1, 1, 2))):
            at = monday + timedelta(days=(1, 4)[n % 2], hours=18, minutes=chance.randrange(90))
            self._wish(f"w{week}.game{n}", at, self._play)
            self._wish(f"w{week}.change{n}", at + timedelta(minutes=30), self._change, 0.3)
            self._wish(f"w{week}.result{n}", at + timedelta(minutes=50), self._result, 0.9)
        self._wish(f"w{week}.results", monday + 3 * DAY + 12 * HOUR, self._result, 0.8)
        for name, wish, odds in WISHES:
            at = monday + timedelta(minutes=chance.randrange(7 * 24 * 60))
            self._wish(f"w{week}.{name}", at, getattr(self, wish), odds)

    def _wish(self, name: str, at: datetime, wish: Callable[[str, Dice], None], odds: float = 1.0) -> None:
        if self.town.dice(f"{name}>odds").random() < odds:
            self.town.later(at, name, lambda: wish(name, self.town.dice(name)))

    def _play(self, name: str, chance: Dice) -> None:
        m = self.town.model
        busy = {g.creator for g in m.club.games if g.state == "running"}
        able = [h for h in m.club.members if m.eligible(h) and h not in busy]
        who = self._somebody(able, chance)
        others = [h for h in m.club.members if h != who and (m.eligible(h) or chance.random() < 0.03)]
        if not others:
            return
        players = chance.sample(others, min(len(others), chance.choice((1, 2, 3, 3, 4, 5, 6, 7))))
        args: dict[str, object] = {
            "players": players,
            "buyin_cents": chance.choice((*m.club.buyins, *m.club.buyins[2:])),
        }
        if chance.random() < 0.25:
            args["places"] = self._places([who, *players], chance)
        commands = [Command("PARTIE", args)]
        if "places" not in args and chance.random() < 0.1:
            commands.append(Command("RESULTAT", {"places": self._places([who, *players], chance)}))
        self.say(name, who, commands, slip=chance.random() < 0.05)

    def _change(self, name: str, chance: Dice) -> None:
        game = self._running(chance)
        if game is None:
            return
        m, args = self.town.model, {"game": game.number}
        free = [h for h in m.club.members if h not in game.players and m.eligible(h)]
        kind = chance.choice(("buyin", "add", "remove", "cancel"))
        values: dict[str, object] = {
            "buyin": {"buyin_cents": chance.choice(m.club.buyins)},
            "add": {"add": [chance.choice(free)]} if free else {"buyin_cents": 1000},
            "remove": {"remove": [game.players[-1]]},
        }
        if kind == "cancel":
            self.say(name, game.creator, (Command("ANNULE", args),))
            return
        extra = values[kind]
        assert isinstance(extra, dict)
        self.say(name, game.creator, (Command("MODIFIE", {**args, **extra}),))

    def _result(self, name: str, chance: Dice) -> None:
        game = self._running(chance)
        if game is not None:
            places = self._places(game.players, chance)
            self.say(
                name, game.creator, (Command("RESULTAT", {"game": game.number, "places": places}),),
                slip=chance.random() < 0.05,
            )  # fmt: skip

    def _transfer(self, name: str, chance: Dice) -> None:
        """The greatest amount that passes, a cent beyond either limit, or some other."""
        m, club = self.town.model, self.town.model.club
        poor = [x.handle for x in club.members.values() if x.balance < club.credit]
        who = self._somebody([h for h in club.members if m.is_active(h)], chance)
        if chance.random() < 0.4 and m.active():  # who has little to give, and who lacks most
            who = min(m.active(), key=lambda one: (m.capacity(one.handle) or 1_000_000, one.handle)).handle
            poor = sorted(poor, key=lambda h: (club.members[h].balance, h))[:1]
        to = self._somebody([h for h in poor if h != who], chance)
        if to == who:
            return
        room, gives = max(0, club.credit - club.members[to].balance), m.capacity(who)
        most = min(room, gives)
        cents = chance.choice(sorted(b for b in {1, 150, most, most // 2, most + 1, room + 1} if b > 0))
        commands = [Command("VIREMENT", {"amount_cents": cents, "to": to})]
        if chance.random() < 0.3:
            commands = [Command("VIREMENT", {"amount_cents": n, "to": to}) for n in (17, 23)]
        self.say(name, who, commands, slip=chance.random() < 0.05, cold=chance.random() < 0.3)

    def _read(self, name: str, chance: Dice) -> None:
        self.say(name, self._somebody([], chance), (Command(chance.choice(READINGS)),))

    def _complain(self, name: str, chance: Dice) -> None:
        who, about = chance.sample(sorted(self.persons), 2)
        self.say(name, who, (Command("PLAINTE", {"member": about, "reason": chance.choice(REASONS)}),))

    def _leave(self, name: str, chance: Dice) -> None:
        m = self.town.model
        if len(m.active()) > 4:
            free = [a.handle for a in m.active() if a.balance == m.club.credit and not a.manager]
            if free:
                self.say(name, chance.choice(free), (Command("QUITTE"),))

    def _go_away(self, name: str, chance: Dice) -> None:
        self.persons[self._somebody([], chance)].away_until = self.town.now + timedelta(
            days=chance.choice((2, 8))
        )

    def _finish(self, name: str, person: Person, about: Received) -> None:
        """FIN, then something more at the same address, which must be cold by now."""
        self.word(name, person.handle, "FIN", about)
        step = f"{name}+after"
        self.town.later(
            self.town.now + 2 * MINUTE,
            step,
            lambda: self._one_more(step, person, about, self.town.dice(step)),
        )

    def _watch_over(self, name: str, person: Person) -> None:
        """Stay in one session all night: at last it must be cold, however busy it was."""
        for n in range(12):
            step = f"{name}+{n}"
            self.town.later(
                self.town.now + n * 50 * MINUTE, step, lambda s=step, n=n: self._go_on(s, person, n)  # type: ignore[misc]
            )  # fmt: skip

    def _go_on(self, name: str, person: Person, number: int) -> None:
        about = person.session
        if number > 9 and about is not None:
            self._one_more(name, person, about, self.town.dice(name))
        else:
            self.say(name, person.handle, (Command("COMPTE"),), about)

    # ---------------------------------------------------------------- the manager

    def _ban(self, name: str, chance: Dice) -> None:
        m = self.town.model
        inside = sorted({h for g in m.club.games if g.state in ("running", "recent") for h in g.players[-2:]})
        if len(m.active()) > 3:
            member = self._somebody(inside or m.open_accounts(), chance)
            args = {"member": member, "reason": chance.choice(REASONS)}
            self.say(name, self._manager(chance), (Command("BANNIT", args),))

    def _banned_tries(self, name: str, chance: Dice) -> None:
        """T-17: a banned member goes on as if nothing had happened."""
        banned = self._banned()
        if banned:
            person = self.persons[chance.choice(banned)]
            others = [m.handle for m in self.town.model.active()]
            args = {"players": [chance.choice(others)], "buyin_cents": self.town.model.club.buyins[0]}
            self.say(name, person.handle, (Command("PARTIE", args),), person.session)

    def _reinstate(self, name: str, chance: Dice) -> None:
        banned = self._banned()
        if banned:
            self.say(name, self._manager(chance), (Command("RETABLIT", {"member": chance.choice(banned)}),))

    def _levy(self, name: str, chance: Dice) -> None:
        banned = self._banned()
        if banned:
            self.say(name, self._manager(chance), (Command("SOLIDARITE", {"member": chance.choice(banned)}),))

    def _amend(self, name: str, chance: Dice) -> None:
        settings = {"seuil": chance.choice((1000, 2050, 5000))}
        args = {"settings": settings, "reason": chance.choice(REASONS)}
        self.say(name, self._manager(chance), (Command("REGLE", args),))

    # ---------------------------------------------------------------- choosing

    def _banned(self) -> list[str]:
        return [m.handle for m in self.town.model.club.members.values() if m.status == "banned"]

    def _manager(self, chance: Dice) -> str:
        return self._somebody(self.town.model.managers(), chance)

    def _somebody(self, likely: Sequence[str], chance: Dice) -> str:
        here = [h for h, m in self.town.model.club.members.items() if m.status != "left"]
        return chance.choice(list(likely)) if likely and chance.random() < 0.95 else chance.choice(here)

    def _running(self, chance: Dice) -> Game | None:
        games = [g for g in self.town.model.club.games if g.state == "running"]
        return chance.choice(games) if games else None

    def _places(self, players: Sequence[str], chance: Dice) -> dict[str, list[str]]:
        count = next((len(shares) for most, shares in PAYOUTS if len(players) <= most), 3)
        order = chance.sample(list(players), min(count, len(players)))
        return {str(i + 1): [h] for i, h in enumerate(order)}


WISHES = (
    ("transfer", "_transfer", 0.6),
    ("transfer2", "_transfer", 0.3),
    ("read", "_read", 0.5),
    ("complain", "_complain", 0.08),
    ("leave", "_leave", 0.01),
    ("away", "_go_away", 0.12),
    ("ban", "_ban", 0.2),
    ("banned", "_banned_tries", 0.5),
    ("reinstate", "_reinstate", 0.5),
    ("levy", "_levy", 0.5),
    ("amend", "_amend", 0.04),
)


def _slipped(text: str, chance: Dice) -> str:
    """A slip of the pen in the first word: it is no command any more."""
    word, _, rest = text.partition(" ")
    cut = chance.randrange(1, len(word))
    return f"{word[:cut]}q{word[cut:]} {rest}"
