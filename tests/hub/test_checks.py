"""A process does not start on a key that stands in the source."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("given", [{}, {"HUB_AUDIT_KEY": "k" * 50}])
def test_web_and_worker_refuse_without_their_key(given: dict[str, str]) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HUB_", "DJANGO"))}
    ran = subprocess.run(
        [sys.executable, "-c", "import hub.asgi"],
        cwd=ROOT, env=kept | given, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode != 0
    assert "HUB_SECRET_KEY is not set" in ran.stderr
    assert "Traceback" not in ran.stderr
