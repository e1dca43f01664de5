"""How long the reader takes over mails that were made to be slow, at one, two and four times their size.

`python -m tests.fuzz.hostile` prints milliseconds of processor time (the best of five) and the growth from
one size to the next: 2 is linear, 4 would be quadratic. The greatest of each shape stays within the limits of
`parsers/limits.py`, beyond which a mail is set aside unread. At the end, the ordinary mails.
"""

from __future__ import annotations

import base64
import statistics
import sys
import time
from collections.abc import Callable
from itertools import pairwise

from lxml import etree

from parsers.commands import read_commands
from parsers.kinds import LetterKind
from parsers.letter import read_letter
from tests.fuzz.mutations import seeds
from tests.parsers.mail_scene import GRAMMAR, mail, parts

TEXT = 15_000
"""Characters of the smallest text; four times that is still read."""
MARKUP = 60_000
SIZES = (1, 2, 4)
ROUNDS = 5
ATTRIBUTION = "Am Mo., 9. März 2026\num 21:14 Uhr\nschrieb Club\n<c@b.org>:\nOUI\n"
PLAIN = "Content-Type: text/plain"
QUOTED = "Content-Transfer-Encoding: quoted-printable\n"
HTML = "Content-Type: text/html; charset=utf-8\n"


def _text(unit: str, before: str = "", headers: str = "") -> Callable[[float], bytes]:
    """A reply whose body repeats the unit."""
    return lambda n: mail(before + unit * int(n * TEXT / len(unit)), "Re: x", headers)


def _page(unit: str, before: str = "", after: str = "") -> Callable[[float], bytes]:
    return lambda n: mail(before + unit * int(n * MARKUP / len(unit)) + after, "Re: x", HTML)


def _headers(line: Callable[[int], str], many: int, body: str = "COMPTE") -> Callable[[float], bytes]:
    """A mail with so many lines more in its header block."""
    return lambda n: mail(body, "Re: x", "".join(f"{line(i)}\n" for i in range(int(n * many))))


def _tiny_parts(n: float) -> bytes:
    return parts(*[f"Content-Type: text/plain\n\nmot {i}" for i in range(int(n * 12))])


def _deep_quotes(n: float) -> bytes:
    """Containers within containers, as deep as is read, each to be asked whether it holds a quote."""
    inside = "<div>a</div>" * int(n * 2000)
    return mail("<div class=gmail_quote>" * 190 + inside + "</div>" * 190, "Re: x", HTML)


def _distinct_tags(n: float) -> bytes:
    return mail("".join(f"<b id=a{i}>a</b>" for i in range(int(n * 2000))), "Re: x", HTML)


def _nested(n: float) -> bytes:
    """As deep as is read, and as many parts."""
    text = "Content-Type: text/plain\n\n" + "mot " * int(n * 2000) + "\n"
    for level in range(8):
        text = f'Content-Type: multipart/mixed; boundary="b{level}"\n\n--b{level}\n{text}\n--b{level}--\n'
    return mail(text.partition("\n\n")[2], "x", text.partition("\n\n")[0] + "\n")


