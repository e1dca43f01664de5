"""Lives of a club in which every kind of mail is sent, played through the desk that serves real mails.

A line: the day, who writes, and the mail's words. `anna/confirm` answers the latest mail of that kind to
anna; a full stop is an empty mail. The tests of the templates play these lives too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mailflow import intake
from mailflow.compose import compose
from mailflow.founding import Founder
from mailflow.identify import Trust
from mailflow.replay import CLUB_ADDRESS, Event, Scenario, Stage
from mailflow.rulebook import shipped
from mailflow.settings import Charter
from store import delivery, outbox
from store.database import unit_of_work
from store.records import Fault, OutboxMail

START = datetime.fromisoformat("2026-01-05T09:00:00+01:00")
MEMBERS = ("anna", "bela", "carl", "dora")
"""anna manages."""
LOST = 3
"""So many of bela's mails never arrive."""
NEWCOMERS = ("emil", "fred", "gina")


@dataclass(frozen=True)
class Life:
    """`days`: how long it goes on; `rulebook`: what differs from the friends' one."""

    text: str
    days: int
    rulebook: Mapping[str, int] = field(default_factory=dict)
    trust: Trust = Trust.EVERYBODY


SEASON = Life(
    """
0 anna    PARTIE buyin=2 joueurs=bela,carl,dora
0 bela    AIDE
0 bela    AIDE VIREMENT
0 anna    AIDE
0 bela    REGLEMENT
0 bela    COMPTE
0 bela    JOUEURS
0 bela    PARTIES
0 bela    BANQUIERS
0 anna    MODIFIE 1 buyin=5 -dora
0 anna    RESULTAT 1 1=bela
1 carl/game.result CONTESTE c'est moi qui ai gagné la dernière main, bela était déjà sorti
1 carl    CONTESTE 1 le classement est inversé : j'ai fini premier, bela deuxième
1 carl    RETIRE 1
1 carl    CONTESTE 1 après vérification, la feuille me donne bien premier
1 bela    COMPTE
1 bela    HISTORIQUE
1 bela    POURQUOI 1
1 bela    HISTORIQUE 1
1 bela    SIMULE PARTIE buyin=1 joueurs=carl
1 bela    SIMULE VIREMENT 500 à carl
1 bela    VIREMENT 15 à carl motif=merci
1 bela    VIREMENT 4 à carl motif=merci pour les pizzas de mardi
1 bela    VIREMENT 0,50 à karl
1 bela    VIREMENT 15,505 à carl
1 bela    bonjour tout le monde
1 bela    Merci pour la soirée
1 bela    .
2 dora    PARTIE joueurs=bela
2 dora    ANNULE 2
2 dora    PARTIE buyin=10 joueurs=bela,carl 1=dora
2 dora    PARTIE buyin=3 joueurs=bela,carl
2 dora    PLAINTE carl il annonce ses cartes à voix haute pendant les mains des autres
2 dora    OUI
2 dora    NON
2 dora    JETON
2 dora    FIN
3 carl    CONTESTE 3 je n'ai pas perdu, nous avions arrêté la partie avant la fin
3 dora    RESULTAT 4 1=dora
3 carl    CONTESTE 4 la mise était de 2 €, pas de 3 €
9 anna/arbitration.opened ACCEPTE 1 erreur de saisie, la feuille de la table le montre
9 anna    RESULTAT 1 1=carl
9 bela    CONTESTE 1 la feuille de la table n'est pas signée
9 bela    POURQUOI 1
9 anna    POURQUOI mail 3
11 anna   REJETTE 3 les deux autres joueurs confirment que la partie est allée au bout
12 anna   ACCEPTE 4 la mise était bien de 2 €
18 anna   REJETTE 1 la feuille fait foi
18 bela   POURQUOI 1
19 anna   INVITE emil emil@example.org
19 emil   J'ACCEPTE
19 anna   ANNONCE Rendez-vous vendredi à 20 h chez carl.
19 anna   REGLE seuil=60 delai=10 motif=plus de prudence, et le temps de relire les résultats
19 emil   LANGUE {language}
19 emil   OUBLIEZ-MOI
19 emil   QUITTE
19 fred   ADHESION compte
19 gina   ADHESION gina
19 anna/application.received OUI
19 anna/application.received OUI
19 carl   ADRESSE
19 carl   ADRESSE +carl2@example.org
19 carl/confirm OUI
19 carl   ADRESSE
19 anna   TRANSMET dora
19 anna/confirm OUI
20 dora/identity.asked NON
20 anna   NOMME dora
20 anna/confirm OUI
20 dora/identity.asked OUI
20 dora/identity.asked OUI
20 dora   VIREMENT 5 à bela
20 anna   BANNIT bela doit de l'argent depuis l'été et ne répond plus
20 bela   COMPTE
20 anna   SOLIDARITE bela
20 anna   JETON
20 anna/confirm OUI
20 anna   OUI
20 anna   RETABLIT bela
20 anna   NON
20 anna   RETABLIT bela
20 anna/confirm OUI
""",
    days=40,
)
ROUGH_YEARS = Life(
    """
0 anna    PARTIE buyin=10 joueurs=bela 1=anna
0 anna    PARTIE buyin=10 joueurs=bela 1=anna
1 anna    PARTIE buyin=10 joueurs=bela 1=anna
1 bela    COMPTE pdf
1 bela    BANQUIERS
1 bela    BILAN non
8 bela    BILAN oui
9 anna    PARTIE buyin=10 joueurs=bela 1=anna
11 bela   COMPTE
500 anna  INJONCTION bela
501 bela  COMPTE
501 anna  COMPTE
501 bela  QUITTE
560 anna  AIDE
""",
    days=600,
    rulebook={"initial_credit_cents": 4500, "reserve_threshold_cents": 1200},
)
EVENING = Life(
    """
0 dora    VIREMENT 12,50 à bela
0 anna    PARTIE buyin=2 joueurs=bela,carl,dora
0 anna/confirm OUI
0 anna    RESULTAT 1 1=bela 2=anna
0 anna/confirm OUI
1 bela    VIREMENT 5 à carl motif=pour les pizzas
1 bela/confirm oui, mais
1 bela/confirm NON
2 carl    PARTIE buyin=5 joueurs=anna,dora 1=dora
4 carl/confirm OUI
""",
    days=4,
    trust=Trust.CONFIRM,
)
ASKED_OFTEN = Life(
    """
0 anna    PARTIE buyin=10 joueurs=bela 1=bela
0 anna/confirm OUI
0 anna/confirm OUI
0 anna    PARTIE joueurs=bela
0 bela    VIREMENT 1 à anna
0 bela    VIREMENT 1 à anna
0 bela    VIREMENT 2 à anna
0 bela/confirm OUI
0 anna    BANNIT carl ne paie pas ses dettes
0 anna    BANNIT dora quitte la table en pleine main
0 anna    ANNONCE Bonjour
0 anna    INVITE emil emil@example.org
1 anna/confirm NON
1 anna    BANNIT carl ne paie pas ses dettes
1 anna/confirm NON
""",
    days=2,
    trust=Trust.CONFIRM,
)
GONE = Life(
    """
0 bela    QUITTE
0 bela    OUBLIEZ-MOI
""",
    days=1,
)
UNCLEAR = Life(
    """
0 dora    PARTIE buyin=1 joueurs=bela,carl 1=dora
0 dora/confirm OUI
0 carl/game.result CONTESTE je n'y étais pas
0 bela    PARTIE buyin=2,505 joueurs=carl
0 carl    VIREMNT 5 à bela, c'est pour les pizzas
0 dora    PARTIE buyin=trois joueurs=carl
0 anna    PLAINTE carl il annonce ses cartes à voix haute
0 anna/confirm OUI
0 gina    ADHESION gina
2 anna/mail.unhandled REFAIRE 4 PARTIE buyin=2 joueurs=carl
2 bela/confirm OUI
2 anna    REFAIRE 6 PARTIE buyin=3 joueurs=carl
2 anna    CLASSE plainte 1
8 anna/digest.weekly CLASSE mail 5
""",
    days=15,
    trust=Trust.CONFIRM,
)
LIVES = (SEASON, ROUGH_YEARS, EVENING, ASKED_OFTEN, GONE, UNCLEAR)


