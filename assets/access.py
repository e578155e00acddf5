"""Who may see and do what: one list of named rules, asked in order, each a SQL expression.

Restrictions come first, and the first rule that fails names the decision:
erased > fenced > quarantined > denied > token scope > team > visibility and grants >
binding > default no. A principal with both a user and an agent must pass for both. The same
expressions filter rows and print the explanation. `a` is the asset, `bound` what the agent
carries of it (none where nothing is bound). Whatever is unknown or null is a no.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from hub.authn.principal import Principal

ORDER = (
    "erased > fenced > quarantined > denied > token scope > team > "
    "visibility and grants > binding > default no"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A named condition that must hold. `row` is an expression for the row that decided."""

    name: str
    passed: str
    failed: str
    sql: str
    row: str = "null::text"


def live(alias: str) -> str:
    return f"({alias}.expires_at is null or {alias}.expires_at > now())"


def granted(who: str, *levels: str) -> str:
    """A live grant of one of `levels` on the asset, to `who` or to a role that `who` holds.

    `+ 0` leaves the planner the holder and the asset to look a grant up by.
    """
    names = ", ".join(f"'{level}_asset'" for level in levels)
    allowed = f"any(array(select id from auth_permission where codename in ({names})))"
    return f"""(
      exists (select 1 from assets_assetusergrant g where g.content_object_id = a.id
              and g.user_id = {who} and g.permission_id + 0 = {allowed} and {live("g")})
      or exists (select 1 from assets_assetrolegrant g
                 join hub_user_groups h on h.group_id = g.group_id and h.user_id = {who}
                 where g.content_object_id = a.id and g.permission_id + 0 = {allowed}
                 and {live("g")}))"""


def holds(office: str) -> str:
    """The user holds this office in the asset's team."""
    return f"""exists (select 1 from hub_membership m where m.user_id = {USER}
      and m.team_id = a.team_id and '{office}' = any(m.offices))"""


USER, AGENT, ACTION = "%(user)s::uuid", "%(agent)s::uuid", "%(action)s::text"
OWN = f"coalesce(a.owner_id = {USER}, false)"
READING = ("read", "change", "manage")
# The team wants four eyes, and there is a second pair: a suspended reviewer is none.
FOUR_EYES = """(coalesce((select t.four_eyes from hub_team t where t.id = a.team_id), true)
  and (select count(*) from hub_membership m join hub_user u on u.id = m.user_id and u.is_active
       where m.team_id = a.team_id and 'reviewer' = any(m.offices)) >= 2)"""
# The grant that lets the principal in, where one is needed; else the visibility.
GRANT_ROW = f"""case when a.visibility = 'private' or {OWN} then 'visibility ' || a.visibility else coalesce(
  (select 'grant ' || g.id from assets_assetusergrant g join auth_permission q on q.id = g.permission_id
    where g.content_object_id = a.id and g.user_id in ({USER}, {AGENT}) and {live("g")}
    and ({ACTION} = 'read' and a.visibility = 'restricted' or q.codename = 'manage_asset'
      and {ACTION} = 'manage' or {ACTION} = 'change' and q.codename in ('change_asset', 'manage_asset'))
    order by g.id limit 1),
  (select 'grant ' || g.id from assets_assetrolegrant g join auth_permission q on q.id = g.permission_id
    join hub_user_groups h on h.group_id = g.group_id and h.user_id in ({USER}, {AGENT})
    where g.content_object_id = a.id and {live("g")}
    and ({ACTION} = 'read' and a.visibility = 'restricted' or q.codename = 'manage_asset'
      and {ACTION} = 'manage' or {ACTION} = 'change' and q.codename in ('change_asset', 'manage_asset'))
    order by g.id limit 1),
  'visibility ' || a.visibility) end"""

# The nearest binding gives the version: direct, role, base. Of two equally near the newer one
# does, so that the outcome does not hang on the ids of bindings.
SERVED = """case when a.status = 'archived' then null
  when c.pin is not null then c.pin
  when a.kind = 'chat_memory' or c.follow = 'head' then a.head
  else a.approved end"""

