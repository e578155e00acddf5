"""The tables of the hub: people, agents, roles, tokens, loadouts, audit, outbox."""

from __future__ import annotations

from hub.models.agents import Agent
from hub.models.audit import AuditEvent
from hub.models.idempotency import KeptAnswer
from hub.models.limits import RequestCount
from hub.models.loadouts import Loadout, LoadoutVersion
from hub.models.outbox import Outbox
from hub.models.roles import Role
from hub.models.teams import Membership, Subject, Team
from hub.models.tokens import Token
from hub.models.users import User

__all__ = [
    "Agent", "AuditEvent", "KeptAnswer", "Loadout", "LoadoutVersion", "Membership", "Outbox",
    "RequestCount", "Role", "Subject", "Team", "Token", "User",
]  # fmt: skip
