"""`manage.py reset_login NAME`: gives a person a new random password and prints it once."""

from __future__ import annotations

import secrets
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from hub.models import User


class Command(BaseCommand):
    help = "Set a new random password for a person and print it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        username = options["username"]
        person = User.people.filter(username=username).first()
        if person is None:
            message = f"no person signs in as {username}"
            raise CommandError(message)
        password = secrets.token_urlsafe(15)
        person.set_password(password)  # ends the person's sessions as well
        person.save(update_fields=["password"])
        self.stdout.write(f"{username} now signs in with: {password}")
        if not person.is_active:
            self.stdout.write(self.style.WARNING("this account is switched off"))
