"""Read mutated mails, many of them: `python -m tests.fuzz --runs 200000 --seed 7`.

Stops at the first mail that raises, that breaks a promise of `reader.check`, or that takes more time or
memory than any mail may; its bytes are kept in a file. A run is named by seed and number: `--seed 7 --first
1234 --runs 1` is that one mail again.
"""

from __future__ import annotations

import argparse
import random
import resource
import secrets
import sys
import time
from pathlib import Path

from tests.fuzz.mutations import mutated, seeds
from tests.fuzz.reader import check

SECONDS_MAX = 2.0
"""Of processor time for one mail of at most 40 kB. A hundred times what the slowest takes."""
MEGABYTES_MAX = 64
"""By which one mail may raise the peak of the process."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__)
    parser.add_argument("--runs", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9))
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    print(f"seed {options.seed}, runs {options.first} to {options.first + options.runs - 1}", flush=True)
    begun = time.perf_counter()
    check(seeds()[0])  # what is imported late is not the first mail's fault
    slowest, most, failed = (0.0, 0), _peak_mb(), None
    for number in range(options.first, options.first + options.runs):
        raw = mail_of(options.seed, number)
        failed, seconds = _read(raw)
        slowest = max(slowest, (seconds, number))
        if (peak := _peak_mb()) - most > MEGABYTES_MAX:
            failed = failed or f"{peak - most:.0f} MB for one mail"
        most = max(most, peak)
        if failed:
            path = Path(f"fuzz-{options.seed}-{number}.eml")
            path.write_bytes(raw)
            print(f"run {number}: {failed}\nits {len(raw)} bytes are in {path}", file=sys.stderr)
            return 1
    print(
        f"{options.runs} mails in {time.perf_counter() - begun:.0f} s, nothing raised; slowest "
        f"{slowest[0] * 1000:.0f} ms (run {slowest[1]}), peak memory {most:.0f} MB"
    )
    return 0


def mail_of(seed: int, number: int) -> bytes:
    """The mail of one run."""
    return mutated(random.Random(f"{seed}:{number}"), seeds())


def _read(raw: bytes) -> tuple[str | None, float]:
    """What went wrong with the mail, if anything did, and the seconds that it took."""
    begun = time.process_time()
    wrong = None
    try:
        check(raw)
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"
    seconds = time.process_time() - begun
    if wrong is None and seconds > SECONDS_MAX:
        wrong = f"{seconds:.1f} s"
    return wrong, seconds


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    sys.exit(main())
