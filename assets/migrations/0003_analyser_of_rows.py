"""Each row of words says which analyser made it, so that an older one is found and made again."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("assets", "0002_scan_tables_and_walls")]
    operations = [
        migrations.RunSQL(
            "alter table assets_nodetext add column analyser smallint not null default 1",
            "alter table assets_nodetext drop column analyser",
        ),
        # When it happened or, where that is unknown, when it was recorded: never null.
        migrations.RunSQL(
            "update assets_nodetext t set occurred_at = n.recorded_at from assets_node n"
            " where n.id = t.node and t.occurred_at is null",
            migrations.RunSQL.noop,
        ),
    ]
