"""The shapes that pass between the stages: Query, Candidate, Fused, Ranked, Passage, Answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from uuid import UUID

Row: TypeAlias = str  # the id of a node row as text: made, hashed and compared by the thousand
ArmName = Literal["words", "vectors", "tree", "time", "graph"]
Order = Literal["rank", "time", "tree"]

DEFAULT_TOKENS = 2000

KINDS = ("chat_memory", "skill", "wiki", "code_graph")
TIERS = ("episodic", "semantic", "procedural")
STATES = ("live", "archived", "closed", "held")


@dataclass(frozen=True, slots=True)
class Budget:
    """What an answer may cost. Every limit that is given holds.

    `shares` keeps, by kind of asset, each kind to a part of the limits (0 to 1) while others
    have something to say. Raises ValueError when no limit is given, one is below 1, or a share
    is outside 0 to 1.
    """

    tokens: int | None = None
    chars: int | None = None
    items: int | None = None
    shares: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        limits = [self.tokens, self.chars, self.items]
        if all(limit is None for limit in limits):
            message = "a budget names tokens, chars or items"
            raise ValueError(message)
        if any(limit is not None and limit < 1 for limit in limits):
            message = "a budget is at least 1"
            raise ValueError(message)
        if any(not 0.0 <= share <= 1.0 for share in self.shares.values()):
            message = "a share is between 0 and 1"
            raise ValueError(message)


@dataclass(frozen=True, slots=True)
class Tags:
    """Conditions on a node's tags; all three hold together."""

    any: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    none: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.any or self.all or self.none)


@dataclass(frozen=True, slots=True)
class Filters:
    """What the asker narrows to. An empty tuple or None asks for nothing in particular."""

    kind: tuple[str, ...] = ()  # of the asset
    node_kind: tuple[str, ...] = ()
    asset: tuple[UUID, ...] = ()
    tier: tuple[str, ...] = ()
    tags: Tags = Tags()
    subject: str | None = None
    from_: datetime | None = None
    to: datetime | None = None
    as_of: datetime | None = None
    min_trust: float | None = None
    state: tuple[str, ...] = ("live",)

    @property
    def is_narrow(self) -> bool:
        """Does a condition need the node itself? Then the rows are narrowed first."""
        return bool(self.node_kind or self.tier or self.tags or self.min_trust is not None)


@dataclass(frozen=True, slots=True)
class Query:
    """One question as it was asked."""

    text: str
    budget: Budget = Budget(tokens=DEFAULT_TOKENS)
    filters: Filters = Filters()
    anchor: UUID | None = None  # ident of the node to look from
    recipe: str = "balanced"
    order: Order = "rank"
    trace: bool = False


class Candidate(NamedTuple):
    """A node row that one arm found: rank from 1, raw score, higher is better."""

    node: Row
    arm: ArmName
    rank: int
    score: float


class Why(NamedTuple):
    """How one arm saw an item: its rank there and its raw score."""

    arm: ArmName
    rank: int
    score: float


class Fused(NamedTuple):
    """A node row with the one relevance made of all arms."""

    node: Row
    score: float
    why: tuple[Why, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranked:
    """An item with everything an answer tells of it. `score` is relevance times weight's part."""

    node: Row
    ident: UUID  # the lasting identity
    asset: UUID
    asset_title: str
    asset_kind: str
    node_kind: str
    title: str
    text: str
    score: float
    relevance: float
    weight: float
    recorded_at: datetime
    occurred_at: datetime | None = None
    source: str = ""
    trust: float = 0.5
    author: str = ""
    path: str = ""
    version: int = 0
    state: str = "live"
    share: float | None = None  # of the budget, by the asset's binding
    why: tuple[Why, ...] = ()

    @property
    def happened_at(self) -> datetime:
        """When it happened, or when it was recorded where that is not known."""
        return self.occurred_at or self.recorded_at


@dataclass(frozen=True, slots=True)
class Passage:
    """An item as it goes into the context: its text, perhaps shortened, and its cost."""

    ranked: Ranked
    text: str
    tokens: int
    shortened: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An item that was found and did not come in, with the reason in plain words."""

    node: UUID  # the lasting identity
    title: str
    tokens: int
    because: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a retrieval: the rendered context and how it came about."""

    context: str
    passages: tuple[Passage, ...]
    left_out: tuple[LeftOut, ...]
    tokens_used: int
    notes: tuple[str, ...] = ()
    trace: Mapping[str, Any] = field(default_factory=dict)
