"""The whole web process on a real port, over the database of the test run."""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from django.db import connection

PROJECT = Path(__file__).resolve().parents[1]
READY_WITHIN = 90.0


def database_url() -> str:
    """The app's role on the test database."""
    found = connection.settings_dict
    host = f"?host={quote(str(found['HOST']), safe='')}" + (f"&port={found['PORT']}" if found["PORT"] else "")
    name = connection.get_connection_params()["dbname"]
    return f"postgresql://{quote(found['USER'])}:{quote(found['PASSWORD'])}@/{name}{host}"


class Served:
    """`with Served() as hub:` uvicorn with the hub's application; `again` kills and restarts it on its port."""

    def __init__(self) -> None:
        self.port = 0
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Served:
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def again(self) -> None:
        """Kill the process without a word and start another on the same port."""
        if self.process is not None:
            self.process.kill()
        self._end()
        self._start()

    def raw(self, method: str, path: str, body: bytes = b"", **headers: str) -> http.client.HTTPResponse:
        """One request as it stands; names of headers have `_` for `-`. Read it before the next."""
        opened = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        opened.putrequest(method, path, skip_host="Host" in named)
        for name, value in ({"Content-Length": str(len(body))} | named).items():
            opened.putheader(name, value)
        opened.endheaders(body or None)
        return opened.getresponse()

    def _start(self) -> None:
        environment = os.environ | {
            "DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "tests.settings", "HUB_EMBEDDER": "none",
        }  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "hub.asgi:application", "--port", str(self.port), "--no-access-log"],
            cwd=PROJECT, env=environment, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        deadline = time.monotonic() + READY_WITHIN
        said: list[str] = []
        assert self.process.stderr is not None
        for line in self.process.stderr:
            said.append(line)
            if found := re.search(r"running on http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                return
            assert time.monotonic() < deadline, said
        raise AssertionError(said)

    def _end(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.communicate(timeout=30)
            self.process = None
