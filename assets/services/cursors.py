"""Cursors of lists of what is remembered: by time as everywhere, or by the path in a tree."""

from __future__ import annotations

from hub.cursors import LARGEST, read, sign, size, unsign, write, wrong

__all__ = ["LARGEST", "read", "read_path", "size", "write", "write_path"]


def write_path(path: str) -> str:
    return sign(path, "path")


def read_path(text: str | None) -> str:
    """The tree path a cursor names, empty for the beginning. Raises Invalid."""
    if not text:
        return ""
    path = unsign(text, "path")
    if not isinstance(path, str):
        raise wrong()
    return path
