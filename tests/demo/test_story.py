"""The story of `mailflow demo`, played once through the real entry, desk and sender."""

import subprocess
import sys
from email import message_from_bytes
from email.policy import default

import pytest

from mailflow.demo.show import demo
from mailflow.demo.story import SAMPLES, answered_kind, as_sent, in_thread, read_story
from mailflow.errors import SettingsError
from mailflow.settings import load

STORY = read_story()


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The exit code, the lines said, and the folder left."""
    folder = tmp_path_factory.mktemp("demo") / "club"
    said = []
    code = demo(folder, False, said.append)
    return code, said, folder


@pytest.fixture(scope="module")
def said(played):
    """All that was said, no-break spaces made plain."""
    return "\n".join(played[1]).replace("\u00a0", " ")


def scene_of(said, file):
    """What was said from a mail to the next scene."""
    return said.partition(f"({file})")[2].partition("\n━━")[0]


def test_the_books_check_out(played, said):
    assert played[0] == 0
    assert "Somme du journal : 0,00 €" in said
    assert "Contrôle : tout concorde" in said
    assert "Quatre semaines en" in said
    assert "mailflow init" in said


OUTCOMES = {
    "gmail-partie.eml": "fait",
    "gmail-android-modifie.eml": "fait",
    "gmail-reply-resultat.eml": "fait",
    "iphone-typo-virement.eml": "refusé (R-TRA-1)",
    "iphone-reply-virement.eml": "fait",
    "gmail-compte-in-subject.eml": "répondu",
    "thunderbird-flowed-conteste.eml": "fait",
    "orange-vacation.eml": "réponse automatique : ignorée, personne ne reçoit de réponse",
    "outlook-invite.eml": "fait",
    "protonmail-adhere.eml": "fait",
    "iphone-simule.eml": "simulé : rien n'a changé",
    "iphone-partie-resultat.eml": "fait",
    "outlook-reply-arbitration.eml": "fait",
    "gmail-reply-corrige.eml": "fait",
    "thunderbird-bottom-pourquoi.eml": "répondu",
    "zimbra-latin1-virement.eml": "refusé (R-TRA-2)",
    "iphone-two-lines.eml": "fait",
    "orange-html-only-partie.eml": "fait",
    "zimbra-reply-banquiers.eml": "répondu",
    "webmail-html-only-virement.eml": "fait",
    "gmx-de-spiel.eml": "fait",
    "postfix-bounce.eml": "rapport de non-remise : ignoré, personne ne reçoit de réponse",
    "thunderbird-plainte.eml": "fait",
    "outlook-mobile-bannit.eml": "fait",
    "gmx-de-reply-virement.eml": "refusé (R-BAN-3)",
    "outlook-solidarite.eml": "attend un OUI",
    "outlook-web-reply-oui.eml": "fait",
    "zimbra-forward.eml": "aucune commande : de l'aide est renvoyée",
}


@pytest.mark.parametrize("file", OUTCOMES)
def test_a_scene_comes_to_its_outcome(said, file):
    assert f"⇒ {OUTCOMES[file]}\n" in scene_of(said, file) + "\n"


def test_every_scene_has_its_outcome_here():
    assert list(OUTCOMES) == [scene.mail for scene in STORY.scenes if scene.mail]


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("gmail-partie.eml", "club → chloe, david et emma   de même"),
        ("iphone-typo-virement.eml", "chloe"),
        ("outlook-mobile-bannit.eml", "La partie 4 est annulée"),
        ("outlook-web-reply-oui.eml", "0,72"),
    ],
)
def test_the_right_people_are_told(said, file, told):
    assert told in scene_of(said, file)


def test_what_falls_due_happens_between_the_scenes(said):
    assert "À toi de décider : partie 1" in said
    assert "Le délai de la partie 2 est passé : le résultat est définitif" in said
    # Chloé is below 10 € on three mornings, until Emma's transfer; on the Monday her digest says it.
    assert said.count("club → chloe   « Tu ne peux plus jouer") == 2


def test_the_balances_at_the_end(said):
    table = said.partition("━━ Les comptes")[2]
    rows = dict(line.split()[:2] for line in table.splitlines() if line.count("€") == 3)
    assert rows == {
        "anna": "39,28", "bela": "39,29", "chloe": "24,29", "david": "55,28",
        "emma": "23,29", "farid": "59,28", "gustav": "40,00", "odile": "39,29",
    }  # fmt: skip


def test_the_club_and_its_mails_can_be_looked_at(played):
    _, _, folder = played
    assert load(folder).rulebook.initial_credit_cents == STORY.rulebook["initial_credit_cents"]
    files = (folder / "outbox" / "new").iterdir()
    mails = [message_from_bytes(file.read_bytes(), policy=default) for file in files]
    assert {m["To"] for m in mails} == {m.address for m in STORY.members} | {"farid.benali@example.net"}
    assert {m["From"].addresses[0].addr_spec for m in mails} == {STORY.club.address}


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("keep me")
    with pytest.raises(SettingsError, match="not empty"):
        demo(tmp_path, False, print)
    assert [p.name for p in tmp_path.iterdir()] == ["letter.txt"]


def test_it_runs_from_the_command_line():
    command = [sys.executable, "-m", "mailflow", "demo", "--interactive"]
    typed = ":moi anna\nCOMPTE\n.\n:fin\n"
    done = subprocess.run(command, input=typed, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert "anna> COMPTE" in done.stdout
    assert "« Ton relevé" in done.stdout


def test_a_temporary_club_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("mailflow.demo.show.IN_MEMORY", tmp_path)
    assert demo(None, True, lambda _: None, lambda _: ":fin") == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("scene", [s for s in STORY.scenes if s.mail], ids=lambda s: s.mail)
def test_a_mail_is_dated_when_its_scene_is(scene):
    dated = message_from_bytes((SAMPLES / scene.mail).read_bytes(), policy=default)["Date"].datetime
    assert dated == scene.at


def test_scenes_stand_in_the_order_of_time():
    times = [scene.at for scene in STORY.scenes]
    assert times == sorted(times)
    assert (times[-1] - STORY.start).days == 27


ANSWER = (
    b"Received: by mx\r\n\twith ESMTP\r\nTo: club+c0123456789abcdefghjkmnpqrs@example.org\r\n"
    b"In-Reply-To: <game.result@club.example>\r\n\r\nReceived: OUI\r\n"
)


def test_a_sample_is_sent_without_what_the_receiving_server_wrote():
    assert as_sent(ANSWER).startswith(b"To: ")
    assert as_sent(ANSWER).endswith(b"\r\n\r\nReceived: OUI\r\n")


def test_a_sample_joins_the_thread_and_bears_the_real_token():
    assert answered_kind(ANSWER) == "game.result"
    sent = in_thread(ANSWER, "<real@example.org>", "c" + "z" * 26)
    assert b"In-Reply-To: <real@example.org>\r\n" in sent
    assert b"club+czzzzzzzzzzzzzzzzzzzzzzzzzz@" in sent
    assert answered_kind(b"To: x\r\n\r\nIn-Reply-To: <game.result@club.example>\r\n") is None
