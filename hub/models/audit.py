"""Audit events. The table is partitioned by month and append-only for the app's login."""

from __future__ import annotations

import uuid

from django.db import models


class AuditEvent(models.Model):
    """One recorded act. Names things by id, never by foreign key: the record outlives them.

    `commitment` is SHA-256 over a salt and the payload, `mac` an HMAC over the core and the
    commitment, `leaf` the RFC 6962 leaf hash that a seal will cover. The column `xid`
    (default: the current transaction) orders sealing and is not mapped here.
    """

    pk = models.CompositePrimaryKey("at", "id")
    id = models.UUIDField(default=uuid.uuid4, editable=False)
    at = models.DateTimeField()
    team = models.UUIDField(null=True)
    actor_user = models.UUIDField(null=True)
    actor_agent = models.UUIDField(null=True)
    token = models.UUIDField(null=True)
    door = models.CharField(max_length=10)
    action = models.CharField(max_length=40)
    asset = models.UUIDField(null=True)
    target = models.CharField(max_length=80, blank=True)
    version = models.BigIntegerField(null=True)
    outcome = models.CharField(max_length=10)
    rule = models.CharField(max_length=40, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    payload_ct = models.BinaryField(null=True)
    payload_nonce = models.BinaryField(null=True)
    commitment = models.BinaryField()
    mac = models.BinaryField()
    leaf = models.BinaryField()

    class Meta:
        managed = False
        db_table = "hub_auditevent"

    def __str__(self) -> str:
        return f"{self.action} {self.outcome}"
