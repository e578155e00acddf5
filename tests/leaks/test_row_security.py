"""The second wall: what the database itself refuses to the app's login."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random
from typing import Any
from uuid import UUID

import pytest
from django.db import DatabaseError, ProgrammingError, connection, transaction

from assets import scope
from assets.models import Asset, Node
from assets.services import assets
from tests.leaks import oracle, things, worlds
from tests.leaks.plant import caller, plant
from tests.world import World

pytestmark = pytest.mark.django_db
BY_SCOPE = {
    "assets_node": "asset_id", "assets_nodetext": "asset", "assets_nodesignal": "asset_id",
    "assets_nodesubject": "asset_id", "assets_edge": "asset_id", "assets_version": "asset_id",
    "assets_operation": "asset", "assets_embedding": "asset",
}  # fmt: skip
BY_TEAM = ("assets_asset", "assets_assetcounter", "assets_denial", "assets_binding", "assets_job")
CONTENT = {
    "assets_node": {"title", "content", "source", "tags", "extra", "sealed"},
    "assets_asset": {"name", "title", "description", "labels"},
    "assets_nodetext": {"words", "bigrams"},
    "assets_embedding": {"vector"},
    "assets_operation": {"payload"},
    "assets_edge": {"source", "extra"},
    "assets_version": {"note"},
}


SETTINGS = "select current_setting('hub.team', true), current_setting('hub.assets', true)"


def rows(sql: str, values: Any = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def count(table: str) -> int:
    return int(rows(f'select count(*) from "{table}"')[0][0])


@pytest.fixture
def planted() -> things.World:
    """A random world, with the walls of the test's transaction taken down again."""
    world = worlds.make(4)
    plant(world)
    scope.walls(None, "{}")
    return world


def test_nothing_without_a_scope(planted: things.World) -> None:
    """T026: with the settings unset, empty, or a team alone, no content row is seen."""
    for table in (*BY_SCOPE, *BY_TEAM):
        assert count(table) == 0, table
    scope.walls(next(iter(planted.teams)), "{}")
    for table in BY_SCOPE:
        assert count(table) == 0, table
    assert count("assets_asset") < len(planted.assets)


def test_only_the_scope(planted: things.World) -> None:
    """T026: with the settings set, exactly the rows of the team and of the scope's assets."""
    for team in planted.teams:
        mine = [a.id for a in planted.assets.values() if a.team == team]
        others = [a.id for a in planted.assets.values() if a.team != team]
        asked = [*mine[:3], *others[:3]]
        scope.walls(team, "{" + ",".join(map(str, asked)) + "}")
        right = {n.id for n in planted.nodes if n.asset in mine[:3]}
        assert {row[0] for row in rows("select id from assets_node")} == right
        assert {row[0] for row in rows("select node from assets_nodetext")} == right
        assert {row[0] for row in rows("select id from assets_asset")} == set(mine)


def test_each_principal_raw(planted: things.World) -> None:
    """T026: with the walls of a resolved scope, raw SQL sees nodes of its assets and no others."""
    now = datetime.now(UTC)
    for p in worlds.principals(planted, Random(4))[::3]:
        with transaction.atomic():
            scope.resolve(caller(p))
            found = {row[0] for row in rows("select distinct asset_id from assets_node")}
        assert found == oracle.visible(planted, p, now), p


def refused(sql: str, values: Any = None) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        rows(sql, values)


def test_writes_stay_inside(planted: things.World) -> None:
    """T026: no row is written into another team or asset, none is moved there, none is changed."""
    here, there, _ = planted.teams
    mine = next(a for a in planted.assets.values() if a.team == here)
    theirs = next(a for a in planted.assets.values() if a.team == there)
    scope.walls(here, "{" + str(mine.id) + "}")
    with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
        Asset(team_id=there, name="x", owner_id=theirs.owner).save(force_insert=True)
    now = datetime.now(UTC)
    foreign = Node(team_id=here, asset_id=theirs.id, path="000001", kind="fact", recorded_at=now)
    with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
        foreign.save(force_insert=True)
    refused("update assets_asset set team_id = %s where id = %s", [there, mine.id])
    refused("update assets_node set asset_id = %s", [theirs.id])
    with connection.cursor() as cursor:
        cursor.execute("update assets_asset set title = 'taken' where team_id = %s", [there])
        assert cursor.rowcount == 0
        cursor.execute("delete from assets_node where asset_id = %s", [theirs.id])
        assert cursor.rowcount == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", ["select 1", "select 1 / 0", "select pg_sleep(1)", "raise"])
