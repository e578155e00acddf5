"""The function for wide scopes stands behind the second wall like every other query."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from assets import scope
from assets.retrieval.arms import words
from assets.retrieval.types import Query
from tests.leaks import things, worlds
from tests.leaks.plant import caller, plant

pytestmark = pytest.mark.django_db
CALL = """select node from search_words('common', '', array['common']::tsquery[], '{}',
  %s::int[], %s::bool[], '{live,held,archived}')"""


@pytest.fixture
def planted() -> things.World:
    world = worlds.make(6)
    plant(world)
    scope.walls(None, "{}")
    return world


def rows(sql: str, values: Any = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def call(count: int) -> set[Any]:
    return {row[0] for row in rows(CALL, [[1] * count, [True] * count])}


def test_nothing_without_a_scope(planted: things.World) -> None:
    """With the settings unset, empty, or a team alone, the function gives nothing."""
    assert call(9) == set()
    scope.walls(next(iter(planted.teams)), "{}")
    assert call(9) == set()
    with connection.cursor() as cursor:
        cursor.execute("select set_config('hub.team', '', true), set_config('hub.assets', '', true)")
    assert call(9) == set()


def test_only_the_settings_team_and_assets(planted: things.World) -> None:
    """Assets of another team in the setting give nothing, however many versions are handed in."""
    seen = 0
    for team in planted.teams:
        mine = [a for a in planted.assets.values() if a.team == team][:6]
        others = [a for a in planted.assets.values() if a.team != team][:6]
        scope.walls(team, "{" + ",".join(str(a.id) for a in mine + others) + "}")
        found = call(12)
        assert found <= {n.id for n in planted.nodes if n.asset in {a.id for a in mine}}
        seen += len(found)
    assert seen > 0


def test_as_the_scan_for_every_principal(planted: things.World, monkeypatch: pytest.MonkeyPatch) -> None:
    found = 0
    for p in worlds.principals(planted, Random(6)):
        query = Query("common " + " ".join(n.word for n in planted.nodes[:20]))
        answers = []
        for wide in (0, 10**9):
            monkeypatch.setattr(words, "WIDE", wide)
            with transaction.atomic():
                answers.append(words.find(scope.resolve(caller(p)), query, 500))
        assert answers[0].candidates == answers[1].candidates, p
        assert answers[0].coverage == answers[1].coverage, p
        found += len(answers[0].candidates)
    assert found > 0


def test_its_owner_and_rights(planted: things.World) -> None:
    """T027: hub_search owns it, cannot sign in, does not pass row-level security, reads only this."""
    assert rows(
        "select r.rolname, r.rolcanlogin, r.rolsuper, r.rolbypassrls, p.prosecdef, p.provolatile"
        " from pg_proc p join pg_roles r on r.oid = p.proowner where proname = 'search_words'"
    ) == [("hub_search", False, False, False, True, "s")]
    settings = rows("select unnest(proconfig) from pg_proc where proname = 'search_words'")
    assert ("search_path=pg_catalog, public, pg_temp",) in settings
    assert ("plan_cache_mode=force_custom_plan",) in settings
    readable = rows(
        "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')"
        " and has_table_privilege('hub_search', oid, 'select')"
    )
    assert readable == [("assets_nodetext",)]
    assert rows("select has_schema_privilege('hub_search', 'public', 'create')") == [(False,)]
    with pytest.raises(DatabaseError), transaction.atomic():
        rows("set role hub_search")


def test_a_wrong_query_says_nothing_of_the_rows(planted: things.World) -> None:
    """What cannot be a query fails before any row is read."""
    with pytest.raises(DatabaseError, match="no operand in tsquery"), transaction.atomic():
        rows(CALL.replace("'common', ''", "'common &', ''"), [[1], [True]])
