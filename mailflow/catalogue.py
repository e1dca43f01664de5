"""The table of commands: what may be written, who may, what proof it needs, and what it does.

The parser's grammar, AIDE, the command page of the docs and the property tests are derived from it. A new
command is a row here, a handler in its chapter, and a template `answer.<VERB>.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import TypeAlias

from mailflow.handlers import (
    accounts,
    arbitration,
    bans,
    digest,
    disputes,
    games,
    identity,
    inactivity,
    papers,
    regulation,
    results,
    solidarity,
    transfers,
)
from mailflow.model import Club, Outcome, Request
from mailflow.sentences import own_sentences
from parsers.grammar import Argument, Grammar, Kind, Verb

Handler: TypeAlias = Callable[[Request, Club], Outcome]


class Need(Enum):
    """The class of a command: what proof it needs (TRUST § 2)."""

    READ = "read"
    """A registered sender: the answer goes to the registered address only."""
    ACT = "act"
    """A session, the reply address of a mail that offers it, or an OUI to what was shown."""
    MANAGE = "manage"
    """A preview and its own OUI each time, session or not; or the reply address of a mail that offers it."""
    IDENTITY = "identity"
    """An OUI of the old and of the new address, or of both people, and a wait; its handler asks for them."""
    ANSWER = "answer"
    """An answer to something we asked: the desk itself takes it up."""


class Who(Enum):
    MEMBER = "member"
    """Active members."""
    ANYBODY = "anybody"
    """Active and banned members (R-BAN-3)."""
    MANAGER = "manager"
    NEWCOMER = "newcomer"
    """Somebody who is no member yet, or no more."""


@dataclass(frozen=True)
class Command:
    """One row. `verb`: its forms and arguments, the canonical one in French, other languages beside it.

    `rule`: the number cited when somebody else than `who` writes it. `handler` is None for what the desk
    takes up itself. What it does is told by `help` in `shared.md` of each language.
    """

    verb: Verb
    need: Need
    who: Who
    rule: str
    handler: Handler | None

    @property
    def name(self) -> str:
        return self.verb.name


GAME = Argument("game", Kind.GAME, ("partie", "game", "spiel", "partita"), required=True)
MY_GAME = Argument("game", Kind.GAME, (*GAME.names, "contestation", "dispute", "einspruch"), required=True)
GAME_IF_TOLD = Argument("game", Kind.GAME, GAME.names)
MAIL_NAMES = ("mail", "courriel", "message")
BUYIN = Argument("buyin_cents", Kind.AMOUNT, ("buyin", "buy-in", "mise", "cave", "einsatz", "posta"))
PLAYERS = Argument(
    "players",
    Kind.HANDLES,
    ("joueurs", "joueur", "players", "player", "avec", "with", "spieler", "mit", "giocatori", "con"),
    positional=False,
)
PLACES = Argument("places", Kind.PLACES)
REASON = Argument(
    "reason", Kind.TEXT, ("motif", "raison", "reason", "grund", "motivo", "parce que", "car"), required=True
)
MEMBER = Argument(
    "member",
    Kind.HANDLE,
    ("membre", "member", "mitglied", "membro", "contre", "against", "gegen", "contro"),
    required=True,
)
SINCE = Argument("since", Kind.DATE, ("depuis", "since", "seit", "dal"), positional=False)
UNTIL = Argument("until", Kind.DATE, ("jusque", "jusqu'au", "until", "bis", "al"), positional=False)
FORM = Argument("form", Kind.WORD, choices=("PDF", "CSV"))

COMMANDS: tuple[Command, ...] = (
    # games
    Command(
        Verb(
            "PARTIE",
            ("GAME", "SPIEL", "PARTITA"),
            (BUYIN, PLAYERS, PLACES),
            "PARTIE buyin=2 joueurs=anna,bela",
            one_of=("players",),
        ),
        Need.ACT, Who.MEMBER, "R-GAME-2", games.create,
    ),
    Command(
        Verb(
            "MODIFIE",
            ("MODIFIER", "MODIFY", "CHANGE", "AENDERE", "AENDERN", "ANDERE", "ANDERN", "MODIFICA"),
            (
                GAME,
                BUYIN,
                Argument("add", Kind.ADDED, ("ajoute", "ajouter", "add", "aggiungi")),
                Argument(
                    "remove",
                    Kind.REMOVED,
                    ("enleve", "enlever", "retire", "retirer", "remove", "entferne", "togli"),
                ),
                PLAYERS,
            ),
            "MODIFIE 12 buyin=5 +carl -bela",
            one_of=("buyin_cents", "add", "remove", "players"),
        ),
        Need.ACT, Who.MEMBER, "R-GAME-5", games.change,
    ),
    Command(
        Verb(
            "ANNULE",
            ("ANNULER", "CANCEL", "ABSAGE", "ABSAGEN", "STORNIERE", "STORNIEREN", "ANNULLA"),
            (GAME,),
            "ANNULE 12",
        ),
        Need.ACT, Who.MEMBER, "R-GAME-7", games.cancel,
    ),
    Command(
        Verb(
            "RESULTAT",
            ("RESULTATS", "RESULT", "RESULTS", "ERGEBNIS", "RISULTATO"),
            (GAME_IF_TOLD, Argument("places", Kind.PLACES, required=True)),
            "RESULTAT 12 1=anna 2=bela",
        ),
        Need.ACT, Who.MEMBER, "R-RES-1", results.record,
    ),
    # disputes
    Command(
        Verb(
            "CONTESTE",
            ("CONTESTER", "DISPUTE", "EINSPRUCH", "CONTESTA"),
            (GAME_IF_TOLD, REASON),
            "CONTESTE 12 le motif de la contestation",
        ),
        Need.ACT, Who.MEMBER, "R-DIS-1", disputes.file,
    ),
    Command(
        Verb(
            "RETIRE",
            ("RETIRER", "WITHDRAW", "ZURUECKZIEHEN", "ZURUCKZIEHEN", "RITIRA"),
            (MY_GAME,),
            "RETIRE 12",
        ),
        Need.ACT, Who.MEMBER, "R-DIS-2", disputes.withdraw,
    ),
    # the account
    Command(
        Verb(
            "VIREMENT",
            (
                "VIRE", "VIRER", "TRANSFER", "UEBERWEISUNG", "UBERWEISUNG", "UEBERWEISE", "UBERWEISE",
                "UEBERWEISEN", "UBERWEISEN", "BONIFICO", "TRASFERIMENTO", "TRASFERISCI",
            ),
            (
                Argument(
                    "amount_cents", Kind.AMOUNT, ("montant", "amount", "betrag", "importo"), required=True
                ),
                Argument("to", Kind.HANDLE, ("à", "a", "pour", "to", "an", "per"), False, required=True),
                Argument("note", Kind.TEXT, ("note", "motif", "objet", "memo", "notiz", "nota"), False),
            ),
            "VIREMENT 15 à carl",
        ),
        Need.ACT, Who.MEMBER, "R-TRA-1", transfers.transfer,
    ),
    Command(
        Verb(
            "COMPTE",
            ("ACCOUNT", "BALANCE", "KONTO", "CONTO"),
            (SINCE, UNTIL, FORM),
            "COMPTE depuis=2026-01-01",
        ),
        Need.READ, Who.ANYBODY, "R-BAN-3", accounts.statement,
    ),
    Command(
        Verb("BANQUIERS", ("BANQUIER", "BANKERS", "BANKIERS", "BANCHIERI"), (), "BANQUIERS"),
        Need.READ, Who.MEMBER, "R-TRA-5", transfers.bankers,
    ),
    Command(
        Verb("QUITTE", ("QUITTER", "LEAVE", "AUSTRITT", "LASCIA"), (), "QUITTE"),
        Need.ACT, Who.MEMBER, "R-ACC-6", accounts.leave,
    ),
    Command(
        Verb(
            "ADRESSE",
            ("ADRESSES", "ADDRESS", "ADDRESSES", "EMAIL", "INDIRIZZO"),
            (
                Argument("add", Kind.ADDED_ADDRESS),
                Argument("remove", Kind.REMOVED_ADDRESS),
                Argument("primary", Kind.ADDRESS, ("principale", "principal", "primary", "haupt"), False),
            ),
            "ADRESSE +nouvelle@example.org",
        ),
        Need.IDENTITY, Who.MEMBER, "R-SEC-1", identity.address,
    ),
    Command(
        Verb(
            "LANGUE",
            ("LANGUAGE", "SPRACHE", "LINGUA"),
            (Argument("language", Kind.WORD, required=True),),
            "LANGUE fr",
        ),
        Need.ACT, Who.MEMBER, "R-SEC-2", identity.language,
    ),
    Command(
        Verb(
            "BILAN",
            ("DIGEST", "WOCHENBERICHT", "RIEPILOGO"),
            (Argument("wanted", Kind.WORD, required=True),),
            "BILAN non",
        ),
        Need.ACT, Who.MEMBER, "R-BAN-3", digest.wanted,
    ),
    # looking up
    Command(
        Verb("JOUEURS", ("MEMBRES", "PLAYERS", "SPIELER", "GIOCATORI"), (), "JOUEURS"),
        Need.READ, Who.MEMBER, "R-BAN-3", accounts.players,
    ),
    Command(
        Verb("PARTIES", ("GAMES", "SPIELE", "PARTITE"), (), "PARTIES"),
        Need.READ, Who.MEMBER, "R-BAN-3", games.current,
    ),
    Command(
        Verb(
            "HISTORIQUE",
            ("HISTORY", "VERLAUF", "STORICO"),
            (GAME_IF_TOLD, SINCE),
            "HISTORIQUE depuis=2026-01-01",
        ),
        Need.READ, Who.ANYBODY, "R-BAN-3", games.history,
    ),
    Command(
        Verb(
            "POURQUOI",
            ("WHY", "WARUM", "PERCHE"),
            (GAME_IF_TOLD, Argument("mail", Kind.GAME, MAIL_NAMES, positional=False)),
            "POURQUOI 12",
        ),
        Need.READ, Who.ANYBODY, "R-BAN-3", games.why,
    ),
    Command(
        Verb("REGLEMENT", ("RULES", "REGELN", "REGOLAMENTO"), (), "REGLEMENT"),
        Need.READ, Who.ANYBODY, "R-BAN-3", regulation.rulebook,
    ),
    Command(
        Verb("AIDE", ("HELP", "HILFE", "AIUTO"), (Argument("topic", Kind.WORD),), "AIDE VIREMENT"),
        Need.READ, Who.ANYBODY, "R-BAN-3", regulation.explain,
    ),
    Command(
        Verb(
            "PLAINTE",
            ("COMPLAINT", "BESCHWERDE", "RECLAMO"),
            (MEMBER, REASON),
            "PLAINTE bela le motif de la plainte",
        ),
        Need.ACT, Who.ANYBODY, "R-REG-2", regulation.complain,
    ),
    # proof
    Command(
        Verb("OUI", ("CONFIRME", "YES", "OK", "JA", "SI", "D'ACCORD"), (), "OUI", reply="confirm"),
        Need.ANSWER, Who.MEMBER, "R-SEC-1", None,
    ),
    Command(
        Verb("NON", ("NO", "NEIN"), (), "NON", reply="confirm"),
        Need.ANSWER, Who.MEMBER, "R-SEC-1", None,
    ),
    Command(
        Verb("JETON", ("TOKEN",), (), "JETON"),
        Need.ANSWER, Who.MEMBER, "R-SEC-1", None,
    ),
    Command(
        Verb("FIN", ("END", "ENDE", "FINE"), (), "FIN"),
        Need.ANSWER, Who.MEMBER, "R-SEC-1", None,
    ),
    Command(
        Verb("ADHERE", ("J'ACCEPTE", "JACCEPTE", "JOIN", "ZUSAGE", "ACCETTO"), (), "J'ACCEPTE"),
        Need.ANSWER, Who.NEWCOMER, "R-ACC-3", None,
    ),
    Command(
        Verb("ADHESION", ("CANDIDATURE", "MEMBERSHIP", "BEITRITT", "ADESIONE"), (MEMBER,), "ADHESION dora"),
        Need.ANSWER, Who.NEWCOMER, "R-ACC-3", None,
    ),
    Command(
        Verb("OUBLIE", ("OUBLIEZ-MOI", "FORGET-ME", "VERGESST-MICH", "DIMENTICATEMI"), (), "OUBLIEZ-MOI"),
        Need.ACT, Who.NEWCOMER, "R-ACC-6", accounts.forget_first_leave,
    ),
    # the manager
    Command(
        Verb(
            "ACCEPTE",
            ("ACCEPT", "ANNEHMEN", "ACCETTA"),
            (GAME_IF_TOLD, REASON),
            "ACCEPTE 12 le motif",
            reply="arbitration",
        ),
        Need.MANAGE, Who.MANAGER, "R-ARB-1", arbitration.accept,
    ),
    Command(
        Verb(
            "REJETTE",
            ("REJECT", "ABLEHNEN", "RESPINGE"),
            (GAME_IF_TOLD, REASON),
            "REJETTE 12 le motif",
            reply="arbitration",
        ),
        Need.MANAGE, Who.MANAGER, "R-ARB-1", arbitration.reject,
    ),
    Command(
        Verb(
            "CLASSE",
            ("CLASSER", "SETASIDE", "ABLEGEN", "ARCHIVIA"),
            (
                Argument(
                    "complaint",
                    Kind.GAME,
                    ("plainte", "complaint", "beschwerde", "reclamo"),
                    positional=False,
                ),
                Argument("mail", Kind.GAME, MAIL_NAMES, positional=False),
                Argument(
                    "application",
                    Kind.GAME,
                    ("candidature", "application", "bewerbung", "candidatura"),
                    positional=False,
                ),
            ),
            "CLASSE plainte 3",
            one_of=("complaint", "mail", "application"),
        ),
        Need.MANAGE, Who.MANAGER, "R-REG-2", papers.file_away,
    ),
    Command(
        Verb(
            "REFAIRE",
            ("REFAIT", "REDO", "WIEDERHOLE", "WIEDERHOLEN", "RIFAI"),
            (
                Argument("mail", Kind.GAME, MAIL_NAMES, required=True),
                Argument(
                    "command",
                    Kind.COMMAND,
                    ("commande", "command", "befehl", "comando"),
                    required=True,
                ),
            ),
            "REFAIRE 35 VIREMENT 15 à carl",
        ),
        Need.MANAGE, Who.MANAGER, "R-SEC-1", papers.redo,
    ),
    Command(
        Verb("BANNIT", ("BANNIR", "BAN", "SPERRE", "BANDISCE"), (MEMBER, REASON), "BANNIT bela le motif"),
        Need.MANAGE, Who.MANAGER, "R-BAN-1", bans.ban,
    ),
    Command(
        Verb(
            "RETABLIT",
            ("RETABLIR", "REINSTATE", "WIEDERAUFNEHMEN", "REINTEGRA"),
            (MEMBER,),
            "RETABLIT bela",
        ),
        Need.MANAGE, Who.MANAGER, "R-BAN-4", bans.reinstate,
    ),
    Command(
        Verb(
            "SOLIDARITE",
            ("SOLIDARITY", "SOLIDARITAET", "SOLIDARITAT", "SOLIDARIETA"),
            (MEMBER,),
            "SOLIDARITE bela",
        ),
        Need.MANAGE, Who.MANAGER, "R-SOL-1", solidarity.levy,
    ),
    Command(
        Verb(
            "INJONCTION",
            ("INJUNCTION", "ANORDNUNG", "INGIUNZIONE"),
            (MEMBER, Argument("amounts", Kind.AMOUNTS)),
            "INJONCTION bela anna=20 carl=12,50",
        ),
        Need.MANAGE, Who.MANAGER, "R-INA-4", inactivity.order,
    ),
    Command(
        Verb(
            "INVITE",
            ("INVITER", "EINLADEN", "INVITA"),
            (MEMBER, Argument("address", Kind.ADDRESS, ("à", "adresse", "address", "mail"), required=True)),
            "INVITE dora dora@example.org",
        ),
        Need.MANAGE, Who.MANAGER, "R-ACC-3", accounts.invite,
    ),
    Command(
        Verb(
            "TRANSMET",
            ("TRANSMETTRE", "HANDOVER", "UEBERGIBT", "UBERGIBT", "CEDE"),
            (MEMBER,),
            "TRANSMET carl",
        ),
        Need.IDENTITY, Who.MANAGER, "R-SEC-1", identity.hand_over,
    ),
    Command(
        Verb("NOMME", ("NOMMER", "APPOINT", "ERNENNT", "NOMINA"), (MEMBER,), "NOMME carl"),
        Need.IDENTITY, Who.MANAGER, "R-SEC-1", identity.appoint,
    ),
    Command(
        Verb(
            "ANNONCE",
            ("ANNOUNCE", "MITTEILUNG", "ANNUNCIO"),
            (Argument("text", Kind.LETTER, required=True),),
            "ANNONCE le texte à envoyer à tous",
        ),
        Need.MANAGE, Who.MANAGER, "R-REG-1", regulation.announce,
    ),
    Command(
        Verb(
            "REGLE",
            ("AMEND",),
            (
                Argument("settings", Kind.SETTINGS, required=True),
                Argument("reason", Kind.TEXT, ("motif", "raison", "reason"), False, required=True),
            ),
            "REGLE seuil=60 motif=le motif du changement",
        ),
        Need.MANAGE, Who.MANAGER, "R-REG-1", regulation.amend,
    ),
)  # fmt: skip

BY_NAME: dict[str, Command] = {c.name: c for c in COMMANDS}
GRAMMAR = Grammar(
    tuple(c.verb for c in COMMANDS),
    sentences=own_sentences(c.name for c in COMMANDS),
)


@lru_cache(maxsize=16)
def grammar_of(currency: str) -> Grammar:
    """The grammar of a club that counts in this currency (ISO 4217)."""
    return GRAMMAR if currency == GRAMMAR.currency else replace(GRAMMAR, currency=currency)
