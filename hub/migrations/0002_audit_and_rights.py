"""The audit table (append-only, monthly) and what the app's login may do."""

from django.db import migrations

from hub import partitions

AUDIT = """
create table hub_auditevent (
  id uuid not null, at timestamptz not null, xid xid8 not null default pg_current_xact_id(),
  team uuid, actor_user uuid, actor_agent uuid, token uuid,
  door varchar(10) not null, action varchar(40) not null, asset uuid, target varchar(80) not null,
  version bigint, outcome varchar(10) not null, rule varchar(40) not null,
  request_id varchar(64) not null, payload_ct bytea, payload_nonce bytea,
  commitment bytea not null, mac bytea not null, leaf bytea not null,
  primary key (at, id)
) partition by range (at);
create index audit_by_team on hub_auditevent (team, at desc, id);
create index audit_by_asset on hub_auditevent (asset, at desc) where asset is not null;
create index audit_by_xid on hub_auditevent (xid);
create table hub_auditevent_rest partition of hub_auditevent default;
"""

# The planner's samples would keep pieces of free text and of names after they are deleted.
QUIET = """
alter table hub_agent alter column description set statistics 0;
alter table hub_subject alter column external_id set statistics 0, alter column aliases set statistics 0;
alter table hub_loadoutversion alter column reason set statistics 0, alter column entries set statistics 0;
"""

RIGHTS = """
do $$ begin
  if not exists (select from pg_roles where rolname = 'hub_app') then
    raise exception 'The database role hub_app is missing: create it first (docs/operations.md).';
  end if;
end $$;
grant usage on schema public to hub_app;
alter default privileges in schema public grant select, insert, update, delete on tables to hub_app;
alter default privileges in schema public grant usage, select on sequences to hub_app;
grant select, insert, update, delete on all tables in schema public to hub_app;
grant usage, select on all sequences in schema public to hub_app;
revoke all on hub_auditevent, hub_auditevent_rest from hub_app;
grant select, insert on hub_auditevent to hub_app;
"""


def make_months(apps, schema_editor):
    partitions.ensure(schema_editor.connection, "hub_auditevent")


class Migration(migrations.Migration):
    dependencies = [("hub", "0001_first")]
    operations = [
        migrations.RunSQL(AUDIT, "drop table hub_auditevent"),
        migrations.RunSQL(QUIET, migrations.RunSQL.noop),
        migrations.RunSQL(RIGHTS, migrations.RunSQL.noop),
        migrations.RunPython(make_months, migrations.RunPython.noop),
    ]
