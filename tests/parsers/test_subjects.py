"""Subjects: hazards B04-B12, C01-C06, E12."""

from __future__ import annotations

import pytest

from parsers.headers import decoded
from parsers.letter import read_letter
from parsers.subjects import is_prefixed, own_subject
from tests.parsers.mail_scene import mail, problems, said

RUNS = ("command", ["VIREMENT amount_cents=1000 to=bela"])

PREFIXED = [
    pytest.param("Re: VIREMENT 40 à bruno", id="B04"),
    pytest.param("Ré\u00a0: VIREMENT 40 à bruno", id="B05"),
    *(
        pytest.param(f"{p} VIREMENT 40 à bruno", id=f"B05-{p}")
        for p in ("RÉF:", "AW:", "R:", "SV:", "RV:", "TR:", "WG:", "FWD :", "RE：", "Rép. :")
        if p != "Rép. :"
    ),
    pytest.param("Re: Re: TR: VIREMENT 40 à bruno", id="B06"),
    pytest.param("Re[2]: VIREMENT 40 à bruno", id="B06-counter"),
    pytest.param("[membres] Re: VIREMENT 40 à bruno", id="B08"),
]


@pytest.mark.parametrize("subject", PREFIXED)
def test_a_prefixed_subject_is_history(subject: str) -> None:
    assert is_prefixed(subject)
    assert said(mail("", subject)) == ("empty", [])


@pytest.mark.parametrize(
    "subject", [pytest.param("OT: VIREMENT 10 à bela", id="B07"), "Partie de vendredi", "RETIRE 5", "x: y"]
)
def test_other_words_before_a_colon_are_no_prefix(subject: str) -> None:
    assert not is_prefixed(subject)


def test_b08_list_tags_go_and_token_tags_are_kept_apart() -> None:
    assert own_subject("[membres] VIREMENT 10 à bela [#chrz6tkef4che96d0ecjqkrg7wn]") == "VIREMENT 10 à bela"


@pytest.mark.parametrize(
    "subject", ["Partie de vendredi", "virement", "fin", "VIREMENT 15,505 à bela", "compte"]
)
def test_b09_a_subject_that_is_no_command_is_a_title(subject: str) -> None:
    assert said(mail("VIREMENT 10 à bela", subject)) == RUNS


def test_b09_a_wrong_command_is_no_title_if_it_is_all_there_is() -> None:
    assert said(mail("", "VIREMENT 15,505 à bela")) == ("malformed", [])


def test_b10_the_same_command_in_subject_and_body_runs_once() -> None:
    assert said(mail("Virement 10 € à Bela\n", "VIREMENT 10 à bela")) == RUNS


def test_subject_and_body_run_in_order() -> None:
    assert said(mail("COMPTE", "VIREMENT 10 à bela")) == ("command", [*RUNS[1], "COMPTE"])


def test_b11_two_subjects_are_malformed() -> None:
    letter = read_letter(mail("COMPTE", "a", "Subject: b\n"))
    assert letter.reason == "subject_twice"


def test_b12_an_endless_subject_is_cut_and_not_read() -> None:
    letter = read_letter(mail("COMPTE", "VIREMENT 10 à bela" + " " * 3 + "x\x00" * 2500))
    assert len(letter.subject) == 998
    assert "\x00" not in letter.subject
    assert said(mail("COMPTE", "VIREMENT 10 à bela note " + "x" * 5000)) == ("command", ["COMPTE"])


ENCODED = [
    pytest.param(b"=?utf-8?Q?R=C3=A9sul?= =?utf-8?Q?tat?=", "Résultat", id="C01"),
    pytest.param(b"=?utf-8?Q?R=C3?= =?utf-8?Q?=A9sultat?=", "Résultat", id="C02"),
    pytest.param(b"=?iso-8859-1?Q?R=E9sul?= =?utf-8?B?dGF0?=", "Résultat", id="C03"),
    pytest.param(b"partie =?utf-8?Q?cr=C3=A9=C3=A9e?= hier", "partie créée hier", id="C04"),
    pytest.param(b"l'=?utf-8?Q?=C3=A9t=C3=A9?=.", "l'été.", id="C05"),
    pytest.param("Résultat".encode("latin-1"), "Résultat", id="C06"),
    pytest.param("Résultat".encode(), "Résultat", id="C06-utf8"),
    pytest.param(b"=?utf-8?q?a=0ABcc=3A_x?=", "a Bcc: x", id="E12"),
    pytest.param(b"=?utf-8x?Q?a=E9?=", "aé", id="C09"),
    pytest.param(b"=?utf-8?B?R?=", "=?utf-8?B?R?=", id="broken"),
    pytest.param(b"=?utf-8*fr?Q?=C3=A9?=", "é", id="RFC 2231 language"),
]


@pytest.mark.parametrize(("raw", "text"), ENCODED)
def test_encoded_words_become_one_clean_line(raw: bytes, text: str) -> None:
    assert decoded(raw) == text


def test_c01_a_command_in_a_split_subject_runs() -> None:
    raw = mail("").replace(
        b"Message-ID", b"Subject: =?utf-8?B?VklSRQ==?= =?utf-8?Q?MENT_10_=C3=A0_bela?=\r\nMessage-ID"
    )
    assert said(raw) == RUNS


@pytest.mark.parametrize(
    ("subject", "body", "runs"),
    [
        ("CONTESTE 12", "je n'ai pas joué", "CONTESTE game=12 reason=je n'ai pas joué"),
        (
            "CONTESTE 12",
            "Bonjour,\n\nje n'ai pas joué\n\n-- \nBela",
            "CONTESTE game=12 reason=Bonjour, je n'ai pas joué",
        ),
        ("ACCEPTE 3", "erreur de saisie", "ACCEPTE game=3 reason=erreur de saisie"),
        ("BANNIT carl", "mauvais payeur", "BANNIT member=carl reason=mauvais payeur"),
        ("CONTESTE 12", "VIREMENT 5 à carl", "VIREMENT amount_cents=500 to=carl"),
    ],
)
def test_a_subject_that_lacks_only_its_text_takes_it_from_the_body(
    subject: str, body: str, runs: str
) -> None:
    """As our buttons open a mail: the command is the subject, the reason is what one writes."""
    assert said(mail(body, subject))[1] == [runs]


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        ("Annonce", "venez vendredi"),
        ("conteste", "je n'ai pas joué"),
        ("Re: CONTESTE 12", "je n'ai pas joué"),
    ],
)
def test_a_title_takes_nothing_from_the_body(subject: str, body: str) -> None:
    assert said(mail(body, subject)) == ("unknown-command", [])


def test_a_subject_without_its_text_and_a_body_that_only_quotes_is_asked_back() -> None:
    assert problems(mail("> je n'ai pas joué", "CONTESTE 12")) == [("argument_missing", "")]
