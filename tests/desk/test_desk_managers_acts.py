"""Every act of the rulebook that is a manager's is one reply away from the mail that tells him of it.

`ACTS` is the rulebook's list: its rule, the verb, and the mails that tell a manager that it is time for it.
"""

from __future__ import annotations

from functools import cache

import pytest

from mailflow.catalogue import COMMANDS, Need, Who
from mailflow.compose import text_part
from mailflow.markup import Buttons, blocks
from mailflow.preview.lives import LIVES, Sent, played

from .desk_scene import Scene, plain

ACTS = (
    ("R-ACC-3", "OUI", "application.received"),
    ("R-ACC-3", "NON", "application.received"),
    ("R-ACC-3", "INVITE", "digest.weekly"),
    ("R-ACC-3", "CLASSE", "digest.weekly"),
    ("R-ARB-1", "ACCEPTE", "arbitration.opened"),
    ("R-ARB-1", "REJETTE", "arbitration.opened"),
    ("R-ARB-1", "ACCEPTE", "digest.weekly"),
    ("R-ARB-1", "REJETTE", "digest.weekly"),
    ("R-BAN-1", "BANNIT", "complaint.received"),
    ("R-BAN-1", "BANNIT", "injunction.overdue"),
    ("R-BAN-4", "RETABLIT", "member.banned"),
    ("R-SOL-1", "SOLIDARITE", "member.banned"),
    ("R-INA-4", "INJONCTION", "inactivity.proposal"),
    ("R-INA-4", "INJONCTION", "digest.weekly"),
    ("R-INA-5", "BANNIT", "injunction.overdue"),
    ("R-INA-5", "BANNIT", "digest.weekly"),
    ("R-REG-2", "CLASSE", "complaint.received"),
    ("R-REG-2", "CLASSE", "digest.weekly"),
    ("R-SEC-1", "REFAIRE", "mail.unhandled"),
    ("R-SEC-1", "REFAIRE", "digest.weekly"),
)
OF_HIS_OWN_ACCORD = {"ANNONCE", "REGLE", "NOMME", "TRANSMET"}
"""What no mail tells him to do: AIDE does, and REGLEMENT shows the figures that REGLE changes."""


@cache
def told() -> tuple[Sent, ...]:
    """All mails that the manager gets in the lives of the previews."""
    return tuple(one for life in LIVES for one in played(life) if one.mail.recipient == "anna")


def buttons(one: Sent) -> set[str]:
    """The verbs of a mail's buttons."""
    read = blocks(one.mail.text, frozenset())
    return {b.command.split()[0] for part in read if isinstance(part, Buttons) for b in part.buttons}


@pytest.mark.parametrize(("rule", "verb", "kind"), ACTS)
def test_the_mail_that_tells_of_an_act_has_its_button(rule: str, verb: str, kind: str) -> None:
    assert any(one.mail.kind == kind and verb in buttons(one) for one in told()), rule


def test_each_command_of_a_manager_is_in_that_table_or_his_own_idea() -> None:
    his = {c.name for c in COMMANDS if c.who is Who.MANAGER}
    assert his == {verb for _, verb, _ in ACTS if verb not in ("OUI", "NON")} | OF_HIS_OWN_ACCORD


@pytest.mark.parametrize(
    "kind", ["arbitration.opened", "application.received", "complaint.received", "mail.unhandled"]
)
def test_what_is_settled_in_one_step_has_a_reply_address_of_its_own(kind: str) -> None:
    """TRUST § 3: every such mail bears a token."""
    assert all(one.mail.token is not None for one in told() if one.mail.kind == kind)


def test_help_lists_a_managers_commands_to_him_and_to_nobody_else(club: Scene) -> None:
    """AIDE."""
    his = [c for c in COMMANDS if c.who is Who.MANAGER and c.need is not Need.ANSWER]
    shown = {}
    for who in ("anna", "bela"):
        club.write(who, "AIDE")
        shown[who] = plain(text_part(club.latest("answer", who)))
    for command in his:
        assert command.verb.form in shown["anna"]
        assert command.verb.form not in shown["bela"]