# `offset 0` keeps each lookup one by key: the planner's guess of how much is carried is far off
# where one team is much larger than the others, and it would then read all that the team has.
CARRIED = f"""
held as materialized (
  select r.id, r.team_id from hub_user_groups h join hub_role r on r.group_id = h.group_id
  where h.user_id = {AGENT} and r.team_id = %(team)s::uuid),
equipped as materialized (
  select l.id, 1 as distance from held join hub_loadout l on l.role_id = held.id
  union all
  select l.id, 2 from hub_loadout l where l.role_id is null and l.team_id in (select team_id from held)),
carried as materialized (
  select b.id, b.asset_id, b.access, b.pin, b.follow, b.share, b.made_by_id, b.automatic, 0 as distance
    from assets_binding b where b.agent_id = {AGENT} and {live("b")}
  union all
  select b.id, b.asset_id, b.access, b.pin, b.follow, b.share, b.made_by_id, b.automatic, e.distance
    from equipped e cross join lateral (
      select * from assets_binding b where b.loadout_id = e.id and {live("b")} offset 0) b),
bound as materialized (
  select c.asset_id, bool_or(c.access = 'write') as writes,
         (array_agg({SERVED} order by c.distance, {SERVED} desc, c.id) filter (where {SERVED} is not null))[1] as version,
         (array_agg(c.id order by ({SERVED} is null), c.distance, {SERVED} desc, c.id))[1] as binding,
         (array_agg(c.share order by ({SERVED} is null), c.distance, {SERVED} desc, c.id))[1] as share
    from carried c cross join lateral (select * from assets_asset a where a.id = c.asset_id offset 0) a
   where a.visibility <> 'private' or (c.distance = 0 and (c.made_by_id = a.owner_id
      or (c.automatic and a.created_by_agent_id = {AGENT}
          and a.written_for_id is not distinct from {USER})))
   group by c.asset_id)"""

RULES: tuple[Rule, ...] = (
    Rule(
        "erased", "The asset is not erased.", "The asset was erased.",
        "a.erased_at is null",
    ),
    Rule(
        "fenced", "No erasure has fenced it.", "An erasure of this person is under way.",
        f"""not (a.visibility = 'private' and exists (
              select 1 from hub_user u where u.id = a.owner_id and u.fenced_at is not null))
            and ({ACTION} = 'read' or not exists (
              select 1 from hub_user u where u.id = {USER} and u.fenced_at is not null))""",
    ),
    Rule(
        "quarantined", "It is not quarantined, or an inspector asks.", "It is quarantined.",
        f"""not a.quarantined or ({AGENT} is null and {ACTION} in ('read', 'review')
            and ({OWN} or {holds("reviewer")}))""",
    ),
    Rule(
        "denied", "No live denial names you or a role you hold.", "A live denial names you or a role you hold.",
        f"""not exists (select 1 from assets_denial d where d.asset_id = a.id and {live("d")}
            and (d.user_id in ({USER}, {AGENT}) or exists (
              select 1 from hub_role r join hub_user_groups h on h.group_id = r.group_id
              where r.id = d.role_id and h.user_id in ({USER}, {AGENT}))))""",
        f"""(select 'denial ' || d.id from assets_denial d where d.asset_id = a.id and {live("d")}
            and (d.user_id in ({USER}, {AGENT}) or exists (
              select 1 from hub_role r join hub_user_groups h on h.group_id = r.group_id
              where r.id = d.role_id and h.user_id in ({USER}, {AGENT}))) limit 1)""",
    ),
    Rule(
        "token scope", "The token covers this action and kind.", "The token does not cover this action or kind.",
        f"""{ACTION} = any(%(actions)s::text[])
            and (%(kinds)s::text[] is null or a.kind = any(%(kinds)s::text[]))""",
    ),
    Rule(
        "team", "You are in the asset's team.", "You are not in the asset's team.",
        f"""a.team_id = %(team)s::uuid and ({USER} is not null or {AGENT} is not null)
            and ({USER} is null or exists (select 1 from hub_membership m
                 where m.user_id = {USER} and m.team_id = a.team_id))
            and ({AGENT} is null or exists (select 1 from hub_agent g
                 where g.account_id = {AGENT} and g.team_id = a.team_id))""",
    ),
    Rule(
        "visibility and grants",
        "The visibility, with grants where it needs them, allows it.",
        "The visibility does not allow it, and no live grant does.",
        f"""({USER} is null or (
              case a.visibility when 'private' then {OWN} when 'agent' then {OWN}
                when 'team' then true
                when 'restricted' then {OWN} or {granted(USER, *READING)} else false end
              and case {ACTION} when 'read' then true
                when 'review' then {holds("reviewer")} and not ({OWN} and {FOUR_EYES})
                when 'change' then {OWN} or (a.visibility = 'team' and {holds("admin")})
                  or {granted(USER, "change", "manage")}
                when 'manage' then {OWN} or (a.visibility = 'team' and {holds("admin")})
                  or {granted(USER, "manage")} else false end))
            and ({AGENT} is null or {ACTION} in ('manage', 'review') or (
              case a.visibility when 'private' then bound.asset_id is not null
                when 'team' then true when 'agent' then true
                when 'restricted' then {granted(AGENT, *READING)} else false end
              and ({ACTION} = 'read' or a.visibility not in ('team', 'restricted')
                or {granted(AGENT, "change", "manage")})))""",
        GRANT_ROW,
    ),
    Rule(
        "binding", "It is bound to the agent.", "It is not bound to the agent in this way.",
        f"""{AGENT} is null or {ACTION} in ('manage', 'review')
            or (bound.version is not null and ({ACTION} = 'read' or bound.writes))""",
        "'binding ' || bound.binding",
    ),
    Rule(
        "default no", "The act is one that you can hold.", "Agents neither manage nor review.",
        f"{AGENT} is null or {ACTION} in ('read', 'change')",
    ),
)  # fmt: skip


