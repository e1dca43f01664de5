"""What is exported is read by the real programs, and their balances are ours to the cent."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from beancount import loader
from beancount.core.data import Transaction
from hypothesis import given
from hypothesis import strategies as st

from mailflow.command_line.parts import office_of
from mailflow.export import FORMS, Books, account_names, as_beancount, as_csv, as_hledger, as_json
from store import journal, ledger
from store.records import JournalEntry
from tests.bench.worlds import fill, open_club
from tests.command_line.cli_scene import mailflow, make_club
from tests.servers.ground import program

AT = datetime(2026, 1, 31, 23, 30, tzinfo=UTC)
PARIS = ZoneInfo("Europe/Paris")
CENTS = st.integers(-(10**9), 10**9)
MEMOS = st.text(max_size=40)
CODES = (
    "equity:initial-credit",
    "member:_a",
    "member:a",
    "member:zoé",
    "member:x_a",
    "member:x.a",
    "member:7-b",
)


@st.composite
def books(draw: st.DrawFn) -> Books:
    """Balanced entries over a few accounts whose names are awkward, with memos of any kind."""
    entries = []
    for number in range(1, draw(st.integers(1, 8)) + 1):
        codes = draw(st.lists(st.sampled_from(CODES), min_size=1, max_size=6))
        cents = [draw(CENTS) for _ in codes]
        postings = (*zip(codes, cents, strict=True), ("equity:initial-credit", -sum(cents)))
        game = draw(st.none() | st.integers(1, 99))
        entries.append(JournalEntry(number, "result", AT, game, draw(MEMOS), None, postings))
    return Books("EUR", PARIS, CODES, tuple(entries))


def balances(kept: Books) -> dict[str, int]:
    """What each account has in the end, by its name in the other program; zeros left out."""
    sums: Counter[str] = Counter()
    names = account_names(kept.accounts)
    for entry in kept.entries:
        for code, cents in entry.postings:
            sums[names[code]] += cents
    return {name: cents for name, cents in sums.items() if cents}


def cents_of(amount: str) -> int:
    exact = Decimal(amount) * 100
    assert exact == int(exact)
    return int(exact)


def by_hledger(text: str, folder: Path) -> dict[str, int]:
    path = folder / "journal"
    path.write_text(text, "utf-8")
    done = subprocess.run(
        [program("hledger"), "-f", path, "balance", "--flat", "-O", "csv", "--no-total"],
        capture_output=True,
        text=True,
        check=True,
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    )
    rows = list(csv.reader(io.StringIO(done.stdout)))[1:]
    return {name: cents_of(amount.removesuffix(" EUR")) for name, amount in rows if amount != "0"}


def by_beancount(text: str) -> dict[str, int]:
    entries, errors, _ = loader.load_string(text)
    assert not errors, errors
    sums: Counter[str] = Counter()
    for entry in entries:
        if isinstance(entry, Transaction):
            for posting in entry.postings:
                sums[posting.account] += cents_of(str(posting.units.number))
    return {name: cents for name, cents in sums.items() if cents}


@given(books())
def test_beancount_takes_whatever_the_journal_may_hold(kept: Books) -> None:
    assert by_beancount("".join(as_beancount(kept))) == balances(kept)


def test_hledger_and_beancount_agree_with_a_clubs_ledger(tmp_path: Path) -> None:
    desk = open_club(tmp_path / "club.db", 12)
    fill(desk, 60, 12)
    codes = tuple(ledger.balances(desk.db, desk.club.id))
    kept = Books("EUR", PARIS, codes, tuple(journal.entries(desk.db, desk.club.id)))
    names = account_names(codes)
    ours = {names[code]: cents for code, cents in ledger.balances(desk.db, desk.club.id).items() if cents}
    assert sum(ours.values()) == 0
    assert len(ours) == 13
    assert balances(kept) == ours
    assert by_beancount("".join(as_beancount(kept))) == ours
    assert by_hledger("".join(as_hledger(kept)), tmp_path) == ours


@given(books())
def test_csv_and_json_give_every_posting_back(kept: Books) -> None:
    said = [(e.number, e.game, code, cents) for e in kept.entries for code, cents in e.postings]
    rows = csv.DictReader(io.StringIO("".join(as_csv(kept)), newline=""))
    found = [
        (int(r["entry"]), int(r["game"]) if r["game"] else None, r["account"], int(r["amount_cents"]))
        for r in rows
    ]
    assert found == said
    lines = [json.loads(line) for line in as_json(kept)]
    assert [
        (v["entry"], v["game"], p["account"], p["amount_cents"]) for v in lines for p in v["postings"]
    ] == said
    assert [v["memo"] for v in lines] == [e.memo for e in kept.entries]


@pytest.mark.parametrize("memo", ["=1+1", "+33", "-5", "@SUM(A1)", "\tx"])
def test_a_spreadsheet_finds_no_formula_in_what_a_member_wrote(memo: str) -> None:
    entry = JournalEntry(1, "transfer", AT, None, memo, None, (("member:a", 1), ("member:b", -1)))
    kept = Books("EUR", PARIS, ("member:a", "member:b"), (entry,))
    row, _ = csv.DictReader(io.StringIO("".join(as_csv(kept)), newline=""))
    assert row["memo"] == f"'{memo}"


def test_days_are_club_days() -> None:
    entry = JournalEntry(1, "result", AT, 4, "", None, (("member:a", 100), ("member:b", -100)))
    text = "".join(as_hledger(Books("EUR", PARIS, ("member:a", "member:b"), (entry,))))
    assert text.startswith("2026-02-01 * (1) result game 4\n")


def test_a_journal_longer_than_a_stretch_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = open_club(tmp_path / "club.db", 10)
    fill(desk, 20, 10)
    whole = list(journal.entries(desk.db, desk.club.id))
    monkeypatch.setattr(journal, "STRETCH", 7)
    assert list(journal.entries(desk.db, desk.club.id)) == whole
    assert [e.number for e in whole] == list(range(1, len(whole) + 1))


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_written_to_a_new_file_only(tmp_path: Path, form: str) -> None:
    club = make_club(tmp_path / "club")
    target = tmp_path / f"journal.{form}"
    assert mailflow("export", form, "--dir", club, "--to", target).code == 0
    written = target.read_text("utf-8")
    assert "anna" in written.lower()
    assert mailflow("export", form, "--dir", club).out == written.splitlines()
    assert mailflow("export", form, "--dir", club, "--to", target).code == 2
    assert target.read_text("utf-8") == written


def cents_in(row: str) -> list[int]:
    """Every amount of euros in a line of a French text."""
    found = re.findall(r"([+\u2212-]?)((?:\d|[\u202f\u00a0 ](?=\d{3}))*\d),(\d\d)[\u00a0 ]€", row)
    return [
        int(re.sub(r"\D", "", whole) + rest) * (-1 if sign in ("\u2212", "-") else 1)
        for sign, whole, rest in found
    ]


def test_the_pdf_holds_every_balance_and_every_line_to_the_cent(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    sheet = tmp_path / "games.csv"
    days = "".join(
        f"{n % 28 + 1}/03/2025;{n % 9 + 1},37;anna,bela;{('anna', 'bela')[n % 2]}\n" for n in range(60)
    )
    sheet.write_text(f"date;mise;joueurs;classement\n{days}", "utf-8")
    assert mailflow("import", sheet, "--apply", "--dir", club).code == 0
    target = tmp_path / "club.pdf"
    assert mailflow("export", "pdf", "--dir", club, "--to", target).code == 0
    done = subprocess.run(
        [program("pdftotext"), "-layout", target, "-"], capture_output=True, check=True, timeout=60
    )
    text = done.stdout.decode()
    with office_of(club) as office:
        accounts = ledger.balances(office.db, office.club.id)
        entries = list(journal.entries(office.db, office.club.id))
    page, *statements = text.split("Relevé de compte de ")
    said = {row.split("  ")[0].strip(): cents_in(row) for row in page.splitlines() if cents_in(row)}
    assert said.pop("Somme de tous les comptes") == [0]
    assert {name: cents[0] for name, cents in said.items()} == {
        code.removeprefix("member:") if code.startswith("member:") else f"Comptes du club – {code}": cents
        for code, cents in accounts.items()
    }
    assert len(statements) == 2
    for statement in statements:
        code = f"member:{statement.split()[0]}"
        lines = [cents_in(row) for row in statement.splitlines() if re.match(r"\f?\d\d/\d\d/\d{4}", row)]
        amounts = [cents for entry in entries for owner, cents in entry.postings if owner == code]
        assert [line[0] for line in lines] == amounts
        assert lines[-1][1] == sum(amounts) == accounts[code]
    assert mailflow("export", "pdf", "--dir", club, "--to", target).code == 2
