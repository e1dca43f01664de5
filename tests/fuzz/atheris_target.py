"""A target for atheris, which follows the branches of the code: `python -m tests.fuzz.atheris_target
FOLDER`.

atheris is no dependency of ours (it has no wheel for every Python); CONTRIBUTING.md says how to use it. The
arguments are libFuzzer's: folders of mails to begin with, `-runs=60000`, `-max_len=6000`.
"""

from __future__ import annotations

import sys

from tests.fuzz.reader import check


def main() -> int:
    try:
        import atheris  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        print(
            "atheris is not installed: pip install atheris; python -m tests.fuzz does without",
            file=sys.stderr,
        )
        return 2
    atheris.instrument_all()
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
