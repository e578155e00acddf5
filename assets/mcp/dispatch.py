"""The tools of the endpoint, and one call of one of them: count, read the arguments, act, or say why not."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from assets.mcp import arguments as reading
from assets.mcp.assets import READ
from assets.mcp.remember import REMEMBER
from assets.mcp.retrieve import SEARCH
from assets.mcp.tools import Result, Tool
from hub.authn import counting
from hub.authn.principal import Principal
from hub.problems import KINDS, Missing, Problem, TooMany

log = logging.getLogger(__name__)
TOOLS: dict[str, Tool] = {tool.name: tool for tool in (SEARCH, READ, REMEMBER)}
PRINCIPAL = "hub.principal"  # the name under which the door puts who asks into the ASGI scope
LARGEST_BODY = max(tool.policy.largest_body for tool in TOOLS.values())


def call(principal: Principal, tool: Tool, given: Mapping[str, Any]) -> Result | str:
    """What the tool gives, or the text of its refusal, which begins with a stable code.

    A refusal holds nothing of what is stored, so that hidden and missing are one text.
    """
    who = counting.principal_name(principal)
    try:
        standing = counting.count(tool.bucket, who, guesses=not tool.policy.only_asks)
        if standing.wait:
            raise TooMany(standing.wait)
        return tool.act(principal, reading.read(tool.takes, given))
    except Problem as problem:
        if isinstance(problem, Missing):
            counting.count("missing", who)
        return refusal(problem)
    except Exception:
        log.exception("tool %s failed in %s", tool.name, principal.request_id)
        return f"failed: {KINDS['failed'].title}. Try again, and name {principal.request_id} if it stays."


def message(principal: Principal) -> None:
    """Count what is no call of a tool: a greeting, a listing, a notice. Raises TooMany."""
    standing = counting.count("read", counting.principal_name(principal))
    if standing.wait:
        raise TooMany(standing.wait)


def refusal(problem: Problem) -> str:
    """`code: what to do`, then a line for each bad argument."""
    fields = [f"- {name}: {reason}" for name, reason in problem.fields.items()]
    return "\n".join([f"{problem.code}: {problem.detail}", *fields])
