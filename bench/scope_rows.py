"""Rows for the bench of scopes, made by SQL: one team that is asked, and others that grow around it.

Ids are digests of what they name, so that nothing has to be looked up. An asset of any team has
ten grants and bindings: three loadouts and two agents carry it, four principals and a role hold
a grant. The agents that are asked carry 10, 200 or 2,000 assets, a fifth of them directly.
"""

from __future__ import annotations

from typing import Any

ASKED = (10, 200, 2000)  # bound assets of the agents that are asked
ROLES, PEOPLE, AGENTS = 4, 8, 50  # each team has
OURS, THEIRS = 20_000, 402  # assets of the asked team and of every other one
MATES = 100  # agents of the asked team beside those asked

# %(low)s to %(high)s are the numbers of the teams; the asked one has the number 0.
TEAMS = "generate_series(%(low)s::int, %(high)s::int) as t"
ID = "md5({0})::uuid"
TEAM = ID.format("'team ' || t")
LEVEL = """(select p.id from auth_permission p join django_content_type c on c.id = p.content_type_id
  where c.app_label = 'assets' and p.codename = 'read_asset')"""


def named(kind: str, number: str) -> str:
    """The id of one thing of the team `t`."""
    return ID.format(f"'{kind} ' || t || ' ' || ({number})")


def many(number: int) -> str:
    return f"{TEAMS}, generate_series(0, {number} - 1) as n"


MINE = f"case t when 0 then {MATES} else {AGENTS} end"
SIZE = f"case t when 0 then {OURS} else {THEIRS} end"
AGENTS_OF = f"{TEAMS}, generate_series(0, {MINE} - 1) as n"
ASSETS_OF = f"{TEAMS}, generate_series(0, {SIZE} - 1) as n"
USER = """insert into hub_user (password, is_superuser, username, first_name, last_name, email, is_staff,
    is_active, date_joined, id, kind, language)
  select '!', false, {name}, '', '', '', false, true, now(), {id}, '{kind}', 'en' from {rows}"""
GRANT = """insert into assets_assetusergrant (id, reason, granted_at, content_object_id, permission_id, user_id)
  select md5('grant {mark} ' || t || ' ' || n)::uuid, '', now(), {asset}, {level}, {user} from {rows}"""
BIND = """insert into assets_binding (id, access, mode, follow, priority, reason, automatic, made_at,
    agent_id, asset_id, loadout_id, team_id)
  select md5('binding {mark} ' || t || ' ' || n)::uuid, case n %% 4 when 0 then 'write' else 'read' end,
    'retrieve', 'approved', 50, '', false, now(), {agent}, {asset}, {loadout}, {team} from {rows}"""


def user(kind: str, letter: str, rows: str) -> str:
    name = f"'{kind} ' || t || ' ' || n"
    return USER.format(name=name, id=named(kind, "n"), kind=letter, rows=rows)


def role(number: str, rows: str) -> list[str]:
    """Roles with their groups and loadouts."""
    group = f"'role ' || t || ' ' || ({number})"
    return [
        f"insert into auth_group (name) select {group} from {rows}",
        f"""insert into hub_role (id, name, created_at, group_id, team_id)
          select {named("role", number)}, 'role ' || ({number}), now(),
            (select id from auth_group where name = {group}), {TEAM} from {rows}""",
        f"""insert into hub_loadout (id, version, budget_tokens, role_id, team_id)
          select {named("loadout", number)}, 0, 2000, {named("role", number)}, {TEAM} from {rows}""",
    ]


def hold(agent: str, number: str, rows: str) -> str:
    return f"""insert into hub_user_groups (user_id, group_id)
      select {agent}, (select id from auth_group where name = 'role ' || t || ' ' || ({number})) from {rows}"""


def agents(rows: str) -> list[str]:
    return [
        user("agent", "agent", rows),
        f"""insert into hub_agent (account_id, name, description, is_enabled, created_at, responsible_id, team_id)
          select {named("agent", "n")}, 'agent ' || n, '', true, now(), {named("person", f"n %% {PEOPLE}")}, {TEAM}
          from {rows}""",
    ]


