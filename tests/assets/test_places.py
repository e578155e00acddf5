"""The places around what was found are bounded, and hold what the spread looks at."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.utils import timezone

from assets import scope
from assets.models import Node
from assets.retrieval import rows
from assets.retrieval.types import Query
from assets.services import assets
from assets.tree import write
from tests.world import World

pytestmark = pytest.mark.django_db


def talk(world: World, lengths: list[int]) -> list[list[str]]:
    """Conversations of so many messages, written in turn; gives the rows by conversation."""
    who = world.principal(world.alice)
    asset = assets.create_asset(who, name="talks").id
    tops = [uuid4() for _ in lengths]
    nodes = [
        write.NewNode(kind="conversation", content="", title=str(n), ident=top) for n, top in enumerate(tops)
    ]
    for turn in range(max(lengths)):
        nodes += [
            write.NewNode(
                kind="message", content=f"turn {turn}", parent=top, extra={"speaker": "Mia"},
                state="held" if turn == 7 else "live",
            )
            for top, length in zip(tops, lengths, strict=True)
            if turn < length
        ]  # fmt: skip
    with scope.tending(world.team.id, asset):
        write.append(asset, world.team.id, who, nodes, timezone.now())
        return [
            [
                str(row)
                for row in Node.rows.filter(parent=top).order_by("sequence").values_list("id", flat=True)
            ]
            for top in tops
        ]


def test_neighbours_and_whole_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the best sessions all, of a longer one the messages nearest to what was found, of others none."""
    world = World.build()
    monkeypatch.setattr(rows, "SESSIONS", 2)
    monkeypatch.setattr(rows, "OF_SESSION", 20)
    short, long, other = talk(world, [12, 60, 60])
    with scope.reading(world.principal(world.alice)) as allowed:
        found = rows.places(allowed, Query("x"), [short[3], long[40], other[6], other[30], short[9]])
    live = [node for at, node in enumerate(short) if at != 7]
    right = {*live, *long[30:50]}
    assert set(found) == right
    assert {place.author for place in found.values()} == {"Mia"}
    orders = [found[node].order for node in live]
    assert orders == sorted(orders)


def test_nothing_of_another_scope() -> None:
    world = World.build()
    mine = talk(world, [5])[0]
    with scope.reading(world.principal(world.bob)) as allowed:
        assert rows.places(allowed, Query("x"), mine) == {}
