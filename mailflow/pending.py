"""What waits for an OUI: the sets that a confirmation stands for, as they are kept with its token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mailflow.model import Wish
from mailflow.performing import CommandSet, Performance
from store.records import Token


@dataclass(frozen=True)
class Pending:
    """`shown`: the effects that were shown. `apart`: never joined with what else waits (TRUST § 3).

    `wish`: it was not he who wrote it, but a manager who thinks that he meant it.
    """

    sets: tuple[CommandSet, ...]
    shown: str
    apart: bool
    wish: Wish | None = None


def payload_of(
    sets: Sequence[CommandSet], performance: Performance, apart: bool, wish: Wish | None = None
) -> dict[str, Any]:
    """Return what is kept with the token of a confirmation."""
    kept = {"sets": [_kept(one) for one in sets], "shown": performance.effects, "apart": apart}
    return kept if wish is None else {**kept, "wish": _wished(wish)}


def pending(token: Token) -> Pending:
    """Read what is kept with a confirmation. The oldest kept one set only, without a name for it."""
    kept: Sequence[Mapping[str, Any]] = token.payload.get("sets") or [token.payload]
    sets = tuple(_read(one, token.address) for one in kept)
    wish = _wish(token, sets[0]) if "wish" in token.payload else None
    return Pending(sets, token.payload["shown"], token.payload.get("apart", False), wish)


def _wished(wish: Wish) -> dict[str, Any]:
    return {"mail": wish.mail, "received_at": wish.received_at.isoformat(), "by": wish.by}


def _wish(token: Token, one: CommandSet) -> Wish:
    kept = token.payload["wish"]
    received_at = datetime.fromisoformat(kept["received_at"])
    return Wish(token.member or "", one.commands[0], kept["mail"], received_at, kept["by"])


def _kept(one: CommandSet) -> dict[str, Any]:
    return {
        "commands": list(one.commands),
        "received_at": one.received_at.isoformat(),
        "thread_game": one.thread_game,
        "fingerprint": one.fingerprint,
        "address": one.address,
    }


def _read(kept: Mapping[str, Any], address: str) -> CommandSet:
    received_at, fingerprint = datetime.fromisoformat(kept["received_at"]), kept.get("fingerprint", "")
    written_from = kept.get("address", address)
    return CommandSet(kept["commands"], received_at, kept["thread_game"], fingerprint, written_from)
