"""The judge: after every step, what the program says it did must be allowed, and be what the model does.

It follows the audit chain row by row, in the order in which the program did things: each row is checked
against the proofs that were mailed (`proofs`), played to the model of the rulebook (`model`), and the mails
that it brought are compared with those that the model tells of.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from typing import Any

from mailflow.simulation.model import Command, Game, Model
from mailflow.simulation.proofs import (
    CONFIRM,
    CONFIRM_MANAGE,
    LISTS,
    OFFERED,
    SESSION,
    SESSION_MAX,
    Proof,
    Proofs,
    Question,
    ReplyAddress,
    Session,
    live_session,
    manages,
    permitted,
    requests_in,
    unseen,
)
from mailflow.simulation.town import DAY, MINUTE, Letter, Town
from store import audit, sql
from store.database import Database
from store.instants import from_micros
from store.records import OutboxMail

NOTICES = frozenset({
    "game.created", "game.changed", "game.cancelled", "game.result", "dispute.filed", "dispute.changed",
    "dispute.withdrawn", "arbitration.opened", "arbitration.decided", "transfer.received", "member.closed",
    "member.banned", "member.reinstated", "reminder.daily", "reminder.weekly", "inactivity.proposal",
    "injunction.order", "injunction.overdue", "solidarity.levied", "rulebook.changed", "digest.weekly",
    "complaint.received",
})  # fmt: skip
"""What the model tells of."""
JOBS = {
    "reminder.weekly": (time(8), 0),
    "digest.weekly": (time(8), 0),
    "reminder.daily": (time(9), None),
    "delivery": (time(9, 30), None),
    "unhandled": (time(9, 45), None),
    "inactivity": (time(10), None),
}
"""Name -> the club's civil time, and weekday or None for every day."""
HELD_BACK = ("too many questions", "suspended", "muted")
ROBOTS = ("automatic", "bounce", "own")
STARTS_MAX = 3
GRACE = timedelta(hours=12)
"""R-DIS-5: a mailbox that is away for so long is waited for no more."""


class Violation(BaseException):
    """Something happened that must not; the message says what. No `except Exception` holds it up."""


@dataclass
class Arrival:
    """A mail that the club has: which letter, when it was received, and whether its end is known."""

    letter: Letter
    received_at: datetime
    number: int
    state: str | None = None
    in_hand: int = 0


@dataclass(frozen=True)
class Row:
    """A row of the outbox."""

    id: int
    cause: str
    kind: str
    recipient: str
    address: str
    game: int | None
    proof: int | None
    message_id: str
    text: str
    at_micros: int

    @property
    def at(self) -> datetime:
        return from_micros(self.at_micros)


