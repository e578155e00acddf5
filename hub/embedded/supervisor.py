"""Starts children, shows and keeps their output, starts them again, and stops them in order."""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import signal
import sys
import time
from typing import TYPE_CHECKING

from hub.embedded.process import StartError, command, kill_group

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

ENDS_ALLOWED, WITHIN = (
    5,
    60.0,
)  # this many ends of one child within these seconds stop everything
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0  # seconds before a new start
LONGEST_LINE = 1 << 20
LARGEST_LOG = 10 * 1024 * 1024


@dataclasses.dataclass
class Child:
    """A program that is kept running. `is_patient` says from its last lines that an end was no fault."""

    name: str
    argv: Callable[[], list[str]]
    environment: Mapping[str, str]
    stop_by: signal.Signals = signal.SIGTERM
    grace: float = 5.0
    is_patient: Callable[[str], bool] = lambda _text: False
    process: asyncio.subprocess.Process | None = None
    ends: collections.deque[float] = dataclasses.field(default_factory=collections.deque)


class Supervisor:
    """Runs children from `folder` with logs in `logs`; create it inside a running loop."""

    def __init__(self, folder: Path, logs: Path) -> None:
        self.folder = folder
        self.logs = logs
        self.is_stopping = False
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def say(self, name: str, line: str, *, keep: bool = False) -> None:
        """Print one line with its origin; with `keep` it goes to the log file too."""
        stamp = time.strftime("%H:%M:%S")
        try:
            sys.stdout.write(f"{stamp} {name:<8} | {line}\n")
            sys.stdout.flush()
        except OSError:  # nobody reads us any more; the log files still do
            pass
        if keep:
            self._log(name, line)

    def keep(self, child: Child) -> None:
        """Start a child and start it again whenever it ends."""
        task = asyncio.create_task(self._keep(child))
        task.add_done_callback(self._note_failure)
        self._tasks[child.name] = task

    async def once(self, name: str, argv: list[str], environment: Mapping[str, str]) -> None:
        """Run a program to its end. Its words may hold a first password, so no log keeps them.

        Raises StartError when it fails.
        """
        process = await self._start(command(argv), environment)
        try:
            await self._pump(name, process, keep=False)
            code = await process.wait()
        finally:
            kill_group(process.pid)
            await process.wait()
        if code != 0:
            message = f"{name} failed with {code}; its last lines say why"
            raise StartError(message)

    async def until(self, what: str, check: Callable[[], bool], within: float) -> None:
        """Wait until `check`, which may block, says yes. Raises StartError after `within` seconds."""
        deadline = time.monotonic() + within
        while not await asyncio.to_thread(check):
            if time.monotonic() > deadline:
                message = f"{what} is not ready after {within:.0f} s; see {self.logs}"
                raise StartError(message)
            await asyncio.sleep(0.1)

    async def stop(self, *stages: list[Child]) -> None:
        """Stop stage after stage, the children of one stage at the same time."""
        self.is_stopping = True
        for stage in stages:
            await asyncio.gather(*(self._stop(child) for child in stage))

    async def _stop(self, child: Child) -> None:
        task = self._tasks.get(child.name)
        process = child.process
        if process is not None and process.returncode is None:
            process.send_signal(child.stop_by)
            try:
                await asyncio.wait_for(process.wait(), child.grace)
            except TimeoutError:
                self.say(
                    "up",
                    f"{child.name} did not stop in {child.grace:.0f} s and was killed",
                )
            kill_group(process.pid)
            await process.wait()
            if task is not None:
                await asyncio.wait({task}, timeout=2)  # its last lines
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    async def _keep(self, child: Child) -> None:
        pause = FIRST_PAUSE
        while True:
            started = time.monotonic()
            process = child.process = await self._start(child.argv(), child.environment)
            lines: collections.deque[str] = collections.deque(maxlen=20)
            pump = asyncio.create_task(self._pump(child.name, process, keep=True, lines=lines))
            code = await process.wait()
            # What it left behind would hold its pipe and its port
            kill_group(process.pid)
            await pump
            if self.is_stopping:
                return
            if time.monotonic() - started > WITHIN:
                pause = FIRST_PAUSE
            if not child.is_patient("\n".join(lines)):
                self._count_end(child, code)
            self.say("up", f"{child.name} ended with {code} and is started again", keep=True)
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _count_end(self, child: Child, code: int) -> None:
        now = time.monotonic()
        child.ends.append(now)
        while child.ends[0] < now - WITHIN:
            child.ends.popleft()
        if len(child.ends) >= ENDS_ALLOWED:
            message = (
                f"{child.name} ended {ENDS_ALLOWED} times within a minute, the last time with"
                f" {code}; see {self.logs / child.name}.log"
            )
            raise StartError(message)

    def _note_failure(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) and not self.failed.done():
            self.failed.set_exception(error)

    async def _start(self, argv: list[str], environment: Mapping[str, str]) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *argv,
            env=dict(environment),
            cwd=self.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C reaches us alone
            limit=LONGEST_LINE,
        )

    async def _pump(
        self,
        name: str,
        process: asyncio.subprocess.Process,
        *,
        keep: bool,
        lines: collections.deque[str] | None = None,
    ) -> None:
        if process.stdout is None:
            return
        while True:
            try:
                raw = await process.stdout.readline()
            except ValueError:  # a line longer than the limit: dropped
                continue
            if not raw:
                return
            line = raw.decode("utf-8", "replace").rstrip()
            if lines is not None:
                lines.append(line)
            if line:
                self.say(name, line, keep=keep)

    def _log(self, name: str, line: str) -> None:
        path = self.logs / f"{name}.log"
        try:
            if path.exists() and path.stat().st_size > LARGEST_LOG:
                path.replace(path.with_suffix(".log.1"))
            with path.open("a", encoding="utf-8") as file:
                file.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {line}\n")
        except OSError:  # a full disk must not take the service down
            pass
