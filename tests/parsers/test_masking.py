"""T-15: a token is found and masked in whatever encoding a mail holds it; nothing else is touched."""

from __future__ import annotations

import base64
import quopri
from email.header import Header
from email.message import EmailMessage
from email.policy import SMTP

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.letter import read_letter
from parsers.masking import masked, tokens_in

CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
TOKEN = "s7kq2m9xv4tb8hw3nd5zr6gj1pc"
OTHER = "c0000000000000000000000000z"
MASK = "x" * 27
WORDS = f"Bonjour,\nréférence [#{TOKEN}] à garder\n"


def mail(text: str, cte: str = "8bit", charset: str = "utf-8", **headers: str) -> bytes:
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"] = "bela@example.org", headers.pop("to", "club@example.org")
    for name, value in headers.items():
        message[name] = value
    message.set_content(text, cte=cte, charset=charset)
    return message.as_bytes()


def wrapped(raw: bytes) -> bytes:
    """The mail as an attachment in base64, as some programs forward."""
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"] = "bela@example.org", "club@example.org"
    message.set_content("voir ci-joint")
    message.add_attachment(raw, "application", "octet-stream", filename="mail.eml")
    return message.as_bytes()


def in_words(charset: str, at: int, how: str) -> bytes:
    """A subject in two encoded-words that part the token."""
    text = f"À confirmer [#{TOKEN}]"
    cut = text.index(TOKEN) + at
    if how == "b":
        words = [
            f"=?{charset}?B?{base64.b64encode(p.encode(charset)).decode()}?="
            for p in (text[:cut], text[cut:])
        ]
    else:
        words = [f"=?{charset}?Q?{quoted(p.encode(charset))}?=" for p in (text[:cut], text[cut:])]
    return ("Subject: " + "\r\n ".join(words) + "\r\nFrom: a@b.org\r\n\r\nOUI\r\n").encode()


def quoted(data: bytes) -> str:
    return "".join(chr(b) if chr(b).isalnum() else "_" if b == 32 else f"={b:02X}" for b in data)


def html(inside: str) -> bytes:
    """A mail in HTML alone with these letters as its token."""
    return f"From: a@b.org\r\nContent-Type: text/html\r\n\r\n<p>voir [#{inside}]</p>\r\n".encode()


def in_lines(letters: int, before: bytes = b"") -> bytes:
    """A mail in base64 whose lines are so long, with something before each."""
    coded = base64.b64encode(WORDS.encode())
    lines = [before + coded[at : at + letters] for at in range(0, len(coded), letters)]
    return b"From: a@b.org\r\nContent-Transfer-Encoding: base64\r\n\r\n" + b"\r\n".join(lines) + b"\r\n"


def quoted_everywhere(text: str) -> str:
    return "".join(f"={ord(c):02X}" for c in text)


PLACES = {
    "the address": f"To: club+{TOKEN}@example.org\r\n\r\nOUI\r\n".encode(),
    "the address in capitals": f"To: CLUB+{TOKEN.upper()}@EXAMPLE.ORG\r\n\r\nOUI\r\n".encode(),
    "a folded subject": f"Subject: [#{TOKEN[:9]}\r\n {TOKEN[9:]}]\r\n\r\nOUI\r\n".encode(),
    "a subject unfolded with a blank": f"Subject: [#{TOKEN[:9]} {TOKEN[9:]}]\r\n\r\nOUI\r\n".encode(),
    "any header": f"X-Original-To: club+{TOKEN}@example.org\r\n\r\nOUI\r\n".encode(),
    "the text": mail(WORDS),
    "a quoted text": mail("OUI\n\n> " + WORDS.replace("\n", "\n> ")),
    "quoted-printable": mail(WORDS, "quoted-printable"),
    "a soft line end": b"Content-Transfer-Encoding: quoted-printable\r\n\r\n"
    + f"{'é' * 3}[#{TOKEN[:5]}=\r\n{TOKEN[5:]}]\r\n".encode(),
    "needless escapes": b"Content-Transfer-Encoding: quoted-printable\r\n\r\n[#"
    + quoted_everywhere(TOKEN).encode() + b"]\r\n",
    "base64": mail(WORDS, "base64"),
    "base64 of UTF-16": b"From: a@b.org\nContent-Type: text/plain; charset=utf-16le\n"
    b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(WORDS.encode("utf-16le")),
    "base64 with LF alone": mail(WORDS * 5, "base64").replace(b"\r\n", b"\n"),
    "an attached mail": wrapped(mail(WORDS)),
    "base64 in an attached mail": wrapped(mail(WORDS, "base64")),
    "a link": f"\r\n\r\n<a href='mailto:club%2B{TOKEN}@example.org?subject=%5B%23{TOKEN}%5D'>".encode(),
    "a link in quoted-printable": b"\r\n\r\n" + quopri.encodestring(b"mailto:club+%b@x" % TOKEN.encode()),
    "bare words": f"\r\n\r\nmon jeton est {TOKEN}.\r\n".encode(),
    "references of HTML": html("".join(f"&#{ord(c)};" for c in TOKEN)),
    "hexadecimal references": html("".join(f"&#x{ord(c):02x};" for c in TOKEN)),
    "references among letters": html(f"{TOKEN[:5]}&#{ord(TOKEN[5])};{TOKEN[6:]}"),
    "a tag in its middle": html(f"{TOKEN[:9]}<span class='x'>{TOKEN[9:]}"),
    "a sign that nobody sees": mail(f"[#{TOKEN[:9]}\u200b{TOKEN[9:]}]"),
    "the same in quoted-printable": mail(f"[#{TOKEN[:9]}\u200b{TOKEN[9:]}]", "quoted-printable"),
    "a soft hyphen": mail(f"[#{TOKEN[:9]}\u00ad{TOKEN[9:]}]"),
    "base64 of UTF-32": b"From: a@b.org\nContent-Type: text/plain; charset=utf-32le\n"
    b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(WORDS.encode("utf-32le")),
    "base64 in short lines": in_lines(8),
    "indented base64": in_lines(60, b" "),
    "encoded-words, base64": in_words("utf-8", 7, "b"),
    "encoded-words, quoted": in_words("utf-8", 20, "q"),
    "encoded-words in Latin-1": in_words("iso-8859-1", 1, "b"),
    "our own subject": f"Subject: {Header(f'Re: Décidé [#{TOKEN}]', 'utf-8').encode()}\r\n\r\nOUI".encode(),
}  # fmt: skip


