"""The verbs of the club's language: what may be written, in which forms.

Half of the table of commands: `catalogue.py` joins each verb with who may use it and what it does.
It stands apart so that reading a mail needs no handler.
"""

from __future__ import annotations

from parsers.grammar import Argument, Grammar, Kind, Verb

GAME = Argument("game", Kind.GAME, ("partie", "game", "spiel", "partita"), required=True)
GAME_IF_KNOWN = Argument("game", Kind.GAME, ("partie", "game", "spiel", "partita"))
BUYIN = Argument("buyin_cents", Kind.AMOUNT, ("buyin", "buy-in", "mise", "cave", "einsatz", "posta"))
PLAYERS = Argument(
    "players",
    Kind.HANDLES,
    ("joueurs", "joueur", "players", "player", "avec", "with", "spieler", "mit", "giocatori", "con"),
    positional=False,
)
PLACES = Argument("places", Kind.PLACES)
TO = Argument("to", Kind.HANDLE, ("à", "a", "pour", "to", "an", "per"), positional=False, required=True)
NOTE = Argument("note", Kind.TEXT, ("note", "motif", "objet", "memo", "notiz", "nota"), positional=False)
REASON = Argument(
    "reason", Kind.TEXT, ("motif", "raison", "reason", "grund", "motivo", "parce que", "car"), required=True
)
MEMBER = Argument("member", Kind.HANDLE, ("membre", "member", "mitglied", "membro"), required=True)

