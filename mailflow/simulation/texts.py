"""Commands as members write them: one short text for each command of the model.

How mails are read has tests of its own; here a few habits (case, decimal comma, euro sign) are enough
to keep the product on its public path.
"""

from __future__ import annotations

from collections.abc import Sequence

from .model import Command

REASON_VERBS = {"CONTESTE", "ACCEPTE", "REJETTE", "BANNIT", "PLAINTE", "REGLE"}
"""Verbs whose last argument is free text up to the end of the line."""


def mail_text(commands: Sequence[Command], habit: int = 0) -> str:
    """Write a mail's body, a command a line. `habit` 0 to 3: how this member writes."""
    return "\n".join(command_text(c, habit) for c in commands)


def command_text(command: Command, habit: int = 0) -> str:
    args, words = dict(command.args), [_cased(command.verb, habit)]
    if command.verb == "VIREMENT":
        words += [_euros(args["amount_cents"], habit), "aà"[habit % 2], _handle(args["to"], habit)]
        if "note" in args:
            words.append(f"note={args['note']}")
        return " ".join(words)
    if args.get("game") is not None:
        words.append(str(args["game"]))
    if "member" in args:
        words.append(_handle(args["member"], habit))
    if "buyin_cents" in args:
        words.append(f"buyin={_euros(args['buyin_cents'], habit)}")
    words += [f"+{_handle(h, habit)}" for h in args.get("add", ())]
    words += [f"-{_handle(h, habit)}" for h in args.get("remove", ())]
    if "players" in args:
        comma = (",", ", ", " ,", ",")[habit]
        words.append("joueurs=" + comma.join(_handle(h, habit) for h in args["players"]))
    words += [f"{place}={_handle(who, habit)}" for place, [who] in args.get("places", {}).items()]
    words += [f"{h}={_euros(cents, habit)}" for h, cents in (args.get("amounts") or {}).items()]
    words += [f"{name}={_setting(name, value, habit)}" for name, value in args.get("settings", {}).items()]
    if "reason" in args:
        words.append(("motif=" if command.verb == "REGLE" else "") + args["reason"])
    return " ".join(words)


def _cased(verb: str, habit: int) -> str:
    return (verb, verb.lower(), verb.capitalize(), verb)[habit]


def _handle(handle: str, habit: int) -> str:
    return handle.capitalize() if habit == 2 else handle


def _euros(cents: int, habit: int) -> str:
    whole, rest = divmod(cents, 100)
    if habit == 0 and not rest:
        return str(whole)
    return f"{whole}{'.,'[habit % 2]}{rest:02d}{('', '€', '', '€')[habit]}"


def _setting(name: str, value: int, habit: int) -> str:
    return str(value) if name == "delai" else _euros(value, habit)
