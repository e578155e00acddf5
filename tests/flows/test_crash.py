"""T112, T116: everything is killed during an import; the next start loses and doubles nothing."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from tests.hub.test_up import Up, kill_all, wait_until

TURNS = 5_000


class Caller:
    """One person's token against a running hub."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url, token

    def __call__(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        asked = urllib.request.Request(
            f"{self.url}/api/v1{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(asked, timeout=60) as answer:
            found: dict[str, Any] = json.load(answer)
            return found


def every_node(call: Caller, asset: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor = ""
    while True:
        page = call("GET", f"/assets/{asset}/nodes?limit=200{cursor}")
        found += page["items"]
        if page["next_cursor"] is None:
            return found
        cursor = f"&cursor={page['next_cursor']}"


def test_a_killed_import_goes_on_where_it_was() -> None:
    folder = Path(tempfile.mkdtemp(prefix="hub-crash-"))
    folder.chmod(0o711)
    try:
        first = Up(folder, "--demo")
        url = first.url()
        token = json.loads((folder / "demo.json").read_text("utf-8"))["users"]["bob"]["token"]
        call = Caller(url, token)
        messages = [
            {"id": f"turn-{number}", "speaker": "Bob" if number % 2 else "Ann", "content": f"line {number}"}
            for number in range(TURNS)
        ]
        job = call("POST", "/imports", {"messages": messages, "name": "long talk"})
        acknowledged: list[str] = []
        while call("GET", f"/jobs/{job['id']}")["done"] < TURNS // 10:
            text = {"text": f"acknowledged {len(acknowledged)}"}
            acknowledged.append(call("POST", "/remember", text)["node"])
        kill_all(folder)
        first.end()

        second = Up(folder, "--demo")
        begun = time.monotonic()
        call = Caller(second.url(), token)
        before = call("GET", f"/jobs/{job['id']}")
        assert before["done"] < TURNS, "the import was over before the kill"
        wait_until(lambda: call("GET", f"/jobs/{job['id']}")["state"] == "done", within=120)
        print(f"resumed and done after {time.monotonic() - begun:.0f} s")  # noqa: T201
        nodes = every_node(call, job["asset"])
        turns = [node["source"] for node in nodes if node["kind"] == "message"]
        assert len(turns) == len(set(turns)) == TURNS
        assert len([node for node in nodes if node["kind"] == "conversation"]) == 1
        for node in acknowledged:
            assert call("GET", f"/nodes/{node}")["id"] == node
        second.process.terminate()
        assert second.end() == 0
    finally:
        kill_all(folder)
        shutil.rmtree(folder, ignore_errors=True)
