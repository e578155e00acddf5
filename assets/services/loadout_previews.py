"""What saving a draft would do, agent by agent: the draft is applied, the real rules are asked, all is undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import transaction

from assets import access, scope
from assets.scope import Scope
from assets.services import loadout_drafts as drafts
from assets.services import packs
from assets.services.loadout_drafts import Change, Item
from assets.services.loadouts import Stale, state_of
from hub import audit, ids
from hub.authn.principal import CHANGE, READ, Principal
from hub.models import Agent
from hub.services import loadouts as holders
from hub.services.loadouts import Holder

MOST_AGENTS = 200  # that are shown; the rest is counted
# Nodes of one scope that another (with its versions) does not give.
ONLY_HERE = """select count(*) as nodes from {assets} join assets_nodetext t on t.asset = s.asset
  where t.team = %(team)s::uuid and {visible} and not exists (
    select 1 from unnest(%(other_assets)s::uuid[], %(other_versions)s::int[]) as o(asset, version)
     where o.asset = t.asset and t.since <= o.version and t.until > o.version)"""


class _Undo(Exception):
    """Leaves the block in which rows were changed only to look."""


@contextmanager
def undone() -> Iterator[None]:
    """Whatever is changed inside is taken back. Call inside a transaction."""
    try:
        with transaction.atomic():
            yield
            raise _Undo
    except _Undo:
        pass


def preview(
    principal: Principal, *, holder: str, items: Sequence[Mapping[str, Any]], etag: str | None = None,
    budget_tokens: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Per agent that carries the holder's loadout: assets and nodes gained and lost, tokens of
    the always part against its budget, and items without effect with the rule that stops them.

    Only assets that the asker may read are told of or counted. Raises what `save` raises.
    """
    named = holders.holder_named(principal, holder)
    holders.require_edit(principal, named)
    draft = drafts.parse(items)
    with scope.browsing(principal):
        holders.lock(named)
        seen = drafts.readable(principal)
        if etag is not None and etag != (state := state_of(principal, named, seen))["etag"]:
            raise Stale(state, [one.entry() for one in draft])
        change = drafts.check(principal, named, draft, drafts.current(named, seen=seen))
        agents = holders.agents_of(named)
        shown = [
            _effect(principal, named, agent, draft, change, budget_tokens) for agent in agents[:MOST_AGENTS]
        ]
        audit.record(principal, "loadout.preview", target=named.public)
    return {"holder": named.public, "agents": shown, "more_agents": max(0, len(agents) - MOST_AGENTS)}


def as_agent(principal: Principal, agent: Agent) -> Principal:
    """The agent on a token of its own with all that such a token may hold."""
    return Principal(
        team=principal.team, agent=agent.pk, actions=frozenset({READ, CHANGE}), door=principal.door,
        request_id=principal.request_id,
    )  # fmt: skip


def _effect(
    principal: Principal, holder: Holder, agent: Agent, draft: Sequence[Item], change: Change,
    budget_tokens: int | None,
) -> dict[str, Any]:  # fmt: skip
    who = as_agent(principal, agent)
    before = scope.resolve(who, only=change.assets)
    writes = scope.resolve(who, CHANGE, only=change.assets)
    was = _always(principal, who)
    with undone():
        loadout = holders.lock(holder)
        if loadout is not None and budget_tokens is not None:
            loadout.budget_tokens = budget_tokens
            loadout.save(update_fields=["budget_tokens"])
        drafts.apply(principal, holder, loadout, change, "")
        after = scope.resolve(who, only=change.assets)
        now_writes = scope.resolve(who, CHANGE, only=change.assets)
        gained = _only_here(after, before)
        becomes = _always(principal, who)
        budget = holders.budget_of(agent.pk, holder.team)
        stopped = [found for one in draft if (found := _stopped(who, one)) is not None]
    lost = _only_here(before, after)
    scope.walls(principal.team, "{}")
    return {
        "agent": ids.public("agent", agent.pk), "name": agent.name,
        "gained": _ids(after, before), "lost": _ids(before, after),
        "writes_gained": _ids(now_writes, writes), "writes_lost": _ids(writes, now_writes),
        "nodes_gained": gained, "nodes_lost": lost,
        "tokens": {"before": was, "after": becomes, "budget": budget, "over": max(0, becomes - budget)},
        "without_effect": stopped,
    }  # fmt: skip


def _always(principal: Principal, who: Principal) -> int:
    """Tokens of the always part, of assets that the asker may read as well."""
    outer = scope.resolve(principal)
    return packs.size(scope.resolve(who, within=outer), who.agent or who.person)


def _only_here(here: Scope, there: Scope) -> int:
    """How many nodes. The second wall is set to the scope that is asked."""
    scope.walls(here.principal.team, here.assets)
    other = {"other_assets": there.assets, "other_versions": there.versions}
    return int(here.fetch(ONLY_HERE, other)[0]["nodes"])


def _ids(here: Scope, there: Scope) -> list[str]:
    return [ids.public("asset", one) for one in sorted(_set(here) - _set(there))]


def _set(found: Scope) -> set[UUID]:
    return {UUID(one) for one in found.assets.strip("{}").split(",") if one}


def _stopped(who: Principal, item: Item) -> dict[str, Any] | None:
    """The rule that leaves a binding without effect, or without its right to write."""
    for action in (READ, CHANGE) if item.access == "write" else (READ,):
        results = scope.decide(who, action, item.asset) or []
        for rule, (passed, _) in zip(access.RULES, results, strict=False):
            if not passed:
                return {
                    "asset": ids.public("asset", item.asset), "action": action, "rule": rule.name,
                    "because": rule.failed,
                }  # fmt: skip
    return None
