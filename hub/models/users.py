"""People and the accounts behind agents."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models


class PeopleManager(UserManager["User"]):
    """Only people: what the sign-in form may find."""

    def get_queryset(self) -> models.QuerySet[User]:
        return super().get_queryset().filter(kind=User.PERSON)


class User(AbstractUser):
    """A person, or the account behind an agent (`kind` agent), which can never sign in."""

    PERSON, AGENT = "person", "agent"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=8, choices=[(PERSON, "person"), (AGENT, "agent")], default=PERSON)
    language = models.CharField(max_length=10, blank=True)
    fenced_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[UserManager[Any]] = UserManager()
    people: ClassVar[PeopleManager] = PeopleManager()

    class Meta:
        indexes = [
            models.Index(fields=["id"], name="user_fenced", condition=models.Q(fenced_at__isnull=False))
        ]

    def __str__(self) -> str:
        return self.get_full_name() or self.username
