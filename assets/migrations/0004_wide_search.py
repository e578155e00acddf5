"""Wide scopes: the word indexes, which row-level security hides from the app, by one function."""

from django.db import migrations

# It belongs to hub_search, who may read the scan rows of all teams and cannot sign in, so it
# takes team and assets from the settings of the second wall and never as arguments: whoever calls
# it sees what a plain query would. Versions and the right to inspect stand in the order of the
# setting's assets, as the scope gives them. The conditions are those of assets/access.py, but for
# a token's lock to a person, which is never searched this way. The text that is put together holds
# numbers and the team's id alone and is planned at every call, for the lists that are there. With
# "offset 0" the planner has the indexes read once and not again for every asset.
FUNCTION = """
create function search_words(any_term tsquery, any_pair tsquery, terms tsquery[], pairs tsquery[],
                             versions int[], inspects bool[], states text[])
returns table(node uuid, length int, hits bool[])
language plpgsql stable security definer parallel restricted
set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_custom_plan
as $body$
declare
  team uuid := nullif(current_setting('hub.team', true), '')::uuid;
  assets uuid[] := nullif(current_setting('hub.assets', true), '')::uuid[];
  columns text := (
    select string_agg(format('t.%s @@ $%s[%s]', name, argument, place), ', ' order by argument, place)
      from (select 'words' as name, 3 as argument, generate_subscripts(terms, 1) as place
            union all select 'bigrams', 4, generate_subscripts(pairs, 1)) as parts);
begin
  if team is null or assets is null or columns is null then
    return;
  end if;
  return query execute format($query$
    select t.node, t.length, array[%s]
      from unnest($5::uuid[], $6::int[], $7::bool[]) as s(asset, version, inspects)
      join (select * from assets_nodetext where team = %L and (words @@ $1 or bigrams @@ $2) offset 0) t
        on t.asset = s.asset
     where t.state = any($8) and t.since <= s.version and t.until > s.version
       and coalesce(t.state <> 'held' or s.inspects, false)
       and (t.subject is null or not exists (
         select 1 from assets_nodesubject n join hub_subject p on p.id = n.subject_id
         left join hub_user u on u.id = p.user_id
         where n.node_id = t.node and n.part in ('author', 'about')
         and (p.fenced_at is not null or u.fenced_at is not null)))$query$, columns, team)
    using any_term, any_pair, terms, pairs, assets, versions, inspects, states;
end $body$;
"""
RIGHTS = """
do $$ begin
  if not exists (select from pg_roles where rolname = 'hub_search') then
    raise exception 'The database role hub_search is missing: create it first (docs/operations.md).';
  end if;
end $$;
grant usage on schema public to hub_search;
grant select on assets_nodetext to hub_search;
grant select (node_id, subject_id, part) on assets_nodesubject to hub_search;
grant select (id, user_id, fenced_at) on hub_subject to hub_search;
grant select (id, fenced_at) on hub_user to hub_search;
create policy search on assets_nodetext for select to hub_search using (true);
create policy search on assets_nodesubject for select to hub_search using (true);
revoke all on function search_words from public;
grant execute on function search_words to hub_app;
grant create on schema public to hub_search;
alter function search_words owner to hub_search;
revoke create on schema public from hub_search;
"""
BACK = """
set role hub_search;
drop function search_words;
reset role;
drop policy search on assets_nodetext;
drop policy search on assets_nodesubject;
revoke select on assets_nodetext from hub_search;
revoke select (node_id, subject_id, part) on assets_nodesubject from hub_search;
revoke select (id, user_id, fenced_at) on hub_subject from hub_search;
revoke select (id, fenced_at) on hub_user from hub_search;
revoke usage on schema public from hub_search;
"""


class Migration(migrations.Migration):
    dependencies = [("assets", "0003_analyser_of_rows")]
    operations = [
        migrations.RunSQL(FUNCTION, migrations.RunSQL.noop),
        migrations.RunSQL(RIGHTS, BACK),
    ]
