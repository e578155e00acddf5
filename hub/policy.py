"""What every route must say of itself; a route without it fails the tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Policy:
    """How a caller proves who it is, what it does, what is recorded, and what it costs."""

    name: str
    authentication: Literal["token", "session", "none"]
    action: str  # read, change, manage, or "" where no asset is touched
    audit: str  # a name of hub.audit.ACTIONS, or "" for health and static answers
    throttle: str  # the bucket that limits are counted in
