"""A mail is made of pieces, so that what several are told is read once; nobody can see that in it."""

from email import message_from_bytes
from email.policy import default
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mailflow.catalogue import GRAMMAR
from mailflow.compose import compose
from mailflow.html_part import Desk, html_of
from mailflow.markup import blocks, pieces
from mailflow.preview.lives import LIVES, played
from mailflow.text_part import text_of
from store.records import ClubRow, OutboxMail

LINES = (
    "mots",
    "# titre",
    "## section",
    "> cité",
    "    COMPTE",
    "  peu en retrait",
    "- un point",
    "-",
    "+ un autre",
    "3. le troisième",
    "4) le quatrième",
    "=> OUI",
    "-> COMPTE 12 [le mois]",
    "* * *",
    '![mots](balances:abc "légende")',
    "| Place | Gain |",
    "|:------|-----:|",
    "| 1er | +7,00 |",
    "fin de ligne\\",
    "===",
    "---",
    "```",
    "<p>",
    "",
    "",
    " ",
    "\t",
)
CLUB = ClubRow(1, "Les amis", "club@example.org", "Europe/Paris", "EUR", "fr", "", 1)


@given(st.lists(st.sampled_from(LINES), max_size=14).map("\n".join))
@example("    PARTIE\n\n    COMPTE")
@example("- un\n\n- deux\n\n  encore\n\nmots")
@example("> un\n\n> deux")
@example("\n\n\n    COMPTE")
def test_each_piece_read_by_itself_gives_the_blocks_of_the_whole(source: str) -> None:
    apart = [block for piece in pieces(source) for block in blocks(piece, frozenset({"COMPTE"}))]
    assert apart == list(blocks(source.strip("\n"), frozenset({"COMPTE"})))


def test_paragraphs_and_tables_are_pieces_of_their_own() -> None:
    assert pieces("# a\n\nb\nc\n\n| d |\n|---|\n\n- e\n\n- f\n\n=> OUI\n") == [
        "# a", "b\nc", "| d |\n|---|\n\n- e\n\n- f", "=> OUI",
    ]  # fmt: skip


@cache
def mails() -> tuple[OutboxMail, ...]:
    return tuple(one.mail for life in LIVES for one in played(life))


@pytest.mark.parametrize("token", [None, "abcdefghijklmnop"])
def test_a_mail_made_of_pieces_is_the_mail_made_at_once(token: str | None) -> None:
    for mail in mails():
        made = message_from_bytes(compose(mail, CLUB, token), policy=default)
        text, page = (
            made.get_body((form,)).get_content().replace("\r\n", "\n") for form in ("plain", "html")
        )
        read = blocks(mail.text, frozenset(GRAMMAR.by_word))
        desk = Desk("club@example.org") if token is None else Desk(f"club+{token}@example.org", f"[#{token}]")
        assert text == text_of(read) + (f"\n{desk.tag}\n" if token else "")
        assert page == html_of(read, mail.subject, mail.language, CLUB.name, desk)
