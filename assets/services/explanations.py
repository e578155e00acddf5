"""Why: the rules in order, printed from the expressions that decide."""

from __future__ import annotations

from uuid import UUID

from assets import access, scope
from assets.services import assets
from assets.services.shapes import Explanation, Line
from hub import audit
from hub.authn.principal import ACTIONS, READ, Principal
from hub.problems import Invalid, Missing


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
