"""Every mail of the lives, one of each look and language, written to a folder as text and HTML, and an index.

The files are what members get, taken out of the finished mails; the index is a page for the operator.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from html import escape
from pathlib import Path

from mailflow import words
from mailflow.errors import MailflowError
from mailflow.preview.lives import LIVES, MEMBERS, NEWCOMERS, Sent, played

_PARTICULARS = re.compile(
    rf"\b(?:{'|'.join((*MEMBERS, *NEWCOMERS))})\b|«.*?»|“.*?”|„.*?“|[+−]?[\d\s.,]*\d|\[#\w+\]"
)


@dataclass(frozen=True)
class Sample:
    """One mail to look at; `name` is that of its files, below the folder of its language."""

    name: str
    language: str
    kind: str
    subject: str
    to: str
    text: str
    page: str


def gallery(kind: str | None = None, languages: Iterable[str] = ()) -> tuple[Sample, ...]:
    """Return one mail of each look and language, of one kind or of all; all languages if none is named.

    Raises MailflowError where a language has no templates.
    """
    wanted = tuple(languages) or words.languages()
    for strange in set(wanted) - set(words.languages()):
        raise MailflowError(
            f"{strange}: there are no mails in this language, only in {', '.join(words.languages())}"
        )
    return tuple(
        sample
        for language in wanted
        for sample in samples((sent for life in LIVES for sent in played(life, language)), language, kind)
    )


def samples(sent: Iterable[Sent], language: str, kind: str | None = None) -> tuple[Sample, ...]:
    """Return one mail of each look, of one kind or of all, ready to be shown."""
    found = looks(one for one in sent if kind in (None, one.mail.kind))
    return tuple(_sample(f"{language}/{number:03d}", language, one) for number, one in enumerate(found, 1))


def looks(sent: Iterable[Sent]) -> list[Sent]:
    """Return one mail of each look, by kind: those whose subjects differ in more than names and figures."""
    found: dict[tuple[str, str], Sent] = {}
    for one in sent:
        found.setdefault((one.mail.kind, _PARTICULARS.sub("", one.mail.subject)), one)
    return sorted(found.values(), key=lambda one: one.mail.kind)


def _sample(number: str, language: str, one: Sent) -> Sample:
    parsed = message_from_bytes(one.raw, policy=default)
    assert isinstance(parsed, EmailMessage)
    mail = one.mail
    parts = _part(parsed, "plain"), _shown(_part(parsed, "html"), parsed)
    return Sample(f"{number}-{mail.kind}", language, mail.kind, mail.subject, mail.address, *parts)


def _part(mail: EmailMessage, kind: str) -> str:
    part = mail.get_body((kind,))
    assert part is not None
    return str(part.get_content())


def _shown(page: str, mail: EmailMessage) -> str:
    """Put the mail's pictures into its page, as a mail program does."""
    for part in mail.walk():
        if part.get_content_type() == "image/png":
            data = b64encode(part.get_payload(decode=True)).decode()  # type: ignore[arg-type]
            page = page.replace(f"cid:{str(part['Content-ID'])[1:-1]}", f"data:image/png;base64,{data}")
    return page


def write(shown: Iterable[Sample], folder: Path) -> Path:
    """Write the samples and their index; return the index. Raises MailflowError."""
    found = tuple(shown)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for language in {one.language for one in found}:
            (folder / language).mkdir(exist_ok=True)
        for one in found:
            (folder / f"{one.name}.html").write_text(one.page, "utf-8")
            (folder / f"{one.name}.txt").write_text(one.text, "utf-8")
        index = folder / "index.html"
        index.write_text("".join(_index(found)), "utf-8")
    except OSError as error:
        raise MailflowError(f"{error.filename}: {error.strerror}") from error
    return index


def _index(found: tuple[Sample, ...]) -> Iterator[str]:
    yield _HEAD
    for one in found:
        yield f'<tr lang="{one.language}"><th scope="row">'
        yield f'<a href="{one.name}.html">{escape(one.subject)}</a></th>'
        yield f"<td>{one.language}</td><td>{escape(one.kind)}</td><td>{escape(one.to)}</td>"
        yield f'<td><a href="{one.name}.txt">.txt</a></td></tr>\n'
    yield "</tbody></table>\n</body></html>\n"


_HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>The mails of a club</title>
<style>
:root{color-scheme:light dark}
body{font-family:system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;line-height:1.5}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;font-weight:400;padding:.4rem .8rem .4rem 0;border-bottom:1px solid #8886}
</style></head><body>
<h1>The mails of a club</h1>
<table><thead><tr>
<th scope="col">Subject</th><th scope="col">Language</th><th scope="col">Kind</th><th scope="col">To</th>
<th scope="col">Text</th>
</tr></thead><tbody>
"""