@dataclass
class Judge:
    """Reads the database, never writes. `tidy` lines go to the diary of the town."""

    town: Town
    db: Database
    club_id: int
    model: Model
    proofs: Proofs = field(default_factory=Proofs)
    arrivals: dict[int, Arrival] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    _in_box: dict[str, tuple[Letter, set[datetime]]] = field(default_factory=dict)
    _unread: dict[str, datetime] = field(default_factory=dict)
    _known_until: datetime | None = None
    _looked_at: datetime | None = None
    _by_letter: dict[str, list[Arrival]] = field(default_factory=lambda: defaultdict(list))
    _waiting: dict[int, Arrival] = field(default_factory=dict)
    _ran: dict[str, datetime] = field(default_factory=dict)
    _rows: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    _proof_of: dict[str, int | None] = field(default_factory=dict)
    _sent: dict[str, bytes] = field(default_factory=dict)
    _head: str = audit.GENESIS
    _number: int = 0
    _outbox: int = 0
    _inbox: int = 0
    _banned: set[str] = field(default_factory=set)
    _owed: dict[str, Session] = field(default_factory=dict)
    _lost_told: set[str] = field(default_factory=set)
    _done: dict[str, list[tuple[datetime, str]]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for name in JOBS:
            self._ran[name] = self._last_due(name, self.town.start)
        self._number, self._head = self._chain_end()

    # ---------------------------------------------------------------- what comes in

    def arrived(self, letter: Letter, at: datetime, acknowledged: bool) -> None:
        """The entry was offered a mail. P-1: what was acknowledged is there."""
        rows = sql.rows(
            self.db,
            "SELECT id, number, received_at FROM inbox WHERE club_id = ? AND id > ? ORDER BY id",
            (self.club_id, self._inbox),
        )
        same = any(a.received_at == at for a in self._by_letter[letter.name])
        if len(rows) > 1 or (acknowledged and not rows and not same):
            raise Violation(f"{letter.name}: acknowledged, and {len(rows)} mails kept of it (P-1)")
        for mail_id, number, received_at in rows:
            if from_micros(received_at) != at:
                raise Violation(f"{letter.name}: received {at}, kept as {from_micros(received_at)}")
            self._has(mail_id, number, letter, at)

    def lies_there(self, letter: Letter, raw: bytes, at: datetime) -> None:
        """A mail has reached the club's mailbox. The same bytes once more are the same mail."""
        digest = hashlib.sha256(raw).hexdigest()
        first = self._in_box.setdefault(digest, (letter, set()))
        if not first[1]:
            self._unread[digest] = at
        first[1].add(at)

    def taken(self, wholly: bool) -> None:
        """The mailbox was looked through. P-2: each mail is kept once, as of when the server had it."""
        if wholly:
            self._looked_at = self.town.now
        rows = sql.rows(
            self.db,
            "SELECT i.id, i.number, i.received_at, min(m.digest) FROM inbox i LEFT JOIN mailbox_mail m"
            " ON m.inbox_id = i.id WHERE i.club_id = ? AND i.id > ? GROUP BY i.id ORDER BY i.id",
            (self.club_id, self._inbox),
        )
        for mail_id, number, received_at, digest in rows:
            letter, instants = self._in_box.get(digest, (None, set()))
            at = from_micros(received_at)
            if letter is None or at not in instants or self._unread.pop(digest, None) is None:
                raise Violation(f"mail {number} was kept {at}, which is not when the mailbox got it (P-2)")
            self._has(mail_id, number, letter, at)

    def _has(self, mail_id: int, number: int, letter: Letter, at: datetime) -> None:
        self._inbox = mail_id
        arrival = Arrival(letter, at, number)
        self.arrivals[number] = self._waiting[number] = arrival
        self._by_letter[letter.name].append(arrival)

    def started(self) -> None:
        """The program was started: the mail whose turn it is may be what killed it (P-8)."""
        waiting = min(self._waiting.values(), key=lambda a: (a.received_at, a.number), default=None)
        if waiting is not None:
            waiting.in_hand += 1

    # ---------------------------------------------------------------- what was done

    def look(self, at_rest: bool, known_until: datetime) -> None:
        """Judge all that was done since the last look.

        `at_rest`: the program has done all it had to; `known_until`: up to when it knows all mail.
        """
        self._known_until = max(known_until, self.town.start)
        self._read_outbox()
        text = (
            "SELECT number, at, cause, kind, payload_json, hash FROM audit"
            " WHERE club_id = ? AND number > ? ORDER BY number"
        )
        changed = False
        for number, at, cause, kind, payload, kept in sql.rows(self.db, text, (self.club_id, self._number)):
            expected = audit.chained(self._head, number, at, cause, kind, payload)
            if number != self._number + 1 or kept != expected:
                raise Violation(f"audit row {number} does not follow from the one before (P-10)")
            self._number, self._head = number, kept
            if kind == "mail":
                self._mail(cause, json.loads(payload), from_micros(at))
                changed = True
            elif kind == "job":
                self._job(cause, from_micros(at))
                changed = True
        if changed or at_rest:
            self._compare()
            self._the_banned_hold_nothing()
        if at_rest:
            self._nothing_left()

    def _chain_end(self) -> tuple[int, str]:
        text = "SELECT number, hash FROM audit WHERE club_id = ? ORDER BY number DESC LIMIT 1"
        found = sql.row(self.db, text, (self.club_id,))
        return (0, audit.GENESIS) if found is None else (found[0], found[1])

    def _read_outbox(self) -> None:
        text = (
            "SELECT id, cause, kind, recipient, address, game, token_id, message_id, body, created_at"
            " FROM outbox WHERE club_id = ? AND id > ? ORDER BY id"
        )
        known = set(self.town.addresses.values())
        for values in sql.rows(self.db, text, (self.club_id, self._outbox)):
            row = Row(*values)
            self.counts[f"out {row.kind}"] += 1
            self._outbox = row.id
            self._proof_of[row.message_id] = row.proof
            self._rows[_base(row.cause)].append(row)
            if row.address not in known:
                raise Violation(f"a mail ({row.kind}) to {row.address}, who is nobody's address (T-5)")

    # ---------------------------------------------------------------- a mail

    def _mail(self, cause: str, ended: Mapping[str, Any], at: datetime) -> None:
        number = int(cause.partition(":")[2])
        arrival = self._waiting.pop(number, None)
        if arrival is None:
            raise Violation(f"{cause} has ended twice, or never came (P-1)")
        letter, state, reason = arrival.letter, ended["state"], ended["reason"]
        rows = self._rows.pop(cause, [])
        arrival.state = state
        self.counts[f"in {state}"] += 1
        if state == "executed":
            self.counts.update(f"did {verb}" for verb in _verbs(letter, self.proofs.of(letter)))
        self.town.diary.note(self.town.now, f"    {cause} [{letter.name}]: {state} {reason}".rstrip())
        self._in_order(arrival)
        self._copies_are_ignored(arrival, state)
        before = {h: m.status for h, m in self.model.club.members.items()}
        judged: Callable[[Arrival, str, list[Row], datetime], None] = {
            "executed": self._executed,
            "pending": self._pending,
            "answered": self._answered,
            "ignored": self._ignored,
            "quarantined": self._quarantined,
        }[state]
        self.model.lines = []
        judged(arrival, reason, rows, at)
        told = self.model.lines if state == "executed" else []
        self._tells(cause, told, rows)
        self._know(arrival, rows)
        self._after(arrival, state, reason, before)

    def _copies_are_ignored(self, arrival: Arrival, state: str) -> None:
        """T-2, P-2: what our border found forged, and a mail that was handled before, do nothing at all."""
        letter = arrival.letter
        if state == "ignored":
            return
        if any(name == "Auto-Submitted" for name, _ in letter.draft.headers):
            raise Violation(f"{letter.name}: {state}, and a robot wrote it (T-13)")
        if letter.verdict == "fail":
            raise Violation(f"{letter.name}: {state}, and our border had found it forged (T-2)")
        if any(a.state not in (None, "ignored") for a in self._by_letter[letter.name] if a is not arrival):
            raise Violation(f"{letter.name}: {state}, and a copy of it was handled before (P-2)")

    def _executed(self, arrival: Arrival, reason: str, rows: list[Row], at: datetime) -> None:
        """No effect without a consumed question, a live session, or a reply address; and what was shown."""
        letter, proof = arrival.letter, self.proofs.of(arrival.letter)
        if letter.author is None or letter.author != letter.claimed or letter.verdict == "fail":
            raise Violation(f"{letter.name}: carried out, and {letter.draft.sender} did not write it")
        if letter.word == "OUI":
            question = self._redeemed(arrival, proof)
            commands, instants = question.commands, question.instants
            question.state = "used"
        else:
            if not letter.commands or not permitted(proof, letter, arrival.received_at):
                raise Violation(f"{letter.name}: carried out without a proof ({proof})")
            commands, instants = list(letter.commands), [arrival.received_at] * len(letter.commands)
        result = self.model.attempt(letter.author, commands, at, instants, confirmed=letter.word == "OUI")
        if result != "ok":
            raise Violation(f"{letter.name}: carried out {commands}; the rules say {result} {self.model.why}")
        self._note_done(letter.author, arrival.received_at, commands)

    def _note_done(self, who: str, at: datetime, commands: Sequence[Command]) -> None:
        self._done[who] = [*self._done[who][-9:], (at, str(list(commands)))]

    def _redeemed(self, arrival: Arrival, proof: Proof | None) -> Question:
        letter = arrival.letter
        if not isinstance(proof, Question) or proof.owner != letter.author:
            raise Violation(f"{letter.name}: an OUI was obeyed that answers no question of its writer's")
        if proof.state != "open":
            raise Violation(f"{letter.name}: an OUI was obeyed to a question that is {proof.state}")
        if arrival.received_at > proof.until:
            raise Violation(f"{letter.name}: an OUI was obeyed after {proof.until}, at {arrival.received_at}")
        missing = [what for command in proof.commands for what in unseen(command, proof.text)]
        if missing:
            raise Violation(f"{letter.name}: carried out what was not shown: {missing}")
        return proof

    def _pending(self, arrival: Arrival, reason: str, rows: list[Row], at: datetime) -> None:
        letter = arrival.letter
        asked = [row for row in rows if row.kind == "confirm"]
        if len(asked) != 1 or letter.claimed is None or asked[0].recipient != letter.claimed:
            raise Violation(f"{letter.name}: pending, and {len(asked)} questions were asked")
        proof = self.proofs.of(letter)
        if letter.word == "OUI":
            if not isinstance(proof, Question) or proof.state != "open":
                raise Violation(f"{letter.name}: an OUI to nothing open was asked again")
            if "arrivée après le délai" in asked[0].text and arrival.received_at <= proof.until:
                raise Violation(f"{letter.name}: an OUI received {arrival.received_at} was called late")
            proof.state = "superseded"
            self._asked(asked[0], *self._left_of(proof, at), arrival.received_at, proof.apart)
            return
        if not letter.commands:
            raise Violation(f"{letter.name}: asked about a mail without a command")
        self._owes_no_question(arrival, proof)
        result = self.model.attempt(
            letter.claimed, letter.commands, at, [arrival.received_at] * len(letter.commands), keep=False
        )
        if result == "refused" and letter.plain:
            raise Violation(f"{letter.name}: asked to confirm what the rules refuse: {self.model.why}")
        self._note_done(letter.claimed, arrival.received_at, letter.commands)
        tapped = "Tu as déjà demandé la même chose" in asked[0].text
        apart = tapped or manages(letter.commands)
        self._asked(asked[0], [letter], [arrival.received_at], arrival.received_at, apart)

    def _owes_no_question(self, arrival: Arrival, proof: Proof | None) -> None:
        """TRUST § 3: in a live session what acts is done at once, unless it was done just before."""
        letter = arrival.letter
        if permitted(proof, letter, arrival.received_at) not in ("session", "reply address"):
            return
        done = self._done[letter.author or ""]
        recent = [said for at, said in done if arrival.received_at - at < 10 * MINUTE]
        if not any(str(command) in said for said in recent for command in letter.commands):
            raise Violation(f"{letter.name}: asked to confirm although the proof is fresh ({proof})")

    def _asked(
        self, row: Row, new: list[Letter], received_at: list[datetime], now: datetime, apart: bool
    ) -> None:
        """A new question: alone, or together with what waits already, which it then supersedes."""
        count = requests_in(row.text)
        older = [q for q in self.proofs.questions(row.recipient, now) if not q.apart and not apart]
        letters = [one for q in older for one in q.letters]
        if count == len(new):
            self._question(row, new, received_at, apart or bool(older))
        elif count == len(letters) + len(new):
            for question in older:
                question.state = "superseded"
            instants = [at for q in older for at in q.received_at]
            self._question(row, [*letters, *new], [*instants, *received_at], apart)
        else:
            waiting = [one.name for one in (*letters, *new)]
            raise Violation(f"a question to {row.recipient} shows {count} requests; there are {waiting}")

    def _left_of(self, question: Question, at: datetime) -> tuple[list[Letter], list[datetime]]:
        """What of a question can still be done; the rest is dropped from the one that takes its place."""
        pairs = list(zip(question.letters, question.received_at, strict=True))
        while pairs:
            failing = self._first_failing(question.owner, pairs, at)
            if failing is None:
                break
            del pairs[failing]
        return [letter for letter, _ in pairs], [received for _, received in pairs]

    def _first_failing(
        self, owner: str, pairs: Sequence[tuple[Letter, datetime]], at: datetime
    ) -> int | None:
        for end in range(1, len(pairs) + 1):
            commands = [c for letter, _ in pairs[:end] for c in letter.commands]
            instants = [received for letter, received in pairs[:end] for _ in letter.commands]
            if self.model.attempt(owner, commands, at, instants, confirmed=True, keep=False) == "refused":
                return end - 1
        return None

    def _question(self, row: Row, letters: list[Letter], received_at: list[datetime], apart: bool) -> None:
        if row.proof is None:
            raise Violation(f"a question to {row.recipient} cannot be answered: it carries no proof")
        commands = [c for letter in letters for c in letter.commands]
        until = row.at + (CONFIRM_MANAGE if manages(commands) else CONFIRM)
        self.proofs.add(
            Question(
                row.proof, row.recipient, row.address, "open", letters, received_at, until,
                apart, row.text,
            )
        )  # fmt: skip

    def _answered(self, arrival: Arrival, reason: str, rows: list[Row], at: datetime) -> None:
        letter, proof = arrival.letter, self.proofs.of(arrival.letter)
        if letter.claimed is None:
            raise Violation(f"{letter.name}: a stranger was answered (T-31)")
        strangers = [
            row
            for row in rows
            if row.recipient != letter.claimed and not (row.kind == "misused" and _owns(row.recipient, proof))
        ]
        if strangers:
            raise Violation(f"{letter.name}: answered to somebody else: {strangers}")
        if letter.word is not None:
            self._word_answered(arrival, proof, reason, at)
        elif reason == "refused":
            self._refused(letter.claimed, letter, [arrival.received_at] * len(letter.commands), at)
        elif letter.plain and reason not in ("", *HELD_BACK):
            raise Violation(f"{letter.name}: not understood: {reason}")
        elif letter.plain and reason == "" and any(c.verb in MODEL_ACTS for c in letter.commands):
            raise Violation(f"{letter.name}: answered as if nothing was to be done")

    def _word_answered(self, arrival: Arrival, proof: Proof | None, reason: str, at: datetime) -> None:
        letter = arrival.letter
        live = live_session(proof, letter, arrival.received_at)
        banned = not self.model.is_active(letter.claimed or "")  # R-BAN-3: he may read and complain, no more
        if letter.word == "FIN" and live and not banned and reason != "ended":
            raise Violation(f"{letter.name}: FIN in a live session was answered '{reason}'")
        if not isinstance(proof, Question) or proof.owner != letter.claimed or proof.state != "open":
            return
        if letter.word == "NON":
            proof.state = "declined"
        elif letter.word == "OUI" and reason == "refused":
            if self._left_of(proof, at)[0]:
                raise Violation(f"{letter.name}: an OUI was refused to what the rules allow")
            proof.state = "superseded"
        elif letter.word == "OUI":
            raise Violation(f"{letter.name}: an OUI in time was answered '{reason}'")

    @staticmethod
    def _alike(one: Arrival, other: Arrival) -> bool:
        """Whether two mails are one: a copy, or a tap of a program whose mails are all alike to the byte."""
        letters = one.letter, other.letter
        return one is not other and (letters[0].name == letters[1].name or letters[0].raw == letters[1].raw)

    def _refused(self, sender: str, letter: Letter, instants: Sequence[datetime], at: datetime) -> None:
        if not letter.plain:
            return
        result = self.model.attempt(sender, letter.commands, at, instants, keep=False)
        if result != "refused":
            raise Violation(f"{letter.name}: refused {letter.commands}; the rules allow it")

    def _ignored(self, arrival: Arrival, reason: str, rows: list[Row], at: datetime) -> None:
        letter = arrival.letter
        if reason == "duplicate":
            if not any(self._alike(other, arrival) and other.state for other in self.arrivals.values()):
                raise Violation(f"{letter.name}: ignored as a duplicate, and is none")
        elif reason == "forged":
            if letter.verdict != "fail":
                raise Violation(f"{letter.name}: ignored as forged, and our border did not say so")
        elif letter.author is not None and letter.author == letter.claimed and letter.plain:
            held = reason in HELD_BACK or reason.startswith("enough answers")
            if not held and not self._others(letter):
                raise Violation(f"{letter.name}: a member's mail was ignored: {reason}")

    def _others(self, letter: Letter) -> bool:
        """Whether a member presents what is not his, or has no account any more."""
        proof = self.proofs.of(letter)
        gone = self.model.club.members[letter.author or ""].status == "left"
        return gone or (letter.token is not None and (proof is None or proof.owner != letter.author))

    def _quarantined(self, arrival: Arrival, reason: str, rows: list[Row], at: datetime) -> None:
        if arrival.letter.plain and arrival.in_hand < STARTS_MAX:
            raise Violation(f"{arrival.letter.name}: set aside: {reason}")

    # ---------------------------------------------------------------- what follows for proofs

    def _know(self, arrival: Arrival, rows: Sequence[Row]) -> None:
        """Put on record the new proofs that a mail brought: a session, what stands in for one, addresses."""
        letter, at, author = arrival.letter, arrival.received_at, arrival.letter.author
        shown = self.proofs.of(letter)
        old = live_session(shown, letter, at)
        if author is not None and arrival.state == "executed" and letter.word == "OUI":
            self._owed[author] = Session(
                0, author, letter.draft.sender, "open", at + SESSION, at + SESSION_MAX
            )
        elif author is not None and old is not None and letter.exposed and arrival.state != "ignored":
            until = min(old.ends, at + SESSION)
            self._owed[author] = Session(0, author, letter.draft.sender, "open", until, old.ends)
        for row in rows:
            mine = row.recipient == author and row.proof is not None and row.proof not in self.proofs.by_id
            if mine and isinstance(shown, ReplyAddress) and letter.exposed and row.proof is not None:
                self.proofs.add(replace(shown, id=row.proof, state="open"))
            self._proof_in(row)

    def _proof_in(self, row: Row) -> None:
        """Put on record the proof that a mail carries, if it is a new one: an address, or an open session."""
        if row.proof is None or row.proof in self.proofs.by_id:
            return
        if row.kind in OFFERED and self._may_answer(row):
            verbs, game = OFFERED[row.kind], row.game or 0
            self.proofs.add(ReplyAddress(row.proof, row.recipient, row.address, "open", game, verbs))
        elif row.kind in LISTS:
            self.proofs.add(self._list_of(row))
        elif row.recipient in self._owed:
            self.proofs.add(replace(self._owed.pop(row.recipient), id=row.proof))

    def _list_of(self, row: Row) -> ReplyAddress:
        """R-ARB-1, R-DIS-4: the digest of a manager lists the cases that are his."""
        cases = self.model.cases_of(row.recipient) if row.kind == "digest.weekly" else ()
        verbs = ("ACCEPTE", "REJETTE") if cases else ()
        return ReplyAddress(
            row.proof or 0, row.recipient, row.address, "open", verbs=verbs, games=tuple(cases)
        )

    def _may_answer(self, row: Row) -> bool:
        """Whether a notice is one that its recipient can act on."""
        if row.kind == "arbitration.opened":
            return True
        game = self.model.game(row.game)
        return row.recipient in game.players and row.recipient != game.creator

    def _after(self, arrival: Arrival, state: str, reason: str, before: Mapping[str, str]) -> None:
        """Let sessions slide or burn, and revoke what a ban or FIN ends."""
        letter, proof = arrival.letter, self.proofs.of(arrival.letter)
        if isinstance(proof, Session) and letter.verdict != "fail" and proof.state == "open":
            live = live_session(proof, letter, arrival.received_at)
            if (live is None and letter.claimed != proof.owner) or (
                live is None and letter.draft.sender != proof.address
            ):
                proof.state = "burnt"
            elif live is not None and state != "ignored":
                live.slide(arrival.received_at)
                if letter.exposed:
                    live.state = "burnt"
        elif isinstance(proof, ReplyAddress) and proof.owner == letter.author and state != "ignored":
            proof.state = "burnt" if letter.exposed else proof.state
        if letter.word == "FIN" and reason == "ended" and letter.claimed is not None:
            self.proofs.revoke(letter.claimed, (Session, Question))
        for handle, member in self.model.club.members.items():
            if member.status != "active" and before[handle] == "active":
                self.proofs.revoke(handle)
                self._banned.add(handle)

    def _the_banned_hold_nothing(self) -> None:
        """R-BAN-3."""
        text = (
            "SELECT count(*) FROM token t JOIN member m ON m.id = t.member_id WHERE m.club_id = ?"
            " AND m.handle = ? AND t.state = 'open'"
        )
        for handle in self._banned:
            banned = self.model.club.members[handle].status == "banned"
            if banned and sql.value(self.db, text, (self.club_id, handle)):
                raise Violation(f"{handle} is banned and holds a proof that lives (R-BAN-3)")
        self._banned.clear()

    # ---------------------------------------------------------------- a job

    def _job(self, cause: str, at: datetime) -> None:
        found = re.fullmatch(r"job:(.+?):(\d{4}-.+)", cause)
        if found is None:
            raise Violation(f"a job of another name: {cause}")
        name, due = found[1], datetime.fromisoformat(found[2])
        self.town.diary.note(self.town.now, f"    {cause}")
        self._nothing_before(cause, due)
        if name.startswith("window:"):
            game = self.model.game(int(name.partition(":")[2]))
            self._window(game, due)
            self.model.end_window(game)
        else:
            self._scheduled(name, due)
            self._ran[name] = due
            self.model.run_job(name, at, self._digest_to_come(at))
        rows = self._rows.pop(cause, [])
        self._nudges(rows)
        if name == "delivery":
            self._lost_mails_are_told(rows)
        self._tells(cause, self.model.lines, rows)
        for row in rows:
            self._proof_in(row)

    def _digest_to_come(self, at: datetime) -> bool:
        """Whether this day's is still to be written."""
        due = self._last_due("digest.weekly", at + DAY)
        return self.model.day(due) == self.model.day(at) and due > self._ran["digest.weekly"]

    def _nudges(self, rows: Sequence[Row]) -> None:
        """R-INA-2: the model does not know when one is due, but that it has its day for itself."""
        for row in rows:
            if row.kind == "inactivity.nudge" and not self.model.takes_the_day(row.recipient):
                raise Violation(f"{row.recipient} was nudged on a day on which he had had another mail")

    def _lost_mails_are_told(self, rows: Sequence[Row]) -> None:
        """P-6: of what was given up every manager is told, once."""
        text = "SELECT message_id, kind FROM outbox WHERE club_id = ? AND state = 'failed'"
        lost = {i for i, kind in sql.rows(self.db, text, (self.club_id,)) if kind != "delivery.failed"}
        expected = sorted(self.model.managers()) if lost - self._lost_told else []
        told = sorted(row.recipient for row in rows if row.kind == "delivery.failed")
        if told != expected:
            raise Violation(f"mails were lost: {expected} are to be told, {told} were (P-6)")
        self._lost_told |= lost
        self._given_up_for_a_reason(lost)

    def _given_up_for_a_reason(self, lost: set[str]) -> None:
        if not lost <= self.refused:
            raise Violation(f"{len(lost - self.refused)} mails were given up that no server refused (P-6)")

    def _window(self, game: Game, due: datetime) -> None:
        if game.state != "recent" or game.window_ends != due:
            raise Violation(f"the window of game {game.number} ({game.state}) ends {game.window_ends}: {due}")
        held = self.town.now < due + DAY and self.proofs.holding(game.number, due, self.town.now)
        if held:
            raise Violation(f"the window of game {game.number} was closed on a dispute that waits (R-DIS-5)")

    def _scheduled(self, name: str, due: datetime) -> None:
        if name not in JOBS:
            raise Violation(f"a job that nobody knows: {name}")
        if due <= self._ran[name]:
            raise Violation(f"{name} of {due} was run again (P-9)")
        if due != self._last_due(name, due):
            raise Violation(f"{name} is not due at {due} (P-9)")

    def _last_due(self, name: str, at: datetime) -> datetime:
        """The last time that a job was due by the club's clocks, as of an instant."""
        civil, weekday = JOBS[name]
        day = self.model.day(at)
        while True:
            due = self.model.at(day, civil.hour, civil.minute)
            if due <= at and weekday in (None, day.weekday()):
                return due
            day -= timedelta(days=1)

    # ---------------------------------------------------------------- order

    def _in_order(self, arrival: Arrival) -> None:
        """R-DIS-5: what was due before a mail came is done before it; of missed times the last counts."""
        known = self._known_until or self.town.now
        for name, ran in self._ran.items():
            due = self._last_due(name, min(arrival.received_at, known))
            if due > ran and due == self._last_due(name, known):
                raise Violation(f"{arrival.letter.name} was handled before {name}, which was due before it")

    def _nothing_before(self, cause: str, due: datetime) -> None:
        late = [a for a in self._waiting.values() if a.received_at < due]
        if late:
            raise Violation(f"{cause} was run before the mail [{late[0].letter.name}] received before it")
        if self._mailbox_is_there and any(at < due for at in self._unread.values()):
            raise Violation(f"{cause} was run, and mail received before it lies in the mailbox (R-DIS-5)")

    @property
    def _mailbox_is_there(self) -> bool:
        """R-DIS-5: what is due waits for all mail, but not for ever."""
        return self._looked_at is not None and self.town.now - self._looked_at <= GRACE

    def _nothing_left(self) -> None:
        """P-1, P-9: nothing that came waits, and nothing that is due."""
        now = min(self.town.now, self._known_until or self.town.now)
        lost = [self._in_box[d][0].name for d, at in self._unread.items() if at < now]
        if lost and self._mailbox_is_there:
            raise Violation(f"left in the mailbox: {lost} (P-1)")
        if self._waiting:
            names = [a.letter.name for a in self._waiting.values()]
            raise Violation(f"not handled: {names} (P-1)")
        for name, ran in self._ran.items():
            if self._last_due(name, now) > ran:
                raise Violation(f"{name} was due {self._last_due(name, now)} and was not run (P-9)")
        for game in self.model.club.games:
            ends = game.window_ends
            if game.state != "recent" or ends is None or ends > now:
                continue
            if now >= ends + DAY or not self.proofs.holding(game.number, ends, now):
                raise Violation(f"the window of game {game.number} ended {ends} and stands open")

    # ---------------------------------------------------------------- comparing

    def _tells(self, cause: str, lines: Sequence[Mapping[str, Any]], rows: Sequence[Row]) -> None:
        """The notices are those that the model tells of: kind, recipient, game."""
        told = Counter((line["mail"], to, line.get("game")) for line in lines for to in line["to"])
        left = Counter((row.kind, row.recipient, row.game) for row in rows if row.kind in NOTICES)
        if told != left:
            raise Violation(f"{cause}: notices missing {dict(told - left)}, too many {dict(left - told)}")

    def _compare(self) -> None:
        """Balances, status and what is not settled, as the model has them; the journal sums to zero."""
        text = (
            "SELECT m.handle, m.status, a.balance_cents FROM member m JOIN account a ON a.id = m.account_id"
            " WHERE m.club_id = ?"
        )
        got = {h: (s, cents) for h, s, cents in sql.rows(self.db, text, (self.club_id,))}
        expected = {h: (m.status, m.balance) for h, m in self.model.club.members.items()}
        if got != expected:
            wrong = {
                h: (expected.get(h), got.get(h)) for h in got | expected if got.get(h) != expected.get(h)
            }
            raise Violation(f"the model and the books differ: {wrong}")
        text = "SELECT coalesce(sum(balance_cents), 0) FROM account WHERE club_id = ?"
        if sql.value(self.db, text, (self.club_id,)) != 0:
            raise Violation("the accounts do not sum to zero (R-ACC-2)")
        text = (
            "SELECT number, state, buyin_cents FROM game WHERE club_id = ?"
            " AND state NOT IN ('final', 'cancelled')"
        )
        games = {n: (state, buyin) for n, state, buyin in sql.rows(self.db, text, (self.club_id,))}
        open_games = [g for g in self.model.club.games if g.state not in ("final", "cancelled")]
        if games != {g.number: (g.state, g.buyin) for g in open_games}:
            raise Violation(f"games differ: {open_games}, and in the books {games}")

    # ---------------------------------------------------------------- what goes out

    def sent(self, mail: OutboxMail, raw: bytes, secret: str | None, again: bool) -> None:
        """A relay was handed a mail. P-4: once, unless its 250 was lost; then the same bytes.

        `again`: whether the program could not know that the relay took the mail before.
        """
        if mail.message_id.encode() not in raw.partition(b"\r\n\r\n")[0]:
            raise Violation(f"a mail went out with another Message-ID than its own: {mail.kind} (P-4)")
        before = self._sent.get(mail.message_id)
        if before is not None:
            if before != raw:
                raise Violation(f"a mail was sent twice with different bytes: {mail.kind} (P-4)")
            if not again:
                raise Violation(f"a mail was sent twice: {mail.kind} to {mail.recipient} (P-4)")
        if mail.message_id not in self._proof_of:
            raise Violation(f"a mail was sent that is not in the outbox: {mail.kind}, {mail.message_id}")
        self._sent[mail.message_id] = raw
        proof = self._proof_of[mail.message_id]
        if secret is not None and proof is not None:
            self.proofs.seen(proof, secret)

    @property
    def handed_on(self) -> frozenset[str]:
        """The Message-IDs of all mails that the relay took."""
        return frozenset(self._sent)

    def at_the_end(self, final: Mapping[str, Any]) -> None:
        """All games, as the model has them."""
        expected = self.model.final()
        for part, value in expected.items():
            if final[part] != value:
                raise Violation(f"{part}: the model says {value}, the books {final[part]}")


MODEL_ACTS = frozenset({"PARTIE", "MODIFIE", "ANNULE", "RESULTAT", "CONTESTE", "RETIRE", "VIREMENT"})


def _owns(handle: str, proof: Proof | None) -> bool:
    return proof is not None and proof.owner == handle


def _verbs(letter: Letter, proof: Proof | None) -> list[str]:
    """The verbs that were carried out on a letter."""
    asked = letter.word == "OUI" and isinstance(proof, Question)
    return [c.verb for c in (proof.commands if asked and isinstance(proof, Question) else letter.commands)]


def _base(cause: str) -> str:
    """The cause without the number of the command: `mail:5:0` is of `mail:5`."""
    found = re.fullmatch(r"(mail:\d+):\d+", cause)
    return found[1] if found else cause
