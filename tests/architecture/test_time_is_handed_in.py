"""The plain modules decide by values they are given: no clock, no chance, no environment."""

from __future__ import annotations

import ast
import tomllib

import pytest

from tests.architecture import source

CLOCKS = {"now", "today", "utcnow", "time", "time_ns", "monotonic", "perf_counter", "localtime", "gmtime"}
# Fresh tokens need chance, and nothing else does.
CHANCE = {"random", "secrets", "uuid4", "uuid1", "urandom"}
MAY_USE_CHANCE = {"hub.authn.tokens"}


def plain_modules() -> list[str]:
    """What the contract "the decisions are plain Python" names."""
    settings = tomllib.loads((source.ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    chosen = next(one for one in contracts if one["name"] == "the decisions are plain Python")
    return list(chosen["source_modules"])


def files_of(module: str) -> list[tuple[str, ast.Module]]:
    path = source.ROOT / module.replace(".", "/")
    if path.is_dir():
        return list(source.modules(module.replace(".", "/")))
    return [(module, source.tree(path.with_suffix(".py")))]


def readings(tree: ast.AST) -> list[str]:
    """Calls of a clock and uses of the environment, as `name:line`."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS:
            found.append(f"{node.func.attr}:{node.lineno}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CLOCKS:
            found.append(f"{node.func.id}:{node.lineno}")
        elif isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}:
            found.append(f"{node.attr}:{node.lineno}")
    return found


def chances(tree: ast.AST) -> list[str]:
    names = [
        (alias.name, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    ]
    return [f"{name}:{line}" for name, line in names if name in CHANCE]


@pytest.mark.parametrize("module", plain_modules())
def test_the_time_is_handed_in(module: str) -> None:
    wrong = [f"{path} {one}" for path, tree in files_of(module) for one in readings(tree)]
    if module not in MAY_USE_CHANCE:
        wrong += [f"{path} {one}" for path, tree in files_of(module) for one in chances(tree)]
    assert not wrong, f"take it as an argument: {wrong}"


@pytest.mark.parametrize("text", ["timezone.now()", "time.time()", "now()", "os.environ['A']"])
def test_a_planted_reading_is_found(text: str) -> None:
    assert readings(ast.parse(text))


def test_planted_chance_is_found() -> None:
    assert chances(ast.parse("from uuid import uuid4"))
