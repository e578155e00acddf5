"""For tests in a real browser: one started hub with the demo for all of them, and Chromium."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.hub.test_up import Up, kill_all


@pytest.fixture(scope="session")
def visited() -> Iterator[dict[str, Any]]:
    """What `demo.json` holds of a hub that runs while the tests do."""
    place = Path(tempfile.mkdtemp(prefix="hub-pages-"))
    place.chmod(0o711)
    started = Up(place, "--demo")
    try:
        started.url()
        yield json.loads((place / "demo.json").read_text("utf-8"))
        started.process.terminate()
        started.end()
    finally:
        kill_all(place)
        shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(scope="module")
def browser_here() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield browser
        browser.close()
