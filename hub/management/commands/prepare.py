"""What a fresh database needs beside its tables: partitions, and a first admin."""

from __future__ import annotations

import secrets
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connection, transaction

from hub import partitions
from hub.models import Loadout, Membership, Team, User


class Command(BaseCommand):
    help = "Create the coming months' partitions and, on an empty database, the first admin."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--demo", action="store_true", help="the demo makes the people")

    def handle(self, *args: Any, **options: Any) -> None:
        for table in partitions.MONTHLY:
            partitions.ensure(connection, table)
        if options["demo"] or User.objects.exists():
            return
        password = secrets.token_urlsafe(12)
        with transaction.atomic():
            team = Team.objects.create(name="Team")
            Loadout.objects.create(team=team)
            user = User.objects.create_user(username="admin", password=password)
            Membership.objects.create(team=team, user=user, offices=["member", "admin"])
        self.stdout.write(
            f"Sign in at {settings.BASE_URL}/sign-in as admin, password {password} (shown once; "
            "`manage.py reset_login admin` makes a new one)"
        )
