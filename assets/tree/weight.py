"""The weight of a node: a pure function of its stored signals and one clock value.

weight = clip(0.05, 1, (a*importance + b*recency + c*confidence + d*links) * idleness)
Running it twice with the same clock changes nothing. Times are aware datetimes, spans days.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

LOWEST, HIGHEST = 0.05, 1.0
MOST_STRETCH = 8.0  # how far use may lengthen a half-life
LINKS_SCALE = 4.0
IDLE_STEP, IDLE_FLOOR = 0.1, 0.5
CYCLE = 30.0  # days of one idle cycle
ARCHIVE_AFTER, ARCHIVE_BELOW = 90.0, 0.2  # idle days, weight
DEFAULT_HALF_LIFE = 60.0
DEFAULT_IMPORTANCE = 0.5
DEFAULT_CONFIDENCE = 0.7
SECONDS_A_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Shares:
    """How much each signal counts. Raises ValueError unless all are >= 0 and sum to 1."""

    importance: float = 0.40
    recency: float = 0.25
    confidence: float = 0.20
    links: float = 0.15

    def __post_init__(self) -> None:
        parts = (self.importance, self.recency, self.confidence, self.links)
        if not all(part >= 0 for part in parts) or not math.isclose(sum(parts), 1.0, abs_tol=1e-6):
            message = "the shares of a weight are 0 or more and sum to 1"
            raise ValueError(message)


PRESETS: Mapping[str, Shares] = MappingProxyType(
    {
        "balanced": Shares(),
        "personal": Shares(importance=0.50, recency=0.15, confidence=0.25, links=0.10),
        "realtime": Shares(importance=0.25, recency=0.50, confidence=0.15, links=0.10),
    }
)

# Days until recency has halved, without any use; None never fades.
HALF_LIFE: Mapping[str, float | None] = MappingProxyType(
    {
        "constraint": None,
        "persona": 365.0,
        "preference": 365.0,
        "decision": 180.0,
        "fact": 120.0,
        "summary": 120.0,
        "task": 60.0,
        "topic": 60.0,
        "tool_failure": 60.0,
        "event": 30.0,
        "observation": 30.0,
        "conversation": 30.0,
        "message": 14.0,
    }
)

IMPORTANCE: Mapping[str, float] = MappingProxyType(
    {
        "constraint": 0.9,
        "preference": 0.9,
        "persona": 0.8,
        "task": 0.8,
        "decision": 0.8,
        "tool_failure": 0.7,
        "fact": 0.6,
        "topic": 0.6,
        "summary": 0.6,
        "event": 0.5,
        "observation": 0.5,
        "conversation": 0.5,
        "message": 0.4,
    }
)

# What lasts beyond its occasion is semantic, how to do a thing procedural, the rest episodic.
SEMANTIC = frozenset({"constraint", "preference", "persona", "fact", "topic", "summary"})
PROCEDURAL = frozenset({"tool_failure"})


def tier(kind: str) -> str:
    """The kind of memory a node is at first."""
    return "semantic" if kind in SEMANTIC else "procedural" if kind in PROCEDURAL else "episodic"


@dataclass(frozen=True, slots=True)
class Signals:
    """What is stored of a node. Importance and confidence 0 to 1; half_life in days, None for
    one that never fades; links = live children + incoming edges.
    """

    importance: float
    confidence: float
    occurred_at: datetime
    half_life: float | None
    uses: int = 0
    last_used_at: datetime | None = None
    links: int = 0
    is_held_fast: bool = False  # a constraint or a pin: neither fades nor idles


def half_life(kind: str) -> float | None:
    """Days for a kind of node; kinds without a line in the table get 60."""
    return HALF_LIFE.get(kind, DEFAULT_HALF_LIFE)


def importance(kind: str) -> float:
    """The first importance of a kind of node, 0 to 1."""
    return IMPORTANCE.get(kind, DEFAULT_IMPORTANCE)


def idle_days(signals: Signals, now: datetime) -> float:
    """Days since the later of the event and the last use; 0 for what lies in the future."""
    last = signals.occurred_at
    if signals.last_used_at is not None:
        last = max(last, signals.last_used_at)
    return max(0.0, (now - last).total_seconds() / SECONDS_A_DAY)


def recency(signals: Signals, now: datetime) -> float:
    """0.5 ^ (age / h'), 0 to 1, where use lengthens the half-life at most eight times."""
    if signals.is_held_fast or signals.half_life is None:
        return 1.0
    stretch = min(MOST_STRETCH, 1.0 + math.log1p(max(0, signals.uses)))
    lengthened = max(signals.half_life, 1e-6) * stretch
    return float(0.5 ** (idle_days(signals, now) / lengthened))


def connectedness(links: int) -> float:
    """1 - exp(-links / 4), 0 to 1."""
    return 1.0 - math.exp(-max(0, links) / LINKS_SCALE)


def idleness(signals: Signals, now: datetime, cycle: float = CYCLE) -> float:
    """The factor for whole idle cycles: 1, 0.9, 0.8 ... not below 0.5."""
    if signals.is_held_fast:
        return 1.0
    return max(IDLE_FLOOR, 1.0 - IDLE_STEP * math.floor(idle_days(signals, now) / cycle))


def weight(
    signals: Signals, now: datetime, shares: Shares = PRESETS["balanced"], cycle: float = CYCLE
) -> float:
    """The weight at `now`, 0.05 to 1."""
    total = (
        shares.importance * _unit(signals.importance)
        + shares.recency * recency(signals, now)
        + shares.confidence * _unit(signals.confidence)
        + shares.links * connectedness(signals.links)
    )
    return min(HIGHEST, max(LOWEST, total * idleness(signals, now, cycle)))


def may_archive(signals: Signals, now: datetime, shares: Shares = PRESETS["balanced"]) -> bool:
    """Idle for 90 days and below 0.2: text and words stay, the vector may go."""
    if signals.is_held_fast or idle_days(signals, now) < ARCHIVE_AFTER:
        return False
    return weight(signals, now, shares) < ARCHIVE_BELOW


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value)) if value == value else 0.0
