"""Long lives of a team, by command.

`python -m tests.leaks.state_machine [--runs 2000] [--steps 50] [--seed N] [--mutants]` starts a
database of its own. With `--mutants` each fault of `tests/leaks/mutate.py` is put in, and the
run must notice it.
"""

from __future__ import annotations

import argparse
import sys
import time

from tests.leaks.database import own_database


def mutants(runs: int, steps: int, seed: int) -> int:
    """How many faults the lives of the team do not notice; a line for each that they do."""
    from tests.leaks import mutate
    from tests.leaks.machine import life

    living = 0
    for one in mutate.mutants():
        before = life.DONE.copy()
        noticed = False
        with mutate.applied(one):
            try:
                life.live(runs, steps, seed, shrink=False)
            except Exception:  # whatever it breaks, it is noticed
                noticed = True
        done = life.DONE - before
        living += not noticed
        said = f"run {done['runs']}, state {done['steps']}" if noticed else "NOBODY"
        sys.stdout.write(f"{one.name} | {one.change} | {said}\n")
        sys.stdout.flush()
    return living


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.leaks.state_machine")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--mutants", action="store_true", help="each fault must be noticed")
    options = parser.parse_args()
    sys.stdout.write(f"seed {options.seed}\n")
    with own_database():
        from tests.leaks.machine import life

        if options.mutants:
            return mutants(options.runs, options.steps, options.seed)
        life.live(options.runs, options.steps, options.seed)
    for name, number in sorted(life.TOLD.items()):
        sys.stdout.write(f"{number:7} {name}\n")
    sys.stdout.write(f"{life.DONE['runs']} runs, {life.DONE['steps']} states, 0 differ\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
