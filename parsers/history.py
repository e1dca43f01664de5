"""The marks with which programs announce history, signatures and footers (hazards A, B).

Each function looks at one line, or at a few lines from one place on, of clean text (`characters.clean`). None
looks further, so that a text costs no more than its length, whatever it repeats (A27, T-24).
"""

from __future__ import annotations

import re

from parsers.characters import folded

# Words for "wrote" (A01, A07-A09), folded. A whole word, or glued to the time by a careless program.
_WROTE = re.compile(
    r"\b(?:A ECRIT|A REPONDU|ECRIVAIT|ECRIT|WROTE|WRITES|SCHRIEB|CHRIEB|SCHRIEBEN|HAT GESCHRIEBEN|HA SCRITTO|"
    r"SCRISSE|SCRIVE|ESCRIBIO|SCHREEF|ESCREVEU|SKREV|VA ESCRIURE|NAPISAŁ|NAPISAL|NAPSAL|GESCHRIEBEN|IRTA|"
    r"YAZDI|KIRJOITTI)\b"
)
_STARTS = re.compile(
    r"(?:LE|ON|AM|IL|IL GIORNO|EL|OP|EM|DEN|DNIA|IN DATA|VOM|DU|EN DATE DU|QUOTING|CITANDO)\b|"
    r"(?:LU|MA|ME|JE|VE|SA|DI|LUN|MAR|MER|JEU|VEN|SAM|DIM|MON|TUE|WED|THU|FRI|SUN|MO|MI|DO|FR|SO|GIO|DOM)"
    r"[A-Z]*[.,]?\s|"
    r"[0-9]{1,4}[-./ ]"
)
_WROTE_ON = re.compile(
    r"\b(?:A ECRIT|WROTE|SCHRIEB|HA SCRITTO|SCHREEF|ESCRIBIO),? (?:LE|ON|AM|IL|OP|EL|DEN)\b"
)
_TIME = re.compile(r"[0-9]{1,2}\s?[:hH.]\s?[0-9]{2}")
# The Bat! and its kin mark quoted lines with the initials of who wrote them: `AK> …`.
_INITIALS = re.compile(r"[A-Z][A-Za-z]{0,3}>")
_DATE = re.compile(r"\b(?:19|20)[0-9]{2}\b|[0-9]{1,2}[-./][0-9]{1,2}[-./][0-9]{2}|[0-9]{1,2}\.? [A-Z]{3}")
_ATTRIBUTION_CHARACTERS_MAX = 500
_DATE_WITHIN = 64
ATTRIBUTION_LINES_MAX = 4

_LABELS = {
    "from": ("DE", "FROM", "VON", "DA", "VAN", "EXPEDITEUR", "MITTENTE", "ABSENDER"),
    "date": (
        "ENVOYE", "ENVOYE LE", "SENT", "GESENDET", "INVIATO", "VERZONDEN", "ENVIADO", "DATE", "DATUM",
        "DATA", "FECHA",
        "DATE D'ENVOI",
    ),
    "to": ("A", "TO", "AN", "AAN", "PARA", "POUR", "DESTINATAIRE", "DESTINATAIRES", "DESTINATARIO",
    "EMPFANGER"),
    "cc": ("CC", "CCI", "BCC", "COPIE", "COPIE A", "KOPIE", "COPIA", "REPLY-TO", "REPONDRE A"),
    "subject": ("OBJET", "SUJET", "SUBJECT", "BETREFF", "OGGETTO", "ONDERWERP", "ASUNTO"),
}  # fmt: skip
_INLINE_LABELS = {
    group: re.compile(r"(?:^|[\s|*])(?:" + "|".join(map(re.escape, words)) + r") ?\*? ?: ?\*? ?\S")
    for group, words in _LABELS.items()
}
_LABEL_OF = {word: group for group, words in _LABELS.items() for word in words}

