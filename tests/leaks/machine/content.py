"""Acts on content: make, remember, write, change, move, hold, hand over, erase."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid4

from assets import scope
from assets.models import Asset as AssetModel
from assets.models import Binding as BindingModel
from assets.models import Node as NodeModel
from assets.services import assets, memories
from assets.tree import write as tree
from assets.tree.write import NewNode
from hub import ids
from hub.problems import Forbidden, Invalid, Missing
from tests.leaks import oracle
from tests.leaks.machine.both import Both, Refusal
from tests.leaks.plant import caller
from tests.leaks.things import CHANGE, FOREVER, Asset, Binding, Node, Principal
from tests.leaks.tree_edits import Tree


def create(both: Both, p: Principal, kind: str, visibility: str) -> None:
    both.named += 1
    name = f"made-{both.named}"
    # No writes for a person whose erasure has begun.
    right: Refusal = Forbidden if p.user is None or both.world.fenced(p.user) else None
    answer = both.attempt("create", right, lambda: assets.create_asset(
        caller(p), name=name, kind=kind, visibility=visibility
    ))  # fmt: skip
    if answer is not None:
        assert p.team is not None
        assert p.user is not None
        a = Asset(answer.id, name, p.team, p.user, kind=kind, visibility=visibility, head=0)
        both.world.assets[a.id] = a
        both.touched = a.id


def remember(both: Both, p: Principal, a: Asset, about: UUID | None) -> None:
    """Into a given memory, now and then about a person."""
    right: Refusal = None if both.may(p, CHANGE, a) else Missing
    if right is None and a.kind != "chat_memory":
        right = Invalid
    elif right is None and not oracle.may_write_about(both.world, (about,)):
        right = Forbidden
    word = f"canary{uuid4().hex[:10]}"
    answer = both.attempt("remember", right, lambda: memories.remember(
        caller(p), text=f"{word} common", asset=a.id, subjects=[str(about)] if about else []
    ))  # fmt: skip
    both.touched = a.id
    if answer is not None:
        _appended(both, a, word, ids.parse("node", answer["node"]), about)


def remember_mine(both: Both, p: Principal) -> None:
    """What an agent writes under its present authority: private, and bound to it."""
    world = both.world
    assert p.team is not None
    assert p.agent is not None
    a = next((
        one for one in world.assets.values()
        if (one.team, one.created_by_agent, one.written_for) == (p.team, p.agent, p.user)
    ), None)  # fmt: skip
    is_new = a is None
    if a is None:
        owner = p.user or world.agents[p.agent].responsible
        a = Asset(uuid4(), "mine", p.team, owner, head=0, created_by_agent=p.agent, written_for=p.user)
        binding = Binding(
            uuid4(), a.id, p.team, agent=p.agent, access="write", automatic=True, made_by=p.agent
        )
        world.loadouts.append(binding)
    right: Refusal = None if both.may(p, CHANGE, a) else Missing
    word = f"canary{uuid4().hex[:10]}"
    answer = both.attempt("remember mine", right, lambda: memories.remember(caller(p), text=f"{word} common"))
    if is_new:
        world.loadouts.remove(binding)
    if answer is None:
        return
    if is_new:
        found = ids.parse("asset", answer["asset"])
        assert found is not None
        a = replace(a, id=found)
        world.loadouts.append(replace(binding, id=_automatic(a), asset=a.id))
    _appended(both, a, word, ids.parse("node", answer["node"]), None)


def _automatic(a: Asset) -> UUID:
    scope.walls(a.team, "{}")
    return BindingModel.objects.get(asset_id=a.id, automatic=True).id


def write(both: Both, a: Asset) -> None:
    """A text into an asset of any kind, as an import does it, without a question of rights."""
    word, ident = f"canary{uuid4().hex[:10]}", uuid4()
    new = NewNode("fact", f"{word} common", ident=ident)
    with scope.tending(a.team, a.id):
        tree.append(a.id, a.team, caller(Principal(a.team, a.owner)), [new], both.now)
    _appended(both, a, word, ident, None)
    both.told["write"] += 1


def _appended(both: Both, a: Asset, word: str, ident: UUID | None, about: UUID | None) -> None:
    assert ident is not None
    both.change(a, head=a.head + 1)
    subjects = ((about, "about"),) if about else ()
    both.world.nodes.append(Node(ident, a.id, word, since=a.head + 1, subjects=subjects))


def current(both: Both) -> list[Node]:
    """The rows that stand in the newest versions."""
    return [n for n in both.world.nodes if n.until == FOREVER]


def change(both: Both, n: Node) -> None:
    """Other words: versions before keep the old ones."""
    a = both.world.assets[n.asset]
    word = f"canary{uuid4().hex[:10]}"
    version = Tree(a.team, a.id).change(n.id, f"{word} common")
    _next_row(both, a, n, version, word)
    both.told["change"] += 1


def move(both: Both, n: Node, under: Node) -> None:
    """Below another node, or to the top when that is itself or stands in another asset."""
    a = both.world.assets[n.asset]
    parent = under.id if under.asset == n.asset and under.id != n.id else None
    try:
        version = Tree(a.team, a.id).move(n.id, parent)
    except ValueError:
        return
    _moved(both, a, n, version)
    both.told["move"] += 1


def _moved(both: Both, a: Asset, n: Node, version: int) -> None:
    """Who stood below it moved along: each has a new row with the same words."""
    with scope.tending(a.team, a.id):
        moved = set(NodeModel.rows.filter(asset_id=a.id, since=version).values_list("ident", flat=True))
    for one in [one for one in current(both) if one.asset == a.id and one.id in moved]:
        _next_row(both, a, one, version, one.word)


def _next_row(both: Both, a: Asset, n: Node, version: int, word: str) -> None:
    both.world.nodes.remove(n)
    both.world.nodes += [replace(n, until=version), replace(n, since=version, word=word)]
    both.change(a, head=version)


def hold(both: Both, n: Node) -> None:
    """Hold a node for review, or let it live again."""
    state = "live" if n.state == "held" else "held"
    a = both.world.assets[n.asset]
    Tree(a.team, a.id).mark(n.id, state)
    both.world.nodes = [replace(one, state=state) if one.id == n.id else one for one in both.world.nodes]
    both.touched = a.id
    both.told["hold node"] += 1


def hand_over(both: Both, a: Asset, owner: UUID) -> None:
    """Another person of the team owns it: what the former owner bound no longer counts."""
    with scope.tending(a.team, a.id):
        AssetModel.rows.filter(id=a.id).update(owner_id=owner)
    both.change(a, owner=owner)
    both.told["hand over"] += 1


def erase(both: Both, a: Asset) -> None:
    """An erasure has taken it, or it never did."""
    with scope.tending(a.team, a.id):
        AssetModel.rows.filter(id=a.id).update(erased_at=None if a.erased else both.now)
    both.change(a, erased=not a.erased)
    both.told["erase"] += 1
