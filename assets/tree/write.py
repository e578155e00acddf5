"""The rows of a tree, written in one place: node, text, signal, subjects, operation, counter.

Every write of an asset locks its counter row first, so operations have no gap and no twin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import connection

from assets.models import Asset, AssetCounter, Node, NodeSignal, NodeSubject, Operation
from assets.models.content import FOREVER
from assets.models.node import SEVERAL
from assets.tree import analyse, path, weight
from hub.authn.principal import Principal
from hub.problems import Invalid

TRUST = {"person": 0.8, "agent": 0.6, "import": 0.4}


@dataclass(frozen=True, slots=True)
class NewNode:
    """A node to be written. `parent` is an ident of the tree or of an earlier one in the batch."""

    kind: str
    content: str
    title: str = ""
    parent: UUID | None = None
    ident: UUID = field(default_factory=uuid4)
    occurred_at: datetime | None = None
    source: str = ""
    tags: tuple[str, ...] = ()
    trust: float = TRUST["agent"]
    state: str = "live"
    tier: str = "episodic"
    subjects: tuple[tuple[UUID, str], ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Written:
    """Where a new node came to stand."""

    ident: UUID
    row: UUID
    operation: UUID
    sequence: int
    path: str


def append(
    asset: UUID, team: UUID, principal: Principal, nodes: Sequence[NewNode], now: datetime
) -> list[Written]:
    """Write nodes at the end of a tree, each as one operation. Call inside a transaction with
    the asset behind the second wall. Raises Invalid for an unknown parent or a tree too deep.
    """
    counter = AssetCounter.rows.select_for_update().get(asset_id=asset)
    places = _places(asset, nodes)
    rows: list[Node] = []
    signals: list[NodeSignal] = []
    subjects: list[NodeSubject] = []
    operations: list[Operation] = []
    texts: list[tuple[Any, ...]] = []
    for new in nodes:
        counter.sequence += 1
        counter.labels += 1
        place = _place(places, new, counter.labels)
        places[new.ident] = place
        row = Node(
            ident=new.ident, team_id=team, asset_id=asset, parent=new.parent, path=place,
            depth=path.depth(place), sequence=counter.sequence, kind=new.kind, tier=new.tier,
            title=new.title, content=new.content, tags=list(new.tags),
            is_constraint=new.kind == "constraint", state=new.state, occurred_at=new.occurred_at,
            recorded_at=now, author_user_id=principal.user, author_agent_id=principal.agent,
            source=new.source, trust=new.trust, since=counter.sequence, extra=dict(new.extra),
        )  # fmt: skip
        rows.append(row)
        signals.append(_signal(new, team, asset, now))
        subjects += [
            NodeSubject(node=row, team_id=team, asset_id=asset, subject_id=subject, part=part)
            for subject, part in new.subjects
        ]
        operations.append(_operation(new, team, asset, principal, counter.sequence, now))
        texts.append(_text(row, new))
        counter.row_count += 1
        counter.characters += len(new.content)
    Node.rows.bulk_create(rows)
    NodeSignal.rows.bulk_create(signals)
    NodeSubject.rows.bulk_create(subjects)
    Operation.rows.bulk_create(operations)
    with connection.cursor() as cursor:
        cursor.executemany(
            "insert into assets_nodetext (team, node, asset, subject, words, bigrams, length,"
            " occurred_at, state, since, until, analyser) values"
            " (%s, %s, %s, %s, %s::tsvector, %s::tsvector, %s, %s, %s, %s, %s, %s)",
            texts,
        )
    counter.save()
    Asset.rows.filter(id=asset).update(head=counter.sequence, updated_at=now)
    return [
        Written(row.ident, row.id, operation.id, operation.sequence, row.path)
        for row, operation in zip(rows, operations, strict=True)
    ]


def _places(asset: UUID, nodes: Sequence[NewNode]) -> dict[UUID, str]:
    asked = {new.parent for new in nodes if new.parent} - {new.ident for new in nodes}
    found = Node.rows.filter(asset_id=asset, ident__in=asked, until=FOREVER)
    return dict(found.values_list("ident", "path"))


def _place(places: Mapping[UUID, str], new: NewNode, number: int) -> str:
    if new.parent is not None and new.parent not in places:
        raise Invalid(fields={"parent": "no such node in this asset"})
    try:
        return path.join(places[new.parent] if new.parent else "", number)
    except path.PathError as error:
        raise Invalid(str(error), fields={"parent": "the tree is too deep here"}) from error


def _signal(new: NewNode, team: UUID, asset: UUID, now: datetime) -> NodeSignal:
    importance = weight.importance(new.kind)
    return NodeSignal(
        ident=new.ident, team_id=team, asset_id=asset, parent=new.parent, importance=importance,
        half_life=weight.half_life(new.kind), weight=importance, weighted_at=now,
    )  # fmt: skip


def _operation(
    new: NewNode, team: UUID, asset: UUID, principal: Principal, sequence: int, now: datetime
) -> Operation:
    return Operation(
        at=now, team=team, asset=asset, sequence=sequence, kind="add", ident=new.ident,
        actor_user=principal.user, actor_agent=principal.agent, request_id=principal.request_id,
        payload={"kind": new.kind, "parent": str(new.parent or "")},
    )  # fmt: skip


def _text(row: Node, new: NewNode) -> tuple[Any, ...]:
    words, bigrams, length = vectors_of(str(new.extra.get("speaker", "")), new.title, new.content)
    persons = {subject for subject, part in new.subjects if part in {"author", "about"}}
    subject = None if not persons else SEVERAL if len(persons) > 1 else next(iter(persons))
    return (
        row.team_id, row.id, row.asset_id, subject, words, bigrams, length,
        row.occurred_at or row.recorded_at, row.state, row.since, FOREVER, analyse.ANALYSER,
    )  # fmt: skip


def vectors_of(speaker: str, title: str, content: str) -> tuple[str, str, int]:
    """Two texts to be cast to tsvector, words and bigrams, and the length in words."""
    found = analyse.analyse("\n".join(part for part in (speaker, title, content) if part))
    return (
        analyse.to_tsvector_text(found.words),
        analyse.to_tsvector_text(found.bigrams),
        found.length,
    )


def counter_for(asset: Asset) -> AssetCounter:
    """The counter row of a new asset."""
    return AssetCounter(asset=asset, team_id=asset.team_id)
