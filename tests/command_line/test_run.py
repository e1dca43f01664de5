"""`mailflow run`, the real process: mail in by SMTP, books kept, mail out into the folder, a clean end."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from .cli_scene import BOUND_SECONDS, Running, letter, mailflow, program, running, until


def plays(run: Running) -> None:
    """anna has a game with its result confirmed, and bela has heard of it."""
    run.send(letter("anna@example.org", "PARTIE buyin=5 joueurs=bela 1=bela"))
    asked = run.mail("confirmer", "anna@example.org")
    reply_to = asked["Reply-To"].addresses[0].addr_spec
    run.send(letter("anna@example.org", "OUI", to=reply_to), to=reply_to)
    run.mail("gagné", "bela@example.org")


def test_a_game_is_played_by_mail(club: Path) -> None:
    with running(club) as run:
        plays(run)
        code, out, err = run.stop()
    assert code == 0
    assert out.splitlines()[-1] == "stopped"
    assert "Traceback" not in err
    lines = {line.split()[0]: line for line in mailflow("balances", "--dir", club).out[1:]}
    assert "195,00" in lines["anna"]
    assert "205,00" in lines["bela"]
    assert mailflow("verify", "--dir", club).code == 0


def test_no_token_is_in_the_log(club: Path) -> None:
    """T-28, T-15: whoever reads the journal of the service could confirm in a member's name."""
    with running(club) as run:
        run.send(letter("anna@example.org", "PARTIE joueurs=bela"))
        reply_to = run.mail("confirmer", "anna@example.org")["Reply-To"].addresses[0].addr_spec
        run.send(letter("anna@example.org", "bonjour", to=reply_to), to=reply_to)
        run.mail("commande", "anna@example.org")
        _, out, err = run.stop()
    token = reply_to.partition("+")[2].partition("@")[0]
    assert len(token) == 27
    assert token not in (out + err).lower()


def test_mail_that_came_before_a_crash_is_answered_after_it(club: Path) -> None:
    """P-1: 250 was said, then SIGKILL; the next start goes on."""
    with running(club) as run:
        run.send(letter("anna@example.org", "PARTIE joueurs=bela"))
        run.process.kill()
        run.process.wait()
    with running(club) as run:
        run.mail("confirmer", "anna@example.org")
        code, _, _ = run.stop()
    assert code == 0
    assert sum("confirmer" in mail.read_text() for mail in (club / "outbox" / "new").iterdir()) == 1


def test_ctrl_c_ends_it_as_cleanly(club: Path) -> None:
    with running(club) as run:
        code, out, err = run.stop(signal.SIGINT)
    assert (code, out.splitlines()[-1]) == (0, "stopped")
    assert "Traceback" not in err


def test_a_second_one_in_the_same_folder_is_refused(club: Path) -> None:
    """P-5."""
    with running(club) as run:
        said = program("run", "--dir", club)
        assert said.code == 2
        assert [line for line in said.err if line.startswith("mailflow:")] == [
            f"mailflow: another mailflow is at work in {club}"
        ]
        assert "Traceback" not in "\n".join(said.err)
        assert run.stop()[0] == 0


def test_after_it_ended_another_may_start(club: Path) -> None:
    for _ in range(2):
        with running(club) as run:
            assert run.stop()[0] == 0


def test_looking_while_it_runs_disturbs_nothing(club: Path) -> None:
    with running(club) as run:
        for name in ("status", "balances", "verify"):
            assert program(name, "--dir", club).code == 0
        assert program("member", "add", "carl", "carl@example.org", "--dir", club).code == 0
        run.send(letter("carl@example.org", "COMPTE"))
        run.mail("", "carl@example.org")
        assert run.stop()[0] == 0


def test_a_port_that_is_taken_is_one_line(club: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        settings = club / "club.toml"
        settings.write_text(settings.read_text("utf-8").replace("port = 2525", f"port = {port}"), "utf-8")
        said = program("run", "--dir", club)
    assert (said.code, said.out) == (2, [])
    assert [line for line in said.err if "mailflow:" in line] == said.err
    assert len(said.err) == 1
    assert f"127.0.0.1:{port}" in said.err[0]


def test_an_address_that_cannot_be_composed_does_not_end_the_service(club: Path) -> None:
    """P-6: whatever came to stand in the outbox, the others get their mail."""
    with closing(sqlite3.connect(club / "mailflow.db")) as db, db:
        db.execute("UPDATE address SET address = 'bela@b..c' WHERE address = 'bela@example.org'")
    with running(club) as run:
        run.send(letter("anna@example.org", "PARTIE buyin=5 joueurs=bela"))
        reply_to = run.mail("confirmer", "anna@example.org")["Reply-To"].addresses[0].addr_spec
        run.send(letter("anna@example.org", "OUI", to=reply_to), to=reply_to)
        run.send(letter("anna@example.org", "COMPTE"))
        run.mail("relevé", "anna@example.org")
        assert run.stop()[0] == 0


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_nobody_else_on_the_machine_can_read_books_or_tokens(club: Path) -> None:
    """T-15: database and outbox hold members' mails and live tokens, as secret as the key beside them."""
    with running(club) as run:
        run.send(letter("anna@example.org", "PARTIE joueurs=bela"))
        run.mail("confirmer", "anna@example.org")
        run.stop()
    files = [club / "mailflow.db", *(club / "outbox" / "new").iterdir()]
    assert len(files) > 2
    assert [path.name for path in files if _open_to_others(path) and not _hidden(path, club)] == []


def _open_to_others(path: Path) -> bool:
    return bool(stat.S_IMODE(path.stat().st_mode) & 0o077)


def _hidden(path: Path, club: Path) -> bool:
    """Whether a folder between the club's own and the file keeps others out."""
    folders = [folder for folder in path.parents if folder == club or club in folder.parents]
    return not all(map(_open_to_others, folders))


def test_a_relay_that_says_nothing_holds_up_no_member(club: Path) -> None:
    """The desk goes on while the sender waits, and a stop does not wait for the relay for long."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        settings = club / "club.toml"
        relay = f'[relay]\nhost = "127.0.0.1"\nport = {mute.getsockname()[1]}'
        text = settings.read_text("utf-8").replace('[relay]\nhost = ""\nport = 25', relay)
        settings.write_text(text, "utf-8")
        with running(club) as run:
            mute.settimeout(BOUND_SECONDS)
            call, _ = mute.accept()
            for _ in range(2):
                run.send(letter("anna@example.org", "COMPTE"))
            until(lambda: states(club) == ["answered"] * 2, "two mails that were handled")
            assert run.stop()[0] == 0
            call.close()


def states(club: Path) -> list[str]:
    with closing(sqlite3.connect(club / "mailflow.db")) as db:
        return [state for (state,) in db.execute("SELECT state FROM inbox")]
