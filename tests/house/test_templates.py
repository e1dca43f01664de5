"""Every template is filled by real lives of a club; the mails that come out are fit to be sent.

A name that a template uses and the facts lack would raise (StrictUndefined), so the lives below must
make every kind of notice and of answer.
"""

import re
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from mailflow import intake
from mailflow.catalogue import COMMANDS, GRAMMAR
from mailflow.compose import compose, text_part
from mailflow.founding import Founder
from mailflow.identify import Trust
from mailflow.notices import KINDS
from mailflow.replay import Event, Scenario, Stage
from mailflow.rulebook import shipped
from mailflow.settings import Charter
from parsers.commands import read_commands
from parsers.letter import read_letter
from store import delivery, outbox
from store.database import unit_of_work
from store.records import Fault, OutboxMail

START = datetime.fromisoformat("2026-01-05T09:00:00+01:00")
ROOT = Path(__file__).resolve().parents[2]

# day, sender, words; a sender with a slash answers the latest mail of that kind
LIFE = """
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
1 carl/game.result CONTESTE le classement est faux
1 carl    CONTESTE 1 un autre motif
1 carl    RETIRE 1
1 carl    CONTESTE 1 encore un motif {{7*7}} %s <b>
1 bela    COMPTE
1 bela    HISTORIQUE
1 bela    POURQUOI 1
1 bela    HISTORIQUE 1
1 bela    SIMULE PARTIE buyin=1 joueurs=carl
1 bela    SIMULE VIREMENT 500 à carl
1 bela    VIREMENT 15 à carl motif=merci
1 bela    VIREMENT 0,50 à karl
1 bela    VIREMENT 15,505 à carl
1 bela    bonjour tout le monde
1 bela    Merci pour la soirée
1 bela    .
2 dora    PARTIE joueurs=bela
2 dora    ANNULE 2
2 dora    PARTIE buyin=10 joueurs=bela,carl 1=dora
2 dora    PARTIE buyin=3 joueurs=bela,carl
2 dora    PLAINTE carl il triche
2 dora    OUI
2 dora    NON
2 dora    JETON
2 dora    FIN
3 carl    CONTESTE 3 je n'ai pas perdu
3 dora    RESULTAT 4 1=dora
3 carl    CONTESTE 4 la mise était de 2
9 anna/arbitration.opened ACCEPTE 1 erreur de saisie
9 anna    RESULTAT 1 1=carl
9 bela    CONTESTE 1 toujours faux
9 bela    POURQUOI 1
9 anna    POURQUOI mail 3
11 anna   REJETTE 3 les témoins concordent
12 anna   ACCEPTE 4 la mise était bien de 2
18 anna   REJETTE 1 la feuille fait foi
18 bela   POURQUOI 1
19 anna   INVITE emil emil@example.org
19 emil   J'ACCEPTE
19 anna   ANNONCE Rendez-vous vendredi à 20 h.
19 anna   REGLE seuil=60 delai=10 motif=plus de prudence
19 emil   LANGUE en
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
20 anna   BANNIT bela mauvais payeur
20 bela   COMPTE
20 anna   SOLIDARITE bela
20 anna   JETON
20 anna/confirm OUI
20 anna   OUI
20 anna   RETABLIT bela
20 anna   NON
20 anna   RETABLIT bela
20 anna/confirm OUI
"""

GONE = """
0 bela    QUITTE
0 bela    OUBLIEZ-MOI
"""

POOR = """
0 anna    PARTIE buyin=10 joueurs=bela 1=anna
0 anna    PARTIE buyin=10 joueurs=bela 1=anna
1 anna    PARTIE buyin=10 joueurs=bela 1=anna
1 bela    COMPTE
1 bela    BANQUIERS
9 anna    PARTIE buyin=10 joueurs=bela 1=anna
11 bela   COMPTE
500 anna  INJONCTION bela
501 bela  COMPTE
501 anna  COMPTE
501 bela  QUITTE
560 anna  AIDE
"""

