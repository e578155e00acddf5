"""Teams, who is in them, and the persons that content is about."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

MEMBER, ADMIN, REVIEWER, COMPLIANCE, AUDITOR = (
    "member", "admin", "reviewer", "compliance", "auditor",
)  # fmt: skip
OFFICES = (MEMBER, ADMIN, REVIEWER, COMPLIANCE, AUDITOR)


class Team(models.Model):
    """The tenant. Nothing crosses it. `epoch` rises with every change of a right."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=100)
    epoch = models.BigIntegerField(default=0)
    four_eyes = models.BooleanField(default=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    @classmethod
    def rights_changed(cls, team: uuid.UUID) -> None:
        """Raise the epoch: whatever was decided before is no longer to be reused."""
        cls.objects.filter(id=team).update(epoch=models.F("epoch") + 1)


class Membership(models.Model):
    """A person in a team, with the offices held there."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    offices = ArrayField(models.CharField(max_length=12), default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "team"], name="one_membership")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.team_id}"


class Subject(models.Model):
    """A person that content is by, about or mentions; need not be a user."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.CASCADE, related_name="subjects")
    external_id = models.CharField(max_length=200)
    aliases = ArrayField(models.CharField(max_length=200), default=list, blank=True)
    kind = models.CharField(max_length=20, default="person")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="subjects")
    fenced_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "external_id"], name="one_subject")]
        indexes = [
            models.Index(fields=["id"], name="subject_fenced", condition=models.Q(fenced_at__isnull=False))
        ]

    def __str__(self) -> str:
        return self.external_id
