"""Find somebody's handle, name and addresses in words, and put something else in their place.

They are found whatever their case and accents, and only as whole words: `anna` is neither in `annabelle`
nor in the handle `anna-lena`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage


@dataclass(frozen=True)
class Mask:
    """`words`: what is looked for; `instead`: what is put there."""

    words: frozenset[str]
    instead: str
    _pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        longest_first = sorted({folded(w) for w in self.words if w.strip()}, key=len, reverse=True)
        any_of = "|".join(map(re.escape, longest_first))
        pattern = re.compile(rf"(?<![\w@])(?<!\w[.-])(?:{any_of})(?![\w@]|[.-]\w)")
        object.__setattr__(self, "_pattern", pattern)

    def is_in(self, text: str) -> bool:
        """Whether a text names him."""
        return self._pattern.search(folded(text)) is not None

    def is_in_mail(self, raw: bytes) -> bool:
        """Whether a mail names him, in its headers or in any of its parts, however they are encoded."""
        return any(map(self.is_in, _texts(raw)))

    def over(self, text: str) -> str:
        """Return the text with all that names him replaced."""
        if not self.is_in(text):
            return text
        plain, origin = _folded_with_origin(text)
        pieces, at = [], 0
        for found in self._pattern.finditer(plain):
            start, end = origin[found.start()], origin[found.end() - 1] + 1
            while text[end : end + 1] and unicodedata.combining(text[end]):
                end += 1
            pieces += [text[at:start], self.instead]
            at = end
        return "".join([*pieces, text[at:]])


def folded(text: str) -> str:
    """Return the form in which words are compared: no case, no accents."""
    decomposed = unicodedata.normalize("NFD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def _folded_with_origin(text: str) -> tuple[str, list[int]]:
    """Fold a text, and say of each character from which one of the text it comes."""
    characters: list[str] = []
    origin: list[int] = []
    for index, character in enumerate(text):
        plain = folded(character)
        characters.append(plain)
        origin += [index] * len(plain)
    return "".join(characters), origin


def _texts(raw: bytes) -> Iterable[str]:
    """The bytes as they are, then the headers and parts as they read; what cannot be read is passed over."""
    yield raw.decode("utf-8", "replace")
    try:
        mail = message_from_bytes(raw, _class=EmailMessage, policy=policy.default)
        yield from (str(value) for value in mail.values())
        for part in mail.walk():
            content = part.get_payload(decode=True)
            if isinstance(content, bytes):
                yield content.decode(part.get_content_charset("utf-8"), "replace")
    except (ValueError, LookupError, TypeError, AttributeError, IndexError, RecursionError):
        return  # a mail that the library cannot take apart was shown as it is, above
