"""Two memories with random texts, states, persons and a pin, for the tests of the arms."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from uuid import UUID

from django.utils import timezone

from assets import scope
from assets.models import Asset, Binding
from assets.services import assets
from assets.tree import write
from hub.authn.principal import Principal
from hub.models import Subject
from tests.world import World

VOCABULARY = [
    "heron",
    "heron's",
    "rivers",
    "river",
    "lamp",
    "lamps",
    "stone",
    "running",
    "red",
    "数据库",
    "记忆",
]
STATES = ("live", "live", "live", "archived", "held")


@dataclass(frozen=True)
class Shelf:
    """Who reads: everything as its owner, the bound part of it, and under a lock to a person."""

    world: World
    owner: Principal
    agent: Principal
    subject: UUID
    assets: tuple[UUID, ...]


def fill(world: World, rows: int, seed: int = 1, words: int = 8) -> Shelf:
    """An open memory and a pinned one of `rows` rows each, both of Alice and bound to the scout."""
    random = Random(seed)
    alice = world.principal(world.alice)
    persons = [
        Subject.objects.create(team=world.team, external_id=name, fenced_at=timezone.now() if fenced else None)
        for name, fenced in (("mia", False), ("noa", False), ("pia", True))
    ]  # fmt: skip
    made = []
    for name in ("open", "pinned"):
        asset = assets.create_asset(alice, name=name, visibility="team").id
        made.append(asset)
        nodes = [_node(random, persons, words) for _ in range(rows)]
        with scope.tending(world.team.id, asset):
            write.append(asset, world.team.id, alice, nodes, timezone.now())
            Binding.objects.create(
                team=world.team, asset_id=asset, agent_id=world.scout.pk, made_by=world.alice,
                pin=rows // 2 if name == "pinned" else None,
            )  # fmt: skip
            Asset.rows.filter(id=asset).update(status="approved")
    return Shelf(world, alice, world.principal(world.scout), persons[0].id, tuple(made))


def _node(random: Random, persons: list[Subject], words: int) -> write.NewNode:
    about = random.sample(persons, random.choice((0, 0, 0, 1, 2)))
    text = " ".join(random.choices(VOCABULARY, weights=range(len(VOCABULARY), 0, -1), k=words))
    return write.NewNode(
        kind="fact", content=text, state=random.choice(STATES),
        subjects=tuple((one.id, "about") for one in about), tags=(random.choice("ab"),),
    )  # fmt: skip
