"""Signed cursors over (time, id): a page goes on after the last row it showed."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.core import signing

from hub.problems import Invalid

SALT = "cursor"
LARGEST = 200


def write(moment: datetime, row: UUID) -> str:
    return signing.dumps([moment.isoformat(), row.hex], salt=SALT)


def read(text: str | None) -> tuple[datetime, UUID] | None:
    """The place a cursor names. Raises Invalid for one that we did not write."""
    if not text:
        return None
    try:
        moment, row = signing.loads(text, salt=SALT)
        return datetime.fromisoformat(moment), UUID(hex=row)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise Invalid(fields={"cursor": "not a cursor of this list"}) from error


def size(limit: int) -> int:
    """Raises Invalid outside 1 to 200."""
    if not 1 <= limit <= LARGEST:
        raise Invalid(fields={"limit": f"1 to {LARGEST}"})
    return limit


def write_path(path: str) -> str:
    return signing.dumps(path, salt=SALT)


def read_path(text: str | None) -> str:
    """The tree path a cursor names, empty for the beginning. Raises Invalid."""
    if not text:
        return ""
    try:
        path = signing.loads(text, salt=SALT)
    except signing.BadSignature as error:
        raise Invalid(fields={"cursor": "not a cursor of this list"}) from error
    if not isinstance(path, str):
        raise Invalid(fields={"cursor": "not a cursor of this list"})
    return path
