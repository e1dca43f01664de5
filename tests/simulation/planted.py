"""Bugs that are planted in the program, one at a time: the simulation is worth what it finds of them.

Each is a name, what it breaks, and a change of production code. `test_planted.py` switches each on and lives
until something goes wrong.
"""

import copy
import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import pytest

import mailflow.agenda
import mailflow.asking
import mailflow.calendar
import mailflow.desk
import mailflow.doors.mailbox
import mailflow.gate
import mailflow.handlers.bans
import mailflow.handlers.disputes
import mailflow.handlers.games
import mailflow.handlers.reminders
import mailflow.handlers.results
import mailflow.handlers.solidarity
import mailflow.handlers.transfers
import mailflow.intake
import mailflow.performing
import mailflow.replies
import mailflow.rules.disputes
import mailflow.rules.payouts
import mailflow.sending
import mailflow.service
import mailflow.sessions
import mailflow.standing
import store.delivery
import store.inbox
import store.mailboxes
import store.tokens
from mailflow.agenda import Agenda
from mailflow.answers import Answers
from mailflow.asking import Asking
from mailflow.desk import Desk
from mailflow.doors.imap_session import Fetched
from mailflow.doors.mailbox import Folder, Mailbox
from mailflow.doors.sender import Sender
from mailflow.doors.transport import NotTaken
from mailflow.model import Club, Proof
from mailflow.performing import Performance
from mailflow.register import Post, Register
from mailflow.sessions import Sessions
from mailflow.sets import Sets
from parsers.authentication import Finding, Verdict
from store import outbox, sql, tokens
from store.errors import StoreUnavailable
from store.records import MemberStatus, Token, TokenState

Plant = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Planted:
    """`breaks`: the rule, promise or threat."""

    name: str
    breaks: str
    plant: Plant


PLANTED: list[Planted] = []


def bug(breaks: str) -> Callable[[Plant], Plant]:
    def listed(plant: Plant) -> Plant:
        PLANTED.append(Planted(plant.__name__, breaks, plant))
        return plant

    return listed


# ---------------------------------------------------------------- proofs


@bug("P-2, TRUST 3")
def a_token_is_good_twice(m: pytest.MonkeyPatch) -> None:
    m.setattr(store.tokens, "redeem", lambda *_: True)


@bug("TRUST 3")
def expiry_is_not_looked_at_when_an_oui_is_redeemed(m: pytest.MonkeyPatch) -> None:
    real = store.tokens.redeem
    m.setattr(Token, "lives", lambda self, at: self.state is TokenState.OPEN)
    m.setattr(
        store.tokens, "redeem", lambda db, i, member, now, by="": real(db, i, member, now - timedelta(9), by)
    )


@bug("TRUST 3")
def an_oui_counts_by_when_it_is_handled(m: pytest.MonkeyPatch) -> None:
    m.setattr(Post, "received_at", property(lambda self: self.now))


@bug("TRUST 3")
def what_was_superseded_can_still_be_confirmed(m: pytest.MonkeyPatch) -> None:
    real = store.tokens.close
    m.setattr(
        store.tokens, "close",
        lambda db, i, state: True if state is TokenState.SUPERSEDED else real(db, i, state),
    )  # fmt: skip


@bug("TRUST 3")
def what_was_declined_can_still_be_confirmed(m: pytest.MonkeyPatch) -> None:
    real = store.tokens.close
    m.setattr(
        store.tokens, "close",
        lambda db, i, state: True if state is TokenState.DECLINED else real(db, i, state),
    )  # fmt: skip


@bug("TRUST 2")
def a_decision_of_the_manager_has_as_long_as_any(m: pytest.MonkeyPatch) -> None:
    m.setattr(Asking, "_until", lambda self, post, performance: post.now + timedelta(hours=24))


@bug("T-8")
def anybody_may_say_oui_for_another(m: pytest.MonkeyPatch) -> None:
    m.setattr(mailflow.standing, "_is_his", lambda *_: True)


