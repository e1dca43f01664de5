"""Die by SIGKILL again and again, and print what was wrong; exit 1 if anything was."""

from __future__ import annotations

import argparse
import os
import random
import secrets
import sys
import tempfile
from collections import Counter
from pathlib import Path

from .books import BOOKS
from .boxes import DOORS
from .faults import FAULTS, MAILBOX_FAULTS, WORKER_FAULTS
from .situations import SITUATIONS
from .sweep import by_chance, everywhere, sweep


def main() -> int:
    every_fault = {**FAULTS, **MAILBOX_FAULTS, **WORKER_FAULTS}
    parser = argparse.ArgumentParser(prog="kills", description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9))
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--door", choices=DOORS, default="smtp", help="how mail comes in")
    parser.add_argument("--books", choices=BOOKS, default="file", help="where they are kept")
    parser.add_argument("--situations", type=int, metavar="N", help="only so many, chosen by the seed")
    parser.add_argument("--all", action="store_true", help="at every step of every situation")
    parser.add_argument("--fault", choices=[*every_fault], help="plant a fault, to see it found")
    parser.add_argument("--at", default="", metavar="STEP", help="only at steps whose names begin so")
    parser.add_argument("--stop", action="store_true", help="at the first thing that is wrong")
    options = parser.parse_args()
    if options.fault:
        every_fault[options.fault]()
    # In memory where the system has such a folder: SIGKILL loses nothing that was written, synced or not.
    memory = Path("/dev/shm")
    where = memory if os.access(memory, os.W_OK) else None
    print("at every step" if options.all else f"seed {options.seed}", flush=True)
    chosen = everywhere if options.all else by_chance(options.seed, options.kills, options.at)
    count = min(options.situations or len(SITUATIONS), len(SITUATIONS))
    some = random.Random(options.seed).sample(SITUATIONS, count) if options.situations else SITUATIONS
    deaths: Counter[str] = Counter()
    wrong = 0
    with tempfile.TemporaryDirectory(dir=where) as root:
        for death in sweep(Path(root), chosen, options.door, options.books, some):
            deaths[death.situation] += 1
            if death.wrong:
                wrong += 1
                print(death, flush=True)
                if options.stop:
                    break
    print(f"{deaths.total()} kills in {len(deaths)} situations, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
