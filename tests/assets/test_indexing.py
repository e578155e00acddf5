"""Rows of an older analyser or engine are found and made again."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from assets import scope
from assets.retrieval.types import Query
from assets.services import assets, indexing, memories, retrievals
from hub.models import Outbox
from tests.world import World


def run(sql: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []


@pytest.mark.django_db(transaction=True)
def test_older_rows_are_analysed_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="notes").id
    memories.remember(alice, text="the heron stands in the river", asset=asset)
    with scope.tending(world.team.id, asset):
        run(
            "update assets_nodetext set words = '', bigrams = '', length = 0, analyser = 1",
        )
    assert not retrievals.retrieve(alice, Query("heron")).passages
    assert indexing.renew() == 1
    assert indexing.renew() == 0  # it is queued already
    row = Outbox.objects.get(task="assets.tasks.analyse")
    assert row.arguments == {"team": str(world.team.id), "asset": str(asset)}
    assert indexing.analyse_asset(world.team.id, asset)
    assert len(retrievals.retrieve(alice, Query("heron")).passages) == 1
    Outbox.objects.update(done_at=row.next_at)
    assert indexing.renew() == 0
