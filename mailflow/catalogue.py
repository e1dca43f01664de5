"""The table of commands: for each verb who may use it, what proof it needs, and what it does.

Parsing, AIDE, the command page of the docs and the property tests are derived from it. A new command
is a verb in `verbs.py`, a row here, a handler, and a template `answer.<VERB>.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from mailflow.handlers import (
    accounts,
    arbitration,
    bans,
    disputes,
    games,
    inactivity,
    regulation,
    results,
    solidarity,
    transfers,
)
from mailflow.model import Club, Outcome, Request
from mailflow.verbs import VERBS
from parsers.grammar import Verb

Handler: TypeAlias = Callable[[Request, Club], Outcome]


class Need(Enum):
    """The class of a command: what proof it needs (TRUST § 2)."""

    READ = "read"
    """A registered sender: the answer goes to the registered address only."""
    ACT = "act"
    """Fresh proof of the mailbox, or an OUI to what was shown."""
    MANAGE = "manage"
    """A preview and its own OUI each time."""
    ANSWER = "answer"
    """An answer to something we asked: the desk itself takes it up."""


class Who(Enum):
    MEMBER = "member"
    """Active members."""
    ANYBODY = "anybody"
    """Active and banned members (R-BAN-3)."""
    MANAGER = "manager"
    NEWCOMER = "newcomer"
    """Somebody who was invited."""


@dataclass(frozen=True)
class Command:
    """One row. `rule`: the number cited when somebody else than `who` writes it.

    `handler` is None for what the desk takes up itself. `help`: one line, in French like the verbs.
    """

    verb: Verb
    need: Need
    who: Who
    rule: str
    handler: Handler | None
    help: str

    @property
    def name(self) -> str:
        return self.verb.name


_verb = {v.name: v for v in VERBS}


def _row(name: str, need: Need, who: Who, rule: str, handler: Handler | None, help: str) -> Command:
    return Command(_verb[name], need, who, rule, handler, help)


COMMANDS: tuple[Command, ...] = (
    # games
    _row("PARTIE", Need.ACT, Who.MEMBER, "R-GAME-2", games.create,
         "Crée une partie ; avec 1=… 2=…, elle naît avec son résultat."),
    _row("MODIFIE", Need.ACT, Who.MEMBER, "R-GAME-5", games.change,
         "Change la mise ou les joueurs de ta partie en cours."),
    _row("ANNULE", Need.ACT, Who.MEMBER, "R-GAME-7", games.cancel, "Annule ta partie en cours."),
    _row("RESULTAT", Need.ACT, Who.MEMBER, "R-RES-1", results.record,
         "Enregistre le résultat de ta partie (sans numéro : celle créée juste au-dessus)."),
    # disputes
    _row("CONTESTE", Need.ACT, Who.MEMBER, "R-DIS-1", disputes.file,
         "Conteste un résultat, ou remplace le motif de ta contestation."),
    _row("RETIRE", Need.ACT, Who.MEMBER, "R-DIS-2", disputes.withdraw, "Retire ta contestation."),
    # the account
    _row("VIREMENT", Need.ACT, Who.MEMBER, "R-TRA-1", transfers.transfer,
         "Vire une somme à un autre membre qui t'a réglé hors du club."),
    _row("COMPTE", Need.READ, Who.ANYBODY, "R-BAN-3", accounts.statement,
         "Montre ton relevé : opérations, solde, engagé, disponible."),
    _row("BANQUIERS", Need.READ, Who.MEMBER, "R-TRA-5", transfers.bankers,
         "Montre qui peut te virer du crédit, et jusqu'à combien."),
    _row("QUITTE", Need.ACT, Who.MEMBER, "R-ACC-6", accounts.leave, "Ferme ton compte et quitte le club."),
    # looking up
    _row("JOUEURS", Need.READ, Who.MEMBER, "R-BAN-3", accounts.players,
         "Montre les membres et qui peut jouer."),
    _row("PARTIES", Need.READ, Who.MEMBER, "R-BAN-3", games.current,
         "Montre les parties qui ne sont pas closes."),
    _row("HISTORIQUE", Need.READ, Who.ANYBODY, "R-BAN-3", games.history, "Montre tes parties."),
    _row("POURQUOI", Need.READ, Who.ANYBODY, "R-BAN-3", games.why,
         "Raconte une partie pas à pas : qui a fait quoi, les écritures, la suite."),
    _row("REGLEMENT", Need.READ, Who.ANYBODY, "R-BAN-3", regulation.rulebook,
         "Montre le règlement et ses chiffres."),
    _row("AIDE", Need.READ, Who.ANYBODY, "R-BAN-3", regulation.explain, "Montre cette aide."),
    _row("PLAINTE", Need.ACT, Who.ANYBODY, "R-REG-2", regulation.complain,
         "Adresse au gestionnaire seul une plainte sur un membre."),
    # proof
    _row("OUI", Need.ANSWER, Who.MEMBER, "R-SEC-1", None, "Confirme ce que le club vient de te montrer."),
    _row("NON", Need.ANSWER, Who.MEMBER, "R-SEC-1", None, "Renonce à ce que le club vient de te montrer."),
    _row("JETON", Need.ANSWER, Who.MEMBER, "R-SEC-1", None, "Renvoie la confirmation qui t'attend."),
    _row("FIN", Need.ANSWER, Who.MEMBER, "R-SEC-1", None, "Annule toutes les confirmations qui t'attendent."),
    _row("ADHERE", Need.ANSWER, Who.NEWCOMER, "R-ACC-3", None, "Accepte une invitation et ouvre le compte."),
    # the manager
    _row("ACCEPTE", Need.ACT, Who.MANAGER, "R-ARB-1", arbitration.accept,
         "Donne raison aux contestations : le résultat est repris."),
    _row("REJETTE", Need.ACT, Who.MANAGER, "R-ARB-1", arbitration.reject,
         "Rejette les contestations : le résultat est définitif."),
    _row("BANNIT", Need.MANAGE, Who.MANAGER, "R-BAN-1", bans.ban, "Bannit un membre."),
    _row("RETABLIT", Need.MANAGE, Who.MANAGER, "R-BAN-4", bans.reinstate, "Rétablit un membre banni."),
    _row("SOLIDARITE", Need.MANAGE, Who.MANAGER, "R-SOL-1", solidarity.levy,
         "Répartit sur le club la dette d'un membre banni."),
    _row("INJONCTION", Need.MANAGE, Who.MANAGER, "R-INA-4", inactivity.order,
         "Lance une proposition de règlement d'un compte inactif, telle quelle ou avec tes montants."),
    _row("INVITE", Need.MANAGE, Who.MANAGER, "R-ACC-3", accounts.invite,
         "Invite quelqu'un à rejoindre le club."),
    _row("ANNONCE", Need.MANAGE, Who.MANAGER, "R-REG-1", regulation.announce, "Écrit à tous les membres."),
    _row("REGLE", Need.MANAGE, Who.MANAGER, "R-REG-1", regulation.amend,
         "Change un chiffre du règlement ; tous sont prévenus."),
)  # fmt: skip

BY_NAME: dict[str, Command] = {c.name: c for c in COMMANDS}
