"""What one language's templates lack, or have too much, beside another's: the comparison of two folders.

Sentences differ; what they are about must not. A template, or a macro of it, is compared by the names that
it shows or asks about, the filters that write amounts, dates and quotes, the codes that it tells apart, and
the commands that it offers.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment, nodes
from jinja2.defaults import DEFAULT_FILTERS

REQUIRED = {"locale", "moment", "short_day"}
OPTIONAL = {"first_of_month"}
"""Of language.toml."""
OWN_WAY = {"count", "of", "place", "form"}
"""Macros of how a language counts and declines, and of the gaps in forms: each does it in its own way."""
DATES = {"moment", "day", "short_day", "last_day", "last_short_day"}
KEPT = {"money", "signed", "typed", "quoted", "form", "explained"}
PARSER = Environment(trim_blocks=True, lstrip_blocks=True)
PARSER.filters = {**DEFAULT_FILTERS, **dict.fromkeys((*DATES, *KEPT, "names"), str)}
BUTTON = re.compile(r"^\s*(=>|->| {4}) ?(J'ACCEPTE|[^\W\d_a-zà-ÿ]{2,})(.*)$", re.MULTILINE)


@dataclass
class Unit:
    """A template's page, or one macro, as far as every language must say it alike."""

    names: set[str] = field(default_factory=set)
    own: set[str] = field(default_factory=set)
    """Variables that it sets itself; it may call them what it likes."""
    filtered: set[str] = field(default_factory=set)
    codes: set[str] = field(default_factory=set)


def lacking(folder: Path, model: Path) -> list[str]:
    """Say all that a language's folder lacks or has too much, beside the model."""
    mine, theirs = ({p.name: p.read_text("utf-8") for p in f.glob("*.md")} for f in (folder, model))
    found = [f"{name}: no such file" for name in sorted(set(theirs) - set(mine))]
    found += [f"{name}: {model.name} has none" for name in sorted(set(mine) - set(theirs))]
    called = "\n".join(mine.values())
    for name in sorted(set(mine) & set(theirs)):
        found += [f"{name}{fault}" for fault in _page(mine[name], theirs[name], called)]
    return found + [f"language.toml: {fault}" for fault in _particulars(folder / "language.toml")]


def _page(mine: str, theirs: str, called: str) -> Iterator[str]:
    """A language may have macros of its own (« a » or « ad »), if it calls them."""
    here, there = units(mine), units(theirs)
    yield from (f": no macro {name}" for name in sorted(set(there) - set(here)))
    for name in sorted(set(here) - set(there)):
        if len(re.findall(rf"\b{name.partition('(')[0]}\(", called)) < 2:
            yield f": the macro {name} is never called"
    for name in sorted(set(here) & set(there)):
        if name.partition("(")[0] not in OWN_WAY:
            where = f", {name}" if name else ""
            yield from (f"{where}: {fault}" for fault in _unit(here[name], there[name]))
    more, fewer = (Counter(commands(text)) for text in (mine, theirs))
    yield from (f": the command {one} is missing" for one in sorted((fewer - more).elements()))
    yield from (f": the command {one} is one too many" for one in sorted((more - fewer).elements()))


def _unit(mine: Unit, theirs: Unit) -> Iterator[str]:
    yield from (f"{one} is not shown" for one in sorted(theirs.names - theirs.own - mine.names))
    for one in sorted(mine.names - theirs.names):
        if one.partition(".")[0] not in mine.own:
            yield f"{one} is not known there"
    yield from (f"{one} is not written so" for one in sorted(theirs.filtered - mine.filtered))
    yield from (f"the case {one!r} is missing" for one in sorted(theirs.codes - mine.codes))


def _particulars(path: Path) -> Iterator[str]:
    if not path.is_file():
        yield "no such file"
        return
    found = tomllib.loads(path.read_text("utf-8"))
    yield from (f"{key} is missing" for key in sorted(REQUIRED - set(found)))
    yield from (f"{key} is nothing we read" for key in sorted(set(found) - REQUIRED - OPTIONAL))
    for gap in ("{day}", "{time}"):
        if gap not in found.get("moment", gap):
            yield f"moment does not say where {gap} stands"


def units(text: str) -> dict[str, Unit]:
    """The page of a template under "", and each of its macros under its name and arguments."""
    page = PARSER.parse(text)
    found = {"": Unit()}
    for macro in page.find_all(nodes.Macro):
        name = f"{macro.name}({', '.join(argument.name for argument in macro.args)})"
        found[name] = _read(macro)
    macros = {name.partition("(")[0] for name in found}
    for unit in found.values():
        unit.names -= macros
    page.body = [part for part in page.body if not isinstance(part, nodes.Macro)]
    found[""] = _read(page)
    return found


def _read(tree: nodes.Node) -> Unit:
    unit = Unit()
    for node in _all(tree):
        match node:
            case nodes.Name(ctx="store", name=name):
                unit.own.add(name)
            case nodes.Name() | nodes.Getattr():
                unit.names |= {_path(node)} - {""}
            case nodes.Filter(name=name, node=shown) if name in KEPT or name in DATES:
                how = "date" if name in DATES else name
                unit.filtered |= {f"{path}|{how}" for path in map(_path, _all(shown)) if path}
            case nodes.Compare(expr=left, ops=ops):
                unit.codes |= _strings((left, *(op.expr for op in ops)))
            case nodes.Dict(items=items):
                unit.codes |= _strings(pair.key for pair in items)
    return unit


def _all(tree: nodes.Node) -> Iterator[nodes.Node]:
    """Every node below; of a dotted name only the longest path."""
    yield tree
    if not (isinstance(tree, nodes.Getattr) and _path(tree)):
        for child in tree.iter_child_nodes():
            yield from _all(child)


def _path(node: nodes.Node) -> str:
    """`game.number`; "" for what is no name of a fact."""
    if isinstance(node, nodes.Name):
        return "" if node.name in {"range", "namespace", "loop", "shared", "identity"} else node.name
    if isinstance(node, nodes.Getattr) and (before := _path(node.node)):
        return f"{before}.{node.attr}"
    return ""


def _strings(found) -> set[str]:
    return {one.value for one in found if isinstance(one, nodes.Const) and isinstance(one.value, str)}


def commands(text: str) -> list[str]:
    """The commands that a page shows, as button or form, with what is filled in: all that is not words."""
    return [
        " ".join((f"{mark.strip() or 'form'} {verb}", *re.findall(r"\{\{.*?\}\}", rest)))
        for mark, verb, rest in BUTTON.findall(re.sub(r"\{[%#].*?[%#]\}", "", text, flags=re.DOTALL))
    ]


def sentences(path: Path) -> set[str]:
    """The words of a page, piece by piece between what is filled in; forms and lone words are left out."""
    found: set[str] = set()
    for node in PARSER.parse(path.read_text("utf-8")).find_all((nodes.TemplateData, nodes.Const)):
        if isinstance(node, nodes.TemplateData):
            found |= {line for line in node.data.split("\n") if not BUTTON.match(line)}
        elif isinstance(node.value, str) and " " in node.value.strip():
            found.add(node.value)
    return {" ".join(one.split()) for one in found if len(re.findall(r"[^\W\d_]{2,}", one)) > 2}
