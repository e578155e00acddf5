"""Versions of what an agent carries directly, and the digest of every version."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("hub", "0003_limits_and_idempotency"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="loadoutversion",
            name="one_loadout_version",
        ),
        migrations.AddField(
            model_name="loadoutversion",
            name="agent",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="loadout_versions",
                to="hub.agent",
            ),
        ),
        migrations.AddField(
            model_name="loadoutversion",
            name="digest",
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AlterField(
            model_name="loadoutversion",
            name="loadout",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="versions",
                to="hub.loadout",
            ),
        ),
        migrations.AddConstraint(
            model_name="loadoutversion",
            constraint=models.CheckConstraint(
                condition=models.Q(("loadout__isnull", False), ("agent__isnull", False), _connector="XOR"),
                name="loadout_version_has_one_holder",
            ),
        ),
        migrations.AddConstraint(
            model_name="loadoutversion",
            constraint=models.UniqueConstraint(
                condition=models.Q(("loadout__isnull", False)),
                fields=("loadout", "number"),
                name="one_loadout_version",
            ),
        ),
        migrations.AddConstraint(
            model_name="loadoutversion",
            constraint=models.UniqueConstraint(
                condition=models.Q(("agent__isnull", False)),
                fields=("agent", "number"),
                name="one_agent_version",
            ),
        ),
    ]