def teams() -> list[str]:
    """Statements that make the teams from `low` to `high`, with everything in them."""
    asset = named("asset", "n")
    return [
        f"""insert into hub_team (id, name, epoch, four_eyes, created_at)
          select {TEAM}, 'team ' || t, 0, true, now() from {TEAMS}""",
        user("person", "person", many(PEOPLE)),
        f"""insert into hub_membership (id, offices, created_at, user_id, team_id)
          select {named("member", "n")}, array['member'], now(), {named("person", "n")}, {TEAM} from {many(PEOPLE)}""",
        *agents(AGENTS_OF),
        *role("n", many(ROLES)),
        f"""insert into hub_loadout (id, version, budget_tokens, team_id)
          select {ID.format("'base ' || t")}, 0, 2000, {TEAM} from {TEAMS}""",
        hold(named("agent", "n"), f"n %% {ROLES}", AGENTS_OF),
        f"""insert into assets_asset (id, kind, name, title, description, labels, visibility, status, quarantined,
            head, approved, settings, created_at, updated_at, owner_id, team_id)
          select {asset}, (array['chat_memory', 'wiki', 'skill'])[1 + n %% 3], 'asset ' || n, '', '', '{{}}',
            (array['team', 'agent', 'restricted', 'private'])[1 + n %% 4],
            case n %% 20 when 7 then 'archived' else 'approved' end, n %% 100 = 13, 3, 2, '{{}}', now(), now(),
            {named("person", f"n %% {PEOPLE}")}, {TEAM} from {ASSETS_OF}""",
        f"""insert into assets_assetcounter (asset_id, sequence, labels, row_count, characters, team_id)
          select {asset}, 3, 3, 10, 1000, {TEAM} from {ASSETS_OF}""",
        f"""insert into assets_denial (id, reason, made_at, asset_id, user_id, team_id)
          select {named("denial", "n")}, '', now(), {asset}, {named("agent", f"n %% {AGENTS}")}, {TEAM}
          from {ASSETS_OF} where n %% 20 = 3""",
        *(_loadout(mark, asset) for mark in range(3)),
        *(_direct(mark, asset) for mark in range(2)),
        *(_granted(mark, asset) for mark in range(3)),
        GRANT.format(
            mark="p", asset=asset, level=LEVEL, user=named("person", f"n %% {PEOPLE}"), rows=ASSETS_OF
        ),
        f"""insert into assets_assetrolegrant (id, reason, granted_at, content_object_id, permission_id, group_id)
          select {named("role grant", "n")}, '', now(), {asset}, {LEVEL}, g.id from {ASSETS_OF}, auth_group g
          where g.name = 'role ' || t || ' ' || (n %% {ROLES})""",
    ]  # fmt: skip


def _loadout(mark: int, asset: str) -> str:
    loadout = named("loadout", f"(n + {mark}) %% {ROLES}")
    return BIND.format(
        mark=f"l{mark}", agent="null::uuid", asset=asset, loadout=loadout, team=TEAM, rows=ASSETS_OF
    )


def _direct(mark: int, asset: str) -> str:
    agent = named("agent", f"(n * 7 + {mark}) %% ({MINE})")
    return BIND.format(
        mark=f"d{mark}", agent=agent, asset=asset, loadout="null::uuid", team=TEAM, rows=ASSETS_OF
    )


def _granted(mark: int, asset: str) -> str:
    agent = named("agent", f"(n * 3 + {mark}) %% ({MINE})")
    return GRANT.format(mark=mark, asset=asset, level=LEVEL, user=agent, rows=ASSETS_OF)


def asked() -> list[str]:
    """The agents that are asked, each with a role; half of what is restricted is granted."""
    found: list[str] = []
    for place, number in enumerate(ASKED):
        one = f"{TEAMS}, (select {MATES + place} as n) as x"
        own = named("agent", str(MATES + place))
        rows = f"{TEAMS}, generate_series(0, {number} - 1) as n"
        asset = named("asset", f"(n * 9 + {place}) %% {OURS}")
        found += agents(one)
        found += role(str(ROLES + place), TEAMS)
        found.append(hold(own, str(ROLES + place), TEAMS))
        found.append(BIND.format(
            mark=f"al{place}", agent="null::uuid", asset=asset, team=TEAM,
            loadout=named("loadout", str(ROLES + place)), rows=f"{rows} where n %% 5 > 0",
        ))  # fmt: skip
        found.append(BIND.format(
            mark=f"ad{place}", agent=own, asset=asset, team=TEAM, loadout="null::uuid",
            rows=f"{rows} where n %% 5 = 0",
        ))  # fmt: skip
        found.append(GRANT.format(
            mark=f"a{place}", asset=asset, level=LEVEL, user=own, rows=f"{rows} where n %% 2 = 0"
        ))  # fmt: skip
    return found


def make(cursor: Any, low: int, high: int) -> None:
    """The teams with these numbers; with number 0 also the agents that are asked."""
    for sql in teams():
        cursor.execute(sql, {"low": low, "high": high})
    for sql in asked() if low == 0 else ():
        cursor.execute(sql, {"low": 0, "high": 0})
