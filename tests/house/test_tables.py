"""The tables are whole: every row has help, handler, template and words; every template has a row."""

import ast
import re
from pathlib import Path

import pytest

from mailflow.catalogue import COMMANDS, GRAMMAR, Need
from mailflow.notices import KINDS
from parsers.commands import PROBLEM_CODES

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "templates" / "fr"
WRAPPERS = {
    "answer",
    "confirm",
    "simulation",
    "refused",
    "malformed",
    "unknown",
    "empty",
    "unreadable",
    "misused",
    "application.noted",
    "application.unusable",
    "application.decided",
    "identity.over",
    "crowded",
    "unheard",
    "forget.asked",
    "forgotten",
}
PAGES_OF_PHRASES = {"refusals", "problems", "previews", "shared", "explanation", "statement"}


def macros(page: str) -> set[str]:
    text = (TEMPLATES / f"{page}.md").read_text("utf-8")
    return set(re.findall(r"{%-?\s*macro\s+(\w+)\s*\(", text))


def refusal_codes() -> set[str]:
    """Every code with which the source makes a Refusal."""
    found = set()
    for path in [*(ROOT / "mailflow").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refusal":
                code = node.args[1]
                assert isinstance(code, ast.Constant), f"{path}: a refusal's code is written out"
                found.add(code.value)
    return found


def test_each_command_stands_once():
    assert len({c.name for c in COMMANDS}) == len(COMMANDS)


def test_no_word_means_two_verbs():
    words = [w for v in GRAMMAR.verbs for w in (v.name, *v.aliases)]
    assert len(words) == len(set(words))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.name)
def test_a_row_is_complete(command):
    assert command.verb.form.replace("'", "").split()[0] in {w.replace("'", "") for w in GRAMMAR.by_word}
    assert command.rule in (ROOT / "docs" / "rules.md").read_text("utf-8")
    assert (command.handler is None) == (command.need is Need.ANSWER)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.name)
def test_what_acts_can_be_shown_before_it_is_done(command):
    if command.need in (Need.ACT, Need.MANAGE):
        assert command.name in macros("previews")


def test_every_template_belongs_to_a_row():
    names = {p.stem for p in TEMPLATES.glob("*.md")}
    answers = {f"answer.{c.name}" for c in COMMANDS}
    assert names >= KINDS
    parts = {n for n in names if (TEMPLATES / f"{n}.md").read_text("utf-8") and included(n)}
    assert names - KINDS - answers - WRAPPERS - PAGES_OF_PHRASES - parts == set()


def included(name: str) -> bool:
    """Whether another template draws this one in."""
    return any(f'"{name}.md"' in p.read_text("utf-8") for p in TEMPLATES.glob("*.md") if p.stem != name)


def test_every_refusal_has_its_words_and_no_words_are_idle():
    text = (TEMPLATES / "refusals.md").read_text("utf-8")
    called = {m for m in macros("refusals") if len(re.findall(rf"\b{m}\(", text)) > 1}
    assert refusal_codes() <= macros("refusals")
    assert macros("refusals") - called <= refusal_codes()


def test_every_problem_has_its_words():
    assert set(PROBLEM_CODES) <= macros("problems")


RULES = re.findall(r"R-[A-Z]+-\d+", (ROOT / "docs" / "rules.md").read_text("utf-8"))
"""The rulebook's numbers, from the page that states them."""


def sources(*folders: str) -> str:
    return "\n".join(p.read_text("utf-8") for d in folders for p in sorted((ROOT / d).rglob("*.py")))


@pytest.mark.parametrize("rule", sorted(set(RULES)))
def test_every_rule_is_cited_by_the_code_and_by_a_test(rule):
    wanted = re.compile(rf"\b{rule}\b")
    assert wanted.search(sources("mailflow", "store")), f"no code says that it is {rule}"
    assert wanted.search(sources("tests")), f"no test says that it tests {rule}"
