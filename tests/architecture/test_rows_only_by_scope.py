"""Content is reached through a Scope: no other module names its rows or runs SQL of its own."""

from __future__ import annotations

import ast

import pytest
from django.apps import apps

from assets.models.content import Content
from tests.architecture import source

WRITERS = (
    "assets/access.py", "assets/scope.py", "assets/services/", "assets/tree/", "assets/embedding/",
    "assets/kinds/",
)  # fmt: skip
# Modules of the hub that run SQL, each about no content: locks, counts, partitions, health, the cluster.
HUB_SQL = (
    "hub/queue.py", "hub/authn/counting.py", "hub/partitions.py", "hub/web/health.py", "hub/management/commands/doctor.py",
    "hub/embedded/",
)  # fmt: skip
SQL_CALLS = {"cursor", "execute", "executemany", "raw", "extra", "stream"}
SQL_NAMES = {"RawSQL", "psycopg"}


def content_models() -> set[str]:
    return {model.__name__ for model in apps.get_models() if issubclass(model, Content)}


def reached_by_manager(tree: ast.AST, names: set[str]) -> list[int]:
    """Lines that take rows of a content model by a manager."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and (
            node.attr in {"_base_manager", "_default_manager"}
            or (node.attr == "rows" and isinstance(node.value, ast.Name) and node.value.id in names)
        )
    ]


def closed_managers(tree: ast.AST, names: set[str]) -> list[int]:
    """Lines that say `.objects` of a content model."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "objects"
        and isinstance(node.value, ast.Name)
        and node.value.id in names
    ]


def raw_sql(tree: ast.AST) -> list[int]:
    """Lines that run SQL by themselves."""
    found = []
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in SQL_CALLS
        ) or (isinstance(node, ast.Name) and node.id in SQL_NAMES):
            found.append(node.lineno)
    return found


def test_content_rows_are_named_only_by_the_writers() -> None:
    names = content_models()
    assert {"Asset", "Node", "NodeText", "Embedding"} <= names
    wrong = [
        f"{path}:{line}"
        for path, tree in source.modules("hub", "assets")
        if not path.startswith((*WRITERS, "assets/models/"))
        for line in reached_by_manager(tree, names)
    ]
    assert not wrong, f"reach these rows through a Scope: {wrong}"


def test_nobody_uses_the_closed_manager() -> None:
    names = content_models()
    wrong = [
        f"{path}:{line}"
        for path, tree in source.modules("hub", "assets")
        for line in closed_managers(tree, names)
    ]
    assert not wrong, f".objects of a content model: {wrong}"


def test_only_scope_and_the_writers_run_sql() -> None:
    wrong = [
        f"{path}:{line}"
        for path, tree in source.modules("hub", "assets")
        if not path.startswith((*WRITERS, *HUB_SQL))
        for line in raw_sql(tree)
    ]
    assert not wrong, f"hand the SQL to Scope.fetch: {wrong}"


def test_the_closed_manager_raises() -> None:
    for model in apps.get_models():
        if issubclass(model, Content):
            with pytest.raises(LookupError, match="through a Scope"):
                model.objects.all()


@pytest.mark.parametrize(
    ("text", "finder"),
    [
        ("Node.rows.all()", reached_by_manager),
        ("model._base_manager.all()", reached_by_manager),
        ("Node.objects.all()", closed_managers),
    ],
)
def test_a_planted_manager_is_found(text: str, finder: object) -> None:
    assert callable(finder)
    assert finder(ast.parse(text), {"Node"}) == [1]


@pytest.mark.parametrize(
    "text", ["connection.cursor()", "cursor.execute('select 1')", "RawSQL('1', [])", "query.raw('select 1')"]
)
def test_planted_sql_is_found(text: str) -> None:
    assert raw_sql(ast.parse(text)) == [1]
