"""Random worlds: whatever the product says about rights equals what the oracle says."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from random import Random

import pytest
from django.db import transaction

from assets.services import assets
from hub.authn.principal import STRANGER
from tests.leaks import compare, oracle, things, worlds
from tests.leaks.plant import plant

pytestmark = pytest.mark.django_db
BLOCKS, PER_BLOCK = 10, 10
SEED = int(os.environ.get("HUB_LEAKS_SEED", "20250"))


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """No embedding engine: worlds have no vectors."""
    monkeypatch.setenv("HUB_EMBEDDER", "none")


@pytest.mark.parametrize("block", range(BLOCKS))
def test_worlds_agree(block: int) -> None:
    """T030, T033, T034, T007: list, count, read, search and explanation equal the oracle's."""
    for seed in range(SEED + block * PER_BLOCK, SEED + (block + 1) * PER_BLOCK):
        draw, world = Random(seed), worlds.make(seed)
        everybody = worlds.principals(world, Random(seed))
        with transaction.atomic():
            texts = plant(world)
            wrong = compare.everything(world, texts, draw, draw.sample(everybody, 16), deep=3)
            assert compare.listed(STRANGER) == []
            assert assets.count_assets(STRANGER) == 0
            transaction.set_rollback(True)
        assert not wrong, f"seed {seed}: {len(wrong)} differ, the first: " + "\n".join(wrong[:5])


def test_worlds_are_full() -> None:
    """T030: the worlds hold at least what the check asks for, and every rule decides in them."""
    rules: set[tuple[bool, str]] = set()
    for seed in range(SEED, SEED + 12):
        world, now = worlds.make(seed), datetime.now(UTC)
        everybody = worlds.principals(world, Random(seed))
        assert (len(world.teams), len(world.users) >= 12, len(world.assets) >= 40) == (3, True, True)
        rules |= {
            oracle.decide(world, p, action, a, now)
            for p in everybody for a in world.assets.values() for action in things.ACTIONS
        }  # fmt: skip
    names = (
        "erased",
        "fenced",
        "quarantined",
        "denied",
        "token scope",
        "team",
        "visibility and grants",
        "binding",
        "default no",
    )
    assert rules == {(False, name) for name in names} | {(True, "visibility and grants"), (True, "binding")}


@pytest.mark.parametrize("seed", range(SEED, SEED + 5))
def test_delegation_narrows(seed: int) -> None:
    """T032: an agent acting for a user has no right that the user lacks, and none that the
    agent itself lacks but on what it wrote for that same user.
    """
    world, now = worlds.make(seed), datetime.now(UTC)
    for p in [one for one in worlds.principals(world, Random(seed)) if one.user and one.agent]:
        user, agent = things.Principal(p.team, p.user), things.Principal(p.team, agent=p.agent, token=p.token)
        for a in world.assets.values():
            for action in things.ACTIONS:
                if oracle.decide(world, p, action, a, now)[0]:
                    assert oracle.decide(world, user, action, a, now)[0]
                    written = a.created_by_agent == p.agent and a.written_for == p.user
                    assert written or oracle.decide(world, agent, action, a, now)[0]