# As `mailflow run` serves it: asked, asked twice, asked together, asked too often, and refused twice.
BOMBED = """
0 anna    PARTIE buyin=10 joueurs=bela 1=bela
0 anna/confirm OUI
0 anna/confirm OUI
0 anna    PARTIE joueurs=bela
0 bela    VIREMENT 1 à anna
0 bela    VIREMENT 1 à anna
0 bela    VIREMENT 2 à anna
0 bela/confirm OUI
0 anna    BANNIT carl motif
0 anna    BANNIT dora motif
0 anna    ANNONCE Bonjour
0 anna    INVITE emil emil@example.org
1 anna/confirm NON
1 anna    BANNIT carl motif
1 anna/confirm NON
"""


@cache
def sent() -> tuple[tuple[OutboxMail, bytes], ...]:
    """All mails that the lives below make, with their bytes."""
    rich = play(LIFE, {}, 40)
    poor = play(POOR, {"initial_credit_cents": 4500, "reserve_threshold_cents": 1200}, 600)
    return rich + poor + play(BOMBED, {}, 2, Trust.CONFIRM) + play(GONE, {}, 1)


def play(
    life: str, rulebook: dict[str, int], days: int, trust: Trust = Trust.EVERYBODY
) -> tuple[tuple[OutboxMail, bytes], ...]:
    charter = Charter(
        "Les amis", "club@example.org", "Europe/Paris", "EUR", "fr", "forum.example.org",
        shipped("friends").amended(rulebook),
    )  # fmt: skip
    founders = tuple(Founder(h, f"{h}@example.org", h == "anna") for h in ("anna", "bela", "carl", "dora"))
    stage = Stage(Scenario(charter, founders, START, ()))
    stage.desk.trust = trust
    stage._addresses |= {who: f"{who}@example.org" for who in ("emil", "fred", "gina")}
    now = START
    for line in life.strip().splitlines():
        day, who, text = line.split(None, 2)
        sender, _, kind = who.partition("/")
        now = max(now + timedelta(minutes=1), START + timedelta(days=int(day)))
        list(stage.play(Event(now, sender, "" if text == "." else text, kind or None)))
    now += timedelta(minutes=1)
    with unit_of_work(stage.db):
        for raw in (UNREADABLE, *anothers_yes(stage), *yes_to_oblivion(stage)):
            intake.keep(stage.db, stage.club.id, "test", raw, now)
    stage.desk.work(now)
    lose(stage, now)
    list(stage.play(Event(START + timedelta(days=days), None, "", None)))
    mails = outbox.listing(stage.db, stage.club.id)
    return tuple((m, compose(m, stage.club, stage.desk.register.token_of(m))) for m in mails)


def lose(stage: Stage, now: datetime) -> None:
    """Have the mails to bela refused for good, and one to somebody else."""
    with unit_of_work(stage.db):
        for mail in delivery.claim(stage.db, stage.club.id, "test", now, now, 10_000):
            if mail.recipient == "bela" or mail.kind == "application.acknowledged":
                said = "550 5.1.1 <b>no</b> {{7*7}} **such** user"
                delivery.mark_failed(stage.db, mail.id, "test", now, said, Fault.HARD)
        delivery.let_go(stage.db, stage.club.id, "test")


def anothers_yes(stage: Stage) -> list[bytes]:
    """Dora answers what anna was asked, where anna was asked something."""
    asked = outbox.latest(stage.db, stage.club.id, "confirm", "anna")
    token = None if asked is None else stage.desk.register.token_of(asked)
    head = f"From: dora@example.org\r\nTo: club+{token}@example.org\r\nSubject: x\r\n\r\nOUI\r\n"
    return [head.encode()] if token else []


def yes_to_oblivion(stage: Stage) -> list[bytes]:
    """Bela, who has left, says OUI to being forgotten, where that was asked."""
    asked = outbox.latest(stage.db, stage.club.id, "forget.asked", "")
    token = None if asked is None else stage.desk.register.token_of(asked)
    head = f"From: bela@example.org\r\nTo: club+{token}@example.org\r\nSubject: x\r\n\r\nOUI\r\n"
    return [head.encode()] if token else []


