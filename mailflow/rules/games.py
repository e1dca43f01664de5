"""R-GAME: creating, changing and cancelling games."""

from __future__ import annotations

from dataclasses import dataclass

from mailflow.model import Check, Club, Refusal
from mailflow.rulebook import Rulebook
from mailflow.suggestions import nearest
from store.records import Game, GameState, Member, fold_handle


@dataclass(frozen=True)
class NewGame:
    """A game as its creator wrote it; `players` are all he named, himself included or not."""

    creator: Member
    buyin_cents: int
    players: tuple[str, ...]

    @property
    def participants(self) -> tuple[str, ...]:
        """Everybody once: the creator first, then the others as named."""
        return distinct((self.creator.handle, *self.players))


@dataclass(frozen=True)
class GameChange:
    """A change as the creator wrote it. `players`: a whole new list, or None."""

    game: Game
    author: Member
    buyin_cents: int | None
    add: tuple[str, ...]
    remove: tuple[str, ...]
    players: tuple[str, ...] | None
    rulebook: Rulebook

    @property
    def added(self) -> tuple[str, ...]:
        """Handles that would be new in the game, as written."""
        present = folded(self.game.participants)
        named = self.add if self.players is None else (*self.players, *self.add)
        return tuple(h for h in distinct(named) if fold_handle(h) not in present)

    @property
    def removed(self) -> tuple[str, ...]:
        """Participants who would leave the game."""
        gone = folded(self.remove)
        if self.players is not None:
            kept = folded((*self.players, self.game.creator))
            gone |= folded(self.game.participants) - kept
        return tuple(p for p in self.game.participants if fold_handle(p) in gone)

    @property
    def new_buyin_cents(self) -> int:
        return self.game.buyin_cents if self.buyin_cents is None else self.buyin_cents

    def participants(self, club: Club) -> tuple[str, ...]:
        """Return the new list, with the added ones' handles as registered where they are members."""
        gone = folded(self.removed)
        staying = tuple(p for p in self.game.participants if fold_handle(p) not in gone)
        return staying + tuple(registered(h, club) for h in self.added)


def folded(handles: tuple[str, ...]) -> set[str]:
    return {fold_handle(h) for h in handles}


def distinct(handles: tuple[str, ...]) -> tuple[str, ...]:
    """Keep the first of each handle, whatever its case and accents."""
    return tuple(
        {fold_handle(h): h for h in reversed(handles)}[key]
        for key in dict.fromkeys(map(fold_handle, handles))
    )


def registered(handle: str, club: Club) -> str:
    member = club.member(handle)
    return handle if member is None else member.handle


# ---------------------------------------------------------------- creating


def creator_is_eligible(new: NewGame, club: Club) -> Refusal | None:
    """R-GAME-2: the creator's available is at least the greatest buy-in."""
    needed = club.rulebook.eligibility_cents
    if new.creator.available_cents >= needed:
        return None
    figures = {"available_cents": new.creator.available_cents, "needed_cents": needed}
    return Refusal("R-GAME-2", "creator_not_eligible", figures)


def creator_has_no_other_running(new: NewGame, club: Club) -> Refusal | None:
    """R-GAME-2: the creator is creator of no other running game."""
    for game in club.books.running_games_of(new.creator.handle):
        if game.creator == new.creator.handle:
            return Refusal("R-GAME-2", "creator_has_running_game", {"game": game.number})
    return None


def buyin_is_offered(new: NewGame, club: Club) -> Refusal | None:
    """R-GAME-3: the buy-in is one of those the rulebook offers."""
    return offered(new.buyin_cents, club.rulebook)


def offered(buyin_cents: int, rulebook: Rulebook) -> Refusal | None:
    if buyin_cents in rulebook.buyins_cents:
        return None
    figures = {"buyin_cents": buyin_cents, "buyins_cents": list(rulebook.buyins_cents)}
    return Refusal("R-GAME-3", "buyin_not_offered", figures)


def enough_and_not_too_many(new: NewGame, club: Club) -> Refusal | None:
    """R-GAME-3: between the least and the greatest number of participants, the creator included."""
    return counted(len(new.participants), club.rulebook)


def counted(participants: int, rulebook: Rulebook) -> Refusal | None:
    if rulebook.participants_min <= participants <= rulebook.participants_max:
        return None
    figures = {
        "participants": participants,
        "participants_min": rulebook.participants_min,
        "participants_max": rulebook.participants_max,
    }
    return Refusal("R-GAME-3", "participants_out_of_range", figures)


def nobody_is_named_twice(new: NewGame, _: Club) -> Refusal | None:
    """R-GAME-3: participants are distinct."""
    return named_once(new.players)


def named_once(handles: tuple[str, ...]) -> Refusal | None:
    keys = [fold_handle(h) for h in handles]
    twice = sorted({k for k in keys if keys.count(k) > 1})
    return Refusal("R-GAME-3", "named_twice", {"handles": twice}) if twice else None


def players_are_eligible(new: NewGame, club: Club) -> Refusal | None:
    """R-GAME-4: every participant is a member, not banned, with enough available.

    The refusal names all who are not, without saying what anybody has.
    """
    return all_eligible(new.participants[1:], club)


