"""How much of a mail is read at all (TRUST T-23, hazards B12, D23, D27, H09).

A mail beyond one of these is not cut short, for half a mail may say something else than the whole:
it is set aside as malformed, with the limit's name as the reason.
"""

SIZE_BYTES_MAX = 1024 * 1024
"""Raw bytes of a mail. Of a larger one only the headers are looked at."""

HEADERS_MAX = 256
HEADER_BYTES_MAX = 8 * 1024
"""Bytes of one header, continuation lines included."""

RECIPIENTS_MAX = 1000
FOREIGN_RECIPIENTS_MAX = 30
"""Addresses in all headers that name recipients, and how many of them may hold letters beyond ASCII, which
take a hundred times longer to compare.
"""

PARTS_MAX = 50
DEPTH_MAX = 10
"""MIME parts of a mail, and how deep they may be nested."""

TEXT_CHARACTERS_MAX = 64 * 1024
"""Characters of the readable text, history included."""

SUBJECT_CHARACTERS_MAX = 998
"""A longer subject is cut and then never read as a command."""

HTML_DEPTH_MAX = 200
HTML_ELEMENTS_MAX = 20_000
"""Nesting and number of the elements of an HTML body; real mails stay under 60 and 10,000."""

FREE_TEXT_CHARACTERS_MAX = 4000
"""A reason, a note, an announcement."""

SECOND_OPINION_CHARACTERS_MAX = 4 * 1024
"""How much of a text the (backtracking) second reader is shown."""

ARGUMENT_WORDS_MAX = 200
"""Words and signs after a verb, free text apart."""
