"""remember: store a text or messages in a chat memory."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from assets.mcp import schemas
from assets.mcp.tools import Result, Tool, plain
from assets.services import memories
from assets.tree.weight import IMPORTANCE
from hub import ids
from hub.authn.principal import Principal
from hub.policy import MIB, Policy
from hub.problems import Missing

MESSAGE = schemas.record(
    {
        "speaker": schemas.text(longest=200),
        "role": schemas.text(longest=200),
        "content": schemas.text(longest=memories.LONGEST),
    },
    required=["content"],
)
TAKES = schemas.record(
    {
        "text": schemas.text("What to remember, in a sentence or more.", longest=memories.LONGEST),
        "messages": schemas.several(MESSAGE, "A dialogue, instead of text.", most=memories.MOST_MESSAGES),
        "asset": schemas.text(
            "The id of a chat memory; `mine` is your own.", longest=40, default=memories.MINE
        ),
        "kind": schemas.choice(tuple(sorted(IMPORTANCE)), default="observation"),
        "parent": schemas.public_id("node", "The node it belongs under."),
        "subjects": schemas.several(schemas.text(longest=200), "Persons that it is about.", most=20),
        "key": schemas.text("What it is the value of.", longest=200),
        "occurred_at": schemas.moment("When it happened, if not now."),
        "because": schemas.text("The reason for a decision.", longest=5000),
        "instead_of": schemas.several(schemas.text(longest=2000), "What was decided against.", most=20),
        "tags": schemas.several(schemas.text(longest=60), most=50),
        "source": schemas.text("Where it is from.", longest=300),
    }
)
GIVES = schemas.answer(
    {
        "node": schemas.text("The id to read it by."),
        "nodes": schemas.several(schemas.text()),
        "asset": schemas.text(),
        "operation": schemas.text(),
        "action": schemas.text(),
        "because": schemas.text(),
        "visible_to": schemas.text(),
        "readable_after": schemas.moment(),
    },
    required=["node", "nodes", "asset", "operation", "action", "because", "visible_to", "readable_after"],
)


def remember(principal: Principal, arguments: dict[str, Any]) -> Result:
    """Raises what the service raises, and Missing for an asset that is no id."""
    named = arguments.pop("asset")
    target: Any = named if named == memories.MINE else _asset(named)
    data = plain(memories.remember(principal, asset=target, **arguments))
    text = (
        f"{data['action']}: {data['because']}. Node {data['node']} in asset {data['asset']}, visible to:"
        f" {data['visible_to']}. `search` and `read` find it from now on."
    )
    return Result(text, data)


def _asset(named: str) -> UUID:
    found = ids.parse("asset", named)
    if found is None:
        raise Missing
    return found


REMEMBER = Tool(
    name="remember",
    title="Remember",
    about="Stores a text (or messages) in your own chat memory, or in one that you may write to. Live keys and"
    " passwords are refused. Say what was decided and why, what failed, what was preferred.",
    policy=Policy("remember", "token", "change", "remember", "write", largest_body=4 * MIB),
    takes=TAKES,
    gives=GIVES,
    act=remember,
)