@dataclass(frozen=True)
class Sent:
    """A mail as it was kept, and its bytes as they go out."""

    mail: OutboxMail
    raw: bytes


def played(life: Life, language: str = "fr", currency: str = "EUR") -> Iterator[Sent]:
    """Play a life from its first day to its last, and give all mails that were sent, in a language."""
    charter = Charter(
        "Les amis du mardi", CLUB_ADDRESS, "Europe/Paris", currency, language, "forum.example.org",
        shipped("friends").amended(life.rulebook),
    )  # fmt: skip
    founders = tuple(Founder(h, f"{h}@example.org", h == "anna", language=language) for h in MEMBERS)
    stage = Stage(Scenario(charter, founders, START, ()), trust=life.trust)
    stage.addresses.update({handle: f"{handle}@example.org" for handle in NEWCOMERS})
    now = START
    for line in life.text.replace("{language}", language).strip().splitlines():
        day, who, text = line.split(None, 2)
        sender, _, kind = who.partition("/")
        now = max(now + timedelta(minutes=1), START + timedelta(days=int(day)))
        _pass(stage, Event(now, sender, "" if text == "." else text, kind or None))
    _oddities(stage, now + timedelta(minutes=1))
    _lose(stage, now + timedelta(minutes=1))
    _pass(stage, Event(START + timedelta(days=life.days), None, "", None))
    for mail in outbox.listing(stage.db, stage.club.id):
        yield Sent(mail, compose(mail, stage.club, stage.desk.register.token_of(mail)))
    stage.db.close()


