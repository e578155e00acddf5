"""Builds the small world of one spot case out of cases.yaml."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import yaml

from tests.leaks.things import (
    Agent,
    Asset,
    Binding,
    Credential,
    Denial,
    Grant,
    Node,
    Principal,
    Role,
    Token,
    User,
    World,
)  # fmt: skip

SPACE = UUID(int=7)
TEAM, ELSEWHERE = uuid5(SPACE, "team"), uuid5(SPACE, "elsewhere")
OFFICES = {"carol": "reviewer", "dora": "compliance", "admin": "admin"}
PEOPLE = ("alice", "bob", "carol", "dora", "admin", "charlie")
AGENTS = {"scout-1": "Scout", "builder-1": "Builder", "reviewer-1": "Reviewer"}
AGENT_TOKEN = Token(frozenset({"read", "change"}))


@dataclass(frozen=True)
class Ask:
    who: Principal
    action: str
    allowed: bool
    rule: str
    version: int | None


@dataclass(frozen=True)
class Part:
    """One asset with what is set on it, and what is asked about it."""

    label: str
    world: World
    asset: Asset
    asks: tuple[Ask, ...]
    held: tuple[tuple[Principal, bool], ...]


def named(name: str) -> UUID:
    return uuid5(SPACE, name)


def principal(text: str) -> Principal:
    agent, _, user = text.partition(" for ")
    team = ELSEWHERE if text == "charlie" else TEAM
    if agent not in AGENTS:
        return Principal(team, named(agent))
    return Principal(team, named(user) if user else None, named(agent), AGENT_TOKEN)


def parts() -> list[Part]:
    cases = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text(encoding="utf-8"))
    return [
        _part(f"case {case['case']}.{number}: {case['about']}", given)
        for case in cases
        for number, given in enumerate(case["parts"], start=1)
    ]


def cast(fenced: list[str]) -> World:
    world = World(teams={TEAM: True, ELSEWHERE: True})
    for name in PEOPLE:
        world.users[named(name)] = User(named(name), name, fenced=name in fenced)
        place = ELSEWHERE if name == "charlie" else TEAM
        world.members[named(name), place] = frozenset({"member", OFFICES.get(name, "member")})
    for name, role in AGENTS.items():
        world.agents[named(name)] = Agent(named(name), name, TEAM, named("alice"))
        world.roles[named(role)] = Role(named(role), role, TEAM, frozenset({named(name)}))
    return world


def _part(label: str, given: dict[str, Any]) -> Part:
    now = datetime.now(UTC)
    world = cast(given.get("fenced", []))
    values: dict[str, Any] = dict(given.get("asset", {}))
    for name, key in (("written_by", "created_by_agent"), ("written_for", "written_for"), ("owner", "owner")):
        if name in values:
            values[key] = named(values.pop(name))
    owner = values.pop("owner", named("alice"))
    asset = Asset(named("asset"), "asset", TEAM, owner, head=4, **values)
    world.assets[asset.id] = asset
    world.nodes = [
        Node(named("live"), asset.id, "livingword"),
        Node(named("held"), asset.id, "heldword", "held"),
    ]
    world.loadouts = [_binding(number, one) for number, one in enumerate(given.get("bindings", []))]
    gone = now - timedelta(minutes=1)
    world.grants = [
        Grant(asset.id, named(one["to"]), one["level"], gone if one.get("expired") else None)
        for one in given.get("grants", [])
    ]
    world.denials = [Denial(asset.id, named(one["to"])) for one in given.get("denials", [])]
    asks = tuple(
        Ask(principal(who), action, allowed, rule, rest[0] if rest else None)
        for who, action, allowed, rule, *rest in given["asks"]
    )
    world.credentials = [Credential(replace(one.who), now, now + timedelta(minutes=14)) for one in asks]
    held = tuple((principal(who), seen) for who, seen in given.get("held", {}).items())
    return Part(label, world, asset, asks, held)


def _binding(number: int, given: dict[str, Any]) -> Binding:
    values = dict(given)
    for name in ("agent", "role"):
        if name in values:
            values[name] = named(values[name])
    made_by = named(values.pop("made_by", "alice"))
    return Binding(named(f"binding {number}"), named("asset"), TEAM, made_by=made_by, **values)
