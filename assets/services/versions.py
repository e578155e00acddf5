"""The versions of an asset: who made them, with what note, and who approved them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from assets import scope
from assets.services import cursors
from assets.services.shapes import Page
from hub import audit
from hub.authn.principal import READ, Principal
from hub.problems import Missing

ROWS = """select v.number, coalesce(u.username, '') as author, v.note, v.digest, v.created_at,
    coalesce(b.username, '') as approved_by, v.approved_at
  from {assets} join assets_version v on v.asset_id = s.asset
  left join hub_user u on u.id = v.author_id left join hub_user b on b.id = v.approved_by_id
  where v.team_id = %(team)s::uuid and v.number <= s.version and (%(after)s = '' or v.number < nullif(%(after)s, '')::bigint)
  order by v.number desc limit %(limit)s"""


def list_versions(
    principal: Principal, asset: UUID, *, limit: int = 50, cursor: str | None = None
) -> Page[dict[str, Any]]:
    """Newest first: `{number, author, note, digest, created_at, approved_by, approved_at}`.
    Raises Missing where the asset may not be read, Invalid.
    """
    limit = cursors.size(limit)
    after = cursors.read_path(cursor)
    with scope.reading(principal, READ, only=[asset]) as allowed:
        if allowed.size:
            rows = allowed.fetch(ROWS, {"after": after, "limit": limit + 1})
            audit.record(principal, "asset.read", asset=asset)
            more = cursors.write_path(str(rows[limit - 1]["number"])) if len(rows) > limit else None
            return Page(tuple(rows[:limit]), more)
    audit.refused(principal, "asset.read", target=str(asset))
    raise Missing
