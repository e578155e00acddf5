"""The vector arm is exact where it scans, and by the index gives the same nearest rows."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import numpy as np
import psycopg
import pytest
from django.db import connection

from assets import scope
from assets.embedding import index
from assets.models import EmbeddingModel
from assets.retrieval.arms import vectors
from assets.retrieval.types import Filters, Query, Tags
from tests.assets import shelf
from tests.assets.shelf import Shelf
from tests.world import World

DIMENSION = 384
COPIED = """insert into assets_embedding (team, node, model, asset, subject, state, since, until, vector)
  select team, node, %s, asset, subject, state, since, until, %s::halfvec from assets_nodetext where node = %s"""
VISIBLE = """select t.node::text from {assets} join assets_nodetext t on t.asset = s.asset
  where t.team = %(team)s::uuid and {visible} and t.state = 'live'"""


def give_vectors(full: Shelf) -> tuple[UUID, dict[str, np.ndarray]]:
    """A random unit vector for every row, as it is stored."""
    dice = np.random.default_rng(5)
    model = EmbeddingModel.objects.create(name="drawn", build="test", dimension=DIMENSION).id
    drawn = {}
    for asset in full.assets:
        with scope.tending(full.world.team.id, asset), connection.cursor() as cursor:
            cursor.execute("select node::text from assets_nodetext order by node")
            for (node,) in cursor.fetchall():
                vector = dice.standard_normal(DIMENSION)
                drawn[node] = (vector / np.linalg.norm(vector)).astype(np.float16)
                cursor.execute(COPIED, [model, str(drawn[node].astype(float).tolist()), node])
    return model, drawn


def right(allowed: scope.Scope, drawn: dict[str, np.ndarray], asked: np.ndarray) -> list[str]:
    seen = [row["node"] for row in allowed.fetch(VISIBLE)]
    table = np.array([drawn[node] for node in seen], np.float32)
    order = np.argsort(-(table @ asked.astype(np.float16).astype(np.float32)))
    return [seen[at] for at in order]


@pytest.mark.django_db
def test_a_scan_is_exact() -> None:
    full = shelf.fill(World.build(), 60)
    model, drawn = give_vectors(full)
    for who in (full.owner, full.agent):
        for node in list(drawn)[:10]:
            asked = drawn[node].astype(np.float32)
            with scope.reading(who) as allowed:
                found = vectors.find(allowed, Query("x"), 10, asked, model)
                assert [one.node for one in found.candidates] == right(allowed, drawn, asked)[:10]
                assert found.way == "exact"
                other = vectors.find(allowed, Query("x"), 10, asked, full.assets[0])
            assert other.candidates == []


@pytest.mark.django_db(transaction=True)
def test_by_the_index(monkeypatch: pytest.MonkeyPatch, database_server: Any) -> None:
    """Without an index a wide scope is scanned; with one the rows are the same; a lock, a filter
    or too few rows in the lists are scanned again.
    """
    full = shelf.fill(World.build(), 150)
    model, drawn = give_vectors(full)
    monkeypatch.setattr(vectors, "WIDE", 100)
    monkeypatch.setattr(vectors, "OVER", 7)  # what is held drops out of few rows by chance
    asked = np.asarray(next(iter(drawn.values())), np.float32)
    owner = psycopg.conninfo.make_conninfo(database_server.owner_url, dbname=connection.settings_dict["NAME"])

    def find(who: Any, limit: int = 20, **narrow: Any) -> vectors.Nearest:
        with scope.reading(who) as allowed:
            found = vectors.find(allowed, Query("x", filters=Filters(**narrow)), limit, asked, model)
            if not narrow and who.subject is None:
                assert [one.node for one in found.candidates] == right(allowed, drawn, asked)[:limit]
        return found

    assert find(full.owner).way == "exact"
    assert index.build(owner, smallest=1_000) == []
    made = index.build(owner, smallest=100)
    assert [one.rpartition("_")[0] for one in made] == [f"embedding_near_{model.hex}"]
    assert index.build(owner, smallest=100) == []
    with connection.cursor() as cursor:
        cursor.execute(
            "select attstattarget from pg_attribute where attrelid = %s::regclass and attnum = 1", made
        )
        assert cursor.fetchone() == (0,)
    try:
        assert find(full.owner).way == "ivfflat"
        assert find(full.agent).way == "ivfflat"
        assert find(full.owner, limit=400).way == "exact"
        assert find(full.world.principal(full.world.scout, subject=full.subject)).way == "exact"
        assert find(full.owner, tags=Tags(any=("a",))).way == "exact"
    finally:
        with psycopg.connect(owner, autocommit=True) as session:
            session.execute(psycopg.sql.SQL("drop index {}").format(psycopg.sql.Identifier(made[0])))
