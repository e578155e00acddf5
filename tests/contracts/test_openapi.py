"""The committed description is the one that the code gives, and it names every route in full."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command

from hub.api.base import HubView
from tests.contracts import routes
from tests.contracts.test_access_matrix import patterns

COMMITTED = Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml"


@pytest.fixture(scope="module")
def operations() -> dict[tuple[str, str], Any]:
    """(method, address below /api/v1/) -> operation, from the committed file."""
    described = yaml.safe_load(COMMITTED.read_text("utf-8"))
    assert described["openapi"].startswith("3.1")
    return {
        (method.upper(), address.removeprefix("/api/v1/")): operation
        for address, methods in described["paths"].items()
        for method, operation in methods.items()
    }


def test_it_is_valid_and_has_not_drifted(tmp_path: Path) -> None:
    """When this fails: manage.py spectacular --file docs/openapi.yaml"""
    made = tmp_path / "openapi.yaml"
    call_command("spectacular", file=str(made), validate=True, fail_on_warn=True)
    assert made.read_text("utf-8") == COMMITTED.read_text("utf-8")


def test_it_holds_the_declared_routes_and_no_other(operations: dict[tuple[str, str], Any]) -> None:
    declared = {(route.method, route.address.partition("?")[0]) for route in routes.API}
    declared |= {("GET", address) for address in routes.OPEN_API}
    assert set(operations) == declared


def test_every_operation_asks_for_a_token_and_says_how_it_ends(
    operations: dict[tuple[str, str], Any],
) -> None:
    for key, operation in operations.items():
        asked: list[Any] = [] if key[1] in routes.OPEN_API else [{"bearer": []}]
        assert operation.get("security", []) == asked, key
        ends = [int(code) for code in operation["responses"]]
        assert ends, key
        assert all(200 <= code < 300 for code in ends), key
        if key[0] != "DELETE" and 204 not in ends:
            assert all("content" in one for one in operation["responses"].values()), key
    names = [operation["operationId"] for operation in operations.values()]
    assert len(names) == len(set(names))


def test_every_route_of_what_is_remembered_says_what_it_does(
    operations: dict[tuple[str, str], Any],
) -> None:
    """In words of its own, not in those of the class that all routes share."""
    shared = inspect.getdoc(HubView)
    seen = 0
    for address, view in patterns():
        if not view.__module__.startswith("assets.api"):
            continue
        path = address.removeprefix("api/v1/").replace("<str:", "{").replace(">", "}")
        for method in ("GET", "POST", "PATCH", "DELETE"):
            if hasattr(view.cls, method.lower()):
                seen += 1
                assert operations[method, path].get("description", shared) != shared, (method, path)
    assert seen >= 19
