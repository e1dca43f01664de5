"""R-BAN: BANNIT and RETABLIT."""

from __future__ import annotations

from typing import Any

from mailflow.announcements import cancelled_notice, changed_notice, dispute_notice, game_facts
from mailflow.model import Club, Notice, Outcome, Refusal, Request, broken, refused
from mailflow.rules.bans import BAN_CHECKS, REINSTATE_CHECKS, Ban
from mailflow.rules.lookups import member_named
from store.records import (
    CancelGame,
    Change,
    ChangeGame,
    EndArbitration,
    Game,
    GameState,
    MemberStatus,
    SetStatus,
    WithdrawDispute,
)

Effect = tuple[str, tuple[Change, ...], tuple[Notice, ...]]
"""What a ban does to one game: a word for it, the changes, the notices."""


def ban(request: Request, club: Club) -> Outcome:
    """R-BAN-1 to R-BAN-3: the member is banned, his games follow R-BAN-2, everybody is told."""
    member = member_named(request.get("member", ""), club, "R-BAN-1")
    if isinstance(member, Refusal):
        return refused(member)
    refusals = broken(BAN_CHECKS, Ban(request.author, member), club)
    if refusals:
        return refused(*refusals)
    reason = request.get("reason", "")
    banned = SetStatus(member.handle, MemberStatus.BANNED, request.author.handle, reason)
    touched = club.books.open_games_of(member.handle)
    effects = [_effect(game, member.handle, request, club) for game in touched]
    games = [_shown(g, word, member.handle) for g, (word, _, _) in zip(touched, effects, strict=True)]
    facts = {"handle": member.handle, "by": request.author.handle, "reason": reason, "games": games}
    missing = max(club.rulebook.initial_credit_cents - member.balance_cents, 0)
    own: dict[str, dict[str, Any]] = {
        member.handle: {"is_me": True, "missing_cents": missing},
        request.author.handle: {"missing_cents": missing, "manages": member.manager},
    }
    told = Notice("member.banned", tuple(m.handle for m in club.account_holders), None, facts, own)
    changes = (banned, *(c for _, changes, _ in effects for c in changes))
    notices = (told, *(n for _, _, notices in effects for n in notices))
    return Outcome(changes=changes, notices=notices)


def _shown(game: Game, effect: str, banned: str) -> dict[str, Any]:
    """What the manager sees of a game that the ban touches."""
    others = [p for p in game.participants if p != banned]
    return {"number": game.number, "effect": effect, "buyin_cents": game.buyin_cents, "others": others}


def _effect(game: Game, banned: str, request: Request, club: Club) -> Effect:
    """R-BAN-2: one row of its table."""
    if game.state is GameState.RUNNING:
        return _on_running(game, banned, request.author.handle, club)
    dispute = next((d for d in game.disputes if d.member == banned), None)
    if dispute is None:
        return "stands", (), ()
    notice = dispute_notice("dispute.withdrawn", game, banned, dispute.reason, club)
    notice = Notice(notice.kind, notice.to, notice.game, {**notice.facts, "banned": True})
    changes: tuple[Change, ...] = (WithdrawDispute(game.number, banned, because_banned=True),)
    if game.state is GameState.ARBITRATION and len(game.disputes) == 1:
        return "dispute_withdrawn_final", (*changes, EndArbitration(game.number)), (notice,)
    return "dispute_withdrawn", changes, (notice,)


def _on_running(game: Game, banned: str, manager: str, club: Club) -> Effect:
    """R-BAN-2: a running game loses its creator and is cancelled, or goes on without the banned."""
    cancelled = CancelGame(game.number, manager, because_banned=banned)
    told = cancelled_notice(game, manager, banned, club, banned)
    if game.creator == banned:
        return "cancelled", (cancelled,), (told,)
    rulebook = club.rulebook_of(game)
    remaining = tuple(p for p in game.participants if p != banned)
    removed = ChangeGame(game.number, game.buyin_cents, remaining, manager, because_banned=banned)
    if len(remaining) < rulebook.participants_min:
        return "cancelled", (removed, cancelled), (told,)
    after = game_facts(game.number, game.creator, game.buyin_cents, remaining, rulebook)
    return "removed", (removed,), (changed_notice(game, after, remaining, manager, banned),)


def reinstate(request: Request, club: Club) -> Outcome:
    """R-BAN-4: only with the debt settled; who paid by joint solidarity is shown and confirmed."""
    member = member_named(request.get("member", ""), club, "R-BAN-4")
    if isinstance(member, Refusal):
        return refused(member)
    refusals = broken(REINSTATE_CHECKS, member, club)
    if refusals:
        return refused(*refusals)
    levies = club.books.levies_for(member.handle)
    facts = {
        "handle": member.handle,
        "by": request.author.handle,
        "levies": levies,
        "total_cents": sum(cents for _, cents in levies),
    }
    own = {member.handle: {"is_me": True}}
    public = {"handle": member.handle, "by": request.author.handle}
    told = Notice("member.reinstated", tuple(m.handle for m in club.account_holders), None, public, own)
    done = SetStatus(member.handle, MemberStatus.ACTIVE, request.author.handle, "")
    return Outcome(
        changes=(done,),
        notices=(told,),
        answer=facts if levies else None,
        ask=bool(levies),
    )
