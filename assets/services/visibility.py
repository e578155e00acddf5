"""Who gains when an asset becomes visible to more: shown first, done with a reason, undone in one act."""

from __future__ import annotations

from collections import Counter
from typing import Any
from uuid import UUID

from django.utils import timezone

from assets import scope
from assets.importers import secrets
from assets.models import Asset
from assets.models.asset import VISIBILITIES
from assets.services import assets, audiences, grants
from assets.services.bindings import manageable
from assets.services.loadout_previews import undone
from hub import audit, ids
from hub.authn.principal import CHANGE, MANAGE, READ, Principal
from hub.models import Team
from hub.problems import Conflict, Forbidden, Invalid, Missing

WIDTH = {"private": 0, "agent": 1, "restricted": 1, "team": 2}
MOST_NAMES = 50  # that are listed; all are counted
MOST_SCANNED = 5_000  # nodes whose text is scanned
SUBJECTS = """select p.external_id as subject, count(distinct t.node) as nodes
  from {assets} join assets_nodetext t on t.asset = s.asset
  join assets_nodesubject n on n.node_id = t.node and n.part in ('author', 'about')
  join hub_subject p on p.id = n.subject_id
  where t.team = %(team)s::uuid and {visible} group by p.external_id order by 2 desc, 1"""
COUNTED = """select count(*) as nodes, count(*) filter (where t.subject is null) as nobody
  from {assets} join assets_nodetext t on t.asset = s.asset
  where t.team = %(team)s::uuid and {visible}"""
TEXTS = """select n.ident, n.title, n.content
  from {assets} join assets_nodetext t on t.asset = s.asset join assets_node n on n.id = t.node
  where t.team = %(team)s::uuid and {visible} order by n.path limit %(most)s"""


def preview(principal: Principal, *, asset: UUID, to: str) -> dict[str, Any]:
    """What another visibility would do: who gains and loses reading, which agents write there and
    would need a grant, how many nodes about whom, and what the scanner finds in them.

    Raises Missing, Forbidden, Invalid.
    """
    _known(to)
    manageable(principal, asset, "visibility.preview")
    with scope.reading(principal, only=[asset]) as allowed:
        nodes = allowed.fetch(COUNTED)[0]
        about = allowed.fetch(SUBJECTS)
        findings, scanned = _scanned(allowed.fetch(TEXTS, {"most": MOST_SCANNED}))
        effect = _effect(principal, asset, to)
        audit.record(principal, "visibility.preview", asset=asset, payload={"to": to})
    return effect | {
        "nodes": nodes["nodes"], "about_nobody": nodes["nobody"],
        "subjects": [{"subject": one["subject"], "nodes": one["nodes"]} for one in about],
        "findings": findings, "scanned": scanned, "scanned_all": scanned >= nodes["nodes"],
    }  # fmt: skip


def set_visibility(
    principal: Principal, *, asset: UUID, to: str, reason: str, grant_writers: bool = False
) -> dict[str, Any]:
    """Change the visibility. Widening needs a signed-in person who has just proved who they are;
    narrowing does not. With `grant_writers` agents that write there are granted `change` in the
    same act. Raises Missing, Forbidden, Invalid, Conflict (a live key stands in it).
    """
    _known(to)
    if not reason.strip():
        raise Invalid(fields={"reason": "say why"})
    manageable(principal, asset, "visibility.change")
    with scope.browsing(principal):
        row = Asset.rows.select_for_update().get(id=asset)
        if not assets.may_do(principal, MANAGE, asset):
            raise Missing
        before = row.visibility
        effect = _effect(principal, asset, to)
        if effect["widens"]:
            _may_widen(principal)
            _no_live_key(principal, asset)
        Asset.rows.filter(id=asset).update(visibility=to, updated_at=timezone.now())
        Team.rights_changed(principal.in_team)
        audit.record(
            principal, "visibility.change", asset=asset,
            payload={"from": before, "to": to, "reason": reason, "gain": effect["gain_count"]},
        )  # fmt: skip
        for agent in effect["writers_lost"] if grant_writers else ():
            who = ids.parse("agent", agent["principal"])
            if who is not None:
                grants.grant(principal, asset=asset, to=("agent", who), level=CHANGE, reason=reason)
    return {
        "visibility": to, "before": before, "gained": effect["gain_count"], "lost": effect["lose_count"],
    }  # fmt: skip


def _effect(principal: Principal, asset: UUID, to: str) -> dict[str, Any]:
    """Before and after by the rules; the change in between is taken back."""
    before = _audience(principal, asset)
    widens = WIDTH.get(to, 9) >= WIDTH.get(Asset.rows.get(id=asset).visibility, 0)
    with undone():
        changed = Asset.rows.filter(id=asset).exclude(visibility=to).update(visibility=to)
        after = _audience(principal, asset)
    gain = [one for who, one in after[READ].items() if who not in before[READ]]
    lose = [one for who, one in before[READ].items() if who not in after[READ]]
    writers = [
        one for who, one in before[CHANGE].items() if who not in after[CHANGE] and one["kind"] == "agent"
    ]
    return {
        "to": to, "widens": bool(changed) and (widens or bool(gain)),
        "gain_count": len(gain), "gain": gain[:MOST_NAMES],
        "lose_count": len(lose), "lose": lose[:MOST_NAMES], "writers_lost": writers[:MOST_NAMES],
    }  # fmt: skip


def _audience(principal: Principal, asset: UUID) -> dict[str, dict[str, dict[str, Any]]]:
    """Who may read and who may change, by public id."""
    scope.walls(principal.team, "{}")
    return {
        action: {
            one["principal"]: {name: one[name] for name in ("principal", "kind", "name")}
            for one in audiences.audience(principal, asset, action)
        }
        for action in (READ, CHANGE)
    }


def _scanned(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """What the scanner finds, by kind, with the nodes it stands in; never the secret itself."""
    counts: Counter[tuple[str, str]] = Counter()
    places: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for finding in secrets.find_secrets(f"{row['title']}\n{row['content']}"):
            key = finding.kind, finding.verdict
            counts[key] += 1
            where = places.setdefault(key, [])
            node = ids.public("node", row["ident"])
            if node not in where and len(where) < MOST_NAMES:
                where.append(node)
    found = [
        {"kind": kind, "verdict": verdict, "count": count, "nodes": places[kind, verdict]}
        for (kind, verdict), count in counts.most_common()
    ]
    return found, len(rows)


def _may_widen(principal: Principal) -> None:
    if principal.token is not None or not principal.is_person:
        raise Forbidden("To show it to more, a person has to sign in: a token cannot.")
    if not principal.stepped_up:
        raise Forbidden("To show it to more, give your password again.")


def _no_live_key(principal: Principal, asset: UUID) -> None:
    allowed = scope.resolve(principal, READ, only=[asset])
    findings, _ = _scanned(allowed.fetch(TEXTS, {"most": MOST_SCANNED}))
    scope.walls(principal.team, "{}")
    if any(one["verdict"] == "block" for one in findings):
        raise Conflict("A live key stands in it: that must go first.")


def _known(to: str) -> None:
    if to not in VISIBILITIES:
        raise Invalid(fields={"to": f"one of {', '.join(VISIBILITIES)}"})
