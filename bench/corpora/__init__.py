"""Generated data for benches: the same rows for the same number and seed, on every machine."""

from __future__ import annotations
