"""TRUST § 4: what is never a command, and what cannot be read, changes nothing and stops nobody."""

from __future__ import annotations

import pytest

from store import sql

from .desk_scene import Scene

GAME = "PARTIE buyin=2 joueurs=bela,carl"
ORDER = "ANNULE 1"

QUOTES = {
    "quoted": f"Merci !\n\nLe lun. 5 janv. 2026 à 20:31, Le club <club@example.org> a écrit :\n> {ORDER}\n",
    "quoted twice": f"> > {ORDER}\n> ok\n",
    "Outlook": f"Bien reçu\n\nDe : Le club\nEnvoyé : lundi\nÀ : anna\nObjet : x\n\n{ORDER}\n",
    "signature": f"à jeudi\n-- \n{ORDER}\n",
    "forward": f"Pour info\n\n---------- Message transféré ---------\nDe : bela <b@example.org>\n\n{ORDER}\n",
    "nothing but a quote": f"> {ORDER}\n",
}


@pytest.mark.parametrize("habit", QUOTES)
def test_what_is_quoted_signed_or_forwarded_is_never_done_even_in_a_session(club: Scene, habit: str) -> None:
    """T-29: neither it, nor an OUI among it."""
    club.do("anna", GAME)
    session = club.latest("answer", "anna")
    for text in (QUOTES[habit], QUOTES[habit].replace(ORDER, "OUI")):
        handled = club.receive(club.written("anna", text, to=str(club.composed(session)["Reply-To"])))
        assert handled.state == "answered"
        assert [line.outcome for line in handled.lines] == ["unknown"]
    assert club.game().state == "running"


@pytest.mark.parametrize("habit", QUOTES)
def test_an_oui_among_what_is_quoted_confirms_nothing(club: Scene, habit: str) -> None:
    """T-29."""
    club.write("anna", GAME)
    mail = club.latest("confirm", "anna")
    text = QUOTES[habit].replace(ORDER, "OUI")
    club.receive(club.written("anna", text, to=str(club.composed(mail)["Reply-To"])))
    assert sql.rows(club.db, "SELECT * FROM game") == []
    assert club.answer(mail, "OUI").state == "executed"


def odd(headers: bytes, body: bytes = b"COMPTE\r\n") -> bytes:
    return b"From: anna@example.org\r\nTo: club@example.org\r\n" + headers + b"\r\n" + body


def nested(depth: int) -> bytes:
    """A multipart within a multipart, and so on."""
    parts = b"COMPTE"
    for n in range(depth):
        parts = b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n%b\r\n--b%d--" % (
            n,
            n,
            parts,
            n,
        )
    return b"From: anna@example.org\r\nTo: club@example.org\r\n" + parts


ODD = {
    "an empty Message-ID": odd(b"Message-ID: <>\r\n"),
    "brackets in the Message-ID": odd(b"Message-ID: <[a@b]>\r\n"),
    "a line feed in an encoded name": b"From: =?utf-8?q?a=0ABcc=3A_x@y.org?= <anna@example.org>\r\n"
    b"To: club@example.org\r\n\r\nCOMPTE\r\n",
    "charset rot13": odd(b"Content-Type: text/plain; charset=rot13\r\n"),
    "charset with NUL": odd(b"Content-Type: text/plain; charset=utf\x00-8\r\n"),
    "NUL in the text": odd(b"", b"COM\x00PTE\r\n"),
    "NUL in a header": odd(b"Subject: a\x00b\r\n"),
    "lone CR": odd(b"Subject: x\r\n", b"COMPTE\rNON\r\n"),
    "a thousand nested parts": nested(1000),
    "an unknown encoding": odd(b"Content-Transfer-Encoding: rot13\r\n"),
    "an impossible date": odd(b"Date: 99 Foo 99999 99:99:99 +9999\r\n"),
    "a From that ends too early": b"From: \"\r\nTo: club@example.org\r\n\r\nCOMPTE\r\n",
    "nothing": b"",
}  # fmt: skip


@pytest.mark.parametrize("what", ODD)
def test_an_odd_mail_comes_to_an_end_and_the_next_goes_on(club: Scene, what: str) -> None:
    """T-25: read, or set aside; never tried again for ever, never an exception out of the desk."""
    handled = club.receive(ODD[what])
    assert handled.state in ("answered", "quarantined", "ignored")
    assert handled.reason not in ("failed", "unreadable")
    assert club.write("bela", "COMPTE").state == "answered"
    assert club.states().get("received", 0) == 0
    club.is_sound()