def condition(rule: Rule) -> str:
    return f"coalesce(({rule.sql}), false)"


def allowed() -> str:
    """All rules as one condition over `a` and `bound`."""
    return " and ".join(condition(rule) for rule in RULES) or "false"


def source(principal: Principal, *, everything: bool = False) -> str:
    """The FROM clause. What an agent does not carry is not even looked at, but to explain."""
    if principal.agent is not None and not everything:
        return (
            "bound cross join lateral (select * from assets_asset a where a.id = bound.asset_id offset 0) a"
        )
    return "assets_asset a left join bound on bound.asset_id = a.id"


VERSION = f"case when {AGENT} is null then a.head else bound.version end"
INSPECTS = f"({AGENT} is null and ({OWN} or {holds('reviewer')}))"


def parameters(principal: Principal, action: str) -> dict[str, Any]:
    """Named values of the rules for one principal and one action."""
    return {
        "user": principal.user,
        "agent": principal.agent,
        "team": principal.team,
        "action": action,
        "actions": sorted(principal.actions),
        "kinds": None if principal.kinds is None else sorted(principal.kinds),
        "subject": principal.subject,
    }


# Conditions on a row `t` of a scan table (node, asset, subject, state, since, until), beside
# `s`, the scope's asset with the version it gives. SEVERAL marks a row about several persons.
SEVERAL = UUID(int=1)
NODE_RULES: tuple[Rule, ...] = (
    Rule(
        "version", "It stands in the version you read.", "It does not stand in the version you read.",
        "t.since <= s.version and t.until > s.version",
    ),
    Rule(
        "held", "It is not held for review.", "It is held for review.",
        "t.state <> 'held' or s.inspects",
    ),
    Rule(
        "fenced", "It is by and about nobody who is fenced.", "An erasure of a person it is by or about is under way.",
        """t.subject is null or not exists (
             select 1 from assets_nodesubject n join hub_subject p on p.id = n.subject_id
             left join hub_user u on u.id = p.user_id
             where n.node_id = t.node and n.part in ('author', 'about')
             and (p.fenced_at is not null or u.fenced_at is not null))""",
    ),
    Rule(
        "subject lock", "The token is not locked to another person.", "The token is locked to another person.",
        f"""%(subject)s::uuid is null or t.subject is null or t.subject = %(subject)s::uuid
            or (t.subject = '{SEVERAL}' and not exists (
              select 1 from assets_nodesubject n where n.node_id = t.node
              and n.part in ('author', 'about') and n.subject_id <> %(subject)s::uuid))""",
    ),
)  # fmt: skip


def node_allowed() -> str:
    """All node rules as one condition over `t` and `s`."""
    return " and ".join(condition(rule) for rule in NODE_RULES) or "false"