VERBS: tuple[Verb, ...] = (
    # games and results
    Verb(
        "PARTIE", ("GAME", "SPIEL", "PARTITA"), (BUYIN, PLAYERS, PLACES), "PARTIE buyin=2 joueurs=anna,bela"
    ),
    Verb(
        "MODIFIE",
        ("MODIFIER", "MODIFY", "CHANGE", "AENDERE", "ANDERE", "MODIFICA"),
        (
            GAME,
            BUYIN,
            Argument("add", Kind.ADDED, ("ajoute", "add")),
            Argument("remove", Kind.REMOVED, ("enleve", "remove")),
            PLAYERS,
        ),
        "MODIFIE 12 buyin=5 +carl -bela",
        one_of=("buyin_cents", "add", "remove", "players"),
    ),
    Verb("ANNULE", ("ANNULER", "CANCEL", "ABSAGE", "ANNULLA"), (GAME,), "ANNULE 12"),
    Verb(
        "RESULTAT",
        ("RESULTATS", "RESULT", "RESULTS", "ERGEBNIS", "RISULTATO"),
        (GAME_IF_KNOWN, Argument("places", Kind.PLACES, required=True)),
        "RESULTAT 12 1=anna 2=bela",
    ),
    # disputes and arbitration
    Verb(
        "CONTESTE",
        ("CONTESTER", "DISPUTE", "EINSPRUCH", "CONTESTA"),
        (GAME_IF_KNOWN, REASON),
        "CONTESTE 12 le motif de la contestation",
    ),
    Verb("RETIRE", ("RETIRER", "WITHDRAW", "ZURUECKZIEHEN", "RITIRA"), (GAME,), "RETIRE 12"),
    Verb(
        "ACCEPTE",
        ("ACCEPT", "ANNEHMEN", "ACCETTA"),
        (GAME_IF_KNOWN, REASON),
        "ACCEPTE 12 le motif",
        "arbitration",
    ),
    Verb(
        "REJETTE",
        ("REJECT", "ABLEHNEN", "RESPINGE"),
        (GAME_IF_KNOWN, REASON),
        "REJETTE 12 le motif",
        "arbitration",
    ),
    # transfers and the account
    Verb(
        "VIREMENT",
        ("VIRE", "VIRER", "TRANSFER", "UEBERWEISUNG", "UBERWEISUNG", "BONIFICO", "TRASFERIMENTO"),
        (Argument("amount_cents", Kind.AMOUNT, required=True), TO, NOTE),
        "VIREMENT 15 à carl",
    ),
    Verb(
        "COMPTE",
        ("ACCOUNT", "BALANCE", "KONTO", "CONTO"),
        (
            Argument("since", Kind.DATE, ("depuis", "since", "seit", "dal"), positional=False),
            Argument("until", Kind.DATE, ("jusque", "jusqu'au", "until", "bis", "al"), positional=False),
        ),
        "COMPTE depuis=2026-01-01",
    ),
    Verb("BANQUIERS", ("BANQUIER", "BANKERS", "BANKIERS", "BANCHIERI"), (), "BANQUIERS"),
    Verb("JOUEURS", ("MEMBRES", "PLAYERS", "SPIELER", "GIOCATORI"), (), "JOUEURS"),
    Verb("PARTIES", ("GAMES", "SPIELE", "PARTITE"), (), "PARTIES"),
    Verb(
        "HISTORIQUE",
        ("HISTORY", "VERLAUF", "STORICO"),
        (
            GAME_IF_KNOWN,
            Argument("since", Kind.DATE, ("depuis", "since", "seit", "dal"), positional=False),
        ),
        "HISTORIQUE depuis=2026-01-01",
    ),
    Verb("POURQUOI", ("WHY", "WARUM", "PERCHE"), (GAME,), "POURQUOI 12"),
    # help and proof
    Verb(
        "AIDE",
        ("HELP", "HILFE", "AIUTO"),
        (Argument("topic", Kind.WORD),),
        "AIDE VIREMENT",
    ),
    Verb("REGLEMENT", ("RULES", "REGELN", "REGOLAMENTO"), (), "REGLEMENT"),
    Verb("JETON", ("TOKEN",), (), "JETON"),
    Verb("FIN", ("END", "ENDE", "FINE"), (), "FIN"),
    Verb(
        "OUI",
        ("CONFIRME", "YES", "OK", "JA", "SI", "D'ACCORD"),
        (),
        "OUI",
        "confirm",
    ),
    Verb("NON", ("NO", "NEIN"), (), "NON", "confirm"),
    # coming and going
    Verb(
        "INVITE",
        ("INVITER", "EINLADEN", "INVITA"),
        (MEMBER, Argument("address", Kind.ADDRESS, required=True)),
        "INVITE dora dora@example.org",
    ),
    Verb("ADHERE", ("J'ACCEPTE", "JACCEPTE", "ADHESION", "JOIN"), (), "J'ACCEPTE"),
    Verb("QUITTE", ("QUITTER", "LEAVE", "AUSTRITT", "LASCIA"), (), "QUITTE"),
    Verb(
        "PLAINTE",
        ("COMPLAINT", "BESCHWERDE", "RECLAMO"),
        (MEMBER, REASON),
        "PLAINTE bela le motif de la plainte",
    ),
    # the manager
    Verb("BANNIT", ("BANNIR", "BAN", "SPERRE", "BANDISCE"), (MEMBER, REASON), "BANNIT bela le motif"),
    Verb("RETABLIT", ("RETABLIR", "REINSTATE", "WIEDERAUFNEHMEN", "REINTEGRA"), (MEMBER,), "RETABLIT bela"),
    Verb("SOLIDARITE", ("SOLIDARITY", "SOLIDARITAET", "SOLIDARIETA"), (MEMBER,), "SOLIDARITE bela"),
    Verb(
        "INJONCTION",
        ("INJUNCTION", "ANORDNUNG", "INGIUNZIONE"),
        (MEMBER, Argument("amounts", Kind.AMOUNTS)),
        "INJONCTION bela anna=20 carl=12,50",
    ),
    Verb(
        "ANNONCE",
        ("ANNOUNCE", "MITTEILUNG", "ANNUNCIO"),
        (Argument("text", Kind.TEXT, required=True),),
        "ANNONCE le texte à envoyer à tous",
    ),
    Verb(
        "REGLE",
        ("AMEND",),
        (
            Argument("settings", Kind.SETTINGS, required=True),
            Argument("reason", Kind.TEXT, ("motif", "raison", "reason"), positional=False, required=True),
        ),
        "REGLE seuil=60 motif=le motif du changement",
    ),
)

GRAMMAR = Grammar(VERBS)
