"""Asks the product and the oracle the same questions and lists where they differ."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from random import Random
from uuid import UUID

from django.db import connection

from assets import access, scope
from assets.retrieval.types import Budget, Filters, Query
from assets.services import assets, explanations, retrievals
from assets.services import nodes as nodes_of
from assets.services.shapes import Explanation
from hub.authn.lookup import principal_for_token
from hub.authn.principal import Principal
from hub.problems import Missing, Problem
from tests.leaks import oracle, things
from tests.leaks.plant import caller


def listed(who: Principal) -> list[UUID]:
    """All pages of the list."""
    found, cursor = [], None
    while True:
        page = assets.list_assets(who, limit=200, cursor=cursor)
        found += [row.id for row in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return found


def lists(world: things.World, p: things.Principal, now: datetime) -> list[str]:
    """List and count against the oracle (T033)."""
    who, right = caller(p), oracle.visible(world, p, now)
    found = listed(who)
    wrong = []
    if set(found) != right or len(found) != len(right):
        wrong.append(f"{p} lists too many {set(found) - right}, too few {right - set(found)}")
    if (number := assets.count_assets(who)) != len(right):
        wrong.append(f"{p} counts {number}, not {len(right)}")
    return wrong


def decisions(
    world: things.World, p: things.Principal, action: str, now: datetime,
    teams: Iterable[UUID] | None = None,
) -> list[str]:  # fmt: skip
    """The rule that decides, for every asset of the teams (of all, unless some are given), by the
    product's own expressions.
    """
    who, wrong = caller(p), []
    columns = ", ".join(f"{access.condition(rule)}, null" for rule in access.RULES)
    sql = f"""with {access.CARRIED} select a.id, {access.VERSION}, {columns}
        from {access.source(who, everything=True)}"""
    for team in world.teams if teams is None else teams:
        scope.walls(team, "{}")
        with connection.cursor() as cursor:
            cursor.execute(sql, access.parameters(who, action))
            rows = {row[0]: row[1:] for row in cursor.fetchall()}
        for a in [one for one in world.assets.values() if one.team == team]:
            row = rows[a.id]
            results = list(zip(row[1::2], row[2::2], strict=True))
            wrong += _judged(world, p, action, a, now, explanations.shape(who, results))
            version = oracle.version(world, p, a, now)
            if oracle.decide(world, p, action, a, now)[0] and row[0] != version:
                wrong.append(f"{p} reads version {row[0]} of {a}, not {version}")
    return wrong


def explained(
    world: things.World, p: things.Principal, action: str, a: things.Asset, now: datetime
) -> list[str]:
    """The explanation that one who may read the asset gets about `p`."""
    for user, team in world.members:
        asker = things.Principal(team, user)
        if team == a.team and oracle.decide(world, asker, things.READ, a, now)[0]:
            found = explanations.explain(caller(asker), who=caller(p), action=action, asset=a.id)
            return _judged(world, p, action, a, now, found)
    return []


def _judged(
    world: things.World, p: things.Principal, action: str, a: things.Asset, now: datetime,
    found: Explanation,
) -> list[str]:  # fmt: skip
    right = oracle.decide(world, p, action, a, now)
    if (found.allowed, found.rule) == right:
        return []
    return [f"{action} by {p} of {a}: {found.allowed, found.rule}, not {right}"]


def reads(world: things.World, p: things.Principal, a: things.Asset, now: datetime) -> list[str]:
    """One asset: its row, what may be done to it, its nodes, each node, and a search for it."""
    who, wrong = caller(p), []
    may = [act for act in things.ACTIONS if oracle.decide(world, p, act, a, now)[0]]
    here = [n for n in world.nodes if n.asset == a.id]
    right = {n.id for n in here if oracle.node_visible(world, p, a, n, now)}
    try:
        row = assets.read_asset(who, a.id)
        nodes = {one.id for one in nodes_of.list_nodes(who, a.id).items}
        if things.READ not in may or list(row.actions) != may:
            wrong.append(f"{p} reads {a} with {row.actions}, not {may}")
        if nodes != right:
            wrong.append(f"{p} reads nodes {nodes} of {a}, not {right}")
    except Missing:
        if things.READ in may:
            wrong.append(f"{p} misses {a}")
    for n in here:
        try:
            nodes_of.read_node(who, n.id)
            if n.id not in right:
                wrong.append(f"{p} reads {n}")
        except Missing:
            if n.id in right:
                wrong.append(f"{p} misses {n}")
    return wrong


def finds(world: things.World, p: things.Principal, text: str, now: datetime, items: int = 200) -> list[str]:
    """A question: every visible node that holds the word, of any state, and no other."""
    query = Query(text, Budget(items=items, tokens=1_000_000), Filters(state=("live", "held", "archived")))
    try:
        answer = retrievals.retrieve(caller(p), query)
        found = {one.ranked.ident for one in answer.passages} | {one.node for one in answer.left_out}
        shown = answer.context
    except Problem:
        found, shown = set(), ""
    seen = {n.id for n in world.nodes if oracle.node_visible(world, p, world.assets[n.asset], n, now)}
    wrong = [f"{p} finds {found - seen}"] if found - seen else []
    for n in world.nodes:
        if n.id not in seen and n.word in shown:
            wrong.append(f"{p} is shown the word of {n}")
        if n.id in seen and n.word in text and n.id not in found:
            wrong.append(f"{p} does not find {n}")
    return wrong


def signed(world: things.World, texts: Iterable[str]) -> list[str]:
    """A stored token gives exactly its principal while it is live, and nobody afterwards."""
    pairs = zip(world.credentials, texts, strict=True)
    return [wrong for one, text in pairs for wrong in one_signed(world, one, text)]


def one_signed(world: things.World, one: things.Credential, text: str) -> list[str]:
    """The same for one token."""
    found, p = principal_for_token(text, "rest", "leaks"), one.principal
    live = oracle.credential_is_live(world, one, datetime.now(UTC))
    if p.team and (p.user and not world.member(p.user, p.team)):
        live = False  # one who left, or was never in: nobody, at once
    if p.team and p.agent and world.agents[p.agent].team != p.team:
        live = False
    expected = caller(p)
    same = found is not None and (
        found.team, found.user, found.agent, found.actions, found.kinds, found.subject
    ) == (expected.team, expected.user, expected.agent, expected.actions, expected.kinds, expected.subject)  # fmt: skip
    return (
        [f"{one}: {found}, though live is {live}"]
        if live != (found is not None) or (live and not same)
        else []
    )


def everything(
    world: things.World, texts: list[str], draw: Random, who: list[things.Principal], deep: int
) -> list[str]:
    """One world: lists for everybody, the rules for everything, and `deep` sampled readings."""
    now = datetime.now(UTC)
    wrong = signed(world, texts)
    own = list(world.assets.values())
    for p in who:
        wrong += lists(world, p, now)
        wrong += decisions(world, p, draw.choice(things.ACTIONS), now)
    for p in draw.sample(who, min(deep, len(who))):
        mine = [a for a in own if a.team == p.team] or own
        shown = [a for a in mine if oracle.decide(world, p, things.READ, a, now)[0]]
        for a in [draw.choice(own), draw.choice(mine), *([draw.choice(shown)] if shown else [])]:
            wrong += reads(world, p, a, now)
            wrong += explained(world, p, draw.choice(things.ACTIONS), a, now)
            word = next(n.word for n in world.nodes if n.asset == a.id)
            wrong += finds(world, p, word, now)
        wrong += finds(world, p, "common", now)
    return wrong