def decoded_everything(raw: bytes) -> str:
    """All that anybody could get out of a mail by decoding it once or twice."""
    layers = [raw]
    for _ in range(3):
        found = layers[-1]
        lines = [line for line in found.replace(b"\r\n", b"\n").split(b"\n") if line and b" " not in line]
        try:
            layers.append(base64.b64decode(b"".join(lines), validate=False))
        except ValueError:
            break
    texts = [layer.decode("latin-1") for layer in layers]
    texts += [quopri.decodestring(raw).decode("latin-1"), read_letter(raw).subject, read_letter(raw).text]
    return "\n".join(t.replace("\0", "").replace("\r\n ", "").replace("=\r\n", "") for t in texts).lower()


@pytest.mark.parametrize("place", PLACES)
def test_a_token_is_found_and_masked_wherever_it_stands(place: str) -> None:
    raw = PLACES[place]
    assert TOKEN in tokens_in(raw)
    clean = masked(raw, frozenset({TOKEN}))
    assert tokens_in(clean) == tokens_in(raw) - {TOKEN} | {MASK}
    assert TOKEN not in decoded_everything(clean)


@pytest.mark.parametrize("place", PLACES)
def test_the_mail_is_read_as_before_but_for_the_token(place: str) -> None:
    raw = PLACES[place]
    clean = masked(raw, frozenset({TOKEN}))
    before, after = read_letter(raw), read_letter(clean)
    for field in ("sender", "kind", "message_id", "is_html", "defects"):
        assert getattr(before, field) == getattr(after, field)

    def bare(text: str) -> str:
        return "".join(text.lower().split()).replace(TOKEN, MASK)

    assert (bare(before.text), bare(before.subject)) == (bare(after.text), bare(after.subject))
    assert after.token in (None, MASK)


def test_what_was_not_named_stays() -> None:
    raw = mail(f"[#{TOKEN}] [#{OTHER}]", "base64")
    assert tokens_in(raw) == {TOKEN, OTHER}
    assert tokens_in(masked(raw, frozenset({OTHER}))) == {TOKEN, MASK}
    assert masked(raw, frozenset()) == raw


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x" * 26,
        f"a{TOKEN}",
        f"{TOKEN}a",
        TOKEN[:-1] + "u",
        "9" + TOKEN[1:],
        "d41d8cd98f00b204e9800998ecf8427e",
        "Message-ID: <CAF=abcdefghijklmnopqrstuvwxyz@mail.gmail.com>",
    ],
)
def test_what_has_not_its_shape_is_no_token(text: str) -> None:
    assert tokens_in(text.encode()) == frozenset()


tokens = st.tuples(st.sampled_from("acdegnrs"), st.text(CROCKFORD, min_size=26, max_size=26)).map("".join)


@given(
    tokens,
    st.text(max_size=60),
    st.text(max_size=60),
    st.sampled_from(["8bit", "base64", "quoted-printable"]),
)
def test_a_token_in_any_text_is_found_in_any_encoding(token: str, before: str, after: str, cte: str) -> None:
    raw = mail(f"{before} [#{token}] {after}".replace("\r", " ").replace("\x1c", " "), cte)
    assert token in tokens_in(raw)
    assert token not in tokens_in(masked(raw, frozenset({token}))) or token == MASK


@given(st.sampled_from([b"b", b"B", b"q", b"Q"]), st.binary(max_size=60), st.binary(max_size=9))
def test_an_encoded_word_of_any_bytes_is_passed_over(encoding: bytes, text: bytes, charset: bytes) -> None:
    """What cannot be decoded holds no token, and must not keep a mail out."""
    raw = b"Subject: =?%s?%s?%s?=\r\n\r\nbonjour\r\n" % (charset, encoding, text)
    assert masked(raw, frozenset({TOKEN})) == raw or TOKEN in tokens_in(raw)


@given(st.binary(max_size=400))
def test_bytes_without_tokens_stay_as_they_are(raw: bytes) -> None:
    assert masked(raw, frozenset({TOKEN})) == raw or TOKEN in tokens_in(raw)


@pytest.mark.parametrize(
    "shape",
    [
        b"a b ",
        b"ab\n",
        b"=61",
        b"=?u?q?ab?= ",
        b"s" + b" a" * 26 + b"\n",
        b"A" * 76 + b"\r\n",
        b"=?",
        b"=\n",
        b"a" * 27,
    ],
)
def test_hostile_shapes_grow_no_faster_than_their_size(shape: bytes) -> None:
    """T-24: counted, not timed: so many looks at a text as the mail is long, at most."""
    raw = shape * (200_000 // len(shape))
    assert len(tokens_in(raw)) <= len(raw)
