"""Why: the rules in order, printed from the expressions that decide."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from assets import access, scope
from assets.services import assets
from assets.services.shapes import Explanation, Line
from hub import audit, ids
from hub.authn import offices
from hub.authn.principal import ACTIONS, CHANGE, READ, Principal
from hub.models import Membership
from hub.models.teams import ADMIN
from hub.problems import Invalid, Missing
from hub.services import tokens


def explain(
    principal: Principal, *, who: Principal, action: str, asset: UUID, node: UUID | None = None
) -> Explanation:
    """May `who` do `action` to the asset? Raises Missing where the asker may not know of it."""
    if action not in ACTIONS:
        raise Invalid(fields={"action": f"one of {', '.join(ACTIONS)}"})
    with scope.browsing(principal):
        known = not principal.is_stranger and assets.may_do(principal, READ, asset)
        if known:
            results = scope.decide(who, action, asset) or []
            audit.record(principal, "explain", asset=asset, payload={"action": action})
    if not known:
        audit.refused(principal, "explain", target=str(asset))
        raise Missing
    return shape(who, results)


def shape(who: Principal, results: list[tuple[bool, str | None]]) -> Explanation:
    """The lines of an explanation: after the first failure the others are not reached."""
    lines: list[Line] = []
    decided = ""
    for rule, (passed, row) in zip(access.RULES, results, strict=True):
        if decided:
            would = "passed" if passed else "failed"
            lines.append(Line(rule.name, "not_reached", f"would have {would}", None))
            continue
        lines.append(
            Line(rule.name, "passed" if passed else "failed", rule.passed if passed else rule.failed, row)
        )
        if not passed:
            decided = rule.name
    last = "visibility and grants" if who.agent is None else "binding"
    return Explanation(not decided, decided or last, tuple(lines))


def principal_named(principal: Principal, name: str | None) -> Principal:
    """The principal that a question is about: the asker, an agent in the asker's care, or (for
    a team admin) anybody of the team. Raises Missing for anybody else.
    """
    if name is None:
        return principal
    agent, user = ids.parse("agent", name), ids.parse("user", name)
    if (agent is not None and agent == principal.agent) or (user is not None and user == principal.user):
        return principal
    if agent is not None:
        tokens.agent_in_care(principal, agent)
        return replace(principal, user=None, agent=agent, actions=frozenset({READ, CHANGE}))
    members = Membership.objects.filter(team_id=principal.in_team)
    if user is not None and offices.holds(principal, ADMIN) and members.filter(user_id=user).exists():
        return replace(principal, user=user)
    raise Missing
