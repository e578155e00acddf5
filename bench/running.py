"""A whole hub in processes of its own, and a client that speaks REST to it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

from hub.embedded.datadir import DataDir

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).resolve().parents[1]
READY_WITHIN = 180.0  # seconds
VECTORS_WITHIN = 3600.0
# A bench asks faster than any agent may.
FREE = {"HUB_LIMITS": "search=1000000/60,read=1000000/60,write=1000000/60"}


class Hub:
    """A running hub: its cast, and one connection that is kept open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.demo: dict[str, Any] = json.loads((folder / "demo.json").read_text("utf-8"))
        address = self.demo["base_url"].removeprefix("http://")
        self._connection = http.client.HTTPConnection(address, timeout=600)

    def call(self, method: str, path: str, token: str, body: Any = None) -> dict[str, Any]:
        """The JSON answer. Raises RuntimeError for any status of 400 and above."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        payload = None if body is None else json.dumps(body).encode()
        self._connection.request(method, f"/api/v1{path}", payload, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status >= 400:
            message = f"{method} {path}: {answer.status} {text[:400]!r}"
            raise RuntimeError(message)
        found: dict[str, Any] = json.loads(text) if text else {}
        return found

    def person(self, name: str) -> str:
        token: str = self.demo["users"][name]["token"]
        return token

    def agent(self, name: str) -> tuple[str, str]:
        """A new agent: its id and a token that reads and changes."""
        found = self.call("POST", "/agents", self.person("admin"), {"name": name})
        body = {"for": found["id"], "actions": ["read", "change"]}
        return found["id"], self.call("POST", "/tokens", self.person("admin"), body)["token"]

    def wait_for_job(self, job: str, token: str) -> dict[str, Any]:
        while True:
            found = self.call("GET", f"/jobs/{job}", token)
            if found["state"] in {"done", "failed", "cancelled"}:
                return found
            time.sleep(0.3)

    def wait_for_vectors(self) -> float:
        """Seconds until every node with a text has a vector. Raises RuntimeError after an hour."""
        begun = time.monotonic()
        with psycopg.connect(DataDir(self.folder).database_url("owner"), autocommit=True) as session:
            while time.monotonic() - begun < VECTORS_WITHIN:
                row = session.execute(
                    "select (select count(*) from assets_node where content <> '')"
                    " - (select count(distinct node) from assets_embedding)"
                ).fetchone()
                if row and row[0] <= 0:
                    return time.monotonic() - begun
                time.sleep(0.5)
        message = "not every row had a vector within an hour"
        raise RuntimeError(message)


@contextmanager
def running(folder: Path, *, words_only: bool = False) -> Iterator[Hub]:
    """Start the demo hub on `folder`, and stop it again.

    `words_only` starts it without any embedding engine. Raises RuntimeError with the end of
    its output when it does not become ready.
    """
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o711)
    environment = FREE | os.environ | ({"HUB_EMBEDDER": "none"} if words_only else {})
    log = folder / "bench.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--demo", "--data-dir", str(folder), "--port", "0"],
            cwd=PROJECT, env=environment, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            _until_ready(process, log)
            yield Hub(folder)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def _until_ready(process: subprocess.Popen[bytes], log: Path) -> None:
    begun = time.monotonic()
    while " ready in " not in (text := log.read_text("utf-8", "replace")):
        if process.poll() is not None or time.monotonic() - begun > READY_WITHIN:
            message = f"the hub did not start: {text[-2000:]}"
            raise RuntimeError(message)
        time.sleep(0.1)
