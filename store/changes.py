"""Write what an outcome changes: one function per kind of change, found in one table.

The rules have decided before; what is checked here is only what must hold whatever they decided: games
move along R-GAME-1, entries balance, nothing happens twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import peewee

from store import (
    account_changes,
    forgetting,
    game_changes,
    identity_changes,
    membership,
    order_changes,
    unhandled,
)
from store.records import (
    AcceptDisputes,
    AgreeToIdentityChange,
    AmendRulebook,
    Apply,
    CancelGame,
    Change,
    ChangeGame,
    CloseAccount,
    CloseComplaint,
    CloseWindow,
    CreateGame,
    DecideApplication,
    EndArbitration,
    EndIdentityChange,
    FileComplaint,
    FileDispute,
    Forget,
    Invite,
    LaunchInjunction,
    Levy,
    NoteNudge,
    OpenAccount,
    ProposeIdentityChange,
    ProposeInjunction,
    RecordResult,
    RejectDisputes,
    SetDigest,
    SetLanguage,
    SetStatus,
    SettleInjunction,
    SettleUnhandled,
    TakeIdentityEffect,
    TellOverdue,
    TellUndelivered,
    TellUnhandled,
    Transfer,
    WithdrawDispute,
)
from store.writing import Writing


def apply(db: peewee.Database, club_id: int, change: Change, at: datetime, effect_key: str) -> None:
    """Write one change within the caller's unit of work.

    `effect_key` goes to the journal entry, if the change makes one. Raises UnknownName, WrongState,
    UnbalancedEntry or DuplicateEffect for a change that does not fit the books.
    """
    WRITERS[type(change)](Writing(db, club_id, at, effect_key), change)


WRITERS: Mapping[type[Change], Callable[[Writing, Any], None]] = {
    # Accounts, members and money between them.
    OpenAccount: account_changes.open_account,
    CloseAccount: account_changes.close_account,
    Invite: account_changes.invite,
    SetStatus: account_changes.set_status,
    Transfer: account_changes.transfer,
    Levy: account_changes.levy,
    # Joining, and who somebody is.
    Apply: membership.apply_to_join,
    DecideApplication: membership.decide_application,
    SetLanguage: membership.set_language,
    SetDigest: membership.set_digest,
    ProposeIdentityChange: identity_changes.propose,
    AgreeToIdentityChange: identity_changes.agree,
    EndIdentityChange: identity_changes.end,
    TakeIdentityEffect: identity_changes.take_effect,
    Forget: forgetting.forget,
    # The life of a game.
    CreateGame: game_changes.create_game,
    ChangeGame: game_changes.change_game,
    CancelGame: game_changes.cancel_game,
    RecordResult: game_changes.record_result,
    FileDispute: game_changes.file_dispute,
    WithdrawDispute: game_changes.withdraw_dispute,
    CloseWindow: game_changes.close_window,
    EndArbitration: game_changes.end_arbitration,
    RejectDisputes: game_changes.reject_disputes,
    AcceptDisputes: game_changes.accept_disputes,
    # Orders and papers.
    ProposeInjunction: order_changes.propose_injunction,
    LaunchInjunction: order_changes.launch_injunction,
    SettleInjunction: order_changes.settle_injunction,
    TellOverdue: order_changes.tell_overdue,
    TellUndelivered: order_changes.tell_undelivered,
    NoteNudge: order_changes.note_nudge,
    FileComplaint: order_changes.file_complaint,
    CloseComplaint: order_changes.close_complaint,
    TellUnhandled: unhandled.tell,
    SettleUnhandled: unhandled.settle,
    AmendRulebook: order_changes.amend_rulebook,
}
