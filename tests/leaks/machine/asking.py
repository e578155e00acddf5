"""What some principals are told after an act, by every way of asking, against the oracle."""

from __future__ import annotations

from random import Random

from assets.retrieval.types import Budget, Filters, Query
from assets.services import retrievals
from hub.problems import Missing
from tests.leaks import compare, oracle, things
from tests.leaks.machine.both import Both
from tests.leaks.plant import caller
from tests.leaks.things import Principal

SAMPLED = 4
EVERY_STATE = Filters(state=("live", "held", "archived"))
WIDE = Budget(items=200, tokens=1_000_000)


def wrong(both: Both, draw: Random) -> list[str]:
    """Differences, for four sampled principals: list = count = explain over all assets of the
    team; for some of them also retrieve, the other team, and the asset that was touched last,
    opened node by node.
    """
    found: list[str] = []
    sampled = draw.sample(both.asking, min(SAMPLED, len(both.asking)))
    for place, p in enumerate(sampled):
        assert p.team is not None
        found += compare.lists(both.world, p, both.now)
        teams = both.world.teams if place == 0 else [p.team]
        found += compare.decisions(both.world, p, draw.choice(things.ACTIONS), both.now, teams)
        found += retrieved(both, p) if place < 2 else []
    if both.touched is not None:
        a = both.world.assets[both.touched]
        found += compare.reads(both.world, sampled[0], a, both.now)
        found += compare.explained(both.world, sampled[-1], draw.choice(things.ACTIONS), a, both.now)
    place = draw.randrange(len(both.texts))
    return found + compare.one_signed(both.world, both.world.credentials[place], both.texts[place])


def retrieved(both: Both, p: Principal) -> list[str]:
    """A word that stands in every node finds every visible one in its right words, no other."""
    world = both.world
    seen = [n for n in world.nodes if oracle.node_visible(world, p, world.assets[n.asset], n, both.now)]
    try:
        answer = retrievals.retrieve(caller(p), Query("common", WIDE, EVERY_STATE))
        idents, context = {one.ranked.ident for one in answer.passages}, answer.context
    except Missing:
        idents, context = set(), ""
    right = {n.word for n in seen}
    shown = {n.word for n in world.nodes if n.word in context}
    wrong = [f"{p} finds {idents}, not {right}"] if idents != {n.id for n in seen} else []
    return wrong + ([f"{p} is shown {shown}, not {right}"] if shown != right else [])
