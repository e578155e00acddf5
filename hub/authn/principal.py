"""Who is asking: one frozen value that every door builds and every rule reads."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from hub.problems import Missing

READ, CHANGE, MANAGE, REVIEW = "read", "change", "manage", "review"
ACTIONS = (READ, CHANGE, MANAGE, REVIEW)
ALL_ACTIONS = frozenset(ACTIONS)


@dataclass(frozen=True, slots=True)
class Principal:
    """A user, an agent, or an agent acting for a user, in one team, for one request.

    `user` and `agent` are both None for a stranger, who may see nothing. `kinds` and
    `subject` narrow a token; None means not narrowed. `actions` is empty for nobody's use.
    """

    team: UUID | None
    user: UUID | None = None
    agent: UUID | None = None
    token: UUID | None = None
    actions: frozenset[str] = ALL_ACTIONS
    kinds: frozenset[str] | None = None
    subject: UUID | None = None
    door: str = "command"
    request_id: str = ""
    stepped_up: bool = False

    @property
    def is_stranger(self) -> bool:
        return self.user is None and self.agent is None

    @property
    def in_team(self) -> UUID:
        """The team. Raises Missing for a stranger, who is in none."""
        if self.team is None:
            raise Missing
        return self.team

    @property
    def person(self) -> UUID:
        """The user. Raises Missing where nobody but an agent asks."""
        if self.user is None:
            raise Missing
        return self.user

    @property
    def is_person(self) -> bool:
        """A person with no agent between: signed in or on a personal token."""
        return self.user is not None and self.agent is None


STRANGER = Principal(team=None, actions=frozenset())
