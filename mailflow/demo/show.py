"""`mailflow demo`: four weeks of a club, mails and all, on this machine; or a club to try things out.

Everything is real but the people and the clock: a database and a key in a folder, the SMTP entry, the
desk, the sender. No network is needed and nothing is configured.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mailflow import ambient
from mailflow.agenda import WindowEnd
from mailflow.demo.prompt import Prompt
from mailflow.demo.screen import Screen
from mailflow.demo.stage import Happening, Stage, open_stage
from mailflow.demo.story import Scene, Story, read_story
from mailflow.register import Handled
from mailflow.words import money
from parsers.letter import read_letter
from store import inbox
from store.verify import verify

IN_MEMORY = Path("/dev/shm")
"""Where there is such a folder, a club that nobody keeps need not wait for a disk."""


@dataclass
class Place:
    """Where the demo's club lies, and whether it stays when the demo ends."""

    folder: Path
    stays: bool


def demo(
    folder: Path | None,
    interactive: bool,
    speak: Callable[[str], None],
    ask: Callable[[str], str] | None = None,
) -> int:
    """Play the story, or let a person lead; return 0 if the books check out at the end, else 1.

    `folder`: where to make the club; None for a temporary folder that is removed afterwards. `ask` shows
    a prompt and returns a line; None for the standard input.
    """
    started = ambient.stopwatch()
    story = read_story()
    with _place(folder) as place, open_stage(place.folder, story) as stage:
        screen = Screen(speak, story.zone)
        if interactive:
            prompt = Prompt(stage, screen, ask or _typed, lambda: _play(story, stage, screen))
            place.stays |= prompt.run()
        else:
            _greet(story, screen)
            _play(story, stage, screen)
        in_order = _check(stage, screen)
        if not interactive:
            speak(f"  Quatre semaines en {ambient.stopwatch() - started:.1f} secondes.")
        _what_next(place, interactive, speak)
    return 0 if in_order else 1


@contextmanager
def _place(folder: Path | None) -> Iterator[Place]:
    memory = str(IN_MEMORY) if os.access(IN_MEMORY, os.W_OK | os.X_OK) else None
    place = Place(folder or Path(tempfile.mkdtemp(prefix="mailflow-demo-", dir=memory)), folder is not None)
    try:
        yield place
    finally:
        if not place.stays:
            shutil.rmtree(place.folder, ignore_errors=True)


def _typed(prompt: str) -> str:
    """Read a line; one that comes from a file is shown, as a terminal shows what is typed."""
    line = input(prompt)
    if not sys.stdin.isatty():
        print(line)
    return line


# ---------------------------------------------------------------- the story


def _greet(story: Story, screen: Screen) -> None:
    handles = ", ".join(m.handle + (" (gestionnaire)" if m.manager else "") for m in story.members)
    screen.narrate(
        f"{story.club.name} <{story.club.address}> : un cercle d'amis qui joue au poker et tient ses comptes "
        f"par mail. Membres : {handles}. Chacun commence avec "
        f"{money(story.rulebook['initial_credit_cents'], 'EUR', 'fr')} de crédit."
    )
    screen.narrate("Les personnes et l'horloge sont inventées ; tout le reste travaille pour de vrai.")
    screen.narrate(
        "Pour faire court, chacun est ici cru sur parole ; un vrai club montre d'abord ce qu'il va faire, "
        "et attend un OUI."
    )


def _play(story: Story, stage: Stage, screen: Screen) -> None:
    """Play all scenes, each after what falls due before it."""
    for scene in story.scenes:
        for happening in stage.pass_time(scene.at):
            _show_due(happening, stage, screen)
        screen.when(scene.at)
        screen.narrate(scene.says)
        if scene.mail:
            _play_mail(scene, story, stage, screen)


def _play_mail(scene: Scene, story: Story, stage: Stage, screen: Screen) -> None:
    raw = stage.threaded(story.mail(scene))
    letter = read_letter(raw)
    handles = {m.address: m.handle for m in stage.picture.members.values()}
    screen.incoming(letter, handles.get(letter.sender or "", letter.sender or "?"), scene.mail)
    for happening in stage.receive(raw):
        if isinstance(happening.what, Handled):
            screen.became(happening.what)
        screen.sent(happening.sent)


def _show_due(happening: Happening, stage: Stage, screen: Screen) -> None:
    """Show what fell due, if it is of interest: mails that left, or a result that is final now."""
    what = happening.what
    final = isinstance(what, WindowEnd) and not happening.sent
    if not (happening.sent or final):
        return
    screen.when(happening.at)
    if isinstance(what, WindowEnd):
        end = "le résultat est définitif" if final else "le résultat est contesté"
        screen.narrate(f"Le délai de la partie {what.game} est passé : {end}.")
    screen.sent(happening.sent)


# ---------------------------------------------------------------- the end


def _check(stage: Stage, screen: Screen) -> bool:
    """Show all balances and check the books; tell whether all is well."""
    office, club = stage.office, stage.picture
    screen.speak("")
    screen.speak("━━ Les comptes ".ljust(96, "━"))
    screen.balances(club)
    total, findings = club.books.journal_sum(), verify(office.db, office.club.id)
    screen.speak("")
    screen.speak(f"  Somme du journal : {money(total, club.currency, 'fr')}")
    for finding in findings:
        screen.speak(f"  FAUX : {finding.code}, {finding.where} {dict(finding.detail)}")
    if not findings:
        screen.speak("  Contrôle : tout concorde (écritures, soldes, parties, chaîne d'audit).")
    received = sum(inbox.counts(office.db, office.club.id).values())
    screen.speak(f"  Mails reçus : {received}. Mails envoyés : {len(stage.mails())}.")
    return total == 0 and not findings


def _what_next(place: Place, interactive: bool, speak: Callable[[str], None]) -> None:
    speak("")
    if place.stays:
        speak(f"  Le club est dans {place.folder} : ses livres dans mailflow.db,")
        speak("  les mails envoyés dans outbox/new, un fichier chacun.")
        speak("")
    speak("  Et maintenant :")
    if not interactive:
        speak("    mailflow demo --interactive      écrire soi-même, au nom de chacun")
    if not place.stays:
        speak("    mailflow demo --dir DOSSIER      garder le club et ses mails pour les regarder")
    speak("    mailflow init DOSSIER            commencer un vrai club")