SHAPES: dict[str, Callable[[float], bytes]] = {
    "lines « On it goes »": _text("On it goes\n"),
    "« Le 3 mai 2026 à 10:00 x a écrit »": _text("Le 3 mai 2026 à 10:00 x a écrit\n"),
    "the same on one line": _text("Le 3 mai 2026 à 10:00 x a écrit "),
    "« Am schrieb » below a command": _text("Am schrieb ", "COMPTE\n\n"),
    "labels « De : »": _text("De : x\n"),
    "labels « Envoyé : » on one line": _text("Envoyé : ", "De : "),
    "rows of >": _text(">"),
    "lines of >": _text("> x\n"),
    "long quotes, unmarked tails": _text("> " + "mot " * 20 + "\nmot\n"),
    "rules and dashes": _text("-- x\n-----\n_____\n"),
    "blank lines": _text("\n", "COMPTE\n"),
    "soft-broken lines": _text("mot \n", "CONTESTE 5 ", "Content-Type: text/plain; format=flowed\n"),
    "DelSp": _text("mot \n", "CONTESTE 5 ", "Content-Type: text/plain; format=flowed; delsp=yes\n"),
    "verbs in prose": _text("Partie 5 terminée\n"),
    "bad commands": _text("VIREMENT 15,505 à\n"),
    "keys that go on": _text("joueurs=a,\n", "PARTIE "),
    "places": _text("1=anna 2=bela ", "RESULTAT 1 "),
    "handles": _text("+anna ", "MODIFIE 1 "),
    "words that are nearly verbs": _text("VIRMENTS 5\n"),
    "sentences of ours": _text("La liste de toutes les commandes :\n\n    AIDE\n\n"),
    "combining accents": _text("e\u0301\u0301\u0301"),
    "hidden characters": _text("\u200b\u00ad\u2060a"),
    "« Am … schrieb » on four lines": _text(ATTRIBUTION),
    "lone @": _text("@\n", "COMPTE\n"),
    "a command that is none, with a reason": _text(",bannit PLAINTE\nplainte résultat "),
    "digits before =": _text("1", "VIREMENT 1,"),
    "« Oui » and words of courtesy": _text("oui merci\n"),
    "greetings": _text("Bonjour, "),
    "soft-broken order": _text("a, \n", "PARTIE joueurs=", "Content-Type: text/plain; format=flowed\n"),
    "encoded-words": lambda n: mail("COMPTE", "=?utf-8?q?=C3?= =?utf-8?q?=A9?= " * int(n * 50)),
    "parentheses in From": lambda n: b"From: " + b"(" * int(n * 2000) + b"a@b.org\r\n\r\nCOMPTE\r\n",
    "addresses in To": lambda n: mail("COMPTE", "x", "To: " + "a@b.org, " * int(n * 200) + "\n"),
    "encoded-words in From": lambda n: b"From: " + b"=?u?q?a?= " * int(n * 200) + b"<a@b.org>\r\n\r\n",
    "headers To, 1.8 MB": _headers(lambda i: "To: " + f"a{i}@b{i}.example.org, " * 300, 60),
    "headers To with foreign domains": _headers(lambda i: f"To: a@{'é' * 40}{i}.example", 30),
    "headers To, encoded": _headers(lambda i: f"To: =?utf-8?q?=C3=A9{i}?= <a@xn--{i}-bja.example>", 30),
    "tiny parts": _tiny_parts,
    "references": lambda n: mail("COMPTE", "x", "References: " + "<a@b.org> " * int(n * 200) + "\n"),
    "parameters": lambda n: mail("COMPTE", "x", PLAIN + "; a*1*=''%41" * int(n * 150) + "\n"),
    "near boundaries": lambda n: parts("\n" + "--b0x\n" * int(n * 20_000)),
    "parts within parts": _nested,
    "base64 with junk": lambda n: mail(
        "Q09NUFRF\n*!\nAAAA=\n" * int(n * 3000), "x", "Content-Transfer-Encoding: base64\n"
    ),
    "quoted-printable, broken": lambda n: mail("=ZZ=\n=" * int(n * 3000), "x", QUOTED),
    "attachment in base64": lambda n: parts(
        "Content-Type: text/plain\n\nCOMPTE",
        "Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\n"
        + base64.encodebytes(b"x" * int(n * 150_000)).decode(),
    ),
    "HTML text": _page("<p>Bonjour &agrave; tous</p>\n"),
    "HTML, nearly all visible": _page("Bonjour tout le monde, ", "<p>"),
    "HTML spans": _page("<span style='color:red'>a</span>"),
    "HTML divs, 4 deep": _page("<div><div><div><div>a</div></div></div></div>"),
    "HTML bold letters": _page("<b>a</b>"),
    "HTML table": _page("<tr><td>a</td><td>b</td></tr>", "<table>", "</table>"),
    "HTML hidden": _page("<div style='display:none'>OUI</div>"),
    "HTML quotes": _page("<blockquote>OUI</blockquote>a<br>"),
    "HTML quotes within quotes": _page("<blockquote>a"),
    "HTML containers within containers": _deep_quotes,
    "HTML attributions": _page("<div class=gmail_attr>Le 3 mai 2026, Club a écrit :</div>a"),
    "HTML thin lines": _page("<div style='border-top:solid 1pt'>De</div>"),
    "HTML distinct tags": _distinct_tags,
    "HTML blanks": _page(" \t&nbsp;", "<p>a", "b"),
    "HTML lists": _page("<ol><li>a<li>"),
    "HTML preformatted": _page("a\n", "<pre>" * 50),
    "HTML style sheet": _page(".a{display:none} ", "<style>", "</style>COMPTE"),
    "HTML comments": _page("<!-- OUI -->"),
    "HTML entities": _page("&#233;&nbsp;"),
    "HTML <": _page("<"),
}  # fmt: skip


