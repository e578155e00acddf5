"""Scan tables by team, operations by month, no samples of content, and row-level security."""

from django.db import migrations

from hub import partitions

TABLES = """
create extension if not exists vector;
create table assets_nodetext (
  team uuid not null, node uuid not null, asset uuid not null, subject uuid,
  words tsvector not null, bigrams tsvector not null, length integer not null,
  occurred_at timestamptz, state varchar(10) not null, since integer not null, until integer not null,
  primary key (team, node)
) partition by hash (team);
create table assets_embedding (
  team uuid not null, node uuid not null, model uuid not null, asset uuid not null, subject uuid,
  state varchar(10) not null, since integer not null, until integer not null,
  vector halfvec not null,
  primary key (team, node, model)
) partition by hash (team);
alter table assets_embedding alter column vector set storage plain;
do $$ begin
  for i in 0..31 loop
    execute format('create table assets_nodetext_%s partition of assets_nodetext for values with (modulus 32, remainder %s)', i, i);
    execute format('create table assets_embedding_%s partition of assets_embedding for values with (modulus 32, remainder %s)', i, i);
  end loop;
end $$;
create index nodetext_by_asset on assets_nodetext (asset);
create index nodetext_by_subject on assets_nodetext (subject, asset) where subject is not null;
create index nodetext_words on assets_nodetext using gin (words) with (fastupdate = off);
create index nodetext_bigrams on assets_nodetext using gin (bigrams) with (fastupdate = off);
create index embedding_by_asset on assets_embedding (asset);
create index embedding_by_subject on assets_embedding (subject, asset) where subject is not null;
create table assets_operation (
  id uuid not null, at timestamptz not null, team uuid not null, asset uuid not null,
  sequence bigint not null, kind varchar(20) not null, ident uuid,
  actor_user uuid, actor_agent uuid, request_id varchar(64) not null, payload jsonb not null,
  primary key (at, id)
) partition by range (at);
create index operation_by_asset on assets_operation (asset, sequence);
create table assets_operation_rest partition of assets_operation default;
alter table assets_assetcounter set (fillfactor = 50);
alter table assets_nodesignal set (fillfactor = 70);
"""

# The planner's samples would keep pieces of content after it is deleted.
CONTENT = {
    "assets_node": ("title", "content", "source", "tags", "extra", "sealed"),
    "assets_asset": ("name", "title", "description", "labels"),
    "assets_nodetext": ("words", "bigrams"),
    "assets_embedding": ("vector",),
    "assets_operation": ("payload",),
    "assets_edge": ("source", "extra"),
    "assets_job": ("payload", "arguments", "problems", "error"),
    "assets_version": ("note",),
    "assets_binding": ("reason",),
    "assets_denial": ("reason",),
    "assets_assetusergrant": ("reason",),
    "assets_assetrolegrant": ("reason",),
}
BY_SCOPE = (
    "assets_node", "assets_nodetext", "assets_nodesignal", "assets_nodesubject", "assets_edge",
    "assets_version", "assets_operation", "assets_embedding",
)  # fmt: skip
BY_TEAM = ("assets_asset", "assets_assetcounter", "assets_denial", "assets_binding", "assets_job")
PLAIN_NAMES = {"assets_nodetext", "assets_operation", "assets_embedding"}

OWN_TEAM = "{team} = (select nullif(current_setting('hub.team', true), '')::uuid)"
OWN_ASSETS = "{asset} in (select unnest(nullif(current_setting('hub.assets', true), '')::uuid[]))"


def keep_no_samples(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        for table, columns in CONTENT.items():
            cursor.execute(
                "select inhrelid::regclass::text from pg_inherits where inhparent = %s::regclass",
                [table],
            )
            for name in [table, *(row[0] for row in cursor.fetchall())]:
                for column in columns:
                    cursor.execute(f'alter table "{name}" alter column "{column}" set statistics 0')


def build_walls(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        for table in (*BY_SCOPE, *BY_TEAM):
            plain = table in PLAIN_NAMES
            rule = OWN_TEAM.format(team="team" if plain else "team_id")
            if table in BY_SCOPE:
                rule += " and " + OWN_ASSETS.format(asset="asset" if plain else "asset_id")
            cursor.execute(f"alter table {table} enable row level security")
            cursor.execute(f"alter table {table} force row level security")
            cursor.execute(f"create policy app on {table} to hub_app using ({rule}) with check ({rule})")
            cursor.execute(f"create policy owner on {table} to current_user using (true) with check (true)")
        cursor.execute(
            "select inhrelid::regclass::text from pg_inherits where inhparent in "
            "('assets_nodetext'::regclass, 'assets_embedding'::regclass, 'assets_operation'::regclass)"
        )
        for (name,) in cursor.fetchall():
            cursor.execute(f"revoke all on {name} from hub_app")
        cursor.execute("revoke update, delete, truncate on assets_operation from hub_app")


def make_months(apps, schema_editor):
    partitions.ensure(schema_editor.connection, "assets_operation")


class Migration(migrations.Migration):
    dependencies = [("assets", "0001_first"), ("hub", "0002_audit_and_rights")]
    operations = [
        migrations.RunSQL(TABLES, "drop table assets_nodetext, assets_embedding, assets_operation"),
        migrations.RunPython(make_months, migrations.RunPython.noop),
        migrations.RunPython(keep_no_samples, migrations.RunPython.noop),
        migrations.RunPython(build_walls, migrations.RunPython.noop),
    ]
