"""OUBLIEZ-MOI (T-38): name, addresses and texts are gone from every column and every byte; the sums stay."""

from __future__ import annotations

import re
import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from mailflow.sections.trust import Caution
from store import delivery, outbox, sql, tables
from store.database import unit_of_work, wipe
from store.errors import StoreError
from store.forgetting import names_in_chain
from store.former import OMITTED
from store.masking import folded
from store.records import Fault, OutboxMail
from tests.databases import ON_POSTGRES

from .desk_scene import MEMBERS, START, Scene, kinds, open_scene, plain, reopen

ZORA = "zora@example.org"
SECOND = "zora.second@example.net"
SECRET = ("pamplemousse", "rhinocéros", "ornithorynque", "saxifrage", "clepsydre", "mirliton")
"""Words that only zora writes."""
TRACES = ("zora", *SECRET)


def a_life(scene: Scene, sent: bool = True) -> None:
    """zora plays, disputes, complains, transfers, manages, changes addresses, is named by all, and leaves."""
    club = scene
    club.write("zora", "COMPTE", From="Zora Zarathoustra <zora@example.org>")
    club.do("zora", f"ADRESSE +{SECOND}")
    club.answer(club.latest("identity.asked", "zora"), "OUI", who=SECOND)
    club.do("anna", "NOMME zora")
    club.answer(club.latest("identity.asked", "zora"), "OUI", who="zora")
    club.now += timedelta(hours=73)
    club.work()
    club.do("anna", "PARTIE buyin=2 joueurs=zora,bela")
    club.do("anna", "RESULTAT 1 1=zora")
    club.do("zora", "CONTESTE 1 c'est pamplemousse qui a gagné")
    club.do("zora", "PLAINTE bela il est rhinocéros")
    club.do("bela", "PLAINTE zora elle est ornithorynque, cette ZORA")
    club.do("zora", "ANNONCE Rendez-vous saxifrage chez Zora")
    club.do("zora", "REGLE seuil=60 motif=la clepsydre")
    club.do("zora", "INVITE fred fred@example.net")
    club.do("zora", "BANNIT carl son mirliton")
    club.do("anna", "RETABLIT carl")
    club.write("bela", "VIREMENT 5000 à zora")
    club.write("bela", "Bonjour, où est Zora ?", subject="=?utf-8?b?Wm9yYSA/?=")
    club.now += timedelta(days=8)
    club.work()
    club.do("anna", "REJETTE 1 zora avait raison de douter")
    club.do("zora", "VIREMENT 2 à bela motif=un pamplemousse")
    club.do("anna", "PARTIE buyin=2 joueurs=zora 1=anna")
    club.do("anna", "PARTIE buyin=1 joueurs=zora 1=anna")
    club.do("anna", "VIREMENT 1 à zora motif=merci Zora")
    club.do("zora", "ADRESSE +zora.third@example.net")
    club.do("zora", "TRANSMET carl")
    club.answer(club.latest("identity.asked", "carl"), "OUI")
    club.now += timedelta(days=8)
    club.work()
    if sent:
        leaves(club)
    club.do("zora", "QUITTE")


def opened(path: Path | None = None) -> Scene:
    return open_scene(path, members=(*MEMBERS, "zora"))


def asked(scene: Scene, who: str = ZORA) -> OutboxMail:
    scene.told()
    scene.write(who, "OUBLIEZ-MOI")
    (mail,) = scene.told()
    assert (mail.kind, mail.address) == ("forget.asked", who)
    return mail


def forgotten(scene: Scene) -> None:
    scene.answer(asked(scene), "OUI", who=ZORA)
    leaves(scene)
    scene.now += timedelta(seconds=10)
    scene.work()


def leaves(scene: Scene) -> None:
    """All that is queued is sent."""
    with unit_of_work(scene.db):
        for mail in outbox.listing(scene.db, scene.club.id):
            delivery.mark_sent(scene.db, mail.id, scene.now)


def found(scene: Scene, traces: tuple[str, ...] = TRACES) -> list[tuple[str, str, str]]:
    """Table, column and trace, of everything in the database that still bears one."""
    left = []
    for table in tables.ALL:
        name = table._meta.table_name
        for column in table._meta.columns:
            for (value,) in sql.rows(scene.db, f"SELECT {column} FROM {name}"):
                words = bytes(value).decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
                left += [(name, column, t) for t in traces if folded(t) in folded(words)]
    return left


