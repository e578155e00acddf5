"""Public ids: a prefix that names the kind, then the UUID without dashes."""

from __future__ import annotations

from uuid import UUID

PREFIXES = {
    "asset": "ast", "node": "nod", "agent": "agt", "user": "usr", "role": "rol", "team": "tea", "token": "tok",
    "subject": "sub", "grant": "grt", "denial": "den", "binding": "bnd", "job": "job", "event": "evt",
    "loadout": "lod", "retrieval": "ret", "version": "ver", "operation": "opn",
}  # fmt: skip


def public(kind: str, value: UUID) -> str:
    """`public("asset", uuid)` gives `ast_` and 32 hex digits."""
    return f"{PREFIXES[kind]}_{value.hex}"


def parse(kind: str, value: str) -> UUID | None:
    """The UUID of a public id of this kind, or None for anything else."""
    prefix, _, rest = value.partition("_")
    if prefix != PREFIXES[kind] or len(rest) != 32:
        return None
    try:
        return UUID(hex=rest)
    except ValueError:
        return None
