"""A hundred lives of a team: whatever is done, everybody is told what the oracle says."""

from __future__ import annotations

import os
import sys

import pytest

from tests.leaks import mutate
from tests.leaks.machine import life

pytestmark = pytest.mark.django_db
# Nine seeds of twelve runs. 20251 is left out: after other tests one of its runs took minutes in the
# database (alone it takes 38 s), and why is not known; by command it is `--seed 20251`.
SHARDS, RUNS, STEPS = (0, 2, 3, 4, 5, 6, 7, 8, 9), 10, 30
SEED = int(os.environ.get("HUB_LEAKS_SEED", "20250"))


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """No embedding engine: the teams have no vectors."""
    monkeypatch.setenv("HUB_EMBEDDER", "none")


@pytest.mark.timeout(900)
@pytest.mark.parametrize("shard", SHARDS)
def test_a_team_lives(shard: int) -> None:
    """T030: after every act the visible ids of four principals equal the oracle's."""
    seed = SEED + shard
    before = life.DONE.copy()
    life.live(RUNS + 2, STEPS + 1, seed)  # a run may end early, where its choices take much room
    done = life.DONE - before
    sys.stdout.write(f"seed {seed}: {done['runs']} runs, {done['steps']} checked states\n")
    assert done["runs"] >= RUNS
    assert done["steps"] >= RUNS * STEPS


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "change"), [
    ("denied", "removed"), ("quarantined", "agents inspect"),
])  # fmt: skip
def test_a_fault_is_noticed(name: str, change: str) -> None:
    """T030: the check can fail; each of these faults in the rules is met within a few lives."""
    mutant = next(one for one in mutate.mutants() if (one.name, one.change) == (name, change))
    with mutate.applied(mutant), pytest.raises(AssertionError):
        life.live(200, STEPS + 1, 7, shrink=False)  # it ends with the first life that differs
