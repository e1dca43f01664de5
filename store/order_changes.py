"""Write injunctions, nudges, complaints and versions of the rulebook."""

from __future__ import annotations

from collections.abc import Sequence

from store import delivery, people, sql, tables
from store.errors import WrongState
from store.records import (
    AmendRulebook,
    CloseComplaint,
    FileComplaint,
    InjunctionLine,
    InjunctionState,
    LaunchInjunction,
    NoteNudge,
    ProposeInjunction,
    SettleInjunction,
    TellOverdue,
    TellUndelivered,
)
from store.writing import Writing


def propose_injunction(writing: Writing, change: ProposeInjunction) -> None:
    """R-INA-3."""
    injunction_id = sql.insert_id(
        writing.db,
        tables.Injunction,
        club_id=writing.club_id,
        member_id=writing.person(change.member).id,
        spell_started_at=change.spell_started_at,
        state=InjunctionState.PROPOSED,
        unplaced_cents=change.unplaced_cents,
        proposed_at=writing.at,
    )
    _write_lines(writing, injunction_id, change.lines)


def launch_injunction(writing: Writing, change: LaunchInjunction) -> None:
    """R-INA-4: the lines launched take the place of those proposed."""
    text = (
        "UPDATE injunction SET state = 'launched', launched_at = ?, launched_by = ?, due_at = ?"
        " WHERE id = ? AND club_id = ? AND state = 'proposed'"
    )
    values = (writing.at, change.by, change.due_at, change.injunction, writing.club_id)
    _expect_one(sql.run(writing.db, text, values).rowcount, change.injunction)
    sql.run(writing.db, "DELETE FROM injunction_line WHERE injunction_id = ?", (change.injunction,))
    _write_lines(writing, change.injunction, change.lines)


def settle_injunction(writing: Writing, change: SettleInjunction) -> None:
    """End an order; no harm when the last payment has settled it already."""
    text = "UPDATE injunction SET state = 'settled' WHERE id = ? AND club_id = ?"
    _expect_one(sql.run(writing.db, text, (change.injunction, writing.club_id)).rowcount, change.injunction)


def tell_overdue(writing: Writing, change: TellOverdue) -> None:
    """R-INA-5."""
    text = "UPDATE injunction SET overdue_told = 1 WHERE id = ? AND club_id = ?"
    _expect_one(sql.run(writing.db, text, (change.injunction, writing.club_id)).rowcount, change.injunction)


def tell_undelivered(writing: Writing, change: TellUndelivered) -> None:
    """P-6."""
    delivery.tell(writing.db, writing.club_id, change.mails)


def note_nudge(writing: Writing, change: NoteNudge) -> None:
    """R-INA-2."""
    text = (
        "INSERT INTO nudge (member_id, spell_started_at, months) VALUES (?, ?, ?)"
        " ON CONFLICT (member_id, spell_started_at) DO UPDATE SET months = excluded.months"
    )
    sql.run(writing.db, text, (writing.person(change.member).id, change.spell_started_at, change.months))


def file_complaint(writing: Writing, change: FileComplaint) -> None:
    """R-REG-2."""
    sql.insert(
        writing.db,
        tables.Complaint,
        club_id=writing.club_id,
        number=change.number,
        author=change.author,
        about=change.about,
        complaint=change.text,
        filed_at=writing.at,
    )


def close_complaint(writing: Writing, change: CloseComplaint) -> None:
    """R-REG-2. Raises WrongState where no such complaint waits."""
    text = (
        "UPDATE complaint SET closed_at = ?, closed_by = ?"
        " WHERE club_id = ? AND number = ? AND closed_at IS NULL"
    )
    values = (writing.at, change.by, writing.club_id, change.number)
    if sql.run(writing.db, text, values).rowcount != 1:
        raise WrongState(f"the complaint {change.number} does not wait")


def amend_rulebook(writing: Writing, change: AmendRulebook) -> None:
    """R-REG-1."""
    sql.insert(
        writing.db,
        tables.Rulebook,
        club_id=writing.club_id,
        number=change.number,
        values_json=change.values,
        since_at=writing.at,
        author=change.author,
        reason=change.reason,
    )


def count_payment(writing: Writing, injunction: int, giver: int, beneficiary: int, cents: int) -> None:
    """Count a transfer towards a line of an injunction, at most what is outstanding.

    When that was the last of it, the injunction is settled. `giver`, `beneficiary`: ids of members.
    """
    text = (
        "UPDATE injunction_line SET paid_cents ="
        " CASE WHEN paid_cents + ? > amount_cents THEN amount_cents ELSE paid_cents + ? END"
        " WHERE injunction_id = ? AND giver_id = ? AND beneficiary_id = ?"
    )
    values = (cents, cents, injunction, giver, beneficiary)
    _expect_one(sql.run(writing.db, text, values).rowcount, injunction)
    text = (
        "UPDATE injunction SET state = 'settled' WHERE id = ? AND NOT EXISTS"
        " (SELECT 1 FROM injunction_line WHERE injunction_id = ? AND paid_cents < amount_cents)"
    )
    sql.run(writing.db, text, (injunction, injunction))


def _write_lines(writing: Writing, injunction: int, lines: Sequence[InjunctionLine]) -> None:
    handles = {handle for line in lines for handle in (line.giver, line.beneficiary)}
    members = people.find_all(writing.db, writing.club_id, handles)
    text = sql.insert_text(
        tables.InjunctionLine,
        "injunction_id",
        "position",
        "giver_id",
        "beneficiary_id",
        "amount_cents",
        "paid_cents",
    )
    rows = [
        (
            injunction,
            i,
            members[line.giver].id,
            members[line.beneficiary].id,
            line.amount_cents,
            line.paid_cents,
        )
        for i, line in enumerate(lines, 1)
    ]
    sql.run_many(writing.db, text, rows)


def _expect_one(changed: int, injunction: int) -> None:
    """Raise when a statement about an injunction, or a line of it, found nothing to change."""
    if changed == 1:
        return
    raise WrongState(f"the injunction {injunction} is not there, or not in the state or with the line")
