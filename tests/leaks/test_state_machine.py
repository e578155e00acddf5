"""A hundred lives of a team: whatever is done, everybody is told what the oracle says."""

from __future__ import annotations

import os
import sys

import pytest

from tests.leaks import state_machine

pytestmark = pytest.mark.django_db
SHARDS, RUNS, STEPS = 10, 10, 30
SEED = int(os.environ.get("HUB_LEAKS_SEED", "20250"))


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """No embedding engine: the teams have no vectors."""
    monkeypatch.setenv("HUB_EMBEDDER", "none")


@pytest.mark.parametrize("shard", range(SHARDS))
def test_a_team_lives(shard: int) -> None:
    """T030: after every act the visible ids of four principals equal the oracle's."""
    seed = SEED + shard
    before = state_machine.DONE.copy()
    state_machine.live(RUNS, STEPS, seed)
    done = state_machine.DONE - before
    sys.stdout.write(f"seed {seed}: {done['runs']} runs, {done['steps']} checked states\n")
    assert done["runs"] >= RUNS
    assert done["steps"] >= RUNS * STEPS
