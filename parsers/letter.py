"""Bytes of a mail -> `Letter`: who, to whom, when, and the readable text, all bounded.

`read_letter` never raises. A mail that cannot be read safely becomes a letter of kind MALFORMED with a
reason:

    from_missing from_twice from_many from_unreadable    no single sender (mails rule 8, E01-E09)
    subject_twice header_twice                           one header too many (B11, E28)
    headers_unfinished boundary_missing base64_cut       broken on the way (D22, D20, C15)
    too_large too_many_headers header_too_long too_many_recipients too_many_parts too_deep
    html_too_deep html_too_large text_too_long           (T-23)
    encrypted winmail_only                               nothing readable inside (D15, D18)
    unreadable                                           an error of ours; the mail is kept (G06)
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace

from parsers.addresses import recipients_of, sender_of, token_of, written_to
from parsers.bounces import BounceReport, read_bounce
from parsers.headers import Headers, split_headers
from parsers.kinds import LetterKind, kind_of
from parsers.limits import (
    HEADER_BYTES_MAX,
    HEADERS_MAX,
    SIZE_BYTES_MAX,
    SUBJECT_CHARACTERS_MAX,
    TEXT_CHARACTERS_MAX,
)
from parsers.mime import Part, Unreadable, parse_parts, segments, text_of

CUT_HEADER = "x-mailflow-cut"
"""What a door puts above the headers of a mail of which it kept nothing else, because of its size (T-23).
A sender who puts it there himself has his own mail set aside."""

_EMPTY_LINE = re.compile(rb"\n\r{0,2}\n|\r\r(?!\n)")
_ONCE = ("reply-to", "sender", "message-id", "in-reply-to", "content-type", "content-transfer-encoding")
# Above this, converting costs less than comparing, for it never looks into what it cuts.
_COMPARED_CHARACTERS_MAX = 40_000
_STOCK_TEXT = (
    "HTML", "MIME", "MULTIPART", "VERSION TEXTE", "TEXT VERSION", "BROWSER", "NAVIGATEUR",
    "NE PREND PAS EN CHARGE",
    "NE SUPPORTE PAS", "DOES NOT SUPPORT", "N'AFFICHE PAS", "NE PEUT PAS AFFICHER", "NE PEUT AFFICHER",
    "CANNOT DISPLAY",
)  # fmt: skip


@dataclass(frozen=True)
class Letter:
    """One mail, read: what it claims, in a form that is safe to compare; nothing of it is trusted.

    sender           canonical addr-spec of the single From; None if there is no single one
    sender_name      display name, for display only (E07)
    subject          decoded, one line, at most 998 characters
    text             the readable text, history included; LF, NFC, no hidden characters. A line that ends in a
                     space goes on in the next one (format=flowed)
    message_id       as written, with its angle brackets; None if there is none
    in_reply_to      likewise
    references       the ids of that header, oldest first
    recipients       canonical addr-specs of To, Cc, Delivered-To and its kin
    addressed        those of To and Cc alone, which every reader of the mail sees; as written if none
    date             the Date header as written: a claim; None if absent
    is_html          whether `text` was converted from HTML
    is_flowed        whether `text` was format=flowed
    html_text        the HTML alternative as text, only if it does not say the same as `text` (D04); else None
    defects          codes of what was repaired or overlooked
    kind, reason     what the letter is; `reason` says why it is MALFORMED and is None otherwise
    token            the token it carries, in outer headers or else in the text; None also if they disagree
    fingerprint      SHA-256, hex, of sender, message id, date, subject and body: the same for every
                     delivery of the same mail (E17-E20)
    bounce           what a delivery report says; None for every other kind
    """

    sender: str | None = None
    sender_name: str = ""
    subject: str = ""
    text: str = ""
    message_id: str | None = None
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()
    recipients: tuple[str, ...] = ()
    addressed: tuple[str, ...] = ()
    date: str | None = None
    is_html: bool = False
    is_flowed: bool = False
    html_text: str | None = None
    defects: tuple[str, ...] = ()
    kind: LetterKind = LetterKind.PERSON
    reason: str | None = None
    token: str | None = None
    fingerprint: str = ""
    bounce: BounceReport | None = None


def read_letter(raw: bytes, own_addresses: frozenset[str] = frozenset()) -> Letter:
    """Read one raw mail. Never raises, on any bytes; linear in their number.

    `own_addresses` are the club's own, in any form with or without plus part: a mail from one of them is OWN.
    """
    try:
        return _read(raw, own_addresses)
    except Exception:  # - one mail must never stop the others; the bytes are kept by the caller (G06)
        return Letter(
            kind=LetterKind.MALFORMED, reason="unreadable", fingerprint=hashlib.sha256(raw).hexdigest()
        )


def _read(raw: bytes, own_addresses: frozenset[str]) -> Letter:
    is_large = len(raw) > SIZE_BYTES_MAX
    headers, body = _parted(raw) if is_large else split_headers(_with_plain_line_ends(raw))
    recipients = recipients_of(headers)
    letter, wrong = _outside(headers, recipients)
    letter = replace(letter, fingerprint=_fingerprint(letter, headers, body))
    tree: Part | None = None
    if is_large or headers.has(CUT_HEADER):
        wrong = "too_large"
    else:
        try:
            tree = parse_parts(headers, body)
        except Unreadable as error:
            wrong = wrong or str(error)
    kind = kind_of(headers, tree, letter.sender, recipients or {}, own_addresses)
    if kind is LetterKind.BOUNCE:
        letter = replace(letter, bounce=read_bounce(headers, tree, body))
    if kind is not LetterKind.PERSON:
        return replace(letter, kind=kind)
    if wrong or tree is None:
        return replace(letter, kind=LetterKind.MALFORMED, reason=wrong)
    try:
        return _with_text(letter, tree)
    except Unreadable as error:
        return replace(letter, kind=LetterKind.MALFORMED, reason=str(error))


def _with_plain_line_ends(raw: bytes) -> bytes:
    """CRLF, lone CR and CR CR LF all become LF, once and for all (G05)."""
    if b"\r" not in raw:
        return raw
    return raw.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _parted(raw: bytes) -> tuple[Headers, bytes]:
    """The headers of a mail that is too large to be read, and its body without line ends.

    The fingerprint is all that is made of the body: programs change line ends on the way, and dropping them
    passes over so many bytes only once.
    """
    end = _EMPTY_LINE.search(raw)
    at = end.end() if end else len(raw)
    headers, rest = split_headers(_with_plain_line_ends(raw[: min(at, HEADERS_MAX * HEADER_BYTES_MAX)]))
    return headers, rest + raw[at:].translate(None, b"\r\n")


def _outside(headers: Headers, named: dict[str, list[str]] | None) -> tuple[Letter, str | None]:
    """What the headers say, and the first reason why they cannot be trusted to say one thing."""
    froms = headers.all("from")
    if not froms:
        sender, name, wrong = None, "", "from_missing"
    elif len(froms) > 1:
        sender, name, wrong = None, "", "from_twice"
    else:
        sender, name, flaw = sender_of(froms[0])
        wrong = flaw or ""
    if not wrong and len(headers.all("subject")) > 1:
        wrong = "subject_twice"
    if not wrong and any(len(headers.all(name)) > 1 for name in _ONCE):
        wrong = "header_twice"
    subject = headers.text("subject")
    defects = ("subject_cut",) if len(subject) > SUBJECT_CHARACTERS_MAX else ()
    if not wrong and named is None:
        wrong = "too_many_recipients"
    recipients = tuple(dict.fromkeys(a for found in (named or {}).values() for a in found))
    ids = [word for word in headers.text("references").split() if word.startswith("<")]
    message_id = headers.text("message-id")
    letter = Letter(
        sender=sender,
        sender_name=name,
        subject=subject[:SUBJECT_CHARACTERS_MAX],
        message_id=None if message_id in ("", "<>") else message_id,
        in_reply_to=headers.text("in-reply-to") or None,
        references=tuple(ids),
        recipients=recipients,
        addressed=() if named is None else written_to(headers),
        date=headers.text("date") or None,
        defects=defects if message_id not in ("", "<>") else (*defects, "message_id_missing"),
        token=token_of(recipients, subject),
    )
    return letter, headers.defect or wrong or None


def _fingerprint(letter: Letter, headers: Headers, body: bytes) -> str:
    """Hash what the writer sent and no header that a server adds or changes on the way (E17, E20).

    Empty lines at the end do not count, as in DKIM's canonical forms (RFC 6376 3.4.3).
    """
    digest = hashlib.sha256()
    sender = (letter.sender or "").encode("utf-8", "replace") or b"\n".join(headers.all("from"))
    claims = (
        sender,
        headers.raw("message-id"),
        headers.raw("date"),
        headers.raw("subject"),
        body.rstrip(b"\n"),
    )
    for claim in claims:
        digest.update(b"%d:" % len(claim))
        digest.update(claim)
    return digest.hexdigest()


def _with_text(letter: Letter, tree: Part) -> Letter:
    """Choose and decode the words of the mail (D01-D09). Raises Unreadable."""
    if tree.media == "multipart/encrypted":
        raise Unreadable("encrypted")
    texts: list[str] = []
    defects: list[str] = list(letter.defects)
    is_html = is_flowed = False
    other: str | None = None
    quoted = ""
    for segment in segments(tree, alone=True):
        plain = html = ""
        if segment.plain:
            plain, found = text_of(segment.plain)
            defects += found
        blank = not any(c.isalnum() for c in plain)
        stock = bool(segment.html) and _is_stock(plain)
        if segment.html and (blank or stock) and not texts:
            # Only the first HTML stretch is the body (D09); after text of its own it is decoration.
            html, markup, found = _html_of(segment.html)
            quoted += markup
            defects += found
            is_html |= bool(html)
        elif segment.html and segment.plain and other is None:
            try:
                other = _differing(plain, segment.html)
            except Unreadable:
                # What the other alternative says nobody can tell; `read_commands` has it confirmed.
                defects.append("html_unread")
        if html or not blank:
            texts.append(html or plain)
            is_flowed |= bool(segment.plain) and _is_flowed(segment.plain) and not html
    if not texts:
        _explain_silence(tree)
    text = _without_armour("\n".join(texts))
    if len(text) > TEXT_CHARACTERS_MAX:
        raise Unreadable("text_too_long")
    return replace(
        letter,
        text=text,
        is_html=is_html,
        is_flowed=is_flowed,
        html_text=other if len(texts) == 1 else None,
        # What the history of an HTML mail says is cut from its text, but for the reference line (T-14).
        token=letter.token or token_of(letter.recipients, letter.subject, f"{text}\n{quoted}"),
        defects=tuple(dict.fromkeys(defects)),
    )


def _is_flowed(part: Part | None) -> bool:
    return part is not None and part.parameters.get("format", "").lower() == "flowed"


def _is_stock(plain: str) -> bool:
    """A text alternative that only says that there is another one (D02)."""
    from parsers.characters import folded

    return len(plain) < 400 and any(word in folded(plain) for word in _STOCK_TEXT)


def _html_of(part: Part) -> tuple[str, str, tuple[str, ...]]:
    """The text of an HTML part without what it quotes, the whole markup, and what was wrong with it."""
    from parsers.markup import html_to_text

    markup, defects = text_of(part)
    return html_to_text(markup), markup, defects


def _differing(plain: str, html: Part) -> str | None:
    """The HTML alternative as text if it does not show the very letters of the plain one; else None (D04).

    The comparison of letters is cheap and nearly always settles it; converting is left for the rest.
    Raises Unreadable.
    """
    from parsers.markup import html_to_text, letters_of, may_be_struck, visible_words

    markup, _ = text_of(html)
    alike = len(markup) < _COMPARED_CHARACTERS_MAX and letters_of(plain) == visible_words(markup)
    if alike and not may_be_struck(markup):
        return None
    text = html_to_text(markup)
    # An alternative without a word contradicts nothing, unless its words are struck through.
    return text if any(c.isalnum() for c in text) or (alike and text != plain) else None


def _explain_silence(tree: Part) -> None:
    """Nothing readable: say so if that is because it is wrapped in something we do not open (D15, D18)."""
    media = [part.media for part in tree.walk()]
    if any(m in ("application/pkcs7-mime", "application/x-pkcs7-mime", "multipart/encrypted") for m in media):
        raise Unreadable("encrypted")
    if "application/ms-tnef" in media:
        raise Unreadable("winmail_only")


def _without_armour(text: str) -> str:
    """Undo an inline PGP signature (RFC 4880 7.1, D16). Raises Unreadable for an encrypted text."""
    if "-----BEGIN PGP MESSAGE-----" in text:
        raise Unreadable("encrypted")
    head = "-----BEGIN PGP SIGNED MESSAGE-----"
    if not text.lstrip().startswith(head):
        return text
    _, _, rest = text.partition(head)
    _, _, rest = rest.lstrip("\n").partition("\n\n")
    signed, _, _ = rest.partition("-----BEGIN PGP SIGNATURE-----")
    return "\n".join(line.removeprefix("- ") for line in signed.split("\n"))
