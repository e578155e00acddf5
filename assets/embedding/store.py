"""Vectors of an asset's nodes, written in small batches by the worker."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import connection

from assets.embedding.protocol import LONGEST, Embedder
from assets.models import EmbeddingModel

ROWS, CHARACTERS = 128, 40_000  # of a batch: many small texts or few large ones, seconds of work
WAITING = """
select t.node, n.title, n.content, coalesce(n.extra->>'speaker', '') as speaker
  from assets_nodetext t join assets_node n on n.id = t.node
 where t.team = %(team)s and t.asset = %(asset)s and n.protection = 'plain' and n.content <> ''
   and not exists (select 1 from assets_embedding e where e.team = t.team and e.node = t.node
                   and e.model = %(model)s)
 order by t.since limit %(limit)s
"""
PROGRESS = """
select t.asset, count(*) as rows, count(e.node) as done
  from {assets} join assets_nodetext t on t.asset = s.asset join assets_node n on n.id = t.node
  left join assets_embedding e on e.team = t.team and e.node = t.node and e.model = %(model)s
 where t.team = %(team)s::uuid and n.protection = 'plain' and n.content <> '' and {visible}
 group by t.asset
"""


_models: dict[tuple[str, str], UUID] = {}


def model_of(embedder: Embedder) -> UUID:
    """The stored name of an engine build, made on first use; its row is never taken away."""
    key = (embedder.name, embedder.build)
    if key not in _models:
        row, made = EmbeddingModel.objects.get_or_create(
            name=embedder.name, build=embedder.build, defaults={"dimension": embedder.dimension}
        )
        if made:  # perhaps in a transaction that does not come to its end
            return row.id
        _models[key] = row.id
    return _models[key]


def waiting(team: UUID, asset: UUID, model: UUID) -> list[tuple[Any, ...]]:
    """The next rows of an asset that have no vector by this model; one at least, if any waits."""
    with connection.cursor() as cursor:
        cursor.execute(WAITING, {"team": team, "asset": asset, "model": model, "limit": ROWS})
        rows = cursor.fetchall()
    characters = 0
    for count, row in enumerate(rows):
        characters += min(len(text_of(*row[1:4])), LONGEST)
        if count and characters > CHARACTERS:
            return list(rows[:count])
    return list(rows)


def text_of(title: str, content: str, speaker: str) -> str:
    """What is embedded of a node: who said it belongs to what was said."""
    said = f"{speaker}: {content}" if speaker else content
    return f"{title}\n{said}" if title else said


def save(team: UUID, asset: UUID, model: UUID, rows: list[tuple[Any, ...]], vectors: list[str]) -> None:
    """Store vectors (as pgvector text) of rows given by `waiting`, if they still stand."""
    with connection.cursor() as cursor:
        cursor.executemany(
            "insert into assets_embedding (team, node, model, asset, subject, state, since, until, vector)"
            " select t.team, t.node, %s, t.asset, t.subject, t.state, t.since, t.until, %s::halfvec"
            " from assets_nodetext t where t.team = %s and t.node = %s and t.asset = %s"
            " on conflict do nothing",
            [(model, vector, team, row[0], asset) for row, vector in zip(rows, vectors, strict=True)],
        )
