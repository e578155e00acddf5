"""A pinned version stays as it was: tree, words, edges and vectors, whatever is changed after it."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.utils import timezone

from assets import scope
from assets.models import Edge, EmbeddingModel
from assets.models.content import FOREVER
from assets.retrieval.types import Query
from assets.services import assets, bindings, nodes, retrievals
from assets.tree import write
from assets.tree.write import NewNode
from hub.authn.principal import Principal
from hub.problems import Missing
from tests.leaks.tree_edits import Tree
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)
TREE = """select n.ident, n.parent, n.path, n.depth, n.content from {assets}
  join assets_nodetext t on t.asset = s.asset join assets_node n on n.id = t.node
  where t.team = %(team)s::uuid and {visible} order by n.path"""
EDGES = """select e.source_ident, e.target_ident, e.kind from {assets} join assets_edge e on e.asset_id = s.asset
  where e.since <= s.version and e.until > s.version order by 1, 2"""
VECTORS = """select n.ident, t.vector::text as vector from {assets} join assets_embedding t on t.asset = s.asset
  join assets_node n on n.id = t.node where t.team = %(team)s::uuid and {visible} order by 1"""
WORDS = {"roots": "lantern", "branch": "harbour", "leaf": "anchor", "other": "compass"}


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The vectors here are made by hand."""
    monkeypatch.setenv("HUB_EMBEDDER", "none")


def seen(who: Principal) -> dict[str, list[dict[str, Any]]]:
    with scope.reading(who) as allowed:
        return {"tree": allowed.fetch(TREE), "edges": allowed.fetch(EDGES), "vectors": allowed.fetch(VECTORS)}


def planted(world: World) -> tuple[Tree, dict[str, UUID], UUID]:
    """A page with a branch of two and a node beside it, an edge from leaf to that, and vectors."""
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="handbook", kind="wiki", visibility="team").id
    idents = {name: uuid4() for name in WORDS}
    above = {"branch": "roots", "leaf": "branch", "other": "roots"}
    new = [
        NewNode("section", word, ident=idents[name], parent=idents[above[name]] if name in above else None)
        for name, word in WORDS.items()
    ]
    with scope.tending(world.team.id, asset):
        rows = write.append(asset, world.team.id, alice, new, timezone.now())
        edge = Edge(
            team_id=world.team.id, asset_id=asset, source_ident=idents["leaf"], target_asset_id=asset,
            target_ident=idents["other"], kind="refers_to", since=rows[-1].sequence, recorded_at=timezone.now(),
        )  # fmt: skip
        edge.save(force_insert=True)
        model = EmbeddingModel.objects.create(name="by hand", build="1", dimension=3)
        with connection.cursor() as cursor:
            for place, row in enumerate(rows):
                cursor.execute(
                    "insert into assets_embedding (team, node, model, asset, state, since, until, vector)"
                    " values (%s, %s, %s, %s, 'live', %s, %s, %s::halfvec)",
                    [world.team.id, row.row, model.id, asset, row.sequence, FOREVER, f"[1,{place},2]"],
                )
    return Tree(world.team.id, asset), idents, edge.id


def test_a_pinned_version_stands(world: World) -> None:
    tree, idents, edge = planted(world)
    alice, pinned, ahead = (world.principal(one) for one in (world.alice, world.builder, world.scout))
    first = assets.read_asset(alice, tree.asset).head
    bindings.bind(alice, asset=tree.asset, agent=world.builder.pk, pin=first, reason="as it is now")
    bindings.bind(alice, asset=tree.asset, agent=world.scout.pk, follow="head", reason="the newest")
    before = seen(pinned)
    assert [row["content"] for row in before["tree"]] == list(WORDS.values())
    assert (len(before["edges"]), len(before["vectors"])) == (1, 4)
    assert seen(ahead) == before

    tree.change(idents["leaf"], "telescope")
    assert seen(pinned) == before
    assert "telescope" in {row["content"] for row in seen(ahead)["tree"]}
    assert idents["leaf"] not in {row["ident"] for row in seen(ahead)["vectors"]}
    tree.move(idents["branch"], idents["other"])
    assert seen(pinned) == before
    moved = {row["ident"]: row for row in seen(ahead)["tree"]}
    assert moved[idents["branch"]]["path"].startswith(moved[idents["other"]]["path"] + ".")
    assert moved[idents["leaf"]]["path"].startswith(moved[idents["branch"]]["path"] + ".")
    assert moved[idents["branch"]]["parent"] == idents["other"]
    tree.cut(edge)
    assert seen(pinned) == before
    assert seen(ahead)["edges"] == []
    last = tree.close(idents["branch"])
    assert seen(pinned) == before
    assert {row["ident"] for row in seen(ahead)["tree"]} == {idents["roots"], idents["other"]}
    assert assets.read_asset(alice, tree.asset).head == last == first + 4

    assert nodes.read_node(pinned, idents["leaf"]).text == "anchor"
    with pytest.raises(Missing):
        nodes.read_node(ahead, idents["leaf"])
    assert [one.ranked.ident for one in retrievals.retrieve(pinned, Query("anchor")).passages] == [
        idents["leaf"]
    ]
    for word in ("anchor", "telescope"):
        assert retrievals.retrieve(ahead, Query(word)).passages == ()
    assert retrievals.retrieve(pinned, Query("telescope")).passages == ()


def test_a_node_does_not_move_below_itself(world: World) -> None:
    tree, idents, _ = planted(world)
    for place in ("branch", "leaf"):
        with pytest.raises(ValueError, match="below itself"):
            tree.move(idents["branch"], idents[place])
