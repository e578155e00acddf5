"""From the text of a token to who is asking, or nobody."""

from __future__ import annotations

import hmac

from django.db import connection

from hub.authn import tokens
from hub.authn.principal import Principal
from hub.models import Agent, Membership

# One statement, in plain SQL: it stands before every request.
LIVE = """
select t.id, t.digest, t.team_id, t.user_id, t.agent_id, t.actions, t.kinds, t.subject_id
  from hub_token t join hub_team m on m.id = t.team_id
 where t.public_id = %s and t.kind = %s and t.revoked_at is null and t.expires_at > now()
   and m.archived_at is null
   and (t.user_id is null or exists (
     select 1 from hub_membership x join hub_user u on u.id = x.user_id
      where x.user_id = t.user_id and x.team_id = t.team_id and u.is_active))
   and (t.agent_id is null or exists (
     select 1 from hub_agent g join hub_user u on u.id = g.account_id
      where g.account_id = t.agent_id and g.team_id = t.team_id and g.is_enabled and u.is_active))
"""


def principal_for_token(text: str, door: str, request_id: str) -> Principal | None:
    """The principal of a live token. None when it is malformed, unknown, expired, revoked, or
    its holder is suspended, disabled, gone from the team, or the team archived.
    """
    parsed = tokens.parse(text)
    if parsed is None:
        return None
    with connection.cursor() as cursor:
        cursor.execute(LIVE, [parsed.public_id, parsed.kind])
        row = cursor.fetchone()
    if row is None:
        return None
    token, digest, team, user, agent, actions, kinds, subject = row
    if not hmac.compare_digest(bytes(digest), parsed.digest):
        return None
    return Principal(
        team=team, user=user, agent=agent, token=token, actions=frozenset(actions),
        kinds=None if kinds is None else frozenset(kinds), subject=subject, door=door,
        request_id=request_id,
    )  # fmt: skip


def is_active(principal: Principal) -> bool:
    """Whether the user is not suspended and in the team, and the agent enabled in it."""
    user_is_in = (
        principal.user is None
        or Membership.objects.filter(
            user_id=principal.user, team_id=principal.in_team, user__is_active=True
        ).exists()
    )
    return user_is_in and (
        principal.agent is None
        or Agent.objects.filter(
            account_id=principal.agent, team_id=principal.in_team, is_enabled=True, account__is_active=True
        ).exists()
    )
