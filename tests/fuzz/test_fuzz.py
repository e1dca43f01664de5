"""A few thousand mutated mails with each run of the suite; the long run is `python -m tests.fuzz`."""

import secrets
import subprocess
import sys

import pytest

from tests.fuzz.__main__ import mail_of
from tests.fuzz.reader import check

SHARES = 4
RUNS_OF_A_SHARE = 750


@pytest.mark.parametrize("share", range(SHARES))
def test_no_mail_raises(share):
    seed = secrets.randbelow(10**9)
    for number in range(RUNS_OF_A_SHARE):
        raw = mail_of(seed, number)
        try:
            check(raw)
        except Exception as error:
            pytest.fail(f"python -m tests.fuzz --seed {seed} --first {number} --runs 1: {error!r}")
    print(f"seed {seed}, {RUNS_OF_A_SHARE} mails")


def test_the_same_seed_gives_the_same_mail():
    assert mail_of(7, 3) == mail_of(7, 3) != mail_of(7, 4)


def test_without_atheris_its_target_says_so():
    ended = subprocess.run(
        [sys.executable, "-c", "import sys; sys.modules['atheris'] = None\n"
         "from tests.fuzz.atheris_target import main; sys.exit(main())"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 2
    assert "not installed" in ended.stderr
