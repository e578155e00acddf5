"""Tokens: only the digest of the secret is stored."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from hub.models.teams import Subject, Team


class Token(models.Model):
    """A credential of a person, an agent, or an agent acting for a person."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    public_id = models.CharField(max_length=10, unique=True)
    digest = models.BinaryField(max_length=32)
    kind = models.CharField(max_length=10)
    team = models.ForeignKey(Team, models.CASCADE, related_name="tokens")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="tokens")
    agent = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="agent_tokens"
    )
    name = models.CharField(max_length=80, blank=True)
    actions = ArrayField(models.CharField(max_length=8), default=list)
    kinds = ArrayField(models.CharField(max_length=20), null=True)
    subject = models.ForeignKey(Subject, models.CASCADE, null=True, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=False) | models.Q(agent__isnull=False),
                name="token_has_a_holder",
            )
        ]

    def __str__(self) -> str:
        return self.public_id
