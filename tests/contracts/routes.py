"""Every address of the hub, once: what each kind of principal gets there.

`hidden` routes name a private asset of Alice (or something on it): for all but her they are
missing. Words: ok, missing, forbidden, unauthenticated, redirect (to sign in).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PEOPLE = ("owner", "teammate", "admin", "compliance", "stranger", "superuser")
AGENTS = ("bound", "unbound")
NOBODY = ("anonymous", "revoked", "suspended", "left", "expired")


@dataclass(frozen=True)
class Route:
    """A method and address with the outcome per principal; `others` is for who is not named."""

    method: str
    address: str
    body: dict[str, Any] | None = None
    others: int = 404
    named: tuple[tuple[str, int], ...] = ()


def own(status: int, *, bound: int = 404, others: int = 404) -> dict[str, Any]:
    return {"others": others, "named": (("owner", status), ("bound", bound))}


API = (
    Route("GET", "me", others=200),
    Route("GET", "me/pack", others=200),
    Route("GET", "team", others=200),
    Route("PATCH", "team", {"four_eyes": True, "reason": "r"}, others=403, named=(("admin", 200), ("stranger", 403))),
    Route("GET", "members", others=200),
    Route("POST", "members", {"username": "charlie", "reason": "r"}, others=403, named=(("admin", 201),)),
    Route("GET", "members/{user}", others=200, named=(("stranger", 404), ("bound", 404), ("unbound", 404))),
    Route("PATCH", "members/{user}", {"offices": ["reviewer"], "reason": "r"}, others=403, named=(("admin", 200),)),
    Route("DELETE", "members/{user}?reason=r", others=403, named=(("admin", 200),)),
    Route("GET", "agents", others=200),
    Route("POST", "agents", {"name": "new-agent"}, others=403, named=(("admin", 201),)),
    Route("GET", "agents/{agent}", others=200, named=(("stranger", 404), ("bound", 404))),
    Route("PATCH", "agents/{agent}", {"is_enabled": True}, others=403, named=(("admin", 200), ("stranger", 403))),
    Route("GET", "roles", others=200),
    Route("POST", "roles", {"name": "New role"}, others=403, named=(("admin", 201),)),
    Route("GET", "roles/{role}/holders", others=200, named=(("stranger", 404), ("bound", 404), ("unbound", 404))),
    Route("GET", "roles/{role}", others=200, named=(("stranger", 404), ("unbound", 404))),
    Route("PATCH", "roles/{role}", {"name": "Another name"}, others=403, named=(("admin", 200),)),
    Route("POST", "roles/{role}/holders", {"holder": "{agent}"}, others=403, named=(("admin", 204),)),
    Route("GET", "tokens", others=200),
    Route("POST", "tokens", {"for": "{agent}", "actions": ["read"]},
          named=(("owner", 201), ("admin", 201), ("bound", 403), ("unbound", 403))),
    Route("GET", "tokens/{token}", named=(("owner", 200),)),
    Route("DELETE", "tokens/{token}", named=(("owner", 204),)),
    Route("POST", "retrieve", {"query": "heron"}, others=200),
    Route("POST", "remember", {"text": "a new text", "asset": "{asset}"}, **own(201)),
    Route("GET", "assets", others=200),
    Route("POST", "assets", {"name": "mine too"}, others=201, named=(("bound", 403), ("unbound", 403))),
    Route("GET", "assets/{asset}", **own(200, bound=200)),
    Route("PATCH", "assets/{asset}", {"title": "Diary"}, **own(200, bound=403)),
    Route("GET", "assets/{asset}/nodes", **own(200, bound=200)),
    Route("GET", "assets/{asset}/grants", **own(200, bound=403)),
    Route("POST", "assets/{asset}/grants", {"to": "{agent}", "level": "read", "reason": "r"}, **own(201, bound=403)),
    Route("GET", "assets/{asset}/denials", **own(200, bound=403)),
    Route("POST", "assets/{asset}/denials", {"to": "{role}", "reason": "r"}, **own(201, bound=403)),
    Route("GET", "assets/{asset}/visibility?to=team", **own(200, bound=403)),
    Route("POST", "assets/{asset}/visibility", {"to": "private", "reason": "r"}, **own(200, bound=403)),
    Route("POST", "assets/{asset}/status", {"to": "draft", "reason": "r"}, **own(409, bound=403)),
    Route("POST", "assets/{asset}/quarantine", {"quarantined": False, "reason": "r"}, **own(200, bound=403)),
    Route("GET", "nodes?tag=heron", others=200),
    Route("GET", "nodes/{node}", **own(200, bound=200)),
    Route("GET", "grants/{grant}", **own(200, bound=403)),
    Route("GET", "denials/{denial}", **own(200, bound=403)),
    Route("DELETE", "grants/{grant}", **own(204, bound=403)),
    Route("DELETE", "denials/{denial}", **own(204, bound=403)),
    Route("POST", "imports", {"messages": [{"speaker": "a", "content": "b"}], "name": "x", "asset": "{asset}"},
          **own(202)),
    Route("GET", "jobs/{job}", **own(200)),
    Route("GET", "bindings", others=200),
    Route("POST", "bindings", {"asset": "{asset}", "agent": "{second}", "reason": "r"}, **own(201, bound=403)),
    Route("GET", "bindings/{binding}", **own(200, bound=200)),
    Route("DELETE", "bindings/{binding}", **own(204, bound=403)),
    Route("GET", "access/explain?asset={asset}", **own(200, bound=200)),
    Route("GET", "access/who-can?asset={asset}", **own(200, bound=403)),
    Route("GET", "access/what-can", others=200),
    Route("GET", "loadouts", others=200),
    Route("GET", "loadouts/{holder}", others=200, named=(("stranger", 404), ("unbound", 404))),
    Route("PUT", "loadouts/{holder}", {"items": [], "reason": "r"}, others=403, named=(("admin", 200), ("stranger", 404), ("unbound", 404))),
    Route("POST", "loadouts/{holder}/preview", {"items": []}, others=403,
          named=(("admin", 200), ("stranger", 404), ("unbound", 404))),
    Route("GET", "loadouts/{holder}/versions", others=200, named=(("stranger", 404), ("unbound", 404))),
    Route("GET", "loadouts/{holder}/difference?old={absent}"),
    Route("POST", "loadouts/{holder}/rollback", {"version": "{absent}", "reason": "r"}),
    Route("GET", "loadouts/{holder}/export", others=200, named=(("stranger", 404), ("unbound", 404))),
    Route("POST", "loadouts/{holder}/import", {"document": {"format": "loadout/1", "items": []}, "reason": "r"},
          others=403, named=(("admin", 200), ("stranger", 404), ("unbound", 404))),
    Route("GET", "loadout-templates/{template}", others=200),
)  # fmt: skip
PAGES = (
    Route("GET", "", others=302),
    Route("GET", "try?q=heron", others=200),
    Route("GET", "assets", others=200),
    Route("GET", "assets/{asset}", named=(("owner", 200),)),
    Route("GET", "agents", others=200),
    Route("GET", "audit", named=(("admin", 200), ("compliance", 200))),
    Route("POST", "try/unbind", {"binding": "{binding}", "reason": "r"}, named=(("owner", 302),)),
    Route("GET", "assets/{asset}/edit", named=(("owner", 200),)),
    Route("POST", "assets/{asset}/edit", {"title": "Diary"}, named=(("owner", 302),)),
    Route("POST", "assets/{asset}/status", {"to": "draft", "reason": "r"}, named=(("owner", 302),)),
    Route("POST", "assets/{asset}/quarantine", {"quarantined": "no", "reason": "r"}, named=(("owner", 302),)),
    Route("GET", "assets/{asset}/versions", named=(("owner", 200),)),
    Route("GET", "assets/{asset}/visibility?to=team", named=(("owner", 200),)),
    Route("POST", "assets/{asset}/visibility", {"to": "private", "reason": "r"}, named=(("owner", 302),)),
    Route("GET", "assets/{asset}/access", named=(("owner", 200),)),
    Route("POST", "assets/{asset}/access/{what}/add", {"to": "{role}", "reason": "r"}, named=(("owner", 302),)),
    Route("POST", "assets/{asset}/access/{what}/remove", {"row": "{denial}", "reason": "r"}, named=(("owner", 302),)),
    Route("GET", "loadouts", others=200),
    Route("GET", "loadouts/{holder}", others=200, named=(("stranger", 404),)),
    Route("POST", "loadouts/{holder}", {"act": "preview"}, others=403, named=(("admin", 200), ("stranger", 404))),
    Route("GET", "loadouts/{holder}/versions", others=200, named=(("stranger", 404),)),
    Route("POST", "loadouts/{holder}/rollback", {"version": "{absent}", "reason": "r"}),
    Route("GET", "loadouts/{holder}/export", others=200, named=(("stranger", 404),)),
    Route("GET", "access", others=200),
    Route("GET", "access?asset={asset}", named=(("owner", 200),)),
    Route("POST", "access/take", {"asset": "{asset}", "who": "{agent}", "reason": "r"}, named=(("owner", 302),)),
    Route("GET", "access/who-can?asset={asset}", named=(("owner", 200),)),
    Route("GET", "access/what-can", others=200),
    Route("POST", "agents", {"name": "new-agent"}, others=403, named=(("admin", 302),)),
    Route("GET", "agents/{agent}", others=200, named=(("stranger", 404),)),
    Route("POST", "agents/{agent}/tokens", {"name": "ci"}, named=(("owner", 200), ("admin", 200))),
    Route("POST", "agents/{agent}/tokens/revoke", {"token": "{token}"}, named=(("owner", 302),)),
    Route("POST", "agents/{agent}/enabled", {"enabled": "yes"}, others=403, named=(("admin", 302), ("stranger", 403))),
    Route("POST", "agents/{agent}/roles", {"role": "{role}", "holds": "yes", "reason": "r"}, others=403,
          named=(("admin", 302), ("stranger", 403))),
    Route("POST", "roles", {"name": "New role"}, others=403, named=(("admin", 302),)),
    Route("POST", "try/bind", {"asset": "{asset}", "agent": "{second}", "reason": "r"}, named=(("owner", 302),)),
)  # fmt: skip
OPEN_API = ("problems", "problems/{code}")  # explains refusals to everybody, GET only
OPEN = {"healthz", "sign-in", "sign-out"}  # health, and the way in and out