@bug("T-11, TRUST 3")
def a_session_belongs_to_the_member_and_not_to_its_address(m: pytest.MonkeyPatch) -> None:
    real = Desk._heard

    def heard(self: Desk, post: Post, club: Club) -> object:
        live = tokens.sessions(self.db, self.club.id, {post.member.handle}, post.received_at)
        fresh = dataclasses.replace(post, proof=Proof.FRESH) if live else post
        return real(self, fresh, club)

    m.setattr(Desk, "_heard", heard)


@bug("T-1")
def the_plain_address_is_fresh(m: pytest.MonkeyPatch) -> None:
    m.setattr(mailflow.desk, "proof_of", lambda *_: Proof.FRESH)


@bug("TRUST 3")
def a_session_slides_by_the_date_that_a_mail_claims(m: pytest.MonkeyPatch) -> None:
    def slid(self: Sessions, post: Post) -> datetime:
        claimed = parsedate_to_datetime(post.letter.date or "")
        return claimed + timedelta(minutes=self.register.caution.session_minutes)

    m.setattr(Sessions, "_slid", slid)


@bug("TRUST 3")
def a_session_lasts_for_hours_without_a_mail(m: pytest.MonkeyPatch) -> None:
    m.setattr(Sessions, "_slid", lambda self, post: post.received_at + timedelta(hours=5))


@bug("TRUST 3")
def a_session_that_is_kept_busy_never_ends(m: pytest.MonkeyPatch) -> None:
    real = store.tokens.keep_alive

    def kept(db: object, i: int, member: str, now: datetime, until: datetime | None = None) -> bool:
        if until is not None:
            sql.run(db, "UPDATE token SET ends_at = ? WHERE id = ?", (until, i))  # type: ignore[arg-type]
        return real(db, i, member, now, until)  # type: ignore[arg-type]

    m.setattr(store.tokens, "keep_alive", kept)


@bug("T-9")
def a_session_that_was_shown_to_others_goes_on(m: pytest.MonkeyPatch) -> None:
    m.setattr(mailflow.sessions, "exposed", lambda *_: False)


@bug("T-11")
def what_was_asked_cold_is_carried_along_by_a_session(m: pytest.MonkeyPatch) -> None:
    real = Sets.order_of

    def order_of(self: Sets, post: Post) -> object:
        order = real(self, post)
        waiting = self.asking.waiting(post) if post.proof is Proof.FRESH else []
        older = tuple(one for _, kept in waiting for one in kept.sets)
        return dataclasses.replace(order, sets=(*older, *order.sets))

    m.setattr(Sets, "order_of", order_of)


@bug("T-22")
def a_session_is_enough_for_what_manages(m: pytest.MonkeyPatch) -> None:
    m.setattr(Performance, "manages", property(lambda self: False))


@bug("TRUST 3")
def a_reply_address_is_good_for_any_game(m: pytest.MonkeyPatch) -> None:
    m.setattr(mailflow.sets, "is_offered", lambda *_: True)


@bug("TRUST 3")
def a_question_shows_only_the_first_of_several_commands(m: pytest.MonkeyPatch) -> None:
    real = Answers._previews
    m.setattr(Answers, "_previews", lambda self, *given: real(self, *given)[:1])


@bug("T-14")
def tokens_are_compared_letter_by_letter(m: pytest.MonkeyPatch) -> None:
    real = mailflow.intake.digest
    m.setattr(mailflow.intake, "digest", lambda text: real(text) if text.islower() else "0" * 64)
    m.setattr(mailflow.intake, "read_letter", _case_kept)


def _case_kept(raw: bytes) -> object:
    from parsers.letter import read_letter

    letter = read_letter(raw)
    upper = letter.token is not None and letter.token.upper().encode() in raw.partition(b"\r\n\r\n")[0]
    return dataclasses.replace(letter, token=letter.token.upper()) if upper and letter.token else letter


@bug("FIN, TRUST 3")
def fin_ends_nothing(m: pytest.MonkeyPatch) -> None:
    m.setattr(store.tokens, "revoke", lambda *_: 1)


@bug("R-BAN-3")
def a_ban_ends_no_session(m: pytest.MonkeyPatch) -> None:
    m.setattr(store.tokens, "revoke_all", lambda *_: 0)