_MESSAGE_WORDS = ("MESSAGE", "MAIL", "E-MAIL", "COURRIEL", "NACHRICHT", "MESSAGGIO", "MENSAJE", "BERICHT")
_ORIGINAL_WORDS = (
    "ORIGIN", "ORIGINAL", "URSPRUNGLICHE", "ORIGINALE", "TRANSFERE", "TRANSMIS", "FORWARDED",
    "WEITERGELEITETE",
    "INOLTRATO", "REENVIADO", "DOORGESTUURD", "OORSPRONKELIJK", "REEXPEDIE", "FAIRE SUIVRE",
)  # fmt: skip
_BARE_MARKERS = (
    "DEBUT DU MESSAGE TRANSFERE", "DEBUT DU MESSAGE REEXPEDIE", "BEGIN FORWARDED MESSAGE",
    "INIZIO MESSAGGIO INOLTRATO",
    "ANFANG DER WEITERGELEITETEN NACHRICHT", "DEBUT DE L'E-MAIL REEXPEDIE", "MESSAGE D'ORIGINE :",
    "MESSAGE ORIGINAL :", "MESSAGE TRANSFERE :",
)  # fmt: skip
_REPLY_ABOVE = (
    "AU-DESSUS DE CETTE LIGNE", "AU DESSUS DE CETTE LIGNE", "ABOVE THIS LINE", "OBERHALB DIESER ZEILE",
    "SOPRA QUESTA RIGA",
)  # fmt: skip
_SENT_FROM = (
    "ENVOYE DE MON ", "ENVOYE DE MA ", "ENVOYE DEPUIS ", "ENVOYE A PARTIR D", "ENVOYE AVEC ", "ENVOYE VIA ",
    "ENVOYE AU MOYEN", "ENVOYE DE L'", "ENVOYE PAR L'APP", "ENVOYE GRACE A ", "MESSAGE ENVOYE DEPUIS ",
    "MESSAGE ENVOYE AVEC ", "GET BLUEMAIL", "TELECHARGER BLUEMAIL", "OBTENIR BLUEMAIL", "SENT FROM ",
    "SENT WITH ", "SENT VIA ", "GET OUTLOOK FOR ", "TELECHARGER OUTLOOK ",
    "OBTENIR OUTLOOK ",
    "OBTENEZ OUTLOOK ", "VON MEINEM ", "GESENDET VON ", "GESENDET MIT ", "HOLEN SIE SICH OUTLOOK",
    "OUTLOOK FUR IOS",
    "OUTLOOK FUR ANDROID", "INVIATO DA ", "INVIATO DAL ", "INVIATO CON ", "SCARICA OUTLOOK",
    "OTTIENI OUTLOOK",
    "ENVIADO DESDE ", "ENVIADO DO ", "VERZONDEN VANAF ", "PROVENANCE : COURRIER", "PROVENANCE: COURRIER",
    "YAHOO MAIL : ", "YAHOO MAIL: ", "DIESE NACHRICHT WURDE VON MEINEM",
)  # fmt: skip
_FOOTERS = (
    "CE MESSAGE ET TOUTES LES PIECES JOINTES", "CE MESSAGE ET SES PIECES JOINTES",
    "CE MESSAGE ET LES PIECES JOINTES",
    "CE MESSAGE (ET", "CE MESSAGE EST CONFIDENTIEL", "CE COURRIEL EST CONFIDENTIEL", "CE COURRIEL ET",
    "LE PRESENT MESSAGE", "AVERTISSEMENT DE CONFIDENTIALITE", "AVIS DE CONFIDENTIALITE",
    "CLAUSE DE CONFIDENTIALITE",
    "L'ABSENCE DE VIRUS", "CET E-MAIL A ETE VERIFIE", "CET E-MAIL NE CONTIENT AUCUN",
    "CE COURRIER ELECTRONIQUE NE CONTIENT",
    "SANS VIRUS. ", "SANS VIRUS.WWW", "GARANTI SANS VIRUS", "VIRUS-FREE", "VIRENFREI", "PRIVO DI VIRUS",
    "AVANT D'IMPRIMER", "PENSEZ A L'ENVIRONNEMENT", "PENSONS A L'ENVIRONNEMENT",
    "AFIN DE PRESERVER L'ENVIRONNEMENT",
    "AFIN DE CONTRIBUER AU RESPECT DE L'ENVIRONNEMENT", "PLEASE CONSIDER THE ENVIRONMENT",
    "THIS EMAIL AND ANY",
    "THIS E-MAIL AND ANY", "THIS MESSAGE AND ANY", "THIS EMAIL HAS BEEN", "THIS EMAIL IS CONFIDENTIAL",
    "THIS E-MAIL IS CONFIDENTIAL", "CONFIDENTIALITY NOTICE", "DISCLAIMER", "DIESE E-MAIL",
    "DIESE NACHRICHT ENTHALT",
    "QUESTO MESSAGGIO", "LE INFORMAZIONI CONTENUTE", "VOUS RECEVEZ CE", "VOUS AVEZ RECU CE MESSAGE CAR",
    "POUR VOUS DESABONNER", "POUR VOUS DESINSCRIRE", "POUR SE DESABONNER", "SE DESABONNER", "SE DESINSCRIRE",
    "TO UNSUBSCRIBE", "YOU RECEIVED THIS MESSAGE BECAUSE", "UNSUBSCRIBE:",
)  # fmt: skip


def _heads(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word[:4] for word in words)


