"""When an agent and its tokens were last used, as the audit trail tells it."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from hub import audit, ids
from hub.authn.principal import Principal
from hub.models import AuditEvent
from hub.services import tokens

LOOKED_BACK = timedelta(days=30)


def last_uses(principal: Principal, agent: UUID) -> dict[str, datetime]:
    """Public id of the agent and of each of its tokens -> the last use within 30 days; what is
    not there was not used. Raises Missing where the agent is not in the caller's care.
    """
    tokens.agent_in_care(principal, agent)
    with transaction.atomic():
        rows = AuditEvent.objects.filter(
            team=principal.in_team, actor_agent=agent, at__gt=timezone.now() - LOOKED_BACK
        )
        by_token = dict(rows.values_list("token").annotate(last=Max("at")).order_by())
        audit.record(principal, "token.list", target=ids.public("agent", agent))
    found = {ids.public("token", token): last for token, last in by_token.items() if token is not None}
    if by_token:
        found[ids.public("agent", agent)] = max(by_token.values())
    return found
