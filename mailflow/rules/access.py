"""R-BAN-3 and who may use a command at all."""

from __future__ import annotations

from mailflow.model import Refusal
from store.records import Member


def banned_may_only_read(author: Member, open_to_banned: bool) -> Refusal | None:
    """R-BAN-3: a banned member reads his account and writes to the manager, nothing else."""
    return None if author.active or open_to_banned else Refusal("R-BAN-3", "author_is_banned", {})


def only_managers(author: Member, rule: str, verb: str) -> Refusal | None:
    """The manager's commands are his alone; `rule` is the one that says so for the verb."""
    return None if author.manages else Refusal(rule, "managers_only", {"verb": verb})
