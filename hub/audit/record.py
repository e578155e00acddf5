"""One writer of audit events: in the transaction of the act that it records."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from hub.audit.events import ACTIONS
from hub.models import AuditEvent

if TYPE_CHECKING:
    from hub.authn.principal import Principal


COLUMNS = [field.attname for field in AuditEvent._meta.concrete_fields]
INSERT = f"""insert into hub_auditevent ({", ".join(COLUMNS)})
values ({", ".join(["%s"] * len(COLUMNS))})"""


def record(
    principal: Principal,
    action: str,
    *,
    asset: UUID | None = None,
    target: str = "",
    version: int | None = None,
    outcome: str = "allowed",
    rule: str = "",
    payload: Mapping[str, Any] | None = None,
) -> UUID:
    """Write one event in the current transaction and give its id.

    The payload is encrypted; the leaf commits to it by a salted hash, so that it can be
    destroyed later and the log still verifies. Raises KeyError for an action not listed.
    """
    ACTIONS[action]
    event = AuditEvent(
        id=uuid4(), at=timezone.now(), team=principal.team, actor_user=principal.user,
        actor_agent=principal.agent, token=principal.token, door=principal.door, action=action,
        asset=asset, target=target[:80], version=version, outcome=outcome, rule=rule,
        request_id=principal.request_id[:64],
    )  # fmt: skip
    salt = os.urandom(32)
    plain = json.dumps(payload or {}, sort_keys=True, default=str).encode()
    nonce = os.urandom(12)
    event.payload_nonce = nonce
    event.payload_ct = AESGCM(_key("payload")).encrypt(nonce, salt + plain, event.id.bytes)
    event.commitment = hashlib.sha256(salt + plain).digest()
    core = core_of(event)
    event.mac = hmac.digest(_key("mac"), core + event.commitment, "sha256")
    event.leaf = hashlib.sha256(b"\x00" + core + event.commitment + event.mac).digest()
    with connection.cursor() as cursor:  # plain SQL: it stands behind every act
        cursor.execute(INSERT, [getattr(event, name) for name in COLUMNS])
    return event.id


def refused(principal: Principal, action: str, *, target: str = "", rule: str = "") -> None:
    """Record a refusal in a short transaction of its own. The target is kept as a keyed hash,
    so that the log tells its readers nothing about what exists.
    """
    hidden = hmac.digest(_key("target"), target.encode(), "sha256").hex()[:32] if target else ""
    with transaction.atomic():
        record(principal, action, target=hidden, outcome="refused", rule=rule)


def payload_of(event: AuditEvent) -> dict[str, Any]:
    """The payload of an event, empty once it was destroyed."""
    if event.payload_ct is None or event.payload_nonce is None:
        return {}
    plain = AESGCM(_key("payload")).decrypt(
        bytes(event.payload_nonce), bytes(event.payload_ct), event.id.bytes
    )
    found: dict[str, Any] = json.loads(plain[32:])
    return found


def core_of(event: AuditEvent) -> bytes:
    """The fields that a MAC and a leaf cover, in one canonical form."""
    names = (
        "id", "at", "team", "actor_user", "actor_agent", "token", "door", "action", "asset",
        "target", "version", "outcome", "rule", "request_id",
    )  # fmt: skip
    values = {name: getattr(event, name) for name in names}
    values["at"] = event.at.isoformat()
    return json.dumps(values, sort_keys=True, default=str, separators=(",", ":")).encode()


def _key(purpose: str) -> bytes:
    return hmac.digest(settings.AUDIT_KEY.encode(), f"audit {purpose}".encode(), "sha256")
