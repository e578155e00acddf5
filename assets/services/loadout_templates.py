"""Drafts to begin with: what a Scout, a Builder or a Reviewer usually carries. Nothing is saved by them."""

from __future__ import annotations

from typing import Any

from assets import scope
from assets.services.loadout_drafts import Item
from hub import audit
from hub.authn.principal import MANAGE, Principal
from hub.problems import Missing

BINDABLE = """select a.id from {assets} join assets_asset a on a.id = s.asset
  where a.visibility <> 'private' and a.status <> 'archived' and not a.quarantined and """
APPLIES = """a.kind = 'skill' and exists (
  select 1 from assets_edge e join assets_asset c on c.id = e.target_asset_id and c.kind = 'code_graph'
  where e.asset_id = a.id and e.kind = 'applies_to' and e.until = 2147483647
    and e.target_asset_id = any(%(scope_assets)s::uuid[]))"""
CHECKLIST = """a.kind = 'skill' and (exists (select 1 from unnest(a.labels) l where lower(l) = 'checklist')
  or position('checklist' in lower(a.name || ' ' || a.title)) > 0)"""
# Name -> (what it is for, [(which assets, how they are carried)]).
TEMPLATES: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "scout": ("the wikis", (("a.kind = 'wiki'", "retrieve"),)),
    "builder": (
        "the code graphs, and the skills that apply to their paths",
        (("a.kind = 'code_graph'", "retrieve"), (APPLIES, "retrieve")),
    ),
    "reviewer": ("the skills that are checklists", ((CHECKLIST, "always"),)),
}


def propose(principal: Principal, *, template: str) -> dict[str, Any]:
    """Items of a draft from the assets that the principal may bind. Raises Missing."""
    if template not in TEMPLATES:
        raise Missing
    sentence, parts = TEMPLATES[template]
    items: list[Item] = []
    with scope.reading(principal, MANAGE) as allowed:
        for which, mode in parts:
            found = allowed.fetch(BINDABLE + which + " order by lower(a.title), lower(a.name), a.id")
            items += [Item(row["id"], mode=mode) for row in found]
        audit.record(principal, "loadout.preview", target=template)
    return {"template": template, "what": sentence, "items": [one.entry() for one in items]}