# ---------------------------------------------------------------- senders and copies


@bug("T-2, T-3")
def any_result_of_authentication_is_believed(m: pytest.MonkeyPatch) -> None:
    real = mailflow.desk.verdict_of

    def verdict_of(raw: bytes, *given: object) -> Verdict:
        last = raw.rpartition(b"Authentication-Results:")[2].partition(b"\n")[0]
        return Verdict(Finding.PASS, "dmarc") if b"dmarc=pass" in last else real(raw, *given)

    m.setattr(mailflow.desk, "verdict_of", verdict_of)


@bug("T-2")
def a_forged_mail_is_taken_as_it_is(m: pytest.MonkeyPatch) -> None:
    m.setattr(mailflow.desk, "verdict_of", lambda *_: Verdict(Finding.NONE, "absent"))


@bug("P-2")
def the_message_id_tells_a_copy(m: pytest.MonkeyPatch) -> None:
    m.setattr(
        mailflow.desk, "read_letter", _changed(lambda letter, raw: {"fingerprint": str(letter.message_id)})
    )


@bug("P-2")
def a_copy_is_not_known(m: pytest.MonkeyPatch) -> None:
    m.setattr(store.inbox, "note_fingerprint", lambda *_: True)


@bug("T-5, R-SEC-2")
def answers_go_to_reply_to(m: pytest.MonkeyPatch) -> None:
    wanted: dict[str, str] = {}

    def noted(letter, raw):
        found = re.search(rb"^Reply-To: (\S+)", raw, re.MULTILINE)
        wanted[letter.fingerprint] = found[1].decode() if found else ""
        return {}

    real = mailflow.desk.identify

    def identify(letter, club):
        writer, to = real(letter, club), wanted.get(letter.fingerprint)
        if writer.member is None or not to:
            return writer
        return dataclasses.replace(writer, member=dataclasses.replace(writer.member, address=to))

    m.setattr(mailflow.desk, "read_letter", _changed(noted))
    m.setattr(mailflow.desk, "identify", identify)


def _changed(change: Callable[..., dict]) -> Callable[..., object]:
    """`read_letter`, with some fields changed."""
    real = mailflow.desk.read_letter

    def read(raw, own):
        letter = real(raw, own)
        return dataclasses.replace(letter, **change(letter, raw))

    return read


@bug("T-13")
def a_robot_is_taken_for_a_person(m: pytest.MonkeyPatch) -> None:
    m.setattr(mailflow.desk, "NOBODY_WROTE", frozenset())


# ---------------------------------------------------------------- transactions and the post


@bug("P-1, P-7")
def a_mail_is_acknowledged_before_it_is_kept(m: pytest.MonkeyPatch) -> None:
    real = mailflow.service.keeper

    def keeper(office, then):
        keep = real(office, then)

        def hasty(raw, at):
            try:
                return keep(raw, at)
            except StoreUnavailable:
                return 0

        return hasty

    m.setattr(mailflow.service, "keeper", keeper)


@bug("P-1")
def a_mail_is_ended_before_its_effects(m: pytest.MonkeyPatch) -> None:
    real = Desk.handle

    def handle(self, mail, now):
        sql.run(self.db, "UPDATE inbox SET state = 'answered' WHERE id = ?", (mail.id,))
        return real(self, mail, now)

    m.setattr(Desk, "handle", handle)


@bug("P-3")
def a_refusal_leaves_no_row_in_the_audit(m: pytest.MonkeyPatch) -> None:
    real = Register.audit

    def audit(self, cause, kind, values, at):
        if values.get("reason") != "refused":
            real(self, cause, kind, values, at)

    m.setattr(Register, "audit", audit)


@bug("P-4")
def each_try_has_a_message_id_of_its_own(m: pytest.MonkeyPatch) -> None:
    real = mailflow.sending.compose

    def composed(mail, *given):
        if mail.attempts:
            mail = dataclasses.replace(mail, message_id=mail.message_id.replace("@", f".{mail.attempts}@"))
        return real(mail, *given)

    m.setattr(mailflow.sending, "compose", composed)


