"""The project's own files as syntax trees, for tests of its shape."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"), str(file))


def modules(*packages: str, migrations: bool = False) -> Iterator[tuple[str, ast.Module]]:
    """Each module as (path from the root, tree), in order."""
    for package in packages:
        for file in sorted((ROOT / package).rglob("*.py")):
            if migrations or "migrations" not in file.parts:
                yield file.relative_to(ROOT).as_posix(), tree(file)


def settings_names() -> set[str]:
    """Names of the product's own settings, wherever the environment is read by name."""
    found = set()
    for file in [ROOT / "manage.py", *(ROOT / "hub").rglob("*.py"), *(ROOT / "assets").rglob("*.py")]:
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                name = node.value
                if name in {"DATABASE_URL", "DATABASE_OWNER_URL", "BROKER_URL"} or (
                    name.startswith("HUB_") and name.replace("_", "").isalpha() and name.isupper()
                ):
                    found.add(name)
    return found
