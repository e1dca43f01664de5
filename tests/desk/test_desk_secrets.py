"""T-15, T-28, P-3: of some hundred tokens issued in real flows, none is in any file, log or error text."""

from __future__ import annotations

import base64
import logging
import quopri
from datetime import timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest

from mailflow.identify import Trust
from mailflow.proofs import digest
from store import sql
from store.records import OutboxMail

from .desk_scene import CLUB, Scene, open_scene

PLAYERS = ("anna", *(f"joueur{n}" for n in range(1, 12)))


def reencoded(raw: bytes, number: int) -> bytes:
    """The same answer as programs send it: plain, quoted-printable, base64, HTML, with old mails attached."""
    head = raw.partition(b"\r\n\r\n")[0]
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith((b"content-", b"mime-"))]
    text = message_from_bytes(raw, policy=default).get_content().encode()
    kinds = {
        0: (b"quoted-printable", quopri.encodestring(text), b"text/plain"),
        1: (b"base64", base64.encodebytes(text), b"text/plain"),
        2: (b"8bit", b"<p>" + text.replace(b"\n", b"<br>"), b"text/html"),
    }
    if number % 4 == 3:
        return raw
    cte, coded, media = kinds[number % 4]
    lines += [
        b"MIME-Version: 1.0",
        b"Content-Type: " + media + b"; charset=utf-8",
        b"Content-Transfer-Encoding: " + cte,
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n" + coded.replace(b"\n", b"\r\n")


def play(scene: Scene) -> None:
    """Evenings with every kind of token: questions, sessions, results, cases, invitations, and mishaps."""
    number = 0

    def answer(mail: OutboxMail, text: str, who: str | None = None, **headers: str) -> str:
        nonlocal number
        number += 1
        return str(scene.receive(reencoded(scene.reply(mail, text, who, **headers), number)).state)

    for evening in range(12):
        scene.now += timedelta(days=1)
        host = PLAYERS[evening]
        others = ",".join(PLAYERS[evening - n] for n in range(1, 9))
        scene.write(host, f"PARTIE buyin=1 joueurs={others}")
        question = scene.latest("confirm", host)
        answer(question, "OUI")
        session = scene.latest("answer", host)
        places = f"1={host} 2={PLAYERS[evening - 1]} 3={PLAYERS[evening - 2]}"
        assert answer(session, f"RESULTAT {evening + 1} {places}") == "executed"
        answer(session, "bonsoir", Cc="quelquun@example.net")
        answer(question, "OUI", who=PLAYERS[evening - 1])
        answer(question, "OUI", who="evil@example.net")
        for guest in others.split(",")[:3]:
            answer(scene.latest("game.result", guest), f"CONTESTE je n'ai pas joué {evening}")
        scene.write(PLAYERS[evening - 1], "VIREMENT 1 à " + host, to=f"club+s{evening:026d}@example.org")
        scene.write("anna", f"INVITE ami{evening} ami{evening}@example.org")
        answer(scene.latest("confirm", "anna"), "OUI")
        answer(scene.latest("member.invited", f"ami{evening}"), "J'ACCEPTE", who=f"ami{evening}@example.org")
    scene.now += timedelta(days=9)
    scene.work()
    for mail in scene.told():
        if mail.kind == "arbitration.opened" and mail.recipient == "anna":
            answer(mail, "REJETTE après avoir écouté tout le monde")


def issued(scene: Scene) -> dict[str, str]:
    """Text to purpose, of every token that was ever issued; derived from the key, which no file holds."""
    rows = sql.rows(scene.db, "SELECT purpose, nonce, epoch, digest FROM token")
    found = {}
    for purpose, nonce, epoch, kept in rows:
        text = scene.desk.keyring.token(purpose, nonce, epoch)
        assert digest(text) == kept
        found[text] = purpose
    return found


@pytest.mark.only_sqlite
def test_no_text_of_a_token_is_in_a_file_a_log_or_an_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "club.db"
    with caplog.at_level(logging.DEBUG):
        scene = open_scene(path, members=PLAYERS)
        play(scene)
        broken = scene.latest("answer", PLAYERS[3])
        scene.desk.sets.answers.letters._templates.clear()
        scene.desk.replies.asking.register.db.execute_sql("DROP TABLE reading")  # and everything fails
        scene.keep(scene.reply(broken, "COMPTE"))
        scene.work()
        tokens = issued(scene)
        scene.db.close()
    assert len(tokens) > 200
    assert set(tokens.values()) == {"confirm", "session", "answer", "invite"}
    places = {str(p.name): p.read_bytes().lower() for p in tmp_path.iterdir()}
    assert "club.db" in places
    said = capsys.readouterr()
    places["logs"] = caplog.text.encode().lower()
    places["screen"] = (said.out + said.err).encode().lower()
    assert b"attempt" in places["logs"], "something failed, and was logged"
    hits = [
        (purpose, place)
        for token, purpose in tokens.items()
        for place, held in places.items()
        if token.encode() in held
    ]
    assert hits == []


def test_no_token_is_in_any_kept_mail_however_it_was_encoded(club: Scene) -> None:
    """What decodes of the kept bytes is searched too."""
    club.desk.trust = Trust.CONFIRM
    for number in range(4):
        mail = ask(club, number)
        club.receive(reencoded(club.reply(mail, "OUI"), number))
    tokens = [token.encode() for token in issued(club)]
    for (raw,) in sql.rows(club.db, "SELECT content FROM inbox_raw"):
        kept = bytes(raw)
        body = kept.partition(b"\r\n\r\n")[2]
        views = [kept, quopri.decodestring(kept)]
        if b"base64" in kept:
            views.append(base64.b64decode(body))
        assert not [t for t in tokens for view in views if t in view.lower().replace(b"\r\n ", b"")]


def ask(club: Scene, number: int) -> OutboxMail:
    club.write("anna", f"PLAINTE bela motif {number}", to=CLUB)
    return club.latest("confirm", "anna")


def test_a_token_that_was_hidden_in_a_mail_is_shown_to_nobody(club: Scene) -> None:
    """T-15: what a member repeats of a token does not reach an answer, a motive, or another member.

    Its base64 is spoilt by signs that readers pass over, so that it is not found in the bytes.
    """
    mail = ask(club, 1)
    token = club.token_of(mail)
    assert token is not None
    said = spoilt(base64.b64encode(f"PLAINTE bela voir [#{token}]".encode()))
    head = club.written("anna", "").partition(b"\r\n\r\n")[0].replace(b"7bit", b"base64")
    club.told()
    assert club.receive(head + b"\r\n\r\n" + said + b"\r\n").state == "pending"
    done = club.answer(club.latest("confirm", "anna"), "OUI")
    assert done.state == "executed"
    assert [m.kind for m in club.told()].count("complaint.received") == 2
    for name, rows in club.dump(frozenset({"inbox_raw"})).items():
        assert token not in repr(rows).lower(), name


def spoilt(coded: bytes) -> bytes:
    return b"!\r\n".join(coded[at : at + 20] for at in range(0, len(coded), 20))
