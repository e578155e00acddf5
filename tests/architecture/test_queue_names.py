"""Work is queued by name; every name has its task, and every schedule too."""

from __future__ import annotations

import ast
import inspect

from hub.celery import app
from tests.architecture import source


def enqueued() -> dict[str, str]:
    """Task name -> where it is enqueued first. A name that is not written out fails here."""
    found: dict[str, str] = {}
    for path, tree in source.modules("hub", "assets"):
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name != "enqueue":
                continue
            first = node.args[0] if node.args else None
            assert isinstance(first, ast.Constant), f"{path}:{node.lineno} write the task's name out"
            found.setdefault(str(first.value), f"{path}:{node.lineno}")
    return found


def test_every_name_has_a_task() -> None:
    app.loader.import_default_modules()
    names = enqueued()
    assert "assets.tasks.embed" in names
    missing = {name: where for name, where in names.items() if name not in app.tasks}
    assert not missing


def test_every_schedule_has_a_task() -> None:
    app.loader.import_default_modules()
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)


def test_every_queued_task_takes_the_row_alone() -> None:
    app.loader.import_default_modules()
    for name in enqueued():
        assert list(inspect.signature(app.tasks[name].run).parameters) == ["outbox"], name
