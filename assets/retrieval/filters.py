"""A question's filters as SQL conditions on a scan row `t` and the scope's asset `s`."""

from __future__ import annotations

from typing import Any

from assets.retrieval.types import Filters


def conditions(filters: Filters) -> tuple[str, dict[str, Any]]:
    """Conditions joined by `and` (it begins with one), and their values.

    What is not on the scan tables narrows first, by a look-up in the nodes.
    """
    parts: list[str] = ["t.state = any(%(f_state)s)"]
    values: dict[str, Any] = {"f_state": list(filters.state)}
    if filters.asset:
        parts.append("s.asset = any(%(f_asset)s::uuid[])")
        values["f_asset"] = [str(one) for one in filters.asset]
    if filters.kind:
        parts.append("s.asset in (select id from assets_asset where kind = any(%(f_kind)s))")
        values["f_kind"] = list(filters.kind)
    inner: list[str] = []
    if filters.node_kind:
        inner.append("n.kind = any(%(f_node_kind)s)")
        values["f_node_kind"] = list(filters.node_kind)
    if filters.tier:
        inner.append("n.tier = any(%(f_tier)s)")
        values["f_tier"] = list(filters.tier)
    for name, test in (("any", "n.tags && {}"), ("all", "n.tags @> {}"), ("none", "not n.tags && {}")):
        wanted = getattr(filters.tags, name)
        if wanted:
            inner.append(test.format(f"%(f_tags_{name})s::varchar[]"))
            values[f"f_tags_{name}"] = list(wanted)
    if filters.min_trust is not None:
        inner.append("n.trust >= %(f_trust)s")
        values["f_trust"] = filters.min_trust
    for name, sign, moment in (("from", ">=", filters.from_), ("to", "<=", filters.to)):
        if moment is not None:
            inner.append(f"coalesce(n.occurred_at, n.recorded_at) {sign} %(f_{name})s")
            values[f"f_{name}"] = moment
    if filters.as_of is not None:
        inner.append("n.recorded_at <= %(f_as_of)s")
        values["f_as_of"] = filters.as_of
    if filters.subject is not None:
        inner.append(
            "exists (select 1 from assets_nodesubject x join hub_subject p on p.id = x.subject_id"
            " where x.node_id = n.id and p.external_id = %(f_subject)s)"
        )
        values["f_subject"] = filters.subject
    if inner:
        parts.append(
            "t.node in (select n.id from assets_node n where n.asset_id = s.asset and "
            + " and ".join(inner) + ")"
        )  # fmt: skip
    return " and " + " and ".join(parts), values
