"""The supervisor: a child that keeps ending stops everything, a patient one does not."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import pytest

from hub.embedded import supervisor
from hub.embedded.process import StartError, command
from hub.embedded.supervisor import Child, Supervisor

if TYPE_CHECKING:
    from pathlib import Path


def child(program: str, **changes: object) -> Child:
    argv = [sys.executable, "-I", "-S", "-c", program]
    return Child("child", lambda: command(argv), {}, **changes)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(supervisor, "LONGEST_PAUSE", 0.02)


def test_five_ends_within_a_minute_are_a_failure(tmp_path: Path) -> None:
    async def run() -> None:
        watching = Supervisor(tmp_path, tmp_path)
        failing = child("print('so it goes'); raise SystemExit(3)")
        watching.keep(failing)
        try:
            await asyncio.wait_for(watching.failed, 30)
        finally:
            await watching.stop([failing])

    with pytest.raises(StartError, match="child ended 5 times within a minute"):
        asyncio.run(run())
    assert (tmp_path / "child.log").read_text().count("so it goes") == 5


def test_ends_that_are_no_fault_do_not_count(tmp_path: Path) -> None:
    async def run() -> int:
        watching = Supervisor(tmp_path, tmp_path)
        waiting = child("print('still held')", is_patient=lambda text: "held" in text)
        watching.keep(waiting)
        log = tmp_path / "child.log"
        while not log.exists() or log.read_text().count("held") < 7:
            assert not watching.failed.done()
            await asyncio.sleep(0.05)
        await watching.stop([waiting])
        watching.failed.cancel()
        return len(waiting.ends)

    assert asyncio.run(run()) == 0


def test_a_child_that_does_not_stop_is_killed(tmp_path: Path) -> None:
    program = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('deaf', flush=True); time.sleep(60)"
    )

    async def run() -> int | None:
        watching = Supervisor(tmp_path, tmp_path)
        deaf = child(program, grace=0.2)
        watching.keep(deaf)
        await watching.until("the log", (tmp_path / "child.log").exists, 30)
        await watching.stop([deaf])
        watching.failed.cancel()
        assert deaf.process is not None
        return deaf.process.returncode

    assert asyncio.run(run()) == -9


def test_a_failed_step_is_said_and_its_words_are_not_kept(tmp_path: Path) -> None:
    async def run() -> None:
        watching = Supervisor(tmp_path, tmp_path)
        try:
            await watching.once("step", [sys.executable, "-c", "raise SystemExit(2)"], {})
        finally:
            watching.failed.cancel()

    with pytest.raises(StartError, match="step failed with 2"):
        asyncio.run(run())
    assert list(tmp_path.iterdir()) == []