def test_settings_end_with_the_transaction(act: str) -> None:
    """T028: after a reading, an exception or a timeout the connection has no scope left."""
    world = World.build()
    who = world.principal(world.alice)
    assets.create_asset(who, name="diary", kind="wiki")
    try:
        with scope.reading(who) as allowed, connection.cursor() as cursor:
            assert allowed.size == 1
            assert str(world.team.id) in rows(SETTINGS)[0]
            if act == "raise":
                raise LookupError
            cursor.execute("set local statement_timeout = 20")
            cursor.execute(act)
    except (DatabaseError, LookupError):
        assert act != "select 1"
    assert not any(rows(SETTINGS)[0])
    assert count("assets_asset") == 0


def test_the_login(planted: things.World) -> None:
    """T027: the app is not owner, superuser, BYPASSRLS, nor a member of another role."""
    assert rows(
        "select current_user, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles"
        " where rolname = current_user"
    ) == [("hub_app", False, False, False, False)]
    owned = "select relname from pg_class where relnamespace = 'public'::regnamespace and relowner = 'hub_app'::regrole"
    assert rows(owned) == []
    assert rows("select roleid::regrole::text from pg_auth_members where member = 'hub_app'::regrole") == []


def test_the_catalogue(planted: things.World) -> None:
    """T027: every content table has FORCE and a policy; no loose view or function stands beside."""
    flags = {
        name: (on, forced)
        for name, on, forced in rows(
            "select relname, relrowsecurity, relforcerowsecurity from pg_class"
            " where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition"
        )
    }
    walled = {name for name, pair in flags.items() if pair == (True, True)}
    assert {*BY_SCOPE, *BY_TEAM} <= walled
    carrying = rows(
        "select distinct table_name from information_schema.columns where table_schema = 'public'"
        " and column_name in ('asset', 'asset_id') and table_name like 'assets%%'"
    )
    partitions = {row[0] for row in rows("select inhrelid::regclass::text from pg_inherits")}
    assert {row[0] for row in carrying} - partitions <= walled
    open_partitions = rows(
        "select inhrelid::regclass::text from pg_inherits join pg_class c on c.oid = inhparent"
        " where c.relkind = 'p' and has_table_privilege('hub_app', inhrelid, 'select')"
    )
    assert open_partitions == []
    loose = rows(
        "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')"
        " and not coalesce(reloptions @> array['security_invoker=true'], false)"
    )
    definer = rows(
        "select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef"
        " and not coalesce(array_to_string(proconfig, ',') like '%%search_path=%%', false)"
    )
    assert (loose, definer) == ([], [])


def test_no_samples_of_content(planted: things.World) -> None:
    """T029: the planner keeps no values of content, and the app cannot read its statistics."""
    targets = rows(
        "select coalesce(i.inhparent, c.oid)::regclass::text, a.attname, a.attstattarget"
        " from pg_class c left join pg_inherits i on i.inhrelid = c.oid join pg_attribute a on a.attrelid = c.oid"
        " where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0"
    )
    kept = [
        (table, column) for table, column, target in targets
        if column in CONTENT.get(table, set()) and target != 0
    ]  # fmt: skip
    assert kept == []
    seen = {(table, column) for table, column, _ in targets}
    assert {(table, column) for table, columns in CONTENT.items() for column in columns} <= seen
    sampled = rows(
        "select tablename, attname from pg_stats where schemaname = 'public' and attname = any(%s)",
        [["content", "title", "words", "bigrams", "payload", "description"]],
    )
    assert sampled == []
    expressions = rows(
        "select c.relname, a.attstattarget from pg_index x join pg_class c on c.oid = x.indexrelid"
        " join pg_attribute a on a.attrelid = c.oid where x.indexprs is not null"
        " and x.indrelid = any(%s::regclass[]) and a.attstattarget is distinct from 0",
        [[*CONTENT]],
    )
    assert expressions == []


def test_no_plain_manager() -> None:
    """T026: content has no `objects`; a query that names no scope fails at its first run."""
    for model in (Asset, Node):
        with pytest.raises(LookupError):
            model.objects.all()


def test_unknown_visibility(planted: things.World) -> None:
    """T006: an asset with an unknown visibility is opened by nobody, the owner included."""
    strange = [a for a in planted.assets.values() if a.visibility == "tem"]
    assert strange
    for a in strange:
        for user in (a.owner, *[user for user, team in planted.members if team == a.team]):
            seen: set[UUID] = {
                row.id for row in assets.list_assets(caller(things.Principal(a.team, user)), limit=200).items
            }
            assert a.id not in seen


def test_superuser_and_admin_read_nothing_private() -> None:
    """T007: neither the office of admin nor Django's superuser flag opens a private asset."""
    world = World.build()
    world.admin.is_superuser = True
    world.admin.save()
    made = assets.create_asset(world.principal(world.alice), name="diary", kind="wiki")
    who = world.principal(world.admin)
    assert assets.list_assets(who).items == ()
    assert assets.count_assets(who) == 0
    assert assets.list_assets(world.principal(world.alice)).items[0].id == made.id