def all_eligible(handles: tuple[str, ...], club: Club) -> Refusal | None:
    unknown, banned, short = [], [], []
    for handle in handles:
        member = club.member(handle)
        if member is None:
            unknown.append({"handle": handle, "nearest": nearest(handle, [m.handle for m in club.active])})
        elif not member.active:
            banned.append(member.handle)
        elif member.available_cents < club.rulebook.eligibility_cents:
            short.append(member.handle)
    if not (unknown or banned or short):
        return None
    needed = club.rulebook.eligibility_cents
    figures = {"unknown": unknown, "banned": banned, "short": short, "needed_cents": needed}
    return Refusal("R-GAME-4", "players_not_eligible", figures)


CREATE_CHECKS: tuple[Check[NewGame], ...] = (
    creator_is_eligible,
    creator_has_no_other_running,
    buyin_is_offered,
    enough_and_not_too_many,
    nobody_is_named_twice,
    players_are_eligible,
)


# ---------------------------------------------------------------- changing and cancelling


def author_created(game: Game, author: Member, rule: str) -> Refusal | None:
    if game.creator == author.handle:
        return None
    return Refusal(rule, "not_the_creator", {"game": game.number, "creator": game.creator})


def game_is_running(game: Game, rule: str) -> Refusal | None:
    if game.state is GameState.RUNNING:
        return None
    return Refusal(rule, "game_not_running", {"game": game.number, "state": game.state.value})


def only_the_creator_changes(change: GameChange, _: Club) -> Refusal | None:
    """R-GAME-5: the creator, and nobody else, changes his game."""
    return author_created(change.game, change.author, "R-GAME-5")


def only_running_games_change(change: GameChange, _: Club) -> Refusal | None:
    """R-GAME-5: a game is changed while running; R-RES-6: after that, by dispute only."""
    return game_is_running(change.game, "R-GAME-5")


def something_changes(change: GameChange, _: Club) -> Refusal | None:
    """R-GAME-5: a change changes something; a name added twice or removed in vain is said."""
    present = folded(change.game.participants)
    here = [h for h in change.add if fold_handle(h) in present]
    absent = [h for h in change.remove if fold_handle(h) not in present]
    both = sorted(folded(change.add) & folded(change.remove))
    if here or absent or both:
        figures = {"game": change.game.number, "already": here, "absent": absent, "both": both}
        return Refusal("R-GAME-5", "change_contradicts_list", figures)
    if change.added or change.removed or change.new_buyin_cents != change.game.buyin_cents:
        return None
    return Refusal("R-GAME-5", "nothing_to_change", {"game": change.game.number})


def creator_stays(change: GameChange, _: Club) -> Refusal | None:
    """R-GAME-5: the creator cannot remove himself."""
    if fold_handle(change.game.creator) not in folded(change.removed):
        return None
    return Refusal("R-GAME-5", "creator_must_stay", {"game": change.game.number})


def new_buyin_is_offered(change: GameChange, _: Club) -> Refusal | None:
    """R-GAME-3, R-REG-1: one of the buy-ins of the version under which the game was created."""
    return None if change.buyin_cents is None else offered(change.buyin_cents, change.rulebook)


def list_keeps_its_size(change: GameChange, club: Club) -> Refusal | None:
    """R-GAME-3: still enough participants, still not too many, each named once."""
    named = (*change.add, *(change.players or ()))
    return counted(len(change.participants(club)), change.rulebook) or named_once(named)


def added_are_eligible(change: GameChange, club: Club) -> Refusal | None:
    """R-GAME-4, R-GAME-5: whoever is added is eligible now; whoever is there already stays."""
    return all_eligible(change.added, club)


def nobody_is_overdrawn(change: GameChange, club: Club) -> Refusal | None:
    """R-GAME-6: a new buy-in brings no participant's available under zero.

    The refusal names them, without saying what anybody has.
    """
    rise = change.new_buyin_cents - change.game.buyin_cents
    if rise <= 0:
        return None
    staying = folded(change.game.participants) - folded(change.removed)
    short = []
    for handle in change.participants(club):
        member = club.member(handle)
        if member is None:
            continue
        more = rise if fold_handle(handle) in staying else change.new_buyin_cents
        if member.available_cents - more < 0:
            short.append(member.handle)
    if not short:
        return None
    return Refusal("R-GAME-6", "buyin_overdraws", {"handles": short, "buyin_cents": change.new_buyin_cents})


CHANGE_CHECKS: tuple[Check[GameChange], ...] = (
    only_the_creator_changes,
    only_running_games_change,
    something_changes,
    creator_stays,
    new_buyin_is_offered,
    list_keeps_its_size,
    added_are_eligible,
    nobody_is_overdrawn,
)


@dataclass(frozen=True)
class Cancellation:
    game: Game
    author: Member


def only_the_creator_cancels(cancellation: Cancellation, _: Club) -> Refusal | None:
    """R-GAME-7: the creator cancels his game."""
    return author_created(cancellation.game, cancellation.author, "R-GAME-7")


def only_running_games_are_cancelled(cancellation: Cancellation, _: Club) -> Refusal | None:
    """R-GAME-7, R-GAME-1: cancelled is reached from running only."""
    return game_is_running(cancellation.game, "R-GAME-7")


CANCEL_CHECKS: tuple[Check[Cancellation], ...] = (only_the_creator_cancels, only_running_games_are_cancelled)
