"""Signed cursors: a page goes on after the last row it showed. A cursor names a place and opens
nothing: every page asks anew what its caller may see.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.core import signing

from hub.problems import Invalid

LARGEST = 200


def sign(place: Any, of: str) -> str:
    """A cursor of the list `of` at a JSON value."""
    return signing.dumps(place, salt=f"cursor:{of}")


def unsign(text: str, of: str) -> Any:
    """The place a cursor of the list `of` names. Raises Invalid for one that we did not write."""
    try:
        return signing.loads(text, salt=f"cursor:{of}")
    except (signing.BadSignature, ValueError) as error:
        raise wrong() from error


def write(moment: datetime, row: UUID, of: str = "") -> str:
    return sign([moment.isoformat(), row.hex], of)


def read(text: str | None, of: str = "") -> tuple[datetime, UUID] | None:
    """The moment and row that a cursor names. Raises Invalid."""
    if not text:
        return None
    try:
        moment, row = unsign(text, of)
        return datetime.fromisoformat(moment), UUID(hex=row)
    except (ValueError, TypeError, AttributeError) as error:
        raise wrong() from error


def size(limit: int) -> int:
    """Raises Invalid outside 1 to 200."""
    if not 1 <= limit <= LARGEST:
        raise Invalid(fields={"limit": f"1 to {LARGEST}"})
    return limit


def wrong() -> Invalid:
    return Invalid(fields={"cursor": "not a cursor of this list"})
