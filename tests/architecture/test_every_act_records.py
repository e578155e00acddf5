"""Every public act of the services leaves at least one audit event; a new one needs an example here."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from assets.retrieval.types import Query
from assets.services import (
    assets,
    audiences,
    bindings,
    denials,
    explanations,
    flip_acts,
    flips,
    grants,
    imports,
    jobs,
    loadout_previews,
    loadout_rows,
    loadout_templates,
    loadouts,
    memories,
    nodes,
    packs,
    retrievals,
    statuses,
    versions,
    visibility,
)
from hub import ids
from hub.models import AuditEvent
from hub.services import agents, audits, me, roles, teams, tokens, uses
from tests.world import World

MODULES = (
    assets, audiences, bindings, denials, explanations, flip_acts, flips, grants, imports, jobs,
    loadout_previews, loadout_rows, loadout_templates, loadouts, memories, nodes, packs, retrievals, statuses, versions, visibility,
    agents, audits, me, roles, teams, tokens, uses,
)  # fmt: skip
# Parts of acts, which run inside one that records, and plain shapes.
PARTS = {
    "assets.new_asset", "assets.may_do", "assets.count_assets", "assets.labels_of", "nodes.assets_with", "memories.mine",
    "memories.refuse_secrets", "bindings.manageable", "grants.holder_of", "grants.is_live",
    "explanations.shape", "explanations.principal_named", "jobs.shape", "agents.shape",
    "teams.shape", "assets.browse_within",
    "audiences.audience", "audiences.deciding_row", "audiences.public_row", "flips.failing", "flips.find",
    "loadouts.changed", "loadouts.entries_from", "loadouts.state_of", "loadout_previews.undone",
    "loadout_previews.as_agent", "packs.size", "roles.shape", "retrievals.question", "retrievals.shape", "tokens.shape", "tokens.agent_in_care", "flip_acts.takable", "statuses.ways", "statuses.may_quarantine",
}  # fmt: skip


def name_of(module: ModuleType, act: Callable[..., Any]) -> str:
    return f"{module.__name__.rpartition('.')[2]}.{act.__name__}"


def acts() -> set[str]:
    return {
        name_of(module, act)
        for module in MODULES
        for _, act in inspect.getmembers(module, inspect.isfunction)
        if act.__module__ == module.__name__ and not act.__name__.startswith("_")
    }


def examples(world: World) -> dict[str, Callable[[], Any]]:
    """One real call of each act, on a small scene."""
    alice, admin = world.principal(world.alice), world.principal(world.admin)
    asset = assets.create_asset(alice, name="notes").id
    node = memories.remember(alice, text="the heron", asset=asset)["node"]
    messages = json.dumps([{"speaker": "a", "content": "b"}]).encode()

    def made(kind: str, row: dict[str, Any]) -> Any:
        return ids.parse(kind, row["id"])

    def start() -> Any:
        return made("job", imports.start_import(alice, payload=messages, name="x", asset=asset))

    def bind() -> Any:
        return made("binding", bindings.bind(alice, asset=asset, agent=world.scout.pk, reason="r"))

    def grant() -> Any:
        return made("grant", grants.grant(alice, asset=asset, to=("user", world.bob.id), level="read"))

    def deny() -> Any:
        return made("denial", denials.deny(alice, asset=asset, to=("user", world.bob.id)))

    team = assets.create_asset(alice, name="ours", visibility="team").id
    holder = ids.public("role", world.roles["builder"].id)

    def save(*items: dict[str, Any]) -> Any:
        etag = loadouts.read_loadout(admin, holder)["etag"]
        return loadouts.save(admin, holder=holder, items=items, etag=etag, reason="r")

    save({"asset": ids.public("asset", team)})
    version = made("version", loadouts.list_versions(admin, holder).items[0])
    document = loadouts.export_loadout(admin, holder)
    terms = {"holder": holder, "reason": "r"}

    def etag() -> str:
        return str(loadouts.read_loadout(admin, holder)["etag"])

    job, binding, granted, denied, token = start(), bind(), grant(), deny(), tokens.mint(alice)[0].id
    return {
        "assets.create_asset": lambda: assets.create_asset(alice, name="more"),
        "assets.list_assets": lambda: assets.list_assets(alice),
        "assets.read_asset": lambda: assets.read_asset(alice, asset),
        "assets.change_asset": lambda: assets.change_asset(alice, asset, title="Notes"),
        "nodes.list_by_tag": lambda: nodes.list_by_tag(alice, tag=["heron"]),
        "nodes.list_nodes": lambda: nodes.list_nodes(alice, asset),
        "nodes.read_node": lambda: nodes.read_node(alice, ids.parse("node", node) or asset),
        "memories.remember": lambda: memories.remember(alice, text="again", asset=asset),
        "retrievals.retrieve": lambda: retrievals.retrieve(alice, Query("heron")),
        "explanations.explain": lambda: explanations.explain(alice, who=alice, action="read", asset=asset),
        "flip_acts.take": lambda: flip_acts.take(
            alice, who=world.principal(world.scout), action="read", asset=team, reason="r"
        ),
        "loadout_rows.list_rows": lambda: loadout_rows.list_rows(alice),
        "versions.list_versions": lambda: versions.list_versions(alice, asset),
        "uses.last_uses": lambda: uses.last_uses(alice, world.scout.pk),
        "imports.start_import": start,
        "imports.run_batch": lambda: imports.run_batch(world.team.id, job),
        "jobs.read_job": lambda: jobs.read_job(alice, job),
        "bindings.list_bindings": lambda: bindings.list_bindings(alice),
        "bindings.read_binding": lambda: bindings.read_binding(alice, binding),
        "bindings.unbind": lambda: bindings.unbind(alice, binding),
        "bindings.bind": bind,
        "grants.list_grants": lambda: grants.list_grants(alice, asset),
        "grants.read_grant": lambda: grants.read_grant(alice, granted),
        "grants.revoke": lambda: grants.revoke(alice, granted),
        "grants.grant": grant,
        "denials.list_denials": lambda: denials.list_denials(alice, asset),
        "denials.read_denial": lambda: denials.read_denial(alice, denied),
        "denials.lift": lambda: denials.lift(alice, denied),
        "denials.deny": deny,
        "agents.create_agent": lambda: agents.create_agent(admin, name="new-1"),
        "agents.list_agents": lambda: agents.list_agents(alice),
        "agents.read_agent": lambda: agents.read_agent(admin, world.scout.pk),
        "agents.change_agent": lambda: agents.change_agent(admin, world.scout.pk, description="looks ahead"),
        "agents.set_enabled": lambda: agents.set_enabled(admin, world.scout.pk, enabled=True),
        "roles.create_role": lambda: roles.create_role(admin, name="New"),
        "roles.read_role": lambda: roles.read_role(admin, world.roles["scout"].id),
        "roles.rename_role": lambda: roles.rename_role(admin, world.roles["scout"].id, name="Outlook"),
        "roles.list_roles": lambda: roles.list_roles(alice),
        "roles.hold": lambda: roles.hold(
            admin, role=world.roles["scout"].id, holder=("user", world.bob.id), holds=True
        ),
        "tokens.mint": lambda: tokens.mint(alice),
        "tokens.mint_delegated": lambda: tokens.mint_delegated(
            agent=world.scout.pk, user=world.bob.id, team=world.team.id
        ),
        "tokens.read_token": lambda: tokens.read_token(alice, token),
        "tokens.list_tokens": lambda: tokens.list_tokens(alice),
        "tokens.revoke": lambda: tokens.revoke(alice, token),
        "audits.list_events": lambda: audits.list_events(admin),
        "audiences.who_can": lambda: audiences.who_can(alice, asset=asset),
        "audiences.what_can": lambda: audiences.what_can(alice, who=alice),
        "loadouts.list_loadouts": lambda: loadouts.list_loadouts(admin),
        "loadouts.read_loadout": lambda: loadouts.read_loadout(admin, holder),
        "loadouts.save": lambda: save(),
        "loadouts.list_versions": lambda: loadouts.list_versions(admin, holder),
        "loadouts.diff": lambda: loadouts.diff(admin, holder, old=version),
        "loadouts.roll_back": lambda: loadouts.roll_back(admin, version=version, etag=etag(), **terms),
        "loadouts.export_loadout": lambda: loadouts.export_loadout(admin, holder),
        "loadouts.import_loadout": lambda: loadouts.import_loadout(
            admin, document=document, etag=etag(), **terms
        ),
        "loadout_previews.preview": lambda: loadout_previews.preview(admin, holder=holder, items=[]),
        "loadout_templates.propose": lambda: loadout_templates.propose(admin, template="scout"),
        "packs.read_pack": lambda: packs.read_pack(alice),
        "statuses.set_status": lambda: statuses.set_status(alice, asset=asset, to="archived", reason="r"),
        "statuses.set_quarantine": lambda: statuses.set_quarantine(
            alice, asset=team, quarantined=True, reason="r"
        ),
        "visibility.preview": lambda: visibility.preview(alice, asset=asset, to="team"),
        "visibility.set_visibility": lambda: visibility.set_visibility(
            alice, asset=asset, to="private", reason="r"
        ),
        "me.read_me": lambda: me.read_me(alice),
        "roles.list_holders": lambda: roles.list_holders(admin, world.roles["scout"].id),
        "teams.read_team": lambda: teams.read_team(alice),
        "teams.change_team": lambda: teams.change_team(admin, name="Payments", reason="r"),
        "teams.read_member": lambda: teams.read_member(alice, world.bob.id),
        "teams.list_members": lambda: teams.list_members(alice),
        "teams.add_member": lambda: teams.add_member(admin, username="charlie", reason="r"),
        "teams.set_offices": lambda: teams.set_offices(
            admin, user=world.bob.id, offices_held=["auditor"], reason="r"
        ),
        "teams.remove_member": lambda: teams.remove_member(admin, user=world.carol.id, reason="r"),
    }


@pytest.mark.django_db(transaction=True)
def test_every_act_records(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)
    known = examples(world)
    assert set(known) == acts() - PARTS
    silent = []
    for name, act in known.items():
        before = AuditEvent.objects.count()
        act()
        if AuditEvent.objects.count() == before:
            silent.append(name)
    assert silent == []
