"""`manage.py doctor`: says in green, amber and red whether this installation is well."""

from __future__ import annotations

import dataclasses
import os
import shutil
import stat
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django
from django.apps import apps
from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from hub.celery import app
from hub.embedded import datadir
from hub.models import Outbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GREEN, AMBER, RED = "green", "amber", "red"
DJANGO_FLOOR = (5, 2, 19)
POSTGRES_FLOORS = {15: 20, 16: 16, 17: 12, 18: 7}  # major: advised minor
VECTOR_MINIMUM, VECTOR_FLOOR = (0, 8, 0), (0, 8, 7)
LAG_AMBER, LAG_RED = timedelta(minutes=1), timedelta(minutes=15)
LEAST_FREE = 1 << 30  # bytes


@dataclasses.dataclass(frozen=True)
class Finding:
    """One line: a colour, what was looked at, and what was seen."""

    colour: str
    name: str
    text: str


def check_django() -> Iterator[Finding]:
    colour = GREEN if django.VERSION[:3] >= DJANGO_FLOOR else RED
    yield Finding(colour, "django", django.get_version())


def check_folder() -> Iterator[Finding]:
    if not settings.DATA_DIR:
        yield Finding(GREEN, "data folder", "none: every setting comes from the environment")
        return
    folder = Path(settings.DATA_DIR)
    for path, forbidden in ((folder, 0o066), (folder / "secrets.json", 0o077)):
        if not path.exists():
            yield Finding(RED, "data folder", f"{path} is missing")
        elif (mode := stat.S_IMODE(path.stat().st_mode)) & forbidden:
            yield Finding(RED, "data folder", f"{path} is open to others (mode {mode:o})")
        else:
            yield Finding(GREEN, "data folder", f"{path} is closed to others")
    if folder.exists() and (free := shutil.disk_usage(folder).free) < LEAST_FREE:
        yield Finding(AMBER, "disk", f"only {free >> 20} MB are free")


def check_database() -> Iterator[Finding]:
    with connection.cursor() as cursor:
        cursor.execute(
            "select current_setting('server_version_num')::int, current_setting('server_version'),"
            " (select extversion from pg_extension where extname = 'vector'),"
            " (select rolsuper or rolbypassrls from pg_roles where rolname = current_user)"
        )
        number, version, vector, is_above_the_rules = cursor.fetchone()
    yield judge_postgres(number, version, is_embedded=is_embedded())
    yield judge_vector(vector)
    if is_above_the_rules:
        text = "the application's login is above row-level security: give it a plain role"
        yield Finding(RED, "database role", text)
    else:
        yield Finding(GREEN, "database role", "bound by row-level security")


def is_embedded() -> bool:
    """Whether the database is the one in the data folder, reached by its socket."""
    host = str(connection.settings_dict["HOST"])
    return bool(settings.DATA_DIR) and host.startswith("/") and host.endswith("/pg")


def judge_postgres(number: int, version: str, *, is_embedded: bool) -> Finding:
    """Compare a server's version number, such as 180006, with the advised one."""
    major, minor = number // 10_000, number % 10_000
    name = "database"
    if major < min(POSTGRES_FLOORS):
        return Finding(RED, name, f"PostgreSQL {version} is too old: 15 or later is needed")
    if minor >= POSTGRES_FLOORS.get(major, 0):
        return Finding(GREEN, name, f"PostgreSQL {version}")
    advised = f"{major}.{POSTGRES_FLOORS[major]}"
    if is_embedded:
        text = "embedded database below the advised version, fine for trying out"
        return Finding(AMBER, name, f"{text} (PostgreSQL {version}, advised {advised})")
    return Finding(AMBER, name, f"PostgreSQL {version} is below the advised {advised}: update it")


def judge_vector(version: str | None) -> Finding:
    """Compare the installed pgvector, such as 0.8.6, with the advised one."""
    if version is None:
        return Finding(RED, "pgvector", "the extension `vector` is not in this database")
    parts = tuple(int(part) for part in version.split(".")[:3])
    if parts < VECTOR_MINIMUM:
        return Finding(RED, "pgvector", f"{version} is too old: 0.8 or later is needed")
    if parts < VECTOR_FLOOR:
        return Finding(AMBER, "pgvector", f"{version}, advised 0.8.7")
    return Finding(GREEN, "pgvector", version)


def check_owner() -> Iterator[Finding]:
    if datadir.owner_url():
        yield Finding(GREEN, "owner's login", "known: large teams get their vector indexes")
    else:
        text = "not known here: large teams get no vector index where the worker lacks it too"
        yield Finding(AMBER, "owner's login", f"{text} (DATABASE_OWNER_URL)")


def check_migrations() -> Iterator[Finding]:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        yield Finding(RED, "migrations", f"{len(missing)} not applied: run `manage.py migrate`")
    else:
        yield Finding(GREEN, "migrations", "all applied")


def check_broker() -> Iterator[Finding]:
    if not settings.BROKER_URL:
        yield Finding(RED, "broker", "BROKER_URL is not set")
        return
    try:
        with app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1, interval_start=0, timeout=5)
    except Exception as error:
        yield Finding(RED, "broker", f"not reachable: {type(error).__name__}")
    else:
        yield Finding(GREEN, "broker", "answers")


def check_worker() -> Iterator[Finding]:
    waiting = Outbox.objects.filter(done_at=None, is_dead=False)
    oldest = waiting.order_by("next_at").values_list("next_at", flat=True).first()
    lag = max(timezone.now() - oldest, timedelta()) if oldest else timedelta()
    text = f"{waiting.count()} tasks wait, the oldest for {lag.total_seconds():.0f} s"
    colour = GREEN if lag < LAG_AMBER else AMBER if lag < LAG_RED else RED
    yield Finding(colour, "worker", text)
    if dead := Outbox.objects.filter(is_dead=True).count():
        yield Finding(AMBER, "worker", f"{dead} tasks were given up")


def check_packages() -> Iterator[Finding]:
    """What the packages above know of themselves."""
    for package in apps.get_app_configs():
        for finding in getattr(package, "findings", tuple)():
            yield Finding(*finding)


CHECKS: tuple[tuple[str, Callable[[], Iterator[Finding]]], ...] = (
    ("django", check_django),
    ("data folder", check_folder),
    ("database", check_database),
    ("owner's login", check_owner),
    ("migrations", check_migrations),
    ("broker", check_broker),
    ("worker", check_worker),
    ("packages", check_packages),
)


class Command(BaseCommand):
    help = "Say whether this installation is well; ends with 1 when something is red."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        paint = {
            GREEN: self.style.SUCCESS,
            AMBER: self.style.WARNING,
            RED: self.style.ERROR,
        }
        seen: set[str] = set()
        for name, check in CHECKS:
            try:
                findings = list(check())
            except DatabaseError as error:
                text = str(error).strip().split("\n")[0]
                findings = [Finding(RED, name, f"the database does not answer: {text}")]
            for found in findings:
                seen.add(found.colour)
                colour = paint[found.colour](f"{found.colour:<6}")
                self.stdout.write(f"{colour} {found.name:<14} {found.text}")
        if RED in seen:
            sys.exit(1)
