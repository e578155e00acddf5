"""Measures of the product: quality, latency, engines. Each run ends with one line of JSON."""

from __future__ import annotations
