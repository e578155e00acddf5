"""Removes and negates every rule in turn, and breaks parts of them; the checks must notice.

`python -m tests.leaks.mutate` starts a database of its own, runs the spot cases and a few
random worlds against each mutant, and writes the table docs/mutation.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.leaks.database import own_database

if TYPE_CHECKING:
    from assets.access import Rule

TABLE = Path(__file__).parents[2] / "docs" / "mutation.md"
WORLDS = 8
# Parts of the rules that a wrong hand might leave out: (where, name, the text, what it becomes).
PARTS = (
    ("CARRIED", "a private asset may be bound by a loadout", "c.distance = 0 and", "true and"),
    ("CARRIED", "a former owner's binding counts", "c.made_by_id = a.owner_id", "true"),
    ("CARRIED", "another agent's memory counts", "a.created_by_agent_id = %(agent)s::uuid", "true"),
    ("CARRIED", "the authority it was written under is ignored", "a.written_for_id is not distinct from %(user)s::uuid", "true"),
    ("CARRIED", "an expired binding counts", "(b.expires_at is null or b.expires_at > now())", "true"),
    ("CARRIED", "the base serves agents without a role", "l.team_id in (select team_id from held)", "true"),
    ("CARRIED", "archived assets are served", "when a.status = 'archived' then null", "when false then null"),
    ("CARRIED", "a pin is ignored", "when c.pin is not null then c.pin", "when false then c.pin"),
    ("CARRIED", "agents get the head", "else a.approved end", "else a.head end"),
    ("CARRIED", "any binding writes", "bool_or(c.access = 'write')", "bool_or(true)"),
    ("CARRIED", "the farthest binding gives the version", "order by c.distance, ", "order by c.distance desc, "),
    ("INSPECTS", "everybody inspects", None, "true"),
    ("VERSION", "agents read the head", None, "a.head"),
    ("visibility and grants", "an unknown visibility opens to the owner", "else false end", "else coalesce(a.owner_id = %(user)s::uuid, false) end"),
    ("visibility and grants", "private means the team", "when 'private' then coalesce(a.owner_id = %(user)s::uuid, false)", "when 'private' then true"),
    ("visibility and grants", "expired grants count", "(g.expires_at is null or g.expires_at > now())", "true"),
    ("visibility and grants", "a grant of read lets write", "('change_asset', 'manage_asset')", "('read_asset', 'change_asset', 'manage_asset')"),
    ("visibility and grants", "a grant of change lets manage", "codename in ('manage_asset')", "codename in ('change_asset', 'manage_asset')"),
    ("visibility and grants", "admins change restricted assets", "a.visibility = 'team' and exists", "a.visibility <> '' and exists"),
    ("visibility and grants", "the author reviews", ">= 2", ">= 99"),
    ("visibility and grants", "suspended reviewers count", "and u.is_active", ""),
    ("visibility and grants", "a team's four eyes cannot be off", "(select t.four_eyes from hub_team t where t.id = a.team_id)", "true"),
    ("denied", "expired denials count", "(d.expires_at is null or d.expires_at > now())", "true"),
    ("denied", "a role's denial is ignored", "where r.id = d.role_id", "where false and r.id = d.role_id"),
    ("fenced", "the fenced write", "%(action)s::text = 'read' or", "true or"),
    ("quarantined", "agents inspect", "%(agent)s::uuid is null and", "true and"),
    ("team", "members of no team", "m.team_id = a.team_id", "true"),
    ("team", "another team of the same person", "a.team_id = %(team)s::uuid and", "true and"),
    ("binding", "read access writes", "or bound.writes", "or true"),
    ("token scope", "kinds are ignored", "%(kinds)s::text[] is null or", "true or"),
    ("fenced (node)", "a fenced account's nodes are read", "or u.fenced_at is not null", ""),
    ("subject lock", "nodes about several are read", "n.subject_id <> %(subject)s::uuid", "false"),
)  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """What is changed: the name, the kind of change, and the new values in `assets.access`."""

    name: str
    change: str
    values: dict[str, object]


def mutants() -> Iterator[Mutant]:
    """Every rule removed and negated, then the parts. Raises ValueError for a stale part."""
    from assets import access

    for listing in ("RULES", "NODE_RULES"):
        rules: tuple[Rule, ...] = getattr(access, listing)
        for place, rule in enumerate(rules):
            label = rule.name if listing == "RULES" else f"{rule.name} (node)"
            for change, sql in (("removed", "true"), ("negated", f"not coalesce(({rule.sql}), false)")):
                changed = (*rules[:place], replace(rule, sql=sql), *rules[place + 1 :])
                yield Mutant(label, change, {listing: changed})
    for where, change, old, new in PARTS:
        yield Mutant(where, change, _part(where, old, new))


def _part(where: str, old: str | None, new: str) -> dict[str, object]:
    from assets import access

    if where.isupper():
        text = str(getattr(access, where))
        if old is not None and old not in text:
            raise ValueError(f"{where} no longer holds {old!r}")
        return {where: new if old is None else text.replace(old, new)}
    listing = "NODE_RULES" if where in ("subject lock", "fenced (node)") else "RULES"
    rules: tuple[Rule, ...] = getattr(access, listing)
    name = where.removesuffix(" (node)")
    touched = tuple(
        replace(rule, sql=rule.sql.replace(str(old), new)) if rule.name == name else rule for rule in rules
    )
    if touched == rules:
        raise ValueError(f"the rule {where!r} no longer holds {old!r}")
    return {listing: touched}


@contextmanager
def applied(mutant: Mutant) -> Iterator[None]:
    """The product with this one change."""
    from assets import access

    before = {name: getattr(access, name) for name in mutant.values}
    try:
        for name, value in mutant.values.items():
            setattr(access, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(access, name, value)


def killed_by() -> list[str]:
    """The names of the checks that fail now: all spot cases that do, and the first world."""
    from django.db import transaction

    from tests.leaks import compare, spot, things, worlds
    from tests.leaks.plant import plant

    found: list[str] = []
    now = datetime.now(UTC)
    for part in spot.parts():
        with transaction.atomic():
            plant(part.world)
            wrong: list[str] = []
            for ask in part.asks:
                wrong += compare.lists(part.world, ask.who, now)
                wrong += compare.decisions(part.world, ask.who, ask.action, now)
            for who in [*(ask.who for ask in part.asks[:1]), *(who for who, _ in part.held)]:
                wrong += compare.reads(part.world, who, part.asset, now)
            transaction.set_rollback(True)
        if wrong:
            found.append(part.label.split(":")[0])
    for seed in range(WORLDS):
        world = worlds.make(seed)
        with transaction.atomic():
            plant(world)
            wrong = []
            draw = Random(seed)
            for p in worlds.principals(world, Random(seed)):
                wrong = compare.decisions(world, p, draw.choice(things.ACTIONS), now)
                wrong += compare.finds(world, p, "common", now) or compare.lists(world, p, now)
                if wrong:
                    break
            transaction.set_rollback(True)
        if wrong:
            return [*found, f"world {seed}"]
    return found


def main() -> int:
    """Runs all mutants; 1 when the product itself fails or a mutant lives."""
    with own_database():
        return run()


def run() -> int:
    if wrong := killed_by():
        sys.stderr.write(f"the unchanged product fails: {wrong}\n")
        return 1
    lines, living = [], 0
    for mutant in mutants():
        with applied(mutant):
            try:
                kills = killed_by()
            except Exception as error:
                kills = [f"error {type(error).__name__}"]
        living += not kills
        spots = [one for one in kills if one.startswith("case")]
        others = [one for one in kills if not one.startswith("case")]
        said = ", ".join([*spots[:3], *([f"{len(spots) - 3} more cases"] if len(spots) > 3 else []), *others])
        lines.append(f"| {mutant.name} | {mutant.change} | {said or '**nobody**'} |")
        sys.stdout.write(lines[-1] + "\n")
    TABLE.write_text(page(lines, living), encoding="utf-8")
    return 1 if living else 0


def page(lines: list[str], living: int) -> str:
    """The table as a page of the documentation."""
    return "\n".join([
        "# Mutants of the access rules", "",
        "Each line is one deliberate fault in `assets/access.py` and the checks that notice it: the",
        "spot cases of `tests/leaks/cases.yaml` and random worlds compared with the oracle. A fault",
        "that nobody notices is a hole in the checks. Written by `python -m tests.leaks.mutate`.", "",
        f"{len(lines)} mutants, {len(lines) - living} noticed.", "",
        "| rule | change | noticed by |", "|---|---|---|", *lines, "",
    ])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
