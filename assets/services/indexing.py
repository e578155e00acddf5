"""Upkeep of what is searched: rows made by an older analyser, and rows without a vector."""

from __future__ import annotations

from uuid import UUID

from django.db import connection, transaction

from assets import scope
from assets.embedding import engines, store
from assets.models import Asset
from assets.tree import analyse, write
from hub import queue
from hub.models import Outbox, Team

BATCH = 500
OLDER = """
select t.node, n.title, n.content, coalesce(n.extra->>'speaker', '') as speaker
  from assets_nodetext t join assets_node n on n.id = t.node
 where t.team = %s and t.asset = %s and t.analyser <> %s limit %s for update of t skip locked
"""
RENEWED = """
update assets_nodetext set words = %s::tsvector, bigrams = %s::tsvector, length = %s, analyser = %s
 where team = %s and node = %s
"""
OUTDATED = "select distinct asset from assets_nodetext where team = %s and analyser <> %s"
WITHOUT = """
select distinct t.asset from assets_nodetext t join assets_node n on n.id = t.node
 where t.team = %(team)s and n.protection = 'plain' and n.content <> '' and not exists (
       select 1 from assets_embedding e where e.team = t.team and e.node = t.node and e.model = %(model)s)
"""


def analyse_asset(team: UUID, asset: UUID) -> bool:
    """Analyse up to `BATCH` older rows of an asset again; True when none is left."""
    with scope.tending(team, asset), connection.cursor() as cursor:
        cursor.execute(OLDER, [team, asset, analyse.ANALYSER, BATCH])
        rows = cursor.fetchall()
        cursor.executemany(
            RENEWED,
            [
                (*write.vectors_of(speaker, title, content), analyse.ANALYSER, team, node)
                for node, title, content, speaker in rows
            ],
        )
    return len(rows) < BATCH


def renew() -> int:
    """Queue what each team's index needs, once however often it is called; how many were queued."""
    embedder = engines.default()
    model = store.model_of(embedder) if embedder is not None else None
    queued = 0
    for team in Team.objects.filter(archived_at__isnull=True).values_list("id", flat=True):
        queued += _renew(team, model)
    return queued


def _renew(team: UUID, model: UUID | None) -> int:
    wanted: list[tuple[str, UUID]] = []
    with transaction.atomic(), connection.cursor() as cursor:
        scope.walls(team, "{}")
        assets = [str(one) for one in Asset.rows.filter(team_id=team).values_list("id", flat=True)]
        scope.walls(team, "{" + ",".join(assets) + "}")
        cursor.execute(OUTDATED, [team, analyse.ANALYSER])
        wanted += [("assets.tasks.analyse", row[0]) for row in cursor.fetchall()]
        if model is not None:
            cursor.execute(WITHOUT, {"team": team, "model": model})
            wanted += [("assets.tasks.embed", row[0]) for row in cursor.fetchall()]
    return sum(_queue(task, team, asset) for task, asset in wanted)


def _queue(task: str, team: UUID, asset: UUID) -> bool:
    arguments = {"team": str(team), "asset": str(asset)}
    open_work = Outbox.objects.filter(task=task, arguments=arguments, done_at__isnull=True, is_dead=False)
    if open_work.exists():
        return False
    with transaction.atomic():
        if task == "assets.tasks.analyse":
            queue.enqueue("assets.tasks.analyse", **arguments)
        else:
            queue.enqueue("assets.tasks.embed", **arguments)
    return True
