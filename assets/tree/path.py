"""Paths of nodes: six-character labels of a counter, joined by dots, in C collation.

Six base-36 digits in lower case sort as text exactly as their numbers do, so a subtree is
one range of the index, and a rename changes no path.
"""

from __future__ import annotations

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
WIDTH = 6
HIGHEST = 36**WIDTH - 1
DEPTH = 64
SEPARATOR = "."
AFTER_SEPARATOR = "/"  # the character that follows "." in C collation


class PathError(ValueError):
    """A label, number or path that cannot stand in a tree."""


def label(number: int) -> str:
    """The six characters of one number of the asset's counter. Raises PathError."""
    if not 0 <= number <= HIGHEST:
        message = f"a label holds 0 to {HIGHEST}, not {number}"
        raise PathError(message)
    letters = []
    for _ in range(WIDTH):
        number, rest = divmod(number, 36)
        letters.append(DIGITS[rest])
    return "".join(reversed(letters))


def number(text: str) -> int:
    """The number of one label. Raises PathError for anything else."""
    if len(text) != WIDTH or not set(text) <= set(DIGITS):
        message = f"not a label: {text[:20]!r}"
        raise PathError(message)
    return int(text, 36)


def join(parent: str, counter: int) -> str:
    """The path of a new child. The root has an empty parent. Raises PathError at depth 64."""
    if not parent:
        return label(counter)
    if depth(parent) >= DEPTH:
        message = f"a tree is at most {DEPTH} levels deep"
        raise PathError(message)
    return f"{parent}{SEPARATOR}{label(counter)}"


def depth(path: str) -> int:
    """Levels of a path: 1 for a root, 0 for no path."""
    return path.count(SEPARATOR) + 1 if path else 0


def parent(path: str) -> str:
    """The path one level up, empty for a root."""
    return path.rpartition(SEPARATOR)[0]


def ancestors(path: str) -> list[str]:
    """The paths from the root down to the parent: the spine without its end."""
    labels = path.split(SEPARATOR)
    return [SEPARATOR.join(labels[:size]) for size in range(1, len(labels))]


def is_below(path: str, top: str) -> bool:
    """Does `path` lie under `top`? A path is not below itself."""
    return path.startswith(top + SEPARATOR)


def prefix_range(path: str) -> tuple[str, str]:
    """The half-open range `low <= x < high` that holds every path below this one.

    The node itself is outside: ask `path = top OR (path >= low AND path < high)`.
    """
    return path + SEPARATOR, path + AFTER_SEPARATOR


def move(path: str, old_top: str, new_top: str) -> str:
    """The path after the subtree at `old_top` was moved to `new_top`. Raises PathError."""
    if path != old_top and not is_below(path, old_top):
        message = "the path does not lie in the moved subtree"
        raise PathError(message)
    moved = new_top + path[len(old_top) :]
    if depth(moved) > DEPTH:
        message = f"a tree is at most {DEPTH} levels deep"
        raise PathError(message)
    return moved
