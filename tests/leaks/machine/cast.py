"""The world in which a run begins: a small team, another one, and one person who is in both."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID

from tests.leaks.things import (
    Agent,
    Asset,
    Binding,
    Credential,
    Node,
    Principal,
    Role,
    Subject,
    Token,
    User,
    World,
)  # fmt: skip

OWN = Token(frozenset({"read", "change"}))  # what an agent's token holds at most


def principals(world: World) -> list[Principal]:
    """Everybody by their own sign-in or token, in the teams they are in."""
    people = [Principal(team, user) for user, team in world.members]
    return people + [Principal(one.team, agent=one.id, token=OWN) for one in world.agents.values()]


def begin(seed: int) -> World:
    """Alice, Bob, Carol (reviewer), Dora (admin) and Charlie, who alone is elsewhere with Bob;
    two agents and roles here, one there; an asset of each visibility.
    """
    draw, world, now = Random(seed), World(), datetime.now(UTC)

    def new() -> UUID:
        return UUID(int=draw.getrandbits(128), version=4)

    here, there = new(), new()
    world.teams |= {here: True, there: True}
    people = {name: User(new(), name) for name in ("alice", "bob", "carol", "dora", "charlie")}
    world.users |= {one.id: one for one in people.values()}
    alice, bob, carol, dora, charlie = (one.id for one in people.values())
    member = frozenset({"member"})
    world.members |= {(alice, here): member, (bob, here): member, (bob, there): member}
    world.members |= {(carol, here): member | {"reviewer"}, (dora, here): member | {"admin"}}
    world.members[charlie, there] = member | {"admin", "reviewer"}
    scout, builder = Agent(new(), "scout-1", here, alice), Agent(new(), "builder-1", here, bob)
    stray = Agent(new(), "stray-1", there, charlie)
    world.agents |= {one.id: one for one in (scout, builder, stray)}
    for name, team, holders in (
        ("scout", here, {scout.id}), ("builder", here, {builder.id, bob}), ("stray", there, {stray.id}),
    ):  # fmt: skip
        role = Role(new(), name, team, frozenset(holders))
        world.roles[role.id] = role
    for account in (None, carol):
        subject = Subject(new(), here, account)
        world.subjects[subject.id] = subject
    notes = Asset(new(), "notes", here, alice)
    sweep = Asset(
        new(), "sweep", here, bob, kind="wiki", visibility="restricted", status="approved", head=2, approved=1
    )
    skill = Asset(new(), "skill", here, carol, kind="skill", visibility="team")
    graph = Asset(new(), "graph", here, alice, kind="code_graph", visibility="agent", approved=1)
    foreign = Asset(new(), "foreign", there, charlie, visibility="team")
    about = next(iter(world.subjects))
    for asset in (notes, sweep, skill, graph, foreign):
        world.assets[asset.id] = asset
        subjects = ((about, "about"),) if asset is notes else ()
        world.nodes.append(Node(new(), asset.id, f"canary{asset.id.hex[:10]}", subjects=subjects))
    world.loadouts.append(Binding(new(), graph.id, here, role=list(world.roles)[1], made_by=alice))
    world.loadouts.append(Binding(new(), notes.id, here, agent=scout.id, made_by=alice))
    both = Principal(here, alice, scout.id, OWN)
    for p in [*principals(world), both]:
        life = timedelta(minutes=15) if p.user and p.agent else timedelta(days=2)
        world.credentials.append(Credential(replace(p), now, now + life))
    return world