@bug("P-2")
def two_senders_take_the_same_mails(m: pytest.MonkeyPatch) -> None:
    def claim(db, club_id, holder, now, until, limit):
        due = " WHERE club_id = ? AND state = 'queued' AND next_at <= ? ORDER BY next_at, id LIMIT ?"
        return tuple(map(outbox.mail_of, sql.rows(db, outbox.SELECT + due, (club_id, now, limit))))

    m.setattr(store.delivery, "claim", claim)


@bug("P-6")
def a_mail_that_is_put_off_is_given_up(m: pytest.MonkeyPatch) -> None:
    real = Sender._mark_failure

    def mark(self, mail, failure, at):
        real(self, mail, NotTaken(str(failure), for_good=True), at)

    m.setattr(Sender, "_mark_failure", mark)


@bug("P-6")
def a_mail_that_is_refused_is_tried_for_ever(m: pytest.MonkeyPatch) -> None:
    real = Sender._mark_failure

    def mark(self, mail, failure, at):
        real(self, mail, NotTaken(str(failure)), at)

    m.setattr(Sender, "_mark_failure", mark)


@bug("P-6")
def a_mail_that_was_sent_is_not_marked(m: pytest.MonkeyPatch) -> None:
    m.setattr(store.delivery, "mark_all_sent", lambda *_: None)


# ---------------------------------------------------------------- time


@bug("P-9")
def the_clocks_never_change(m: pytest.MonkeyPatch) -> None:
    def instant(day, at, zone):
        winter = datetime(day.year, 1, 1, 12, tzinfo=zone).utcoffset() or timedelta()
        return (datetime.combine(day, at) - winter).replace(tzinfo=UTC)

    m.setattr(mailflow.calendar, "instant", instant)
    m.setattr("mailflow.jobs.instant", instant)


@bug("P-9")
def a_job_is_run_once_more_after_a_restart(m: pytest.MonkeyPatch) -> None:
    real_run = Agenda.run

    def run(self, due, now):
        real_run(self, due, now)
        if due.name == "reminder.daily" and due.at.astimezone(self._zone).hour == 9 and now != due.at:
            later = dataclasses.replace(due, at=due.at + timedelta(microseconds=1))
            real_run(self, later, now)

    m.setattr(Agenda, "run", run)


@bug("P-9")
def a_missed_job_is_left_out(m: pytest.MonkeyPatch) -> None:
    real = Agenda.run

    def run(self, due, now):
        if now - due.at > timedelta(hours=1) and due.name == "reminder.daily":
            mailflow.agenda.runs.note(self.register.db, self.register.club.id, due.name, due.at, now)
            return
        real(self, due, now)

    m.setattr(Agenda, "run", run)


@bug("R-DIS-5")
def windows_close_before_the_mails_that_wait(m: pytest.MonkeyPatch) -> None:
    real = Desk.work

    def work(self, now, *given):
        while (due := self.agenda.next_due(now, set())).at <= now and self._run(due, now):
            pass
        return real(self, now, *given)

    m.setattr(Desk, "work", work)


@bug("R-DIS-5")
def a_window_closes_on_a_dispute_that_waits_for_its_oui(m: pytest.MonkeyPatch) -> None:
    m.setattr(Agenda, "_awaits_dispute", lambda *_: False)


@bug("R-DIS-1")
def a_window_is_a_day_too_long(m: pytest.MonkeyPatch) -> None:
    real = mailflow.calendar.end_of_days
    for module in (mailflow.handlers.results, mailflow.handlers.games):
        m.setattr(module, "end_of_days", lambda at, days, zone: real(at, days + 1, zone))


# ---------------------------------------------------------------- money and rules


