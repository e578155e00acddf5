"""What every route must say of itself; a route without it fails the tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Policy:
    """How a caller proves who it is, what it does, what is recorded, and what it costs.

    `throttle` names the bucket: `read` and `write` are told apart by the method, `search` is
    an asking that changes nothing even as a POST. `largest_body` is in bytes.
    """

    name: str
    authentication: Literal["token", "session", "none"]
    action: str  # read, change, manage, or "" where no asset is touched
    audit: str  # a name of hub.audit.ACTIONS, or "" for health and static answers
    throttle: str
    largest_body: int = MIB

    def bucket(self, method: str) -> str:
        """The bucket (hub.limits.LIMITS) in which a request of this method counts."""
        if self.throttle not in {"read", "write"}:
            return self.throttle
        return "read" if method in {"GET", "HEAD", "OPTIONS"} else "write"

    @property
    def only_asks(self) -> bool:
        """Whether even a POST changes nothing, so that a repeat needs no key."""
        return self.throttle == "search"
