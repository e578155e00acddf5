"""`manage.py up` as a person meets it: real processes on a real folder."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROJECT = Path(__file__).resolve().parents[2]
OURS = ("DATABASE_", "BROKER_", "HUB_", "DJANGO_SETTINGS_MODULE")
READY_WITHIN = 120.0


def environment() -> dict[str, str]:
    """Ours without what the test run itself set."""
    return {  # OURS
        name: value for name, value in os.environ.items() if not name.startswith(OURS)
    }


def processes_of(folder: Path) -> list[int]:
    """Every process that works on the folder, by its words, its place or its environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            words = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            is_ours = os.fsencode(folder) in words
            place = (entry / "cwd").readlink()
            is_dead = ") Z " in (entry / "stat").read_text()
        except OSError:
            continue
        if (is_ours or place.is_relative_to(folder)) and not is_dead:
            found.append(int(entry.name))
    return found


def kill_all(folder: Path) -> None:
    for number in processes_of(folder):
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def wait_until(check: Callable[[], object], within: float = 30.0) -> None:
    deadline = time.monotonic() + within
    while not check():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)


class Up:
    """One `manage.py up`; its lines are read in a thread so that it never waits for us."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [
                sys.executable,
                "manage.py",
                "up",
                "--port",
                "0",
                "--data-dir",
                str(folder),
                *words,
            ],
            cwd=PROJECT,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.lines.append(line.rstrip())

    def url(self) -> str:
        wait_until(lambda: self._ready() or self.process.poll() is not None, READY_WITHIN)
        ready = self._ready()
        assert ready, "\n".join(self.lines)
        return ready

    def _ready(self) -> str:
        for line in self.lines:
            if found := re.search(r"ready in .* s: (http://\S+)", line):
                return found[1]
        return ""

    def end(self) -> int:
        code = self.process.wait(60)
        self.reader.join(10)
        return code


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def web_process(folder: Path) -> int:
    for number in processes_of(folder):
        if b"uvicorn" in Path(f"/proc/{number}/cmdline").read_bytes():
            return number
    raise AssertionError("no web process")


def server(folder: Path) -> int:
    return int((folder / "postgres" / "postmaster.pid").read_text().split("\n")[0])


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL's account may enter; whatever a failed test left there is ended."""
    with tempfile.TemporaryDirectory(prefix="tmh-up-") as name:
        path = Path(name)
        path.chmod(0o711)
        yield path
        kill_all(path)
        wait_until(lambda: not processes_of(path))


def test_up_serves_mends_itself_and_stops(folder: Path) -> None:
    up = Up(folder)
    url = up.url()
    assert answers(url)

    second = subprocess.run(
        [sys.executable, "manage.py", "up", "--port", "0", "--data-dir", str(folder)],
        cwd=PROJECT, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert second.returncode == 1
    assert "another `up` already runs" in second.stderr

    for name, number in (("web", web_process(folder)), ("postgres", server(folder))):
        os.kill(number, signal.SIGKILL)
        ended = f"{name} ended with -9"
        wait_until(lambda ended=ended: any(ended in line for line in up.lines))  # type: ignore[misc]
        wait_until(lambda: answers(url))

    up.process.send_signal(signal.SIGTERM)
    assert up.end() == 0
    assert processes_of(folder) == []


def test_up_starts_again_after_everything_was_killed(folder: Path) -> None:
    first = Up(folder)
    first.url()
    kill_all(folder)
    assert first.end() == -signal.SIGKILL

    second = Up(folder)
    assert answers(second.url())
    second.process.kill()  # the parent alone: its children must not outlive it
    assert second.end() == -signal.SIGKILL
    wait_until(lambda: not processes_of(folder))
