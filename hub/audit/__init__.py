"""The audit trail: one writer, in the transaction of the act."""

from __future__ import annotations

from hub.audit.events import ACTIONS
from hub.audit.record import payload_of, record, refused

__all__ = ["ACTIONS", "payload_of", "record", "refused"]
