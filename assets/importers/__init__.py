"""Importers: bytes in, frozen conversations and problems out. No rows, no network."""

from __future__ import annotations
