"""Who is asking: the principal with its roles, offices and the loadouts it carries."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from hub import audit, ids
from hub.authn.principal import Principal
from hub.models import Membership, Role
from hub.services.loadouts import BASE, budget_of


def read_me(principal: Principal) -> dict[str, Any]:
    """The caller as the hub sees it. Raises Missing for a stranger."""
    holder = principal.agent or principal.person
    with transaction.atomic():
        audit.record(principal, "me.read")
        roles = list(Role.objects.filter(team_id=principal.in_team, group__user=holder).order_by("name"))
        member = Membership.objects.filter(team_id=principal.in_team, user_id=holder).first()
        named = [ids.public("role", one.id) for one in roles]
        return {
            "team": ids.public("team", principal.in_team),
            "user": ids.public("user", principal.user) if principal.user else None,
            "agent": ids.public("agent", principal.agent) if principal.agent else None,
            "actions": sorted(principal.actions),
            "kinds": None if principal.kinds is None else sorted(principal.kinds),
            "subject": ids.public("subject", principal.subject) if principal.subject else None,
            "roles": [
                {"id": public, "name": one.name} for public, one in zip(named, roles, strict=True)
            ],
            "offices": [] if member is None else member.offices,
            "loadouts": [*([ids.public("agent", principal.agent)] if principal.agent else []), *named,
                         *([BASE] if roles else [])],
            "budget_tokens": budget_of(holder, principal.in_team),
        }  # fmt: skip
