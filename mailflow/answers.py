"""From what a set of commands came to, to the mails it calls for: answers, previews, notices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from markupsafe import Markup

from mailflow import literal, statements
from mailflow.catalogue import BY_NAME, Need
from mailflow.forms import handles_in, meant, spelled
from mailflow.letters import Letters, Reader, Words, refusal_phrase
from mailflow.model import Club, Notice, Wish
from mailflow.notices import DECIDE, STOP, UNASKED, VERBS
from mailflow.performing import Performance, Step
from mailflow.suggestions import nearest, nearest_verbs
from parsers.commands import Problem
from parsers.grammar import Verb
from store.records import Answerable, Member, NewMail, Offer, Part, fold_handle

Section = dict[str, Markup]
"""A part of a mail: its headline, and its text."""

PARTS_MAX = 4
"""Files in one mail: what more is asked for at once is shown in words."""
NAMING_NEWCOMERS = frozenset({"INVITE", "ADHESION"})
"""Verbs whose handle is one that nobody has yet."""


@dataclass(frozen=True)
class Envelope:
    """To whom a direct answer goes: always a registered address of the member (R-SEC-2).

    `token`: the one that every answer carries where it has none of its own, so that answering the last mail
    is enough (TRUST § 3). `note`: what is said below every answer.
    """

    cause: str
    member: Member
    in_reply_to: str | None
    token: int | None = None
    note: str = ""

    @property
    def number(self) -> int:
        """The number of the received mail: POURQUOI asks by it how it was read."""
        return int(self.cause.split(":")[1])

    def mail(self, kind: str, words: Words, game: int | None = None, token: int | None = None) -> NewMail:
        return NewMail(
            self.cause,
            kind,
            self.member.handle,
            self.member.address,
            "",
            words.subject,
            words.text + self.note,
            game,
            self.in_reply_to,
            self.token if token is None else token,
            language=words.language,
        )


@dataclass(frozen=True)
class Why:
    """Why something is asked: `again`: anew, because OUI came "late" or what it would do has "changed".

    `tapped_at`: because the same was asked just before. `dropped`: what cannot be done any more. `apart`:
    because it was asked by itself before, and stays so. `wish`: because a manager thinks that it was meant.
    """

    again: str | None = None
    tapped_at: datetime | None = None
    apart: bool = False
    dropped: tuple[Step, ...] = ()
    wish: Wish | None = None


@dataclass(frozen=True)
class Asked:
    """What a confirmation says besides what would happen.

    `until`: how long OUI may take. `received_at`: when the mail of each set came. `others`: how many other
    questions wait beside this one.
    """

    until: datetime
    received_at: tuple[datetime, ...]
    why: Why
    others: int = 0


@dataclass(frozen=True)
class Answers:
    """Writes the mails; `letters` holds the words."""

    letters: Letters

    # ------------------------------------------------------------ what was done

    def done(self, performance: Performance, envelope: Envelope) -> list[NewMail]:
        """Return the answer to a set that was carried out; none where notices say it all."""
        told = [step for step in performance.steps if step.outcome.answer is not None]
        if not told:
            return []
        club = performance.after
        reader = Reader.of(club.members[fold_handle(envelope.member.handle)])
        parts = self._parts(told, reader, club)
        sections = [self._section(step, reader, club, parts.get(number)) for number, step in enumerate(told)]
        helps = any(step.command.name == "AIDE" for step in told)
        words = self.letters.write("answer", reader, club, {"sections": sections, "helps": helps})
        mail = envelope.mail("answer", words, _one_game(performance.steps))
        return [replace(mail, parts=tuple(dict.fromkeys(parts.values())))]

    def _parts(self, told: Sequence[Step], reader: Reader, club: Club) -> dict[int, Part]:
        """Make the statements that were asked for as files, by the place of the step; PARTS_MAX at most."""
        asked = [n for n, step in enumerate(told) if step.facts.get("form") is not None]
        writer = statements.Writer(self.letters, reader, club)
        return {
            n: statements.part(told[n].facts["form"], told[n].facts["statement"], writer)
            for n in asked[:PARTS_MAX]
        }

    def _section(self, step: Step, reader: Reader, club: Club, part: Part | None = None) -> Section:
        facts = step.facts if part is None else {**step.facts, "file": part.name}
        return _section(self.letters.fill(f"answer.{step.command.name}", reader, club, facts))

    def notices(
        self, notices: Iterable[Notice], club: Club, cause: str, envelope: Envelope | None = None
    ) -> list[NewMail]:
        """Return one mail per notice and recipient. `club`: as it stands after what is told.

        What stands in another mail is none of its own.

        The author's own notice is his answer, so it joins the thread of his mail.
        """
        return [
            self._notice(notice, handle, club, cause, envelope)
            for notice in notices
            for handle in notice.to
            if not notice.within
        ]

    def _notice(
        self, notice: Notice, handle: str, club: Club, cause: str, envelope: Envelope | None
    ) -> NewMail:
        member = club.member(handle)
        reader = Reader.newcomer(handle, club.language) if member is None else Reader.of(member)
        words = self.letters.write(notice.kind, reader, club, {**notice.facts, **notice.own.get(handle, {})})
        mine = envelope if envelope is not None and envelope.member.handle == handle else None
        addressed = mine.member if mine is not None else member
        return NewMail(
            cause,
            notice.kind,
            handle,
            notice.address or ("" if addressed is None else addressed.address),
            notice.about or ("" if notice.game is None else str(notice.game)),
            words.subject,
            words.text,
            notice.game,
            None if mine is None else mine.in_reply_to,
            None if mine is None else mine.token,
            None if member is None else _answerable(notice, member, club),
            language=words.language,
            unasked=notice.kind in UNASKED,
        )

    # ------------------------------------------------------------ what would be done

    def confirmation(self, asked: Asked, performance: Performance, envelope: Envelope, token: int) -> NewMail:
        """Return the mail that shows all that waits and asks for OUI (TRUST § 3)."""
        reader = Reader.of(envelope.member)
        requests = [
            {"received_at": at, "previews": self._previews(performance, reader, number)}
            for number, at in enumerate(asked.received_at)
        ]
        facts = {
            **self._preview(performance, reader),
            "requests": requests,
            "until": asked.until,
            "again": asked.why.again,
            "tapped_at": asked.why.tapped_at,
            "wish": asked.why.wish,
            "dropped": [
                {
                    "text": step.request.text,
                    "refusals": self._refusals(step, reader, performance.after),
                }
                for step in asked.why.dropped
            ],
            "others": asked.others,
            "manage": performance.manages,
            "identity": all(step.command.need is Need.IDENTITY for step in performance.steps),
        }
        words = self.letters.write("confirm", reader, performance.after, facts)
        return envelope.mail("confirm", words, _one_game(performance.steps), token)

    def simulation(self, performance: Performance, envelope: Envelope) -> NewMail:
        """Return the mail that says what would happen, and that nothing did."""
        reader = Reader.of(envelope.member)
        facts = {
            **self._preview(performance, reader),
            "refusals": [
                r for step in performance.steps for r in self._refusals(step, reader, performance.after)
            ],
        }
        words = self.letters.write("simulation", reader, performance.after, facts)
        return envelope.mail("simulation", words, _one_game(performance.steps))

    def _preview(self, performance: Performance, reader: Reader) -> dict[str, Any]:
        after = performance.after.members[fold_handle(reader.handle)]
        return {
            "previews": self._previews(performance, reader),
            "told": {**_told(performance.notices, reader.handle), **_asked_others(performance)},
            "after": {"balance_cents": after.balance_cents, "available_cents": after.available_cents},
        }

    def _previews(self, performance: Performance, reader: Reader, number: int | None = None) -> list[Section]:
        """What each step would do; of one set of the order only, where its number is given."""
        return [
            self._previewed(step, reader, performance.after)
            for step in performance.steps
            if not step.outcome.refused and number in (None, step.number)
        ]

    def _previewed(self, step: Step, reader: Reader, club: Club) -> Section:
        if not step.outcome.changes and not step.outcome.notices:
            return self._section(step, reader, club)
        shown = {"facts": step.facts, "arguments": step.request.arguments, "text": step.request.text}
        return _section(self.letters.phrase("previews", step.command.name, shown, reader, club))

    # ------------------------------------------------------------ what was not done

    def refused(self, performance: Performance, envelope: Envelope, lines: Iterable[str]) -> NewMail:
        """Return the mail that says which rule says no; `lines`: all commands as written."""
        reader = Reader.of(envelope.member)
        commands = [
            {"text": text, "refusals": self._refusals(step, reader, performance.after) if step else []}
            for text, step in _paired(lines, performance.steps)
        ]
        words = self.letters.write("refused", reader, performance.after, {"commands": commands})
        return envelope.mail("refused", words, _one_game(performance.steps))

    def _refusals(self, step: Step, reader: Reader, club: Club) -> list[Markup]:
        return [refusal_phrase(self.letters, r, reader, club) for r in step.outcome.refusals]

    def malformed(
        self, problems: Iterable[Problem], understood: Iterable[str], envelope: Envelope, club: Club
    ) -> NewMail:
        """Return the mail that names the offending words and shows the right form."""
        reader = Reader.of(envelope.member)
        shown = [self._problem(p, reader, club) for p in problems]
        facts = {"problems": shown, "understood": list(understood), "mail": envelope.number}
        return envelope.mail("malformed", self.letters.write("malformed", reader, club, facts))

    def _problem(self, problem: Problem, reader: Reader, club: Club) -> dict[str, Any]:
        verb = None if problem.verb is None else club.grammar.by_word.get(problem.verb)
        form = "" if verb is None else self._form(verb, reader, club)
        near = nearest_verbs(problem.words, club.grammar) if verb is None else ()
        values = {
            "words": problem.words,
            "argument": problem.argument,
            "verb": problem.verb,
            "form": form,
            "nearest": [v.name for v in near],
        }
        phrase = self.letters.phrase("problems", problem.code, values, reader, club)
        example = "" if verb is None else spelled(verb, problem.good)
        shown = [self._meant(v, problem.rest, reader, club) for v in near]
        read = [(v, good) for v, (_, good) in zip(near, shown, strict=True)]
        read += [] if verb is None else [(verb, problem.good)]
        return {
            "words": problem.words,
            "phrase": phrase,
            "form": form,
            "example": "" if example == form else example,
            "nearest": [form for form, _ in shown] if problem.code == "unknown_verb" else [],
            "strangers": _strangers(read[:1], club),
        }

    def _form(self, verb: Verb, reader: Reader, club: Club) -> str:
        """The right form of a command, its free text in the reader's language."""
        return literal.words(self.letters.phrase("shared", "form", BY_NAME[verb.name], reader, club))

    def _meant(self, verb: Verb, rest: str, reader: Reader, club: Club) -> tuple[str, Mapping[str, Any]]:
        form, good = meant(verb, rest, club.grammar)
        return (self._form(verb, reader, club) if form == verb.form else form), good

    def unknown(
        self, words: str, envelope: Envelope, club: Club, token: int | None = None, rest: str = ""
    ) -> NewMail:
        """Return the mail with the nearest verbs, for words that are no command.

        `token`: of the question that the mail answered; the answer carries it, so that OUI still counts.
        `rest`: what was written after the words; each verb is shown with as much of it as fits.
        """
        near, reader = nearest_verbs(words, club.grammar), Reader.of(envelope.member)
        shown = [self._meant(v, rest, reader, club) for v in near]
        read = [(v, good) for v, (_, good) in zip(near, shown, strict=True)]
        facts = {
            "words": words,
            "nearest": [{"verb": v.name, "form": form} for v, (form, _) in zip(near, shown, strict=True)],
            "strangers": _strangers(read[:1], club),
            "asked": token is not None,
            "mail": envelope.number,
        }
        sent = self.plain("unknown", facts, envelope, club)
        return sent if token is None else replace(sent, token=token)

    def plain(self, kind: str, facts: Mapping[str, Any], envelope: Envelope, club: Club) -> NewMail:
        """Return a mail of one template that stands for itself."""
        return envelope.mail(kind, self.letters.write(kind, Reader.of(envelope.member), club, facts))

    def section(self, verb: str, facts: Mapping[str, Any], envelope: Envelope, club: Club) -> NewMail:
        """Return an answer of one section, for what the desk itself takes up (OUI, NON, JETON, FIN)."""
        reader = Reader.of(envelope.member)
        sections = [_section(self.letters.fill(f"answer.{verb}", reader, club, facts))]
        words = self.letters.write("answer", reader, club, {"sections": sections, "helps": False})
        return envelope.mail("answer", words)


