"""COMPTE as a file: what it says is what the books say, in whatever language, and a printer can print it."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailflow import statements
from mailflow.letters import Letters, Reader
from store.records import Part, Statement, StatementLine
from tests.club import Scene, club
from tests.desk.desk_scene import Scene as Desk
from tests.desk.desk_scene import open_scene
from tests.letters.test_literal import BRIEF
from tests.servers.ground import program

PARIS = ZoneInfo("Europe/Paris")
LETTERS = Letters("EUR", PARIS)
MINUS = "\u2212"


def writer(scene: Scene, handle: str = "bela", language: str = "fr") -> statements.Writer:
    return statements.Writer(LETTERS, replace(Reader.of(scene.member(handle)), language=language), scene.club)


def made(scene: Scene, form: str, handle: str = "bela", language: str = "fr", limit: int = 1000) -> Part:
    statement = scene.club.books.statement(handle, None, None, limit)
    return statements.part(form, statement, writer(scene, handle, language))


def read(pdf: bytes, folder: Path) -> str:
    """The text of a PDF as poppler reads it, laid out."""
    path = folder / "read.pdf"
    path.write_bytes(pdf)
    done = subprocess.run(
        [program("pdftotext"), "-layout", path, "-"], capture_output=True, check=True, timeout=60
    )
    return unicodedata.normalize("NFC", done.stdout.decode())


def cents(text: str) -> list[int]:
    """Every amount of euros in a French text."""
    found = re.findall(r"([+\u2212-]?)((?:\d|[\u202f\u00a0 ](?=\d{3}))*\d),(\d\d)[\u00a0 ]€", text)
    return [
        int(re.sub(r"\D", "", whole) + rest) * (-1 if sign in (MINUS, "-") and sign else 1)
        for sign, whole, rest in found
    ]


@pytest.fixture
def desk() -> Iterator[Desk]:
    opened = open_scene()
    yield opened
    opened.db.close()


@pytest.fixture
def scene() -> Scene:
    scene = club("carl", "bela").recent("anna", "bela", buyin=5_00)
    scene.later(hours=1).done("carl", "VIREMENT", amount_cents=2_00, to="bela", note='=merci;"x"')
    return scene


def test_the_pdf_says_what_the_books_say(scene: Scene, tmp_path: Path) -> None:
    text = read(made(scene, "PDF").content, tmp_path)
    line = {part.strip(): cents(row) for row in text.splitlines() for part in re.split(r"  +", row) if part}
    assert line["crédit initial"] == [200_00, 200_00]
    assert line["partie 1 : mise"] == [-5_00, 195_00]
    assert next(v for k, v in line.items() if k.startswith("virement de carl")) == [2_00, 197_00]
    assert line["Solde de fin"] == [197_00]
    assert cents(text)[:4] == [0, 197_00, 0, 197_00]
    for said in ("Les amis", "Relevé de compte de bela", "Depuis l'ouverture", "Page 1 de 1"):
        assert said in text
    assert scene.club.books.chain_head() in text


def test_a_long_statement_goes_on_over_pages_and_its_lines_add_up(tmp_path: Path) -> None:
    scene = club("carl", "bela")
    balance, lines = 0, []
    for number in range(1, 151):
        amount = (-1) ** number * number * 1001
        balance += amount
        lines.append(StatementLine(scene.now, "result", number, (), "", amount, balance))
    statement = Statement(None, None, 0, tuple(lines), balance, 7)
    text = read(statements.part("PDF", statement, writer(scene)).content, tmp_path)
    rows = [cents(row) for row in text.splitlines() if re.search(r"partie \d+", row)]
    assert rows == [[line.amount_cents, line.balance_cents] for line in lines]
    pages = text.count("Page ")
    assert pages > 3
    assert f"Page {pages} de {pages}" in text
    assert text.count("Opération") == pages
    assert "7 opérations plus anciennes sont comprises" in text


@pytest.mark.parametrize("name", ["Žofie", "Łukasz", "Ólafía", "Ștefan", "Çağrı", "Ελένη", "Наталія", "Ђорђе",
                                  "Գայանե", "გიორგი", "Māra", "Nguyễn", "Seán", "ßtraße"])  # fmt: skip
def test_every_european_name_is_printed(name: str, tmp_path: Path) -> None:
    scene = club("carl", "bela")
    line = StatementLine(scene.now, "transfer", None, (name,), "", 1_00, 1_00)
    pdf = statements.part("PDF", Statement(None, None, 0, (line,), 1_00, 0), writer(scene)).content
    assert name in read(pdf, tmp_path)


def test_what_the_fonts_have_no_sign_for_is_said_and_not_left_out(tmp_path: Path) -> None:
    scene = club("carl", "bela")
    line = StatementLine(scene.now, "transfer", None, ("carl",), "🎲 東", 1_00, 1_00)
    pdf = statements.part("PDF", Statement(None, None, 0, (line,), 1_00, 0), writer(scene)).content
    assert "\N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER}" in read(pdf, tmp_path)


def test_the_same_statement_is_the_same_bytes(scene: Scene) -> None:
    assert made(scene, "PDF") == made(scene, "PDF")
    assert made(scene, "CSV") == made(scene, "CSV")


@pytest.mark.parametrize(("language", "sign", "amount"), [("fr", ";", "-5,00"), ("en", ",", "-5.00")])
def test_a_spreadsheet_reads_the_csv_as_its_language_writes(
    scene: Scene, language: str, sign: str, amount: str
) -> None:
    raw = made(scene, "CSV", language=language).content
    assert raw.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline=""), delimiter=sign))
    assert [len(row) for row in rows] == [4] * 6
    assert rows[3][0] == "2026-01-05"
    assert rows[3][2] == amount
    assert rows[-1][3] == ("197,00" if language == "fr" else "197.00")


@BRIEF
@given(
    memo=st.text(max_size=30),
    handle=st.text("=+-@ab\t", min_size=1, max_size=6),
    amount=st.integers(-(10**9), 10**9),
)
def test_no_cell_of_the_csv_is_a_formula_and_every_amount_comes_back(
    memo: str, handle: str, amount: int
) -> None:
    scene = club("carl", "bela")
    line = StatementLine(scene.now, handle + memo, None, (), "", amount, amount)  # said as it is
    raw = statements.part("CSV", Statement(None, None, 0, (line,), amount, 0), writer(scene)).content
    rows = list(csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline=""), delimiter=";"))
    assert len(rows) == 4
    assert not any(row[1].startswith(statements.FORMULA) for row in rows)
    assert int(rows[2][2].replace(",", "")) == amount


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("COMPTE pdf", ["releve-bela.pdf"]),
        ("compte PDF depuis 2026-01-01", ["releve-bela.pdf"]),
        ("COMPTE csv", ["releve-bela.csv"]),
        ("COMPTE pdf\nCOMPTE csv\nCOMPTE pdf", ["releve-bela.pdf", "releve-bela.csv"]),
        ("COMPTE", []),
        ("SIMULE COMPTE pdf", []),
    ],
)
def test_the_answer_carries_what_was_asked_for(desk: Desk, text: str, names: list[str]) -> None:
    desk.told()
    assert desk.write("bela", text).state == "answered"
    (mail,) = desk.told()
    assert [part.name for part in mail.parts] == names
    assert all(name in mail.text for name in names)
    assert desk.bytes_of(mail) == desk.bytes_of(mail)
    parts = desk.composed(mail).walk()
    attached = [part.get_filename() for part in parts if part.get_content_disposition() == "attachment"]
    assert attached == names


def test_more_files_than_a_mail_takes_are_shown_in_words(desk: Desk) -> None:
    desk.told()
    days = "\n".join(f"COMPTE pdf depuis=2026-01-0{day}" for day in range(1, 7))
    desk.write("bela", days)
    (mail,) = desk.told()
    assert len(mail.parts) == 4
    assert mail.text.count("solde de fin |") == 2
