"""The pages of docs/ that are drawn from the tables, so that they cannot lie.

`python -m mailflow.guide` writes them anew; a test refuses them when they are out of date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

from mailflow import literal
from mailflow.catalogue import COMMANDS, Command, Need, Who
from mailflow.jobs import JOBS
from mailflow.letters import Letters, Reader
from mailflow.notices import NOTICES
from mailflow.rules.regulation import PARAMETERS

DOCS = Path(__file__).resolve().parents[1] / "docs"
LETTERS = Letters("EUR", ZoneInfo("UTC"))

PROOF = {
    Need.READ: "aucune : la réponse va à ton adresse enregistrée",
    Need.ACT: "un OUI au mail de confirmation",
    Need.MANAGE: "un OUI au mail qui montre tout ce qui arrivera",
    Need.IDENTITY: "un OUI de l'ancienne et de la nouvelle adresse, ou des deux personnes ; puis 72 heures",
    Need.ANSWER: "–",
}
WHO = {
    Who.MEMBER: "membres actifs",
    Who.ANYBODY: "membres, bannis compris",
    Who.MANAGER: "gestionnaire",
    Who.NEWCOMER: "personne qui n'est pas membre",
}


def members_guide() -> str:
    """Return the page of commands, in French, for members."""
    return _page(
        "Les commandes",
        "Un mail au club contient une ou plusieurs commandes, une par ligne. Elles sont exécutées toutes "
        "ensemble ou pas du tout. La casse, les accents et l'ordre des arguments ne comptent pas. `SIMULE` "
        "devant une commande montre ce qui se passerait, sans rien changer.",
        (line for command in COMMANDS for line in _command(command)),
    )


def _command(command: Command) -> Iterator[str]:
    yield f"## {command.name}"
    yield ""
    yield f"    {command.verb.form}"
    yield ""
    yield literal.words(LETTERS.phrase("shared", "help", command, Reader.newcomer("", "fr"), None))
    yield ""
    yield f"- Qui : {WHO[command.who]}"
    if command.need is not Need.ANSWER:
        yield f"- Preuve demandée : {PROOF[command.need]}"
    if command.verb.aliases:
        yield f"- Se dit aussi : {', '.join(command.verb.aliases)}"
    yield f"- Règle : {command.rule}"
    yield ""


def notices_page() -> str:
    """Return the page of notices and jobs, in English, for developers."""
    return _page(
        "Notices and jobs",
        "Every kind of mail that is not a direct answer, and who gets it; then what falls due by the clock.",
        [
            "| kind | who gets it |",
            "|---|---|",
            *(f"| `{n.kind}` | {n.audience} |" for n in NOTICES),
            "",
            "| job | when (club time) |",
            "|---|---|",
            "| end of a dispute window | 00:00 after its last day, each game at its own instant |",
            "| change of identity | at its own instant: unanswered it lapses, confirmed it takes effect |",
            *(f"| {j.name} | {'Mondays' if j.weekday == 0 else 'daily'} {j.at:%H:%M} |" for j in JOBS),
            "",
            "| REGLE … | parameter of the rulebook |",
            "|---|---|",
            *(f"| `{p.word}=` | `{p.name}` |" for p in PARAMETERS),
            "",
        ],
    )


def _page(title: str, opening: str, lines: Iterable[str]) -> str:
    note = "<!-- Written by `python -m mailflow.guide` from the tables: change those, not this page. -->"
    return "\n".join([f"# {title}", "", note, "", opening, "", *lines]).rstrip() + "\n"


PAGES: dict[str, Callable[[], str]] = {"commandes.md": members_guide, "notices.md": notices_page}


def main() -> None:
    """Write all derived pages."""
    for name, write in PAGES.items():
        (DOCS / name).write_text(write(), "utf-8")


if __name__ == "__main__":
    main()
