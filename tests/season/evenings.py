"""An evening of the club: tables, results, disputes, debts settled, and somebody who forges."""

from __future__ import annotations

from mailflow.picture import picture
from store.records import GameState

from .club import CLUB, Season
from .people import Person, mail, reply


def evening(season: Season) -> None:
    """Two or three tables, what is said about them, and what falls due until the next time."""
    dice, start = season.dice, season.now
    present = dice.sample(season.members, min(len(season.members), dice.randint(12, 20)))
    while len(present) >= 4:
        size = min(len(present), dice.randint(4, 8))
        table, present = present[:size], present[size:]
        _game(season, table)
        _forger(season)
    _settle(season)
    season.evening += 1
    passed = (season.now - start).total_seconds() / 60
    season.later(dice.choice((3, 4)) * 24 * 60 - passed)
    _decide(season)


def _fit(season: Season, table: list[Person]) -> list[Person]:
    club = picture(season.db, season.club, season.now)
    return [p for p in table if club.members[p.handle].available_cents >= 10_00]


def _game(season: Season, table: list[Person]) -> None:
    """A host, his players, three hours, and a result that somebody may not believe."""
    dice, players = season.dice, _fit(season, table)
    if len(players) < 2:
        return
    host, guests = players[0], players[1:]
    buyin = dice.choice((1, 2, 5, 10))
    create = f"PARTIE buyin={buyin} joueurs={','.join(p.handle for p in guests)}"
    ranked = dice.sample(players, len(players))
    if host.hosting == "afterwards in one mail":
        season.later(170)
        season.command(host, f"{create} {_places(season, ranked)}")
    elif season.command(host, create):
        number = _newest_game(season)
        if "change" in host.hosting and len(guests) > 1:
            season.later(dice.randint(5, 40))
            season.command(host, f"MODIFIE {number} -{guests[-1].handle}")
            ranked = [p for p in ranked if p is not guests[-1]]
        season.later(dice.randint(90, 180))
        season.command(host, f"RESULTAT {number} {_places(season, ranked)}")
    for guest in guests:
        if dice.random() < 0.04 and (told := season.last(guest, "game.result")) is not None:
            season.counts["disputes"] += 1
            season.command(guest, "CONTESTE je n'ai pas joué", told)
        elif dice.random() < 0.2:
            season.command(guest, "COMPTE")


def _places(season: Season, ranked: list[Person]) -> str:
    rulebook = picture(season.db, season.club, season.now).rulebook
    paid = len(rulebook.shares_percent(len(ranked)))
    return " ".join(f"{place}={p.handle}" for place, p in enumerate(ranked[:paid], 1))


def _newest_game(season: Season) -> int:
    return picture(season.db, season.club, season.now).books.next_game_number() - 1


def _settle(season: Season) -> None:
    """Winners give to who is short, having been paid outside."""
    club = picture(season.db, season.club, season.now)
    by_balance = sorted(season.members, key=lambda p: club.members[p.handle].balance_cents)
    for poor, rich in zip(by_balance[:3], reversed(by_balance[-3:]), strict=True):
        owed = 200_00 - club.members[poor.handle].balance_cents
        left = club.members[rich.handle].available_cents - 50_00
        amount = min(owed, left, 100_00) // 100
        if amount >= 5 and season.dice.random() < 0.7:
            season.later(season.dice.randint(2, 90))
            season.command(rich, f"VIREMENT {amount} à {poor.handle}")


def _decide(season: Season) -> None:
    """The manager decides what waits, by answering the mail that brought it."""
    manager = season.members[0]
    for game in picture(season.db, season.club, season.now).books.open_games():
        if game.state is GameState.ARBITRATION and (case := season.last(manager, "arbitration.opened")):
            season.counts["cases"] += 1
            season.command(manager, f"REJETTE {game.number} après avoir écouté tout le monde", case)


def _forger(season: Season) -> None:
    """Somebody writes in a member's name, guesses at tokens, and gets nothing done."""
    victim, other = season.dice.sample(season.members, 2)
    before = _effects(season)
    token = f"club+s{season.dice.randrange(10**9):026d}@example.org"
    tries = ((CLUB, f"VIREMENT 5 à {other.handle}"), (token, "OUI"), (token, f"BANNIT {other.handle} motif"))
    for to, text in tries:
        forged = mail(victim.address, to, text, season.number())
        handled = season.receive(forged.as_bytes())
        season.counts["forged mails"] += 1
        assert handled is not None
        assert handled.state != "executed"
    assert _effects(season) == before
    _refuses(season, victim)


def _refuses(season: Season, victim: Person) -> None:
    """The victim may say NON to what he was asked, or let it be."""
    asked = season.last(victim, "confirm")
    if asked is not None and season.dice.random() < 0.5:
        season.counts["NON to forged requests"] += 1
        season.receive(reply(victim, season.read(asked), "NON", season.number()).as_bytes())


def _effects(season: Season) -> tuple[int, ...]:
    club = picture(season.db, season.club, season.now)
    return tuple(m.balance_cents for m in club.members.values())
