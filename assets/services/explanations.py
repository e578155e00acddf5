"""Why: the rules in order, printed from the expressions that decide."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from assets import access, scope
from assets.services import assets, flips
from assets.services.shapes import Explanation, Line
from hub import audit, ids
from hub.authn import offices
from hub.authn.principal import ACTIONS, CHANGE, READ, Principal
from hub.models import Membership
from hub.models.teams import ADMIN
from hub.problems import Invalid, Missing
from hub.services import tokens

READABLE = """select t.asset from {assets} join assets_nodetext t on t.asset = s.asset
  join assets_node n on n.id = t.node
  where t.team = %(team)s::uuid and {visible} and n.ident = %(ident)s limit 1"""
# The row of the node that stands in the version, or the newest one.
ONE_NODE = """select {columns} from {assets} join assets_nodetext t on t.asset = s.asset
  join assets_node n on n.id = t.node where t.team = %(team)s::uuid and n.ident = %(ident)s
  order by (t.since <= s.version and t.until > s.version) desc, t.since desc limit 1"""
NODE_FLIPS = {
    "node version": "Another version would have to be read: by a pin, an approval, or the head.",
    "node held": "It is held for review: a reviewer decides.",
    "node fenced": "An erasure is under way: nothing but its end changes this.",
    "node subject lock": "A token that is not locked to another person would have to ask.",
}


def explain(
    principal: Principal,
    *,
    who: Principal,
    action: str,
    asset: UUID | None = None,
    node: UUID | None = None,
    with_flip: bool = False,
) -> Explanation:
    """May `who` do `action` to the asset, or read this node of it? With `with_flip` also the
    smallest change that turns the answer. Raises Missing where the asker may not know of it.
    """
    if action not in ACTIONS:
        raise Invalid(fields={"action": f"one of {', '.join(ACTIONS)}"})
    if (asset is None and node is None) or (node is not None and action != READ):
        raise Invalid(fields={"asset": "give an asset, or a node with the action read"})
    found: Explanation | None = None
    with scope.browsing(principal):
        asset = _asset_of(principal, asset, node)
        if asset is not None and assets.may_do(principal, READ, asset):
            found = shape(who, scope.decide(who, action, asset) or [])
            if node is not None:
                found = _of_node(who, asset, node, found)
            if with_flip:
                found = replace(found, flip=_flip(who, action, asset, found))
            audit.record(
                principal, "explain", asset=asset, target=str(node or ""), payload={"action": action}
            )
    if found is None:
        audit.refused(principal, "explain", target=str(node or asset))
        raise Missing
    return found


def _asset_of(principal: Principal, asset: UUID | None, node: UUID | None) -> UUID | None:
    """The asset, or that of a node which the asker may read; none for what may not be known."""
    if principal.is_stranger or node is None:
        return None if principal.is_stranger else asset
    allowed = scope.resolve(principal, READ, only=None if asset is None else [asset])
    rows = allowed.fetch(READABLE, {"ident": node})
    scope.walls(principal.team, "{}")
    return rows[0]["asset"] if rows else None


def _of_node(who: Principal, asset: UUID, node: UUID, found: Explanation) -> Explanation:
    """The lines of the asset, then those of the node in the version that `who` reads."""
    if not found.allowed:
        more = [Line(f"node {rule.name}", "not_reached", "") for rule in access.NODE_RULES]
        return replace(found, rules=(*found.rules, *more))
    allowed = scope.resolve(who, READ, only=[asset])
    columns = ", ".join(f"{access.condition(one)} as r{place}" for place, one in enumerate(access.NODE_RULES))
    row = allowed.fetch(ONE_NODE.replace("{columns}", columns), {"ident": node})[0]
    scope.walls(who.team, "{}")
    lines: list[Line] = []
    decided = ""
    for place, rule in enumerate(access.NODE_RULES):
        passed = bool(row[f"r{place}"])
        if decided:
            lines.append(Line(f"node {rule.name}", "not_reached", _would(passed)))
            continue
        result = "passed" if passed else "failed"
        lines.append(Line(f"node {rule.name}", result, rule.passed if passed else rule.failed))
        decided = "" if passed else f"node {rule.name}"
    return Explanation(not decided, decided or found.rule, (*found.rules, *lines))


def _flip(who: Principal, action: str, asset: UUID, found: Explanation) -> flips.Flip:
    if found.rule.startswith("node "):
        return flips.Flip(because=NODE_FLIPS[found.rule])
    return flips.find(who, action, asset)


def _would(passed: object) -> str:
    return f"would have {'passed' if passed else 'failed'}"


def shape(who: Principal, results: list[tuple[bool, str | None]]) -> Explanation:
    """The lines of an explanation: after the first failure the others are not reached."""
    lines: list[Line] = []
    decided = ""
    for rule, (passed, row) in zip(access.RULES, results, strict=True):
        if decided:
            lines.append(Line(rule.name, "not_reached", _would(passed)))
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
