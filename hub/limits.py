"""How much one caller may ask: the buckets, their limits, and how a setting changes them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hub.env import SettingError


@dataclass(frozen=True, slots=True)
class Limit:
    """`requests` in `seconds`. Where it `grows`, every full window in a row doubles the next."""

    requests: int
    seconds: int = 60
    grows: bool = False


LIMITS: dict[str, Limit] = {
    "search": Limit(600),  # questions: retrieve and what asks like it
    "read": Limit(1200),
    "write": Limit(300),
    "missing": Limit(40, grows=True),  # answers 404: guessing ids ends here, asking may go on
    "nobody": Limit(120),  # requests without a live token, by network address
    "sign_in": Limit(10, grows=True),  # tries for one name from one network address
    "sign_in_address": Limit(60, grows=True),  # tries for any name from one network address
}
FORM = re.compile(r"([a-z_]+)=([1-9][0-9]{0,8})/([1-9][0-9]{0,4})")


def read(text: str) -> dict[str, Limit]:
    """The limits with those of a setting, such as `search=100/60,write=20/60`, in their place.

    Raises SettingError for an unknown bucket or another form.
    """
    found = dict(LIMITS)
    for part in filter(None, (one.strip() for one in text.split(","))):
        parsed = FORM.fullmatch(part)
        if parsed is None or parsed[1] not in LIMITS:
            message = f"HUB_LIMITS: {part!r} is not of the form bucket=requests/seconds; buckets are {', '.join(LIMITS)}"
            raise SettingError(message)
        found[parsed[1]] = Limit(int(parsed[2]), int(parsed[3]), LIMITS[parsed[1]].grows)
    return found
