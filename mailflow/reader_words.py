"""French words for what the reader of mails decides: kinds, reasons, cuts, problems (`mailflow explain`)."""

from __future__ import annotations

KINDS = {
    "person": "écrit par une personne",
    "automatic": "envoyé par un programme (absence, reçu, calendrier, liste) : jamais de réponse",
    "bounce": "avis d'un serveur de courrier : jamais de réponse",
    "own": "un mail du club qui lui revient : jamais de réponse",
    "malformed": "ne peut pas être lu sûrement : rien ne se fait",
}
REASONS = {
    "from_missing": "il ne dit pas de qui il vient",
    "from_twice": "il porte deux expéditeurs",
    "from_many": "il dit venir de plusieurs personnes",
    "from_unreadable": "son expéditeur peut se lire de deux façons",
    "subject_twice": "il porte deux objets",
    "header_twice": "il porte deux fois un en-tête qui doit être seul",
    "headers_unfinished": "ses en-têtes sont abîmés",
    "boundary_missing": "ses parties sont abîmées",
    "base64_cut": "il est arrivé incomplet",
    "too_large": "il est trop gros",
    "too_many_headers": "il porte trop d'en-têtes",
    "header_too_long": "l'un de ses en-têtes est trop long",
    "too_many_recipients": "il a trop de destinataires",
    "too_many_parts": "il a trop de parties ou de pièces jointes",
    "too_deep": "ses parties sont emboîtées trop profondément",
    "html_too_deep": "sa mise en page est emboîtée trop profondément",
    "html_too_large": "sa mise en page est trop grosse",
    "text_too_long": "son texte est trop long",
    "encrypted": "il est chiffré",
    "winmail_only": "il n'a que le format propre à Outlook (winmail.dat)",
    "unreadable": "une erreur du programme a empêché de le lire",
}
DEFECTS = {
    "subject_cut": "objet trop long, coupé",
    "message_id_missing": "sans Message-ID",
    "charset_unknown": "jeu de caractères inconnu, deviné",
    "charset_broken": "caractères qui ne sont pas de leur jeu, devinés",
    "nul": "caractères nuls, ôtés",
    "quoted_printable_broken": "codage quoted-printable abîmé",
    "base64_junk": "codage base64 mêlé d'autre chose",
    "encoding_unknown": "codage inconnu, lu tel quel",
    "html_unread": "mise en page HTML trop grosse, non comparée au texte",
}
SOURCES = {
    "plain": "le texte simple du mail",
    "flowed": "le texte simple du mail (lignes coupées par le programme, recollées)",
    "html": "la mise en page HTML, convertie en texte",
}
CUTS = {
    "quote": "cité (>)",
    "attribution": "annonce une citation",
    "history": "l'échange d'avant",
    "signature": "signature, et ce qui suit",
    "footer": "mention ajoutée en bas",
    "ours": "un mail du club, recopié sans marque de citation",
}
MARKS = {
    "marker": "reconnu à « Message d'origine » ou semblable",
    "labels": "reconnu à De, Envoyé, À, Objet",
    "attribution": "reconnu à « … a écrit : »",
}
SUBJECTS = {
    "own": "lu comme le texte",
    "prefixed": "ne compte pas : c'est celui d'une réponse ou d'un transfert",
    "too_long": "ne compte pas : trop long",
    "empty": "vide",
}
CLASSES = {
    "command": "commande",
    "reply-confirm": "réponse à une confirmation",
    "reply-arbitration": "décision d'arbitrage",
    "unknown-command": "aucune commande trouvée",
    "empty": "rien de l'auteur dans ce mail",
    "ignore-auto": "ignoré, car personne ne l'a écrit",
    "bounce": "avis de non-remise",
    "malformed": "pas entièrement compris : rien ne se fait",
}
PROBLEMS = {
    "argument_missing": "il manque",
    "argument_twice": "donné deux fois",
    "unexpected_words": "mots de trop",
    "unknown_key": "nom inconnu",
    "amount_unreadable": "n'est pas un montant",
    "amount_zero": "un montant nul",
    "amount_too_large": "un montant trop grand",
    "handle_expected": "il manque un pseudo",
    "handle_unreadable": "n'est pas un pseudo",
    "game_unreadable": "n'est pas un numéro de partie",
    "date_unreadable": "n'est pas une date",
    "address_unreadable": "n'est pas une adresse",
    "word_unreadable": "n'est pas un mot",
    "setting_unreadable": "n'est pas un réglage",
    "places_unreadable": "ne sont pas des places",
    "place_twice": "une place donnée deux fois",
    "place_missing": "une place sautée",
    "player_twice": "un joueur à deux places",
    "text_too_long": "un texte trop long",
    "unknown_verb": "n'est aucune commande",
    "direction_override": "des signes invisibles qui changent le sens de lecture",
    "undecodable_characters": "des caractères illisibles",
    "too_many_commands": "trop de commandes dans un mail",
    "answers_disagree": "OUI et NON dans le même mail",
    "parts_disagree": "le texte simple et la mise en page disent autre chose",
}