# Looking up four letters costs less than comparing with each of the beginnings, which hardly ever fits.
_SENT_FROM_HEADS, _FOOTER_HEADS = _heads(_SENT_FROM), _heads(_FOOTERS)
_HEADS = _SENT_FROM_HEADS | _FOOTER_HEADS | _heads((*_BARE_MARKERS, "MESSAGE DU"))
_SIGN = re.compile("[>:]")
# An attribution begins up to so many lines above its colon, or above the quote that it announces.
_REACH_LINES = ATTRIBUTION_LINES_MAX + 1


def may_be_marked(lines: list[str], keys: list[str]) -> list[bool]:
    """Of each line, whether one of the functions below can find a mark there; nearly all are surely plain.

    `keys` are the lines folded. One pass from below, for what stands on a line may make one above it a mark.
    """
    marked = [False] * len(lines)
    above = any(phrase in key for key in keys for phrase in _REPLY_ABOVE)
    reach = 0
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        if _SIGN.search(line) or "--" in line or "____" in line:
            reach = _REACH_LINES + 1
        reach -= 1
        if reach >= 0 or keys[at].lstrip(" *_([")[:4] in _HEADS or (above and is_reply_marker(line)):
            marked[at] = True
    return marked


def is_quoted(line: str, stuffed: bool = False) -> bool:
    """Whether the line is quoted (A19, A22); in flowed text a blank before the mark makes it own (C21)."""
    if line.startswith(">") or (not stuffed and line.lstrip().startswith(">")):
        return True
    return _INITIALS.match(line) is not None


def is_signature_mark(line: str) -> bool:
    """Only `-- ` alone on its line, or what is left of it when blanks are trimmed (A28, A29, A31)."""
    return line.rstrip() == "--"


def is_sent_from(line: str) -> bool:
    """« Envoyé de mon iPhone » and its kin (A15, A30)."""
    words = folded(line).lstrip(" *_([") if len(line) <= 160 else ""
    return words[:4] in _SENT_FROM_HEADS and words.startswith(_SENT_FROM)


def is_footer(lines: list[str], at: int) -> bool:
    """A disclaimer, a scanner's or a list's footer (A32): a known line, or a rule above an address."""
    line = lines[at].strip()
    words = folded(line[:120]).lstrip(" *_([")
    if words[:4] in _FOOTER_HEADS and words.startswith(_FOOTERS):
        return True
    if not line.startswith("__________") or line.strip("_"):
        return False
    below = lines[at + 1].lower() if at + 1 < len(lines) else ""
    return any(sign in below for sign in ("list", "http", "www.", "@"))


def is_rule_above_labels(lines: list[str], at: int) -> bool:
    """Outlook's row of underscores above De / Envoyé / À / Objet (A15)."""
    line = lines[at].strip()
    return (
        line.startswith("____")
        and not line.strip("_")
        and at + 1 < len(lines)
        and is_header_block(lines, at + 1)
    )


def is_reply_marker(line: str) -> bool:
    """« Répondez au-dessus de cette ligne » (A26)."""
    words = folded(line) if len(line) <= 160 else ""
    return any(phrase in words for phrase in _REPLY_ABOVE)


def is_history_marker(line: str) -> bool:
    """« -----Message d'origine----- », « --- Forwarded message --- » and their kin (A13, B01)."""
    bare = line.strip().strip("*_ ")
    if not bare or len(bare) > 120:
        return False
    words = folded(bare)
    if words.startswith(_BARE_MARKERS):
        return True
    if words.startswith("MESSAGE DU") and len(bare) < 50 and _DATE.search(words) and _TIME.search(words):
        return True
    if not bare.startswith("--") or not words.rstrip(" :").endswith("-"):
        return False
    if _WROTE.search(words) and _DATE.search(words) and _TIME.search(words):
        # Zoho: « ---- Le lun., 09 mars 2026 21:14:05 +0100 Club <club@…> a écrit ---- ».
        return True
    return any(w in words for w in _MESSAGE_WORDS) and any(w in words for w in _ORIGINAL_WORDS)


def begins_history(lines: list[str], at: int) -> bool:
    """Whether a marker or a block of labels stands at this line: no sentence of a person looks like that."""
    return is_history_marker(lines[at]) or is_header_block(lines, at)


def is_header_block(lines: list[str], at: int) -> bool:
    """Outlook's De / Envoyé / À / Objet: three labels within eight lines, From among them (A10-A12).

    Labels may be bold, in any order, their values on lines of their own, or all on one line. Two are enough
    if they are a sender's address and, next to it, a date.
    """
    if _label(lines[at]) is None:
        return False
    if _labels_of_one_line(lines[at]) >= 3 or _is_address_above_date(lines, at):
        return True
    groups: set[str] = set()
    plain = seen = 0
    for line in lines[at : at + 14]:
        if not line.strip():
            continue
        group = _label(line)
        plain = 0 if group else plain + 1
        seen += 1
        if plain > 2 or seen > 8:
            break
        if group:
            groups.add(group)
        if len(groups) >= 3 and "from" in groups:
            return True
    return False


