"""Embedders: text to unit vectors, or none at all where no engine loads."""

from __future__ import annotations