@pytest.mark.parametrize("sent", [True, False])
def test_of_who_is_forgotten_no_column_of_any_table_bears_a_trace(sent: bool) -> None:
    """T-38: whether our mails have left by then, or are still on their way."""
    scene = opened()
    a_life(scene, sent)
    before = set(found(scene))
    assert len({(table, column) for table, column, _ in before}) > 20, "there was much to forget"
    assert {trace for _, _, trace in before} == set(TRACES)
    forgotten(scene)
    assert found(scene) == []
    scene.db.close()


@pytest.mark.skipif(ON_POSTGRES, reason="looks into the file")
def test_no_byte_of_the_files_bears_a_trace(tmp_path: Path) -> None:
    """T-38: nor the pages that were freed, nor the journal that is kept."""
    scene = opened(tmp_path / "club.db")
    a_life(scene)
    forgotten(scene)
    scene.db.close()
    files = [path for path in tmp_path.iterdir() if path.is_file()]
    content = b"".join(path.read_bytes() for path in files).lower()
    assert b"bela" in content, "the files are those that were read"
    for trace in TRACES:
        assert trace.encode() not in content, trace
        assert trace.encode("latin-1") not in content, trace


def test_the_ledger_keeps_amounts_under_a_pseudonym_and_the_chain_holds() -> None:
    """T-38, R-ACC-5: every balance, posting and sum is what it was."""
    scene = opened()
    a_life(scene)
    postings = sql.rows(scene.db, "SELECT * FROM posting ORDER BY entry_id, line")
    chain = sql.rows(scene.db, "SELECT number, hash FROM audit ORDER BY number")
    balances = scene.balances
    forgotten(scene)
    assert sql.rows(scene.db, "SELECT * FROM posting ORDER BY entry_id, line") == postings
    assert sql.rows(scene.db, "SELECT number, hash FROM audit ORDER BY number")[: len(chain)] == chain
    scene.is_sound()
    after = scene.balances
    (pseudonym,) = set(after) - set(balances)
    assert re.fullmatch(r"anonyme~\d+", pseudonym)
    assert {**balances, pseudonym: balances["zora"]} == {**after, "zora": after[pseudonym]}
    assert pseudonym in scene.game(1).participants
    scene.db.close()


def test_what_the_others_wrote_stays_but_for_the_name() -> None:
    """T-38: a decision of another manager keeps its words."""
    scene = opened()
    a_life(scene)
    forgotten(scene)
    decision = sql.value(scene.db, "SELECT reason FROM decision")
    assert re.fullmatch(r"anonyme~\d+ avait raison de douter", decision)
    assert sql.rows(scene.db, "SELECT reason FROM dispute") == [(OMITTED,)]
    assert {c for (c,) in sql.rows(scene.db, "SELECT complaint FROM complaint")} == {OMITTED}
    told = [m for m in outbox.listing(scene.db, scene.club.id) if m.recipient == "bela"]
    assert {(m.subject, m.text) for m in told if m.kind == "dispute.filed"} == {(OMITTED, OMITTED)}
    scene.db.close()


def test_the_games_can_still_be_told() -> None:
    """R-ARB-2: the history of a game is whole, with the pseudonym in it."""
    scene = opened()
    a_life(scene)
    forgotten(scene)
    scene.told()
    assert scene.write("bela", "POURQUOI 1").state == "answered"
    assert "anonyme~" in scene.told()[-1].text
    assert scene.write("bela", "HISTORIQUE").state == "answered"
    assert scene.write("bela", "COMPTE").state == "answered"
    scene.now += timedelta(days=40)
    scene.work()
    scene.is_sound()
    scene.db.close()


def gone(scene: Scene) -> Scene:
    scene.do("zora", "QUITTE")
    return scene


@pytest.fixture
def club() -> Scene:
    """zora has left."""
    return gone(opened())


