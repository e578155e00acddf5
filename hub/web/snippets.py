"""What is copied to connect an agent: curl, the configuration of an MCP client, and Python."""

from __future__ import annotations

import json
import shlex

SLOT = "YOUR_TOKEN"


def curl(base_url: str, token: str = SLOT) -> str:
    """Asks who the caller is: the first thing to try."""
    return f'curl -s {shlex.quote(base_url + "/api/v1/me")} -H "Authorization: Bearer {token}"'


def mcp(base_url: str, token: str = SLOT) -> str:
    """For clients that speak streamable HTTP."""
    server = {"type": "http", "url": f"{base_url}/mcp", "headers": {"Authorization": f"Bearer {token}"}}
    return json.dumps({"mcpServers": {"team-memory-hub": server}}, indent=2)


def python(base_url: str, token: str = SLOT) -> str:
    """With the standard library alone."""
    return (
        "import json, urllib.request\n\n"
        f"request = urllib.request.Request(\n    {base_url + '/api/v1/retrieve'!r},\n"
        "    data=json.dumps({\"query\": \"what should I know?\", \"budget\": {\"tokens\": 2000}}).encode(),\n"
        f"    headers={{\"Authorization\": \"Bearer {token}\", \"Content-Type\": \"application/json\"}},\n"
        ")\nprint(json.load(urllib.request.urlopen(request))[\"context\"])"
    )  # fmt: skip