def _labels_of_one_line(line: str) -> int:
    """How many labels stand on a line on which some programs put all of them."""
    words = folded(line[:_ATTRIBUTION_CHARACTERS_MAX])
    return len({group for group, label in _INLINE_LABELS.items() if label.search(words)})


def _is_address_above_date(lines: list[str], at: int) -> bool:
    if at + 1 >= len(lines):
        return False
    pair = {_label(line): line for line in lines[at : at + 2]}
    return "@" in pair.get("from", "") and any(c.isdigit() for c in pair.get("date", ""))


def _label(line: str) -> str | None:
    head, colon, _ = line[:40].partition(":")
    return _LABEL_OF.get(folded(head).strip(" *_|\t")) if colon else None


def attribution_end(lines: list[str], at: int, stuffed: bool = False) -> int | None:
    """If an attribution begins at this line, the index after its last line; else None (A01-A09, A18).

    It has a word for "wrote", a date with a time or an address, a colon at the end, and history after it. It
    may be wrapped over four lines. Of several lines that could be its first, only the nearest to the end is
    (A05).
    """
    if not _may_start(lines[at]):
        return None
    for end in range(at + 1, min(at + 1 + ATTRIBUTION_LINES_MAX, len(lines) + 1)):
        if not lines[end - 1].strip() or (end - 1 > at and is_quoted(lines[end - 1], stuffed)):
            return None
        if not _may_end(lines, end, stuffed):
            continue
        joined = [" ".join(line.strip() for line in lines[k:end]) for k in range(at, end)]
        if _is_attribution(joined[0], lines, end, stuffed):
            found = [_is_attribution(text, lines, end, stuffed) for text in joined]
            # A line with the date beats a nearer one without: that is only the wrapped rest of it.
            dated = [ok and _is_dated(folded(text)) for ok, text in zip(found, joined, strict=True)]
            nearer = dated[1:] if dated[0] else found[1:]
            return None if any(nearer) else end
    return None


def _is_followed_on_its_line(words: str) -> bool:
    """Whether history begins on the attribution's own line: « Le … <club@…> a écrit : OUI », as Yahoo's
    programs for telephones write it.
    """
    head, colon, _ = words.partition(">")
    wrote = _WROTE.search(words, len(head)) if colon else None
    return (
        wrote is not None
        and words[wrote.end() :].lstrip().startswith(":")
        and _is_dated(head)
        and "@" in head
    )


def _is_dated_address(words: str) -> bool:
    return "@" in words and "<" in words and bool(_TIME.search(words)) and bool(_DATE.search(words))


def _below(lines: list[str], end: int) -> str:
    """The first line that says something at or soon after that index; empty if there is none."""
    return next((line for line in lines[end : end + 6] if line.strip()), "")


def _may_end(lines: list[str], end: int, stuffed: bool) -> bool:
    """Whether an attribution can end above that index: with a colon, or else directly above quoted lines."""
    if ":" in lines[end - 1] and (lines[end - 1].rstrip(" *_").endswith(":") or "@" in lines[end - 1]):
        return True
    return any(is_quoted(line, stuffed) for line in lines[end : end + 2])


def _is_dated(words: str) -> bool:
    words = words.strip(" *_")
    # The date comes first; a sentence that holds one somewhere is a sentence.
    return bool(_STARTS.match(words) and _DATE.search(words[:_DATE_WITHIN]) and _TIME.search(words))


def _may_start(line: str) -> bool:
    if "@" in line or "<" in line:
        return True
    words = folded(line[:200])
    return bool(_STARTS.match(words.lstrip(" *_[(\"'«"))) or _WROTE.search(words) is not None


def _is_attribution(joined: str, lines: list[str], end: int, stuffed: bool) -> bool:
    if len(joined) > _ATTRIBUTION_CHARACTERS_MAX:
        return False
    words = folded(joined).strip(" *_")
    if not _WROTE.search(words):
        # Some languages have no word there: « пн, 9 мар. 2026 г. в 21:14, Club <club@…>: », nor has Tuta:
        # « 1. Dez. 2026, 10:00 von club@…: ».
        below = _below(lines, end)
        bare = "@" in words and _is_dated(words) and is_quoted(below, stuffed)
        return words.endswith(":") and (bare or (_is_dated_address(words) and bool(below)))
    if _is_followed_on_its_line(words):
        return True
    following = _below(lines, end)
    quoted = is_quoted(following, stuffed)
    if not words.endswith(":"):
        return quoted and _is_dated(words)
    if quoted:
        return True
    addressed = "@" in words and ("<" in words or bool(_DATE.search(words)))
    dated = _is_dated(words) or bool(_WROTE_ON.search(words) and _DATE.search(words) and _TIME.search(words))
    return bool(following) and (addressed or dated)
