"""Makes one ranked item for the tests of ranking, packing and composing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from assets.retrieval.rank import scored
from assets.retrieval.types import Ranked

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def item(number: int, **given: Any) -> Ranked:
    """An item whose number gives its ids; later fields may be given."""
    facts: dict[str, Any] = {
        "node": str(UUID(int=1000 + number)),
        "ident": UUID(int=number),
        "asset": UUID(int=7),
        "asset_title": "Team log",
        "asset_kind": "chat_memory",
        "node_kind": "decision",
        "title": f"Item {number}",
        "text": f"Text of item {number}.",
        "relevance": 0.5,
        "weight": 0.5,
        "recorded_at": NOW - timedelta(days=9),
    }
    facts |= given
    facts.setdefault("score", scored(facts["relevance"], facts["weight"]))
    return Ranked(**facts)
