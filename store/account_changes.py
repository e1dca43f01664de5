"""Write changes of accounts, of members, and of money between members."""

from __future__ import annotations

from store import ledger, membership, order_changes, people, sql, tables, tokens
from store.errors import WrongState
from store.people import Person
from store.records import (
    INITIAL_CREDIT,
    CloseAccount,
    Invite,
    Levy,
    MemberStatus,
    OpenAccount,
    SetStatus,
    Transfer,
    fold_handle,
    member_account,
)
from store.writing import Writing


def open_account(writing: Writing, change: OpenAccount) -> None:
    """R-ACC-1, R-ACC-2. Somebody who left may come back under his handle; his history is still his."""
    known = people.look_up(writing.db, writing.club_id, change.handle)
    member_id = _returning_member(writing, change, known) if known else _new_member(writing, change)
    sql.insert(
        writing.db,
        tables.Acceptance,
        club_id=writing.club_id,
        member_id=member_id,
        rulebook_version=change.rulebook_version,
        accepted_at=writing.at,
        how=change.how,
    )
    _close_invitations(writing, change.handle, change.address, "accepted")


def close_account(writing: Writing, change: CloseAccount) -> None:
    """R-ACC-6: take back the opening entry; the member stays in the books as one who left."""
    person = writing.person(change.member)
    opening = person.opening_entry
    ledger.reverse(writing.db, writing.club_id, opening, writing.at, writing.effect_key, kind="closing")
    text = "UPDATE member SET status = 'left', left_at = ? WHERE id = ?"
    sql.run(writing.db, text, (writing.at, person.id))
    tokens.revoke_all(writing.db, writing.club_id, person.handle)


def invite(writing: Writing, change: Invite) -> None:
    """R-ACC-3. An earlier invitation under the same handle or to the same address is superseded."""
    _close_invitations(writing, change.handle, change.address, "superseded")
    membership.approve_all_from(writing, change.address, change.invited_by)
    sql.insert(
        writing.db,
        tables.Invitation,
        club_id=writing.club_id,
        handle=change.handle,
        folded=fold_handle(change.handle),
        address=change.address,
        invited_by=change.invited_by,
        invited_at=writing.at,
        state="open",
    )


def set_status(writing: Writing, change: SetStatus) -> None:
    """R-BAN-1, R-BAN-3, R-BAN-4. A ban ends the member's tokens; who is banned already keeps his date."""
    person = writing.person(change.member)
    if change.status is MemberStatus.BANNED:
        text = (
            "UPDATE member SET status = 'banned', banned_at = coalesce(banned_at, ?), banned_by = ?,"
            " ban_reason = ? WHERE id = ?"
        )
        sql.run(writing.db, text, (writing.at, change.by, change.reason, person.id))
        tokens.revoke_all(writing.db, writing.club_id, person.handle)
    else:
        text = (
            "UPDATE member SET status = ?, banned_at = NULL, banned_by = NULL, ban_reason = '' WHERE id = ?"
        )
        sql.run(writing.db, text, (change.status, person.id))


def transfer(writing: Writing, change: Transfer) -> None:
    """R-TRA-4; R-INA-4 where it fulfils an injunction."""
    giver, beneficiary = writing.person(change.giver), writing.person(change.beneficiary)
    postings = [(giver.account, -change.amount_cents), (beneficiary.account, change.amount_cents)]
    _post(writing, "transfer", postings, change.note)
    if change.injunction is not None:
        order_changes.count_payment(writing, change.injunction, giver.id, beneficiary.id, change.amount_cents)


def levy(writing: Writing, change: Levy) -> None:
    """R-SOL-2: one entry; who contributes nothing (there are more members than cents) is not in it."""
    debtor = writing.person(change.debtor)
    paying = {handle: cents for handle, cents in change.contributions_cents.items() if cents}
    contributors = people.find_all(writing.db, writing.club_id, paying)
    postings = [(contributors[handle].account, -cents) for handle, cents in paying.items()]
    _post(writing, "solidarity", [*postings, (debtor.account, sum(paying.values()))])


def _post(writing: Writing, kind: str, postings: list[tuple[str, int]], memo: str = "") -> int:
    return ledger.post(writing.db, writing.club_id, kind, writing.at, postings, writing.effect_key, memo=memo)


def _new_member(writing: Writing, change: OpenAccount) -> int:
    account = member_account(change.handle)
    account_id = ledger.open_account(writing.db, writing.club_id, account)
    member_id = sql.insert_id(
        writing.db,
        tables.Member,
        club_id=writing.club_id,
        handle=change.handle,
        folded=fold_handle(change.handle),
        name=change.name,
        language=change.language,
        status=MemberStatus.ACTIVE,
        manager=int(change.manager),
        joined_at=writing.at,
        account_id=account_id,
        opening_entry=_post_opening(writing, account, change.initial_credit_cents),
    )
    _add_address(writing, member_id, change.address)
    return member_id


def _returning_member(writing: Writing, change: OpenAccount, person: Person) -> int:
    opening = _post_opening(writing, person.account, change.initial_credit_cents)
    text = (
        "UPDATE member SET name = ?, language = ?, manager = ?, joined_at = ?, opening_entry = ?,"
        " status = 'active', left_at = NULL WHERE id = ? AND status = 'left'"
    )
    values = (change.name, change.language, int(change.manager), writing.at, opening, person.id)
    if sql.run(writing.db, text, values).rowcount != 1:
        raise WrongState(f"{person.handle} holds an account already")
    sql.run(writing.db, "DELETE FROM address WHERE member_id = ?", (person.id,))
    _add_address(writing, person.id, change.address)
    return person.id


def _post_opening(writing: Writing, account: str, cents: int) -> int:
    return _post(writing, "opening", [(account, cents), (INITIAL_CREDIT, -cents)])


def _add_address(writing: Writing, member_id: int, address: str) -> None:
    sql.insert(
        writing.db,
        tables.Address,
        club_id=writing.club_id,
        member_id=member_id,
        address=address,
        is_primary=1,
    )


def _close_invitations(writing: Writing, handle: str, address: str, state: str) -> None:
    text = (
        "UPDATE invitation SET state = ? WHERE club_id = ? AND state = 'open' AND (folded = ? OR address = ?)"
    )
    sql.run(writing.db, text, (state, writing.club_id, fold_handle(handle), address))