UNREADABLE = (
    b"From: bela@example.org\r\nTo: club@example.org\r\nSubject: x\r\nMessage-ID: <u@example.org>\r\n"
    b"Content-Type: multipart/mixed; boundary=never\r\n\r\nno boundary here\r\n"
)


def kinds() -> set[str]:
    return {mail.kind for mail, _ in sent()}


def test_the_lives_make_every_kind_of_notice():
    assert KINDS - kinds() == set()


def test_the_lives_make_every_kind_of_direct_answer():
    wrappers = {"answer", "confirm", "simulation", "refused", "malformed", "unknown", "empty", "unreadable"}
    assert wrappers - kinds() == set()


def test_the_lives_fill_every_template(monkeypatch):
    """Counted at the loader: each file of the folder was asked for at least once."""
    from mailflow import letters

    used = set()
    real = letters.Letters._template
    monkeypatch.setattr(letters.Letters, "_template", lambda self, n, r: (used.add(n), real(self, n, r))[1])
    play(LIFE, {}, 40)
    play(POOR, {"initial_credit_cents": 4500, "reserve_threshold_cents": 1200}, 600)
    play(BOMBED, {}, 2, Trust.CONFIRM)
    play(GONE, {}, 1)
    texts = {p.stem: p.read_text("utf-8") for p in (ROOT / "templates" / "fr").glob("*.md")}
    drawn_in = {n for n in texts if any(f'"{n}.md"' in t for m, t in texts.items() if m != n)}
    assert set(texts) - used - drawn_in == set()


def test_no_mail_shows_a_hole():
    for mail, _ in sent():
        for hole in ("None", "Undefined", "{%", "<built-in", "datetime.", "StrEnum", "MemberStatus"):
            assert hole not in mail.subject + text_part(mail), (mail.kind, hole, mail.text)


def test_what_a_member_wrote_is_shown_as_he_wrote_it():
    told = [text_part(m) for m, _ in sent() if m.kind == "dispute.filed"]
    assert any("{{7*7}} %s <b>" in text for text in told)


def test_every_notice_says_what_it_means_for_the_readers_account():
    spared = {"member.invited", "complaint.received", "club.announcement"}
    for mail, _ in sent():
        if mail.kind in KINDS - spared and not mail.kind.startswith("identity."):
            assert re.search(r"\d\s€", text_part(mail)), (mail.kind, mail.text)


def test_lines_fit_a_terminal():
    for mail, _ in sent():
        long = [line for line in text_part(mail).splitlines() if len(line) > 80]
        assert not long, (mail.kind, long)


def test_sent_bytes_read_back_as_one_mail_of_ours():
    """T-26: exactly the intended headers, and our own mail coming back is never a command."""
    for mail, raw in sent():
        letter = read_letter(raw, frozenset({"club@example.org"}))
        assert letter.sender == "club@example.org"
        assert letter.kind.value == "own"
        reading = read_commands(letter, GRAMMAR)
        assert reading.commands == (), mail.kind


@pytest.mark.parametrize("mark", ["> ", ">", "| "])
def test_our_mails_quoted_back_hold_no_command(mark):
    """TRUST § 4: any mail we send, quoted back, yields no command and no OUI."""
    for mail, _ in sent():
        quoted = "\n".join(mark + line for line in text_part(mail).splitlines())
        body = f"Le lun. 5 janv. 2026 à 09:00, Les amis <club@example.org> a écrit :\n\n{quoted}\n"
        raw = f"From: bela@example.org\nTo: club@example.org\nSubject: Re: {mail.subject}\n\n{body}"
        reading = read_commands(read_letter(raw.encode()), GRAMMAR)
        assert reading.commands == (), (mail.kind, reading.commands)


def test_every_answer_of_the_table_has_a_template_or_leaves_its_notice_to_answer():
    names = {p.stem for p in (ROOT / "templates" / "fr").glob("answer.*.md")}
    silent = {c.name for c in COMMANDS} - {n.removeprefix("answer.") for n in names}
    assert silent <= {"RESULTAT", "BANNIT", "REGLE", "ADHERE", "ADHESION", "OUBLIE"}