def test_it_is_asked_back_at_his_own_former_address(club: Scene) -> None:
    mail = asked(club)
    assert "SANS RETOUR" in plain(mail.text).upper()
    assert club.balances["zora"] == 0
    assert club.answer(mail, "NON", who=ZORA).reason == "declined"
    assert club.told() == []
    assert club.answer(mail, "OUI", who=ZORA).state == "pending", (
        "he may think better of it, and is asked anew"
    )
    assert "zora" in club.balances


@pytest.mark.parametrize("who", ["bela", "evil@example.net", "anna"])
def test_nobody_else_can_ask_for_it_nor_confirm_it(club: Scene, who: str) -> None:
    """T-8: whoever has the mail."""
    mail = asked(club)
    club.answer(mail, "OUI", who=who)
    club.write("evil@example.net", "OUBLIEZ-MOI zora")
    assert "zora" in club.balances
    assert club.answer(mail, "OUI", who=ZORA).reason == "forgotten"
    assert "zora" not in club.balances


def test_a_forged_wish_gets_a_question_a_day_and_nothing_else(club: Scene) -> None:
    """T-1, T-31."""
    first = asked(club)
    club.write(ZORA, "OUBLIEZ-MOI")
    assert club.told() == []
    club.now = first.created_at + timedelta(hours=24, seconds=-1)
    club.work()
    club.told()
    assert club.write(ZORA, "OUBLIEZ-MOI").reason == "confirm"
    assert "zora" in club.balances


@pytest.mark.parametrize(("seconds", "reason"), [(-2, "forgotten"), (0, "late")])
def test_a_late_oui_is_asked_again(club: Scene, seconds: int, reason: str) -> None:
    """TRUST § 3: both sides of the border."""
    mail = asked(club)
    club.now = mail.created_at + timedelta(hours=Caution().identity_answer_hours) + timedelta(seconds=seconds)
    assert club.answer(mail, "OUI", who=ZORA).reason == reason
    if reason == "late":
        assert club.answer(club.told()[-1], "OUI", who=ZORA).reason == "forgotten"


def test_a_member_leaves_first(club: Scene) -> None:
    """R-ACC-6: a debt cannot be forgotten."""
    club.told()
    club.write("bela", "OUBLIEZ-MOI")
    (mail,) = club.told()
    assert mail.kind == "refused"
    assert "QUITTE" in mail.text
    club.do("anna", "BANNIT bela motif")
    club.write("bela", "OUBLIEZ-MOI")
    assert "bela" in club.balances


def test_the_last_mail_goes_out_and_then_its_address_is_gone(club: Scene) -> None:
    club.answer(asked(club), "OUI", who=ZORA)
    last = club.latest("forgotten", "")
    assert last.address == ZORA
    assert "zora" not in folded(last.subject + last.text)
    club.now += timedelta(hours=1)
    club.work()
    assert found(club, ("zora",)) == [("outbox", "address", "zora")], "not before it has left"
    assert sql.rows(club.db, "SELECT wiped_at FROM erasure") == [(None,)]
    leaves(club)
    club.work()
    assert found(club, ("zora",)) == []
    assert sql.rows(club.db, "SELECT count(*) FROM erasure WHERE wiped_at IS NOT NULL") == [(1,)]


def test_a_last_mail_that_is_given_up_is_forgotten_too(club: Scene) -> None:
    club.answer(asked(club), "OUI", who=ZORA)
    with unit_of_work(club.db):
        [*_] = delivery.claim(club.db, club.club.id, "me", club.now, club.now, 1000)
        last = club.latest("forgotten", "").id
        delivery.mark_failed(club.db, last, "me", club.now, f"550 <{ZORA}> unknown", Fault.HARD)
    leaves(club)
    club.work()
    assert found(club, ("zora",)) == []


