"""What one principal may use now, for one action: the only way to rows.

`reading` and `writing` open the transaction, resolve the scope in one statement and set the
second wall (row-level security) to the scope's assets. Everything a door shows comes from
`Scope.fetch`, in the same snapshot as the decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.backends.postgresql.psycopg_any import IsolationLevel

from assets import access
from hub.authn.principal import READ, Principal

ASSETS = (
    "unnest(%(scope_assets)s::uuid[], %(scope_versions)s::int[], %(scope_inspects)s::bool[],"
    " %(scope_shares)s::float[]) as s(asset, version, inspects, share)"
)


@dataclass(frozen=True, slots=True)
class Scope:
    """The assets (one ready text of ids); of each the version, the right to inspect, and the
    share of an answer's budget that its binding gives it (none: no limit).

    `size` counts assets, `row_count` their nodes: the latter chooses how to search.
    """

    principal: Principal
    action: str
    assets: str = "{}"
    versions: str = "{}"
    inspects: str = "{}"
    shares: str = "{}"
    size: int = 0
    row_count: int = 0

    def fetch(self, sql: str, values: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        """Rows as dictionaries. `sql` names the scope as {assets} (alias s: asset, version,
        inspects, share) and the conditions on a scan row `t` as {visible}.
        """
        named = sql.format(assets=ASSETS, visible=access.node_allowed())
        with connection.cursor() as cursor:
            cursor.execute(named, self.parameters() | (values or {}))
            if cursor.description is None:
                return []
            names = [column.name for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def parameters(self) -> dict[str, Any]:
        return access.parameters(self.principal, self.action) | {
            "scope_assets": self.assets,
            "scope_versions": self.versions,
            "scope_inspects": self.inspects,
            "scope_shares": self.shares,
        }


def walls(team: UUID | None, assets: str, plans: str = "force_custom_plan") -> None:
    """Set the second wall for the current transaction, and how its statements are planned."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select set_config('hub.team', %s, true), set_config('hub.assets', %s, true),"
            " set_config('plan_cache_mode', %s, true)",
            [str(team or ""), assets, plans],
        )


def resolve(
    principal: Principal,
    action: str = READ,
    *,
    only: Sequence[UUID] | None = None,
    within: Scope | None = None,
    plans: str = "force_custom_plan",
) -> Scope:
    """The scope of `principal`, in one statement, which sets the second wall to it as well.
    Call inside a transaction.

    `only` asks about some assets; `within` is another scope that must hold too. With `plans`
    "auto" the server may keep one plan for all values, which short transactions of reading gain by.
    """
    empty = Scope(principal, action)
    if principal.is_stranger or principal.team is None or not principal.actions:
        walls(None, "{}")
        return empty
    walls(principal.team, "{}", plans)  # the rules read nothing but what the team's wall shows
    narrowed = ""
    values: dict[str, Any] = access.parameters(principal, action)
    if only is not None:
        narrowed += " and a.id = any(%(only)s::uuid[])"
        values["only"] = [str(value) for value in only]
    if within is not None:
        narrowed += " and a.id = any(%(within)s::uuid[])"
        values["within"] = within.assets
    sql = f"""with {access.CARRIED}, seen as (
        select a.id, {access.VERSION} as version, {access.INSPECTS} as inspects, bound.share, c.row_count
          from {access.source(principal)} left join assets_assetcounter c on c.asset_id = a.id
         where {access.allowed()}{narrowed})
      select set_config('hub.assets', coalesce(array_agg(id order by id)::text, '{{}}'), true),
             coalesce(array_agg(version order by id)::text, '{{}}'),
             coalesce(array_agg(inspects order by id)::text, '{{}}'),
             coalesce(array_agg(share order by id)::text, '{{}}'),
             count(*), coalesce(sum(row_count), 0)::bigint from seen"""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        assets, versions, inspects, shares, size, row_count = cursor.fetchone()
    return replace(
        empty, assets=assets, versions=versions, inspects=inspects, shares=shares, size=size,
        row_count=row_count,
    )  # fmt: skip


@contextmanager
def reading(
    principal: Principal,
    action: str = READ,
    *,
    only: Sequence[UUID] | None = None,
    within: Principal | None = None,
) -> Iterator[Scope]:
    """One snapshot (REPEATABLE READ) in which the decision and the content are read."""
    plans = "force_custom_plan" if connection.in_atomic_block else "auto"
    with _snapshot(), transaction.atomic():
        outer = resolve(within, plans=plans) if within is not None else None
        yield resolve(principal, action, only=only, within=outer, plans=plans)


@contextmanager
def _snapshot() -> Iterator[None]:
    """The next transaction begins as REPEATABLE READ, without a statement that says so. Inside a
    transaction nothing changes: its snapshot is the caller's affair.
    """
    if connection.in_atomic_block:
        yield
        return
    connection.ensure_connection()
    session = connection.connection
    usual = session.isolation_level
    session.isolation_level = IsolationLevel.REPEATABLE_READ
    try:
        yield
    finally:
        if not session.closed:
            session.isolation_level = usual


@contextmanager
def writing(principal: Principal, action: str, *, only: Sequence[UUID]) -> Iterator[Scope]:
    """A transaction in which some assets are changed; an empty scope when it is not allowed."""
    with transaction.atomic():
        yield resolve(principal, action, only=only)


@contextmanager
def tending(team: UUID, asset: UUID) -> Iterator[None]:
    """Upkeep of one asset by a task: no principal, and only this asset behind the wall."""
    with transaction.atomic():
        walls(team, "{" + str(asset) + "}")
        yield


def visible_assets(principal: Principal, action: str = READ) -> tuple[str, dict[str, Any]]:
    """A `with ... select` of the assets a principal may use, to be joined by a page's own
    query, and its values. The caller's transaction must have the team's wall set.
    """
    sql = f"""with {access.CARRIED}, seen as (
        select a.*, {access.VERSION} as served from {access.source(principal)}
        where {access.allowed()})"""
    return sql, access.parameters(principal, action)


@contextmanager
def browsing(principal: Principal) -> Iterator[None]:
    """A transaction with the team's wall set and no content reachable."""
    with transaction.atomic():
        walls(principal.team, "{}")
        yield


def decide(principal: Principal, action: str, asset: UUID) -> list[tuple[bool, str | None]] | None:
    """Each rule's result and deciding row for one asset, or None where there is no such asset.

    The same expressions as `resolve`. Call with the team's wall set.
    """
    columns = ", ".join(f"{access.condition(rule)}, ({rule.row})" for rule in access.RULES)
    sql = f"""with {access.CARRIED} select {columns}
        from {access.source(principal, everything=True)} where a.id = %(asset)s::uuid"""
    with connection.cursor() as cursor:
        cursor.execute(sql, access.parameters(principal, action) | {"asset": asset})
        row = cursor.fetchone()
    if row is None:
        return None
    return [(row[i], row[i + 1]) for i in range(0, len(row), 2)]
