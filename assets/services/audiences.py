"""Who may use an asset, and what somebody may use: the rules asked for all principals at once."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import connection

from assets import access, scope
from assets.services import assets, cursors
from assets.services.bindings import manageable
from assets.services.shapes import AssetRow, Page
from hub import audit, ids
from hub.authn.principal import ACTIONS, READ, Principal
from hub.problems import Invalid

NOWHERE = UUID(int=0)
UNBOUND = "(select null::uuid as asset_id, null::int as version, null::bool as writes, null::uuid as binding)"
# Agents that could carry the asset at all; the rules then decide.
CARRIERS = """(
  select b.agent_id from assets_binding b where b.asset_id = %(asset)s::uuid and b.agent_id is not null
  union
  select h.user_id from assets_binding b join hub_loadout l on l.id = b.loadout_id
    join hub_role r on r.team_id = l.team_id and (l.role_id is null or r.id = l.role_id)
    join hub_user_groups h on h.group_id = r.group_id
   where b.asset_id = %(asset)s::uuid)"""


def who_can(
    principal: Principal, *, asset: UUID, action: str = READ, limit: int = 50, cursor: str | None = None
) -> Page[dict[str, Any]]:
    """The people and agents of the team who may do `action` to the asset, each with the row
    that lets them. For those who manage it. Raises Missing, Forbidden, Invalid.
    """
    _check(action)
    limit = cursors.size(limit)
    after = cursors.read_path(cursor)
    manageable(principal, asset, "access.list")
    with scope.browsing(principal):
        found = audience(principal, asset, action, after=after, limit=limit + 1)
        audit.record(principal, "access.list", asset=asset, payload={"action": action})
    more = cursors.write_path(found[limit - 1]["place"]) if len(found) > limit else None
    shown = [{name: value for name, value in one.items() if name != "place"} for one in found[:limit]]
    return Page(tuple(shown), more)


def what_can(
    principal: Principal, *, who: Principal, action: str = READ, limit: int = 50, cursor: str | None = None
) -> Page[tuple[AssetRow, str | None]]:
    """The assets to which `who` may do `action`, newest first, with the row that lets them; only
    those that the asker may read as well. Raises Invalid.
    """
    _check(action)
    limit = cursors.size(limit)
    after = cursors.read(cursor)
    if principal.is_stranger or who.is_stranger:
        return Page(())
    with scope.browsing(principal):
        theirs = scope.resolve(who, action, within=scope.resolve(principal, READ))
        scope.walls(principal.team, "{}")
        rows = assets.browse_within(theirs, after=after, limit=limit + 1)
        found = [(row, deciding_row(who, action, row.id)) for row in rows[:limit]]
        audit.record(principal, "access.list", payload={"action": action, "count": len(found)})
    more = cursors.write(rows[limit - 1].created_at, rows[limit - 1].id) if len(rows) > limit else None
    return Page(tuple(found), more)


def audience(
    principal: Principal, asset: UUID, action: str, *, after: str = "", limit: int | None = None
) -> list[dict[str, Any]]:
    """People, then agents, in the order of their ids. Call with the team's wall set."""
    kind, _, last = after.partition(" ")
    found: list[dict[str, Any]] = []
    if kind != "agent":
        found += _asked(principal, asset, action, "user", last, limit)
    if limit is None or len(found) < limit:
        rest = None if limit is None else limit - len(found)
        found += _asked(principal, asset, action, "agent", last if kind == "agent" else "", rest)
    return found


def deciding_row(who: Principal, action: str, asset: UUID) -> str | None:
    """The row by which an allowed act is allowed. Call with the team's wall set."""
    wanted = "visibility and grants" if who.agent is None else "binding"
    results = scope.decide(who, action, asset) or []
    for rule, (_, row) in zip(access.RULES, results, strict=False):
        if rule.name == wanted:
            return public_row(row)
    return None


def public_row(row: str | None) -> str | None:
    """`denial <uuid>` as `denial den_...`; other rows as they are."""
    kind, _, rest = (row or "").partition(" ")
    if kind not in ("denial", "binding", "grant"):
        return row
    return f"{kind} {ids.public(kind, UUID(rest))}"


def _asked(
    principal: Principal, asset: UUID, action: str, kind: str, last: str, limit: int | None
) -> list[dict[str, Any]]:
    """The rules themselves, with the place of the principal taken by each row of a list."""
    names: dict[str, Any] = {"asset": asset, "last": UUID(last) if last else NOWHERE, "most": limit}
    if kind == "user":
        mine, rule = Principal(team=principal.team, user=NOWHERE), "visibility and grants"
        user, agent = "p.user_id", "null::uuid"
        rows = f"""hub_membership p join hub_user x on x.id = p.user_id and x.is_active
          join {UNBOUND} bound on true join assets_asset a on a.id = %(asset)s::uuid
          where p.team_id = %(team)s::uuid and p.user_id > %(last)s::uuid"""
        label = "x.username"
    else:
        mine, rule = (
            Principal(team=principal.team, agent=NOWHERE, actions=frozenset({"read", "change"})),
            "binding",
        )
        user, agent = "null::uuid", "p.account_id"
        rows = f"""hub_agent p join lateral (with {access.CARRIED}
            select * from bound where asset_id = %(asset)s::uuid) bound on true
          join assets_asset a on a.id = bound.asset_id
          where p.team_id = %(team)s::uuid and p.is_enabled and p.account_id in {CARRIERS}
            and p.account_id > %(last)s::uuid"""
        label = "p.name"
    row = next(one.row for one in access.RULES if one.name == rule)
    who = user if kind == "user" else agent
    sql = f"""select {who}, {label}, ({row}) from {rows} and {access.allowed()}
      order by {who} limit %(most)s"""
    sql = sql.replace(access.USER, user).replace(access.AGENT, agent)
    with connection.cursor() as cursor:
        cursor.execute(sql, access.parameters(mine, action) | names)
        return [
            {
                "principal": ids.public(kind, found), "kind": kind, "name": name, "rule": rule,
                "row": public_row(row), "place": f"{kind} {found.hex}",
            }
            for found, name, row in cursor.fetchall()
        ]  # fmt: skip


def _check(action: str) -> None:
    if action not in ACTIONS:
        raise Invalid(fields={"action": f"one of {', '.join(ACTIONS)}"})
