"""A hub's database with any number of generated nodes, made once and kept in a folder."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, LiteralString

import numpy as np
import psycopg
from psycopg import sql

from bench.corpora import plan as plans
from bench.corpora.language import Language
from bench.corpora.plan import TOPICS, Plan
from bench.corpora.space import Space
from hub import env
from hub.embedded import postgres

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).resolve().parents[2]
ROWS, SEED = 300_000, 7
DONE = "corpus.json"
LOADED = ("assets_node", "assets_nodetext", "assets_nodesignal", "assets_embedding")
# Indexes that serve no constraint; building them after the rows takes a fraction of the time.
LATER = """
select indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index
 where indrelid = any(%s::regclass[]) and not indisunique
"""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A filled database: its plan, the agents' tokens by scope, and every vector."""

    plan: Plan
    tokens: dict[int, str]
    nodes: np.ndarray  # of 16 bytes each, in the order of the plan's assets
    vectors: np.ndarray  # float16, a row for each of `nodes`
    language: Language
    space: Space
    app_url: str
    owner_url: str
    made_in: float  # seconds; 0 when it was there

    def seen(self, scope: int) -> np.ndarray:
        """Which of `nodes` the scope of that size sees, as positions."""
        kept, begin = set(self.plan.scopes[scope]), 0
        found = []
        for asset in self.plan.assets:
            count = asset.rows - -(-asset.rows // plans.SESSION)
            if asset.id in kept:
                found.append(np.arange(begin, begin + count))
            begin += count
        return np.concatenate(found)


def schema_digest() -> str:
    """Changes with the migrations, the analyser and this package."""
    digest = hashlib.sha256()
    for pattern in ("*/migrations/0*.py", "assets/tree/analyse.py", "bench/corpora/*.py"):
        for path in sorted(PROJECT.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:10]


@contextmanager
def opened(rows: int = ROWS, seed: int = SEED, keep: Path | None = None) -> Iterator[Corpus]:
    """A running database with the corpus, with Django connected as the app's login.

    The folder is `keep`, or one under the temporary folder; what is there already is used.
    """
    base = keep or Path(tempfile.gettempdir()) / "hub-bench"
    folder = base / f"nodes-{rows}-{seed}-{schema_digest()}"
    folder.mkdir(parents=True, exist_ok=True)
    for one in (base, folder):
        one.chmod(0o711)
    begun = time.monotonic()
    with postgres.running(folder, durable=False) as server:
        _connect(server.app_url)
        is_there = (folder / DONE).exists()
        plan = plans.make(rows, seed)
        language, space = Language(seed, TOPICS, plan.clusters), Space(seed, TOPICS, plan.clusters)
        if not is_there:
            _fill(folder, server, plan, language, space)
        kept = json.loads((folder / DONE).read_text("utf-8"))
        yield Corpus(
            plan, {int(size): token for size, token in kept["tokens"].items()},
            np.load(folder / "nodes.npy"), np.load(folder / "vectors.npy", mmap_mode="r"), language, space,
            server.app_url, server.owner_url, 0.0 if is_there else time.monotonic() - begun,
        )  # fmt: skip


def _connect(url: str) -> None:
    """Django on this database, by the login of `url`; the keys are the bench's own."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
    os.environ.setdefault("HUB_SECRET_KEY", "bench-" + "k" * 50)
    os.environ["DATABASE_URL"] = url
    import django
    from django.db import connection

    django.setup()
    connection.close()
    connection.settings_dict.update(env.database(url))


def _fill(folder: Path, server: postgres.Postgres, plan: Plan, language: Language, space: Space) -> None:
    with psycopg.connect(server.folder.database_url("admin"), autocommit=True) as admin:
        # What an interrupted run left is not worth keeping.
        admin.execute("drop schema public cascade")
        admin.execute("create schema public authorization hub_owner")
        admin.execute("create extension vector")
    environment = os.environ | {"DATABASE_URL": server.owner_url}
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0", "--skip-checks"],
        cwd=PROJECT, env=environment, check=True,
    )  # fmt: skip
    _connect(server.owner_url)
    from assets.embedding import index
    from bench.corpora import content, parties

    model, tokens = parties.make(plan)
    writer = content.Writer(plan, language, space, model)
    with psycopg.connect(server.owner_url, autocommit=True) as owner:
        indexes = owner.execute(LATER, [list(LOADED)]).fetchall()
        for name, _ in indexes:
            owner.execute(sql.SQL("drop index {}").format(sql.SQL(name)))
        # COPY does not work under row-level security, which binds the owner too.
        _force(owner, "no force")
        characters = writer.write(server.owner_url)
        parties.counters(plan, characters)
        owner.execute("set maintenance_work_mem = '512MB'")
        for _, definition in indexes:
            owner.execute(definition.replace(" ON ONLY ", " ON ").encode())
        _force(owner, "force")
        owner.execute("vacuum analyze")
    index.build(server.owner_url)
    np.save(folder / "nodes.npy", np.frombuffer(b"".join(writer.nodes), "V16"))
    np.save(folder / "vectors.npy", np.concatenate(writer.vectors))
    _connect(server.app_url)
    (folder / DONE).write_text(json.dumps({"tokens": tokens}), "utf-8")


def _force(owner: psycopg.Connection, word: LiteralString) -> None:
    for table in LOADED:
        change = sql.SQL("alter table {} " + word + " row level security")
        owner.execute(change.format(sql.Identifier(table)))
