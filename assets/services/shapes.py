"""What the services give to every door: frozen values, no rows; and their one public form."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from hub import ids

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items and the signed place where the next ones begin."""

    items: tuple[T, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class AssetRow:
    """An asset as one principal may know it. `version` is the one it reads, `actions` what it may do."""

    id: UUID
    team: UUID
    kind: str
    name: str
    title: str
    description: str
    labels: tuple[str, ...]
    owner: UUID
    owner_name: str
    created_by_agent: UUID | None
    visibility: str
    status: str
    quarantined: bool
    head: int
    version: int
    created_at: datetime
    updated_at: datetime
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node as one principal may read it. `id` is the lasting ident."""

    id: UUID
    asset: UUID
    kind: str
    tier: str
    title: str
    text: str
    tags: tuple[str, ...]
    state: str
    occurred_at: datetime | None
    recorded_at: datetime
    source: str
    trust: float
    author: str


@dataclass(frozen=True, slots=True)
class Line:
    """One rule of an explanation. `result` is passed, failed or not_reached."""

    name: str
    result: str
    because: str
    row: str | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Allowed or not, by which rule, with every rule in order; `flip` (assets.services.flips)
    where it was asked for.
    """

    allowed: bool
    rule: str
    rules: tuple[Line, ...]
    flip: Any = None


def asset(row: AssetRow) -> dict[str, Any]:
    """An asset as REST and MCP give it."""
    return {
        "id": ids.public("asset", row.id), "kind": row.kind, "name": row.name, "title": row.title,
        "description": row.description, "labels": row.labels, "owner": ids.public("user", row.owner),
        "visibility": row.visibility, "status": row.status, "version": row.version,
        "created_at": row.created_at, "updated_at": row.updated_at, "actions": row.actions,
    }  # fmt: skip


def node(row: NodeRow) -> dict[str, Any]:
    """A node as REST and MCP give it."""
    return {
        "id": ids.public("node", row.id), "asset": ids.public("asset", row.asset), "kind": row.kind,
        "tier": row.tier, "title": row.title, "text": row.text, "tags": row.tags, "state": row.state,
        "occurred_at": row.occurred_at, "recorded_at": row.recorded_at, "source": row.source,
        "trust": row.trust, "author": row.author,
    }  # fmt: skip