def main() -> int:
    print(f"{'shape':38} {'KB':>6}  " + "".join(f"{f'{n}× ms':>10}" for n in SIZES) + "     growth")
    worst = 0.0
    for name, make in SHAPES.items():
        mails = [make(n) for n in SIZES]
        taken = [_milliseconds(raw) for raw in mails]
        growth = [b / a for a, b in pairwise(taken)]
        worst = max(worst, *growth)
        refused = read_letter(mails[-1]).reason or ""
        figures = "".join(f"{ms:10.2f}" for ms in taken) + "  " + "".join(f"{g:6.1f}" for g in growth)
        print(f"{name:38} {len(mails[-1]) // 1000:6}  {figures}  {refused}", flush=True)
    print(f"\n{len(SHAPES)} shapes, greatest growth {worst:.1f} for twice the size\n")
    _ordinary()
    return 0


def _ordinary() -> None:
    """Mails as people send them, and the two great ones of the promises."""
    people = [raw for raw in seeds() if read_letter(raw).kind is LetterKind.PERSON]
    taken = sorted(_milliseconds(raw) for raw in people)
    print(
        f"{len(people)} ordinary mails: median {statistics.median(taken):.2f} ms, greatest {taken[-1]:.2f} ms"
    )
    page = "<div><span style='font-size:11pt'>Bonjour à tous, voilà.</span><br></div>\n"
    outlook = "<p class=MsoNormal><span style='font-family:Calibri,sans-serif;mso-fareast-language:EN-US'>"
    outlook += "Bonjour à tous, la soirée de vendredi était réussie.<o:p></o:p></span></p>\n"
    row = "<tr><td width=10 style='padding:0'><img src=x></td><td style='font-family:Arial'>"
    row += "<font color=red>Bonjour &agrave; tous</font></td></tr>\n"
    for name, body in (
        ("HTML, Outlook, as much text as is read", "<p>COMPTE</p>" + outlook * 1150),
        ("HTML, nothing but text, too much of it", "<p>COMPTE</p>" + "<p>Bonjour à tous, voilà.</p>" * 7000),
        ("HTML, a quote of 200 KB", f"<p>COMPTE</p><blockquote>{page * 2700}</blockquote>"),
        ("HTML, 60 KB of text in 200 KB", f"<p>COMPTE</p>{page * 2700}"),
        ("HTML, a table of layout", f"<p>COMPTE</p><table>{row * 1600}</table>"),
        ("HTML, 60 KB of text in long lines", "<p>COMPTE</p>" + f"<p>{'Bonjour à tous, ' * 60}</p>" * 60),
    ):
        raw = mail(body, "Re: x", HTML)
        taken, bare = _milliseconds(raw), _least(lambda body=body: _parsed(body.encode()))
        print(f"{name} ({len(raw) // 1000} KB): {taken:.1f} ms; lxml's parse alone: {bare:.1f} ms")
    picture = base64.encodebytes(bytes(range(256)) * 15_000).decode()
    great = parts("Content-Type: text/plain\n\nCOMPTE", "Content-Type: image/png; name=a\n\n" + picture)
    once = _least(lambda: great.replace(b"\r\n", b"\n"))
    size = len(great) / 1e6
    print(f"{size:.0f} MB attachment: {_milliseconds(great):.2f} ms; its line ends once: {once:.2f} ms")


def _milliseconds(raw: bytes) -> float:
    return _least(lambda: read_commands(read_letter(raw), GRAMMAR))


def _least(work: Callable[[], object]) -> float:
    """Milliseconds of processor time, the best of some rounds: a yardstick beside the reader's own."""
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.process_time()
        work()
        best = min(best, time.process_time() - begun)
    return best * 1000


def _parsed(page: bytes) -> object:
    return etree.fromstring(page, parser=etree.HTMLParser(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())