def test_books_that_cannot_be_rewritten_now_are_later_and_hold_nothing_up(
    club: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-7: a full disk."""
    club.answer(asked(club), "OUI", who=ZORA)
    leaves(club)

    def full(_: object) -> None:
        raise StoreError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr("mailflow.forgetting.wipe", full)
        assert club.write("carl", "COMPTE").state == "answered"
        assert sql.rows(club.db, "SELECT wiped_at FROM erasure") == [(None,)]
    club.work()
    assert sql.rows(club.db, "SELECT wiped_at FROM erasure") != [(None,)]


def test_handle_and_address_are_free_and_a_new_person_is_a_new_person(club: Scene) -> None:
    forgotten(club)
    club.do("anna", f"INVITE zora {ZORA}")
    assert club.answer(club.latest("member.invited", "zora"), "J'ACCEPTE", who=ZORA).state == "executed"
    assert club.balances["zora"] == 200_00
    assert len([h for h in club.balances if h.startswith("anonyme~")]) == 1
    club.is_sound()


def test_two_may_be_forgotten(club: Scene) -> None:
    forgotten(club)
    club.do("dora", "QUITTE")
    club.write("dora@example.org", "OUBLIEZ-MOI")
    club.answer(club.told()[-1], "OUI", who="dora@example.org")
    leaves(club)
    club.work()
    assert len([h for h in club.balances if h.startswith("anonyme~")]) == 2
    assert found(club, ("dora",)) == []
    club.is_sound()


def test_another_whose_name_begins_alike_is_not_touched() -> None:
    scene = open_scene(members=(*MEMBERS, "zora", "zora-lena", "zorah"))
    scene.do("zorah", "PARTIE joueurs=zora-lena 1=zorah")
    gone(scene)
    forgotten(scene)
    assert {"zora-lena", "zorah"} <= set(scene.balances)
    assert set(scene.game(1).participants) == {"zora-lena", "zorah"}
    told = scene.latest("game.result", "zora-lena")
    assert "zora-lena" in told.text
    assert "zorah" in told.text
    scene.db.close()


def test_questions_to_others_that_name_him_are_asked_no_more() -> None:
    """What cannot be carried out any more must not keep a name alive."""
    scene = opened()
    scene.write("anna", "INVITE zora2 zora2@example.net")
    scene.write("bela", "PLAINTE zora elle triche")
    mail = scene.latest("confirm", "bela")
    gone(scene)
    forgotten(scene)
    assert scene.answer(mail, "OUI", who="bela").state == "answered"
    assert sql.rows(scene.db, "SELECT * FROM complaint") == []
    scene.db.close()


def test_a_chain_of_an_older_version_that_names_him_is_said_to() -> None:
    """The chain cannot forget; then the mail must not promise that it does."""
    scene = opened()
    assert not names_in_chain(scene.db, scene.club.id, "zora")
    gone(scene)
    assert "chaîne" not in asked(scene).text
    with unit_of_work(scene.db):
        scene.desk.register.audit("mail:1", "mail", {"member": "zora"}, scene.now)
    assert names_in_chain(scene.db, scene.club.id, "zora")
    scene.now += timedelta(days=1)
    assert "chaîne" in asked(scene).text
    scene.db.close()


def test_the_chain_names_members_by_number() -> None:
    """T-38: what cannot be forgotten names nobody."""
    scene = opened()
    a_life(scene)
    payloads = [payload for _, kind, payload in scene.audited() if kind == "mail"]
    assert {type(p["member"]) for p in payloads} == {int, type(None)}
    kept = sql.rows(scene.db, "SELECT cause || kind || payload_json FROM audit")
    kept += sql.rows(scene.db, "SELECT effect_key FROM entry")
    assert not [text for (text,) in kept if re.search(r"anna|bela|zora", text)]
    scene.db.close()


@pytest.mark.skipif(ON_POSTGRES, reason="kills a file")
def test_a_wipe_that_was_cut_short_is_done_after_the_restart(tmp_path: Path) -> None:
    scene = gone(opened(tmp_path / "club.db"))
    scene.answer(asked(scene), "OUI", who=ZORA)
    leaves(scene)
    scene.db.close()
    again = reopen(tmp_path / "club.db")
    again.now = START + timedelta(days=1)
    again.work()
    again.db.close()
    with sqlite3.connect(tmp_path / "club.db") as raw:
        assert raw.execute("SELECT wiped_at IS NOT NULL FROM erasure").fetchone() == (1,)


def test_rewriting_keeps_everything() -> None:
    scene = opened()
    scene.do("anna", "PARTIE joueurs=bela 1=bela")
    before = scene.dump(frozenset())
    wipe(scene.db)
    assert scene.dump(frozenset()) == before
    scene.is_sound()
    assert kinds(scene.told()) is not None
    scene.db.close()
