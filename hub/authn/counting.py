"""Counts requests in PostgreSQL, one statement each, so that all processes share one count."""

from __future__ import annotations

import hmac
import ipaddress
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from hub.authn.principal import Principal
from hub.limits import Limit

MOST_STRIKES = 6  # a window grows to 64 times its length at most

SPAN = "make_interval(secs => %(seconds)s * power(2, c.strikes))"
COUNT = f"""
insert into hub_requestcount as c (slot, started_at, requests, strikes) values (%(slot)s, now(), 1, 0)
on conflict (slot) do update set
  requests = case when c.started_at + {SPAN} <= now() then 1 else least(c.requests, %(most)s) + 1 end,
  strikes = case when c.started_at + {SPAN} > now() then c.strikes
    when %(grows)s and c.requests > %(most)s then least(c.strikes + 1, {MOST_STRIKES}) else 0 end,
  started_at = case when c.started_at + {SPAN} <= now() then now() else c.started_at end
returning c.requests, extract(epoch from c.started_at + {SPAN} - now()),
  (select extract(epoch from m.started_at + make_interval(secs => %(miss_seconds)s * power(2, m.strikes)) - now())
     from hub_requestcount m where m.slot = %(misses)s and m.requests > %(most_misses)s)"""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a caller stands in a bucket. `wait` is 0, or the seconds until it may go on."""

    limit: Limit
    remaining: int
    reset: int
    wait: int

    def headers(self) -> dict[str, str]:
        return {
            "RateLimit-Limit": str(self.limit.requests),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset),
            "RateLimit-Policy": f"{self.limit.requests};w={self.limit.seconds}",
        }


def count(bucket: str, who: str, *, guesses: bool = False) -> Standing:
    """Count one request of `who`. With `guesses`, too many missing answers hold it up as well.

    Windows begin with a caller's first request. The row's lock makes it exact: however many
    clients ask at once, no more than the limit pass in a window.
    """
    limit, missing = settings.LIMITS[bucket], settings.LIMITS["missing"]
    with connection.cursor() as cursor:
        cursor.execute(COUNT, {
            "slot": _slot(bucket, who), "most": limit.requests, "seconds": limit.seconds,
            "grows": limit.grows, "misses": _slot("missing", who) if guesses else None,
            "most_misses": missing.requests, "miss_seconds": missing.seconds,
        })  # fmt: skip
        requests, left, missed = cursor.fetchone()
    reset = max(1, math.ceil(left))
    wait = reset if requests > limit.requests else 0
    return Standing(limit, max(0, limit.requests - requests), reset, max(wait, math.ceil(missed or 0)))


def principal_name(principal: Principal) -> str:
    """A person, an agent, or an agent acting for a person: all its tokens count as one."""
    return f"{principal.agent}:{principal.user}"


def address_name(environment: Mapping[str, Any]) -> str:
    """The network that a request comes from: an address, of version 6 the network of 64 bits."""
    text = str(environment.get("REMOTE_ADDR", ""))
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text  # a local socket has no address
    if address.version == 6:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return text


def _slot(bucket: str, who: str) -> UUID:
    """A keyed hash, so that neither names nor network addresses are stored."""
    key = settings.SECRET_KEY.encode()
    return UUID(bytes=hmac.digest(key, f"limit\x00{bucket}\x00{who}".encode(), "sha256")[:16])
