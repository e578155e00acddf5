"""A tree edited as a tree writer does it: a row is closed and another begins, and versions before keep theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.db import connection

from assets import scope
from assets.models import Asset, AssetCounter, Edge, Node, NodeSubject
from assets.models.content import FOREVER
from assets.tree import path, write

NEXT_TEXT = """insert into assets_nodetext (team, node, asset, subject, words, bigrams, length, occurred_at,
    state, since, until, analyser)
  select team, %s, asset, subject, %s::tsvector, %s::tsvector, %s, occurred_at, state, %s, %s, analyser
    from assets_nodetext where team = %s and node = %s"""
NEXT_VECTOR = """insert into assets_embedding (team, node, model, asset, subject, state, since, until, vector)
  select team, %s, model, asset, subject, state, %s, %s, vector from assets_embedding
   where team = %s and node = %s"""


@dataclass(frozen=True, slots=True)
class Tree:
    """One asset of a team that is open for edits; each method is one operation, and gives its version."""

    team: UUID
    asset: UUID

    def change(self, ident: UUID, content: str) -> int:
        """New words for one node."""
        with scope.tending(self.team, self.asset):
            version = self._next()
            self._replace(self._row(ident), version, content=content)
        return version

    def move(self, ident: UUID, parent: UUID | None) -> int:
        """A node with all below it to another parent. Raises ValueError for one below itself."""
        with scope.tending(self.team, self.asset):
            version = self._next()
            top = self._row(ident)
            under = "" if parent is None else self._row(parent).path
            if under == top.path or under.startswith(top.path + path.SEPARATOR):
                message = "a node does not move below itself"
                raise ValueError(message)
            counter = AssetCounter.rows.select_for_update().get(asset_id=self.asset)
            counter.labels += 1
            counter.save()
            new = path.join(under, counter.labels)
            old = top.path
            for row in self._branch(top):
                place = new + row.path[len(old) :]
                above = parent if row.path == old else row.parent
                self._replace(row, version, path=place, depth=path.depth(place), parent=above)
        return version

    def cut(self, edge: UUID) -> int:
        """An edge ends."""
        with scope.tending(self.team, self.asset):
            version = self._next()
            Edge.rows.filter(id=edge).update(until=version)
        return version

    def close(self, ident: UUID) -> int:
        """A node with all below it ends."""
        with scope.tending(self.team, self.asset):
            version = self._next()
            for row in self._branch(self._row(ident)):
                self._end(row, version)
        return version

    def mark(self, ident: UUID, state: str) -> None:
        """Hold it for review, or let it live; this makes no version."""
        with scope.tending(self.team, self.asset), connection.cursor() as cursor:
            rows = list(Node.rows.filter(asset_id=self.asset, ident=ident).values_list("id", flat=True))
            Node.rows.filter(id__in=rows).update(state=state)
            for table in ("assets_nodetext", "assets_embedding"):
                cursor.execute(
                    f"update {table} set state = %s where team = %s and node = any(%s)",
                    [state, self.team, rows],
                )

    def _next(self) -> int:
        counter = AssetCounter.rows.select_for_update().get(asset_id=self.asset)
        counter.sequence += 1
        counter.save()
        Asset.rows.filter(id=self.asset).update(head=counter.sequence)
        return int(counter.sequence)

    def _row(self, ident: UUID) -> Any:
        return Node.rows.get(asset_id=self.asset, ident=ident, until=FOREVER)

    def _branch(self, top: Any) -> Sequence[Any]:
        below = Node.rows.filter(
            asset_id=self.asset, until=FOREVER, path__startswith=top.path + path.SEPARATOR
        )
        return [top, *below.order_by("path")]

    def _replace(self, row: Any, version: int, **values: Any) -> None:
        old = row.id
        subjects = list(NodeSubject.rows.filter(node_id=old))
        self._end(row, version)
        row.id, row.since, row.until, row.sequence = uuid4(), version, FOREVER, version
        for name, value in values.items():
            setattr(row, name, value)
        row.save(force_insert=True)
        NodeSubject.rows.bulk_create(
            NodeSubject(
                node_id=row.id, team_id=self.team, asset_id=self.asset, subject_id=one.subject_id, part=one.part
            )
            for one in subjects
        )  # fmt: skip
        words, bigrams, length = write.vectors_of("", row.title, row.content)
        with connection.cursor() as cursor:
            cursor.execute(NEXT_TEXT, [row.id, words, bigrams, length, version, FOREVER, self.team, old])
            if "content" not in values:  # other words get another vector, by the embedder
                cursor.execute(NEXT_VECTOR, [row.id, version, FOREVER, self.team, old])

    def _end(self, row: Any, version: int) -> None:
        Node.rows.filter(id=row.id).update(until=version)
        with connection.cursor() as cursor:
            for table in ("assets_nodetext", "assets_embedding"):
                cursor.execute(
                    f"update {table} set until = %s where team = %s and node = %s",
                    [version, self.team, row.id],
                )
