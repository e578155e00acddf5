"""Chat memory: what an agent or a person asks the hub to remember."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from assets import scope
from assets.importers import secrets
from assets.models import Asset, Binding
from assets.services import assets
from assets.tree import weight, write
from assets.tree.write import NewNode
from hub import audit, ids, queue
from hub.authn.principal import CHANGE, Principal
from hub.models import Agent, Subject
from hub.problems import Forbidden, Invalid, Missing, SecretFound

LONGEST = 100_000  # characters of one text
MOST_MESSAGES = 500
MINE: Literal["mine"] = "mine"


def remember(
    principal: Principal,
    *,
    text: str | None = None,
    messages: Sequence[Mapping[str, Any]] | None = None,
    asset: UUID | Literal["mine"] = MINE,
    kind: str = "observation",
    parent: UUID | None = None,
    subjects: Sequence[str] = (),
    key: str = "",
    occurred_at: datetime | None = None,
    because: str = "",
    instead_of: Sequence[str] = (),
    tags: Sequence[str] = (),
    source: str = "",
) -> dict[str, Any]:
    """Store a text (or messages) in a chat memory; found by words at once, by vector soon.

    Raises Invalid, SecretFound (nothing is stored), Missing where the asset may not be
    changed, Forbidden where a person named is being erased.
    """
    texts = _texts(text, messages)
    _check(texts, kind, tags)
    refuse_secrets([content for _, content in texts] + [because, *instead_of])
    now = timezone.now()
    with transaction.atomic():
        target = mine(principal) if asset == MINE else _target(principal, asset)
        if parent is not None:
            _seen(principal, target.id, parent)
        named = _subjects(principal, subjects)
        extra: dict[str, Any] = {"key": key} if key else {}
        if because or instead_of:
            extra |= {"because": because, "instead_of": list(instead_of)}
        trust = write.TRUST["agent" if principal.agent else "person"]
        nodes = [
            NewNode(
                kind=kind if messages is None else "message", content=content, parent=parent,
                tier=weight.tier(kind if messages is None else "message"),
                occurred_at=occurred_at, source=source, tags=tuple(tags), trust=trust,
                subjects=tuple((one, "about") for one in named),
                extra=extra | ({"speaker": speaker} if speaker else {}),
            )
            for speaker, content in texts
        ]  # fmt: skip
        written = write.append(target.id, target.team_id, principal, nodes, now)
        queue.enqueue("assets.tasks.embed", team=str(target.team_id), asset=str(target.id))
        audit.record(
            principal, "remember", asset=target.id, version=written[-1].sequence,
            target=str(written[0].ident), payload={"nodes": [str(one.ident) for one in written]},
        )  # fmt: skip
    return {
        "node": ids.public("node", written[0].ident),
        "nodes": [ids.public("node", one.ident) for one in written],
        "asset": ids.public("asset", target.id),
        "operation": ids.public("operation", written[0].operation),
        "action": "created",
        "because": "a new text" if len(written) == 1 else f"{len(written)} new texts",
        "visible_to": target.visibility,
        "readable_after": now,
    }


def refuse_secrets(texts: Sequence[str]) -> None:
    """Raises SecretFound when a live key or private key stands in any of the texts."""
    for content in texts:
        for finding in secrets.find_secrets(content) if content else ():
            if finding.verdict == "block":
                raise SecretFound(
                    f"A {finding.kind} stands at character {finding.start}. Nothing was stored: "
                    "take it out and send the text again."
                )


def mine(principal: Principal) -> Asset:
    """The principal's own chat memory under its present authority, made on first use.

    Call inside a transaction; on return the asset is behind the second wall.
    """
    if CHANGE not in principal.actions or principal.is_stranger or principal.team is None:
        raise Forbidden("This token may not write.")
    if principal.agent is None:
        return _own_of_person(principal)
    agent = Agent.objects.select_related("responsible").get(account_id=principal.agent)
    owner = principal.user or agent.responsible_id
    found = Asset.rows.filter(
        team_id=principal.in_team, created_by_agent_id=principal.agent, written_for_id=principal.user
    )
    scope.walls(principal.team, "{}")
    asset = found.first()
    if asset is None:
        try:
            with transaction.atomic():
                asset = assets.new_asset(
                    principal, owner_id=owner, created_by_agent_id=principal.agent,
                    written_for_id=principal.user, kind="chat_memory",
                    name=f"memory-of-{agent.name}"[:80] + f"-{agent.account_id.hex[:8]}"
                    + ("-for-me" if principal.user else ""),
                    title=f"Memory of {agent.name}",
                )  # fmt: skip
                Binding.objects.create(
                    team_id=principal.in_team, asset=asset, agent_id=principal.agent,
                    access="write", automatic=True, made_by_id=principal.agent, reason="its own memory",
                )  # fmt: skip
        except IntegrityError:  # another request of the same agent was first
            asset = found.get()
    return _target(principal, asset.id)


def _own_of_person(principal: Principal) -> Asset:
    name = "my-memory"
    scope.walls(principal.team, "{}")
    asset = Asset.rows.filter(team_id=principal.in_team, owner_id=principal.user, name=name).first()
    if asset is None:
        try:
            with transaction.atomic():
                asset = assets.new_asset(
                    principal, owner_id=principal.user, kind="chat_memory", name=name, title="My memory"
                )
        except IntegrityError:
            asset = Asset.rows.get(team_id=principal.in_team, owner_id=principal.user, name=name)
    return _target(principal, asset.id)


def _target(principal: Principal, asset: UUID) -> Asset:
    allowed = scope.resolve(principal, CHANGE, only=[asset])
    row: Asset | None = Asset.rows.filter(id=asset).first() if allowed.size else None
    if row is None:
        raise Missing
    if row.kind != "chat_memory":
        raise Invalid(fields={"asset": "only chat memory takes this"})
    return row


def _seen(principal: Principal, asset: UUID, node: UUID) -> None:
    """Raises Invalid for a parent that the principal may not read, as for one that never was."""
    rows = scope.resolve(principal, CHANGE, only=[asset]).fetch(
        "select 1 from {assets} join assets_nodetext t on t.asset = s.asset join assets_node n on n.id = t.node"
        " where t.team = %(team)s::uuid and {visible} and n.ident = %(ident)s",
        {"ident": node},
    )
    if not rows:
        raise Invalid(fields={"parent": "no such node in this asset"})


def _subjects(principal: Principal, names: Sequence[str]) -> list[UUID]:
    found: list[UUID] = []
    for name in names:
        if not name.strip() or len(name) > 200:
            raise Invalid(fields={"subjects": "1 to 200 characters each"})
        subject, _ = Subject.objects.get_or_create(team_id=principal.in_team, external_id=name.strip())
        if subject.fenced_at is not None or (subject.user and subject.user.fenced_at is not None):
            raise Forbidden("An erasure of a person named here is under way.")
        found.append(subject.id)
    if principal.subject is not None and principal.subject not in found:
        found.append(principal.subject)
    if principal.subject is not None and set(found) != {principal.subject}:
        raise Forbidden("This token writes about one person only.")
    return list(dict.fromkeys(found))


def _texts(text: str | None, messages: Sequence[Mapping[str, Any]] | None) -> list[tuple[str, str]]:
    if (text is None) == (messages is None):
        raise Invalid(fields={"text": "give text or messages, one of the two"})
    if messages is None:
        return [("", text or "")]
    if not 1 <= len(messages) <= MOST_MESSAGES:
        raise Invalid(fields={"messages": f"1 to {MOST_MESSAGES} messages"})
    return [
        (str(one.get("speaker") or one.get("role") or ""), str(one.get("content") or one.get("text") or ""))
        for one in messages
    ]


def _check(texts: Sequence[tuple[str, str]], kind: str, tags: Sequence[str]) -> None:
    wrong: dict[str, str] = {}
    for _, content in texts:
        if not content.strip():
            wrong["text"] = "the text is empty"
        elif len(content) > LONGEST:
            wrong["text"] = f"at most {LONGEST} characters"
        elif "\x00" in content or any(0xD800 <= ord(sign) <= 0xDFFF for sign in content):
            wrong["text"] = "holds NUL or half of a surrogate pair"
    if kind not in weight.IMPORTANCE:
        wrong["kind"] = f"one of {', '.join(sorted(weight.IMPORTANCE))}"
    if len(tags) > 50 or any(not tag or len(tag) > 60 for tag in tags):
        wrong["tags"] = "at most 50, each of 1 to 60 characters"
    if wrong:
        raise Invalid(fields=wrong)
