"""Each row of words says which analyser made it, so that an older one is found and made again."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("assets", "0002_scan_tables_and_walls")]
    operations = [
        migrations.RunSQL(
            "alter table assets_nodetext add column analyser smallint not null default 1",
            "alter table assets_nodetext drop column analyser",
        ),
    ]
