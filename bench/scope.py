"""How long does it take to know what an agent may see, and does it grow with other teams?

`python -m bench.scope [--teams 200] [--asks 200] [--keep FOLDER]`

One team of 20,000 assets is asked while the others are a tenth of their number, then again at
their full number (10,000 agents, 100,000 assets, 1,000,000 grants and bindings); as the app's
login, under row-level security, each answer resolved anew. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any
from uuid import UUID

from bench import scope_rows

TICK = os.sysconf("SC_CLK_TCK")


def main() -> None:
    options = _options()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
    os.environ.setdefault("HUB_SECRET_KEY", "bench-" + "k" * 50)
    os.environ["HUB_EMBEDDER"] = "none"
    with contextlib.ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hub-scope-")))
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o711)
        from hub.embedded import postgres

        server = stack.enter_context(postgres.running(folder, durable=False))
        _connect(server.owner_url)
        few = max(1, options.teams // 10)
        small = None
        if not _exists():
            _fill(0, few - 1)
            small = _measured(server, options.asks, f"{few} teams")
            _connect(server.owner_url)
            _fill(few, options.teams - 1)
        full = _measured(server, options.asks, f"{options.teams} teams")
    last: dict[str, Any] = {"bound": list(scope_rows.ASKED)}
    last |= {name: [one[name] for one in full] for name in ("kept", "p50_ms", "p95_ms", "cpu_ms")}
    last["statements"] = max(one["statements"] for one in full)
    if small is not None:
        for name, key in (("ratio", "p50_ms"), ("ratio_cpu", "cpu_ms")):
            pairs = zip(full, small, strict=True)
            last[name] = round(max(big[key] / max(little[key], 0.01) for big, little in pairs), 2)
    print(json.dumps(last))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.scope")
    parser.add_argument("--teams", type=int, default=200)
    parser.add_argument("--asks", type=int, default=200)
    parser.add_argument("--keep", type=Path, help="keep the filled database here, and use it again")
    return parser.parse_args()


def _connect(url: str) -> None:
    import django

    from hub import env

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    connection.close()
    connection.settings_dict.update(env.database(url))
    call_command("migrate", interactive=False, verbosity=0, skip_checks=True)


def _exists() -> bool:
    from hub.models import Team

    return Team.objects.exists()


def _fill(low: int, high: int) -> None:
    from django.db import connection

    begun = time.monotonic()
    with connection.cursor() as cursor:
        scope_rows.make(cursor, low, high)
        cursor.execute("vacuum analyze")
        found = []
        for table in (
            "hub_agent",
            "assets_asset",
            "assets_binding",
            "assets_assetusergrant",
            "assets_assetrolegrant",
        ):
            cursor.execute(f"select count(*) from {table}")
            found.append(cursor.fetchone()[0])
    agents, assets, *rest = found
    print(
        f"{agents} agents, {assets} assets, {sum(rest)} grants and bindings"
        f" after {time.monotonic() - begun:.0f} s",
        flush=True,
    )


def _measured(server: Any, asks: int, label: str) -> list[dict[str, Any]]:
    """Each size of agent, asked in turns as the app's login."""
    from django.db import connection

    from hub import env

    connection.close()
    connection.settings_dict.update(env.database(server.app_url))
    found: list[dict[str, Any]] = []
    for place, bound in enumerate(scope_rows.ASKED):
        one = _asked(place, asks) | {"bound": bound}
        found.append(one)
        print(f"{label}: {json.dumps(one)}", flush=True)
    return found


def _asked(place: int, asks: int) -> dict[str, Any]:
    from django.db import connection, transaction
    from django.test.utils import CaptureQueriesContext

    from assets import scope
    from hub.authn.principal import CHANGE, READ, Principal

    team, agent = _digest("team 0"), _digest(f"agent 0 {scope_rows.MATES + place}")
    who = Principal(team=team, agent=agent, actions=frozenset({READ, CHANGE}))
    with transaction.atomic():
        for _ in range(5):
            scope.resolve(who)
        with CaptureQueriesContext(connection) as told:
            kept = scope.resolve(who).size
        deciding = [one for one in told.captured_queries if "set_config" not in one["sql"]]
        times: list[float] = []
        before = _cpu(connection)
        for _ in range(asks):
            begun = time.perf_counter()
            scope.resolve(who)
            times.append((time.perf_counter() - begun) * 1000)
        cpu = (_cpu(connection) - before) * 1000 / asks
    cuts = statistics.quantiles(times, n=20)
    return {
        "kept": kept, "p50_ms": round(statistics.median(times), 2), "p95_ms": round(cuts[-1], 2),
        "cpu_ms": round(cpu, 2), "statements": len(deciding),
    }  # fmt: skip


def _cpu(connection: Any) -> float:
    """Seconds of processor time that the backend of this connection has used so far."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_backend_pid()")
        fields = Path(f"/proc/{cursor.fetchone()[0]}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def _digest(text: str) -> UUID:
    import hashlib

    return UUID(hashlib.md5(text.encode(), usedforsecurity=False).hexdigest())


if __name__ == "__main__":
    main()