def _strangers(read: Iterable[tuple[Verb, Mapping[str, Any]]], club: Club) -> list[dict[str, Any]]:
    """Return the handles in commands that are no member's, with the nearest; a newcomer's own is none."""
    handles = (h for verb, good in read if verb.name not in NAMING_NEWCOMERS for h in handles_in(verb, good))
    known = [m.handle for m in club.account_holders]
    return [{"handle": h, "nearest": nearest(h, known)} for h in handles if club.member(h) is None]


def _section(filled: Markup) -> Section:
    headline, _, text = filled.partition("\n")
    return {"headline": headline.strip(), "text": text.strip("\n")}


DECIDED_WITHIN = timedelta(days=3650)
"""A case has no deadline; its reply address lives until it is decided."""
LIST_GOOD_FOR = timedelta(days=90)
"""How long a list of what awaits somebody can be answered; what of it was done since is refused."""


def _answerable(notice: Notice, member: Member, club: Club) -> Answerable | None:
    """What a notice's reply address is good for: while the object can be acted on, by this member."""
    if not member.active:
        return None
    verbs, window_ends_at = VERBS.get(notice.kind), notice.facts.get("window_ends_at")
    listed = notice.offers.get(member.handle, ())
    if verbs is STOP or listed:
        stops = tuple(Offer(verb, {}) for verb in STOP if verbs is STOP)
        return Answerable((*stops, *listed), club.now + LIST_GOOD_FOR)
    if verbs is None or window_ends_at is None or notice.game is None:
        return None
    offers = tuple(Offer(verb, {"game": notice.game}, window_ends_at) for verb in verbs)
    if verbs is DECIDE:
        return Answerable(offers, club.now + DECIDED_WITHIN, notice.game)
    if member.handle == notice.facts["game"]["creator"] or club.now >= window_ends_at:
        return None
    return Answerable(offers, window_ends_at, notice.game)


def _told(notices: Iterable[Notice], author: str) -> dict[str, list[str]]:
    """Return who else is told by which kind of notice."""
    told: dict[str, list[str]] = {}
    for notice in notices:
        handles = told.setdefault(notice.kind, [])
        handles.extend(h for h in notice.to if h not in handles and h != author)
    return {kind: handles for kind, handles in told.items() if handles}


def _asked_others(performance: Performance) -> dict[str, list[str]]:
    """Who is asked something in consequence; in the words for any question that waits for an OUI."""
    wishes = [step.outcome.wish for step in performance.steps if step.outcome.wish is not None]
    return {"identity.asked": [wish.member for wish in wishes]} if wishes else {}


def _one_game(steps: Iterable[Step]) -> int | None:
    """Return the game a mail is about, if it is about one: answering it then needs no number."""
    games = {step.outcome.game for step in steps} - {None}
    return games.pop() if len(games) == 1 else None


def _paired(lines: Iterable[str], steps: tuple[Step, ...]) -> list[tuple[str, Step | None]]:
    texts = list(lines)
    return [(text, steps[i] if i < len(steps) else None) for i, text in enumerate(texts)]
