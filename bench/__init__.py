"""Measurements of the hub: each prints a table and ends with one JSON object."""

from __future__ import annotations