@bug("R-RES-3")
def cents_left_over_go_to_the_last_place(m: pytest.MonkeyPatch) -> None:
    def gains(buyin_cents, participants, places, rulebook):
        pot = buyin_cents * participants
        shares = [pot * percent // 100 for percent in rulebook.shares_percent(participants)]
        shares[-1] += pot - sum(shares)
        return {places[place]: cents for place, cents in enumerate(shares, 1)}

    _gains(m, gains)


@bug("R-RES-3")
def shares_are_rounded_as_floats(m: pytest.MonkeyPatch) -> None:
    def gains(buyin_cents, participants, places, rulebook):
        pot = buyin_cents * participants / 100
        shares = [round(pot * p / 100, 1) for p in rulebook.shares_percent(participants)]
        cents = [int(share * 100) for share in shares]
        cents[0] += buyin_cents * participants - sum(cents)
        return {places[place]: one for place, one in enumerate(cents, 1)}

    _gains(m, gains)


def _gains(m: pytest.MonkeyPatch, gains: Callable[..., dict]) -> None:
    for module in (mailflow.handlers.results, mailflow.handlers.games):
        m.setattr(module, "gains_cents", gains)


@bug("R-RES-2")
def the_first_takes_all(m: pytest.MonkeyPatch) -> None:
    def gains(buyin_cents, participants, places, rulebook):
        shares = dict.fromkeys(places.values(), 1)
        shares[places[1]] = buyin_cents * participants - len(shares) + 1
        return shares

    _gains(m, gains)


@bug("R-SOL-2")
def a_levy_is_rounded_up(m: pytest.MonkeyPatch) -> None:
    def contributions(debtor, club):
        debt = mailflow.handlers.solidarity.debt_cents(debtor, club)
        payers = sorted(club.active, key=lambda one: one.handle)
        share, left = divmod(debt, len(payers))
        return {one.handle: share + (n < left) for n, one in enumerate(payers)}

    m.setattr(mailflow.handlers.solidarity, "contributions_cents", contributions)


@bug("R-TRA-2")
def a_giver_may_go_a_cent_below_the_reserve(m: pytest.MonkeyPatch) -> None:
    _without(m, mailflow.handlers.transfers, "TRANSFER_CHECKS", "giver_keeps_reserve", 1)


@bug("R-TRA-3")
def a_beneficiary_may_rise_above_the_credit(m: pytest.MonkeyPatch) -> None:
    _without(m, mailflow.handlers.transfers, "TRANSFER_CHECKS", "beneficiary_stays_within_credit")


@bug("R-BAN-4")
def debtors_are_reinstated(m: pytest.MonkeyPatch) -> None:
    _without(m, mailflow.handlers.bans, "REINSTATE_CHECKS", "debt_is_settled")


@bug("R-DIS-1, R-GAME-1")
def a_result_can_be_disputed_for_ever(m: pytest.MonkeyPatch) -> None:
    _without(m, mailflow.handlers.disputes, "DISPUTE_CHECKS", "window_is_open")


def _without(m: pytest.MonkeyPatch, module: object, table: str, name: str, short_cents: int = 0) -> None:
    """Take a check out of a chapter's table; with `short_cents`, only where so little is lacking."""
    checks = getattr(module, table)
    assert [c for c in checks if c.__name__ == name]

    def lenient(check):
        def checked(payment, club):
            found = check(payment, club)
            near = found is not None and check(
                dataclasses.replace(payment, amount_cents=payment.amount_cents - short_cents), club
            )
            return found if near else None

        return checked

    others = [lenient(c) if c.__name__ == name else c for c in checks if short_cents or c.__name__ != name]
    m.setattr(module, table, tuple(others))


@bug("R-BAN-3")
def the_banned_can_act(m: pytest.MonkeyPatch) -> None:
    m.setattr(mailflow.performing, "banned_may_only_read", lambda *_: None)


@bug("R-ARB-3")
def an_accepted_dispute_leaves_the_money_where_it_went(m: pytest.MonkeyPatch) -> None:
    import store.game_changes

    m.setattr(store.game_changes.ledger, "reverse", lambda *_, **__: None)


@bug("R-REM-1")
def the_banned_are_reminded(m: pytest.MonkeyPatch) -> None:
    def everybody(self):
        return tuple(one for one in self.members.values() if one.status is not MemberStatus.LEFT)

    _club_of(m, mailflow.handlers.reminders, ("daily", "weekly"), everybody)


def _club_of(m: pytest.MonkeyPatch, module: object, names: tuple[str, ...], active: Callable) -> None:
    """Have some jobs see another club than there is."""
    seen = type("Seen", (Club,), {"active": property(active)})

    def looking(real):
        def run(club):
            other = copy.copy(club)
            object.__setattr__(other, "__class__", seen)
            return real(other)

        return run

    jobs = [
        dataclasses.replace(job, handler=looking(job.handler)) if job.handler.__name__ in names
        and job.handler.__module__ == module.__name__ else job  # type: ignore[attr-defined]
        for job in mailflow.agenda.JOBS
    ]  # fmt: skip
    m.setattr(mailflow.agenda, "JOBS", tuple(jobs))


@bug("R-RES-5")
def losers_are_not_told_of_a_result(m: pytest.MonkeyPatch) -> None:
    _fewer_told(m, mailflow.handlers.results, "result_notice")


@bug("R-GAME-8")
def a_creator_alone_hears_of_a_cancelled_game(m: pytest.MonkeyPatch) -> None:
    _fewer_told(m, mailflow.handlers.games, "cancelled_notice")


def _fewer_told(m: pytest.MonkeyPatch, module: object, name: str) -> None:
    real = getattr(module, name)

    def told(*given, **named):
        notice = real(*given, **named)
        return dataclasses.replace(notice, to=notice.to[:1])

    m.setattr(module, name, told)


@bug("R-REM-1, R-REM-2")
def a_reminder_comes_beside_the_digest(m: pytest.MonkeyPatch) -> None:
    m.setattr("mailflow.handlers.reminders.taken", lambda club: {})


# ---------------------------------------------------------------- the mailbox


@bug("P-5, G08")
def mails_of_a_folder_made_anew_pass_for_those_of_before(m: pytest.MonkeyPatch) -> None:
    """UIDVALIDITY is not looked at: a UID stands for another mail then."""
    real = store.mailboxes.mailbox
    m.setattr(
        store.mailboxes, "mailbox", lambda db, club, account, folder, _: real(db, club, account, folder, 1)
    )


@bug("P-2, R-DIS-5")
def a_mail_counts_as_received_when_it_is_fetched(m: pytest.MonkeyPatch) -> None:
    real = mailflow.intake.keep_from_mailbox
    m.setattr(
        mailflow.intake, "keep_from_mailbox",
        lambda db, club, box, uid, raw, at: real(db, club, box, uid, raw, at + timedelta(minutes=1)),
    )  # fmt: skip


@bug("P-1")
def what_is_fetched_is_moved_before_it_is_kept(m: pytest.MonkeyPatch) -> None:
    real = Mailbox._keep

    def keep(self: Mailbox, fetched: Mapping[int, Fetched], cut: bool) -> None:
        self._session.move(list(fetched), "mailflow-done")  # type: ignore[attr-defined]
        real(self, fetched, cut)

    entered = Mailbox.enter

    def enter(self: Mailbox, session: Folder) -> None:
        self._session = session  # type: ignore[attr-defined]
        entered(self, session)

    m.setattr(Mailbox, "enter", enter)
    m.setattr(Mailbox, "_keep", keep)


@bug("R-DIS-5")
def what_is_due_does_not_wait_for_the_mailbox(m: pytest.MonkeyPatch) -> None:
    m.setattr(mailflow.doors.mailbox, "waited_for", lambda looked_at, since, now: now)


@bug("R-DIS-5, G06")
def a_mail_that_the_server_did_not_give_is_forgotten(m: pytest.MonkeyPatch) -> None:
    """What was refused once counts as known."""
    m.setattr(Mailbox, "knows_all", lambda self, at: True)


@bug("P-1, G06")
def a_mail_that_was_refused_once_is_never_asked_for_again(m: pytest.MonkeyPatch) -> None:
    m.setattr(mailflow.doors.mailbox, "PUT_OFF", timedelta(days=9999))


@bug("P-1")
def handled_mails_are_left_where_they_were(m: pytest.MonkeyPatch) -> None:
    m.setattr(Mailbox, "settle", lambda self, session, most=None: 0)