def _pass(stage: Stage, event: Event) -> None:
    for _ in stage.play(event):
        pass


def _oddities(stage: Stage, now: datetime) -> None:
    """A mail that nobody can read; dora's OUI to what anna was asked; and that of bela, who has left."""
    raws = (_UNREADABLE, _yes(stage, "dora", "confirm", "anna"), _yes(stage, "bela", "forget.asked", ""))
    with unit_of_work(stage.db):
        for raw in filter(None, raws):
            intake.keep(stage.db, stage.club.id, "preview", raw, now)
    stage.desk.work(now)


def _yes(stage: Stage, who: str, kind: str, asked: str) -> bytes | None:
    """Somebody's OUI to the latest mail of a kind to somebody, if there is one that asks something."""
    mail = outbox.latest(stage.db, stage.club.id, kind, asked)
    token = None if mail is None else stage.desk.register.token_of(mail)
    head = f"From: {who}@example.org\r\nTo: club+{token}@example.org\r\nSubject: x\r\n\r\nOUI\r\n"
    return None if token is None else head.encode()


def _lose(stage: Stage, now: datetime) -> None:
    """Have the mails to bela refused for good, and what strangers were told."""
    said = "550 5.1.1 no such mailbox here"
    with unit_of_work(stage.db):
        waiting = delivery.claim(stage.db, stage.club.id, "preview", now, now, 10_000)
        lost = [mail for mail in waiting if mail.recipient == "bela"][-LOST:]
        for mail in (*lost, *(mail for mail in waiting if mail.kind == "application.acknowledged")):
            delivery.mark_failed(stage.db, mail.id, "preview", now, said, Fault.HARD)
        delivery.let_go(stage.db, stage.club.id, "preview")


_UNREADABLE = (
    b"From: bela@example.org\r\nTo: club@example.org\r\nSubject: x\r\nMessage-ID: <u@example.org>\r\n"
    b"Content-Type: multipart/mixed; boundary=never\r\n\r\nno boundary here\r\n"
)
