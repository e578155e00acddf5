"""Counts of requests, which a crash may forget, and the first answers under an Idempotency-Key."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("hub", "0002_audit_and_rights")]
    operations = [
        migrations.CreateModel(
            name="RequestCount",
            fields=[
                ("slot", models.UUIDField(primary_key=True, serialize=False)),
                ("started_at", models.DateTimeField()),
                ("requests", models.PositiveIntegerField()),
                ("strikes", models.PositiveSmallIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="KeptAnswer",
            fields=[
                ("slot", models.UUIDField(primary_key=True, serialize=False)),
                ("body", models.UUIDField()),
                ("sealed", models.BinaryField(default=b"")),
                ("created_at", models.DateTimeField()),
            ],
            options={"indexes": [models.Index(fields=["created_at"], name="kept_answer_by_age")]},
        ),
        # Every request updates a row: free space on the page keeps the updates there.
        migrations.RunSQL(
            "alter table hub_requestcount set unlogged; alter table hub_requestcount set (fillfactor = 50);",
            migrations.RunSQL.noop,
        ),
    ]
