"""Strong entity tags: a digest of what one reader is shown, so that it tells nothing else."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

ANY = "*"
TAG = re.compile(r'\s*(W/)?("[\x21\x23-\x7e]*")\s*(?:,|$)')


def of(shown: Mapping[str, Any]) -> str:
    """The tag of a representation, in quotes."""
    text = json.dumps(shown, sort_keys=True, default=str, ensure_ascii=True)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def matches(header: str, tag: str, *, weakly: bool = False) -> bool:
    """Whether a header of tags (or `*`) names this one. A weak tag matches only `weakly`."""
    if header.strip() == ANY:
        return True
    place = 0
    while found := TAG.match(header, place):
        if found[2] == tag and (weakly or not found[1]):
            return True
        place = found.end()
    return False
