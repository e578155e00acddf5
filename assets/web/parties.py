"""Names for the ids of people, agents and roles of the team, and the choices of a form."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.utils.translation import gettext as _

from hub import ids
from hub.authn import offices
from hub.authn.principal import Principal
from hub.models.teams import ADMIN
from hub.services import agents, roles, teams

PUBLIC = re.compile(r"\b(?:usr|agt|rol)_[0-9a-f]{32}\b")


@dataclass(frozen=True)
class Parties:
    """Public id -> name, by kind. What the viewer may not know of stays an id."""

    people: dict[str, str]
    agents: dict[str, str]
    roles: dict[str, str]

    def name(self, public: str | None) -> str:
        if not public:
            return "–"
        return self.people.get(public) or self.agents.get(public) or self.roles.get(public) or public

    def named(self, sentence: str) -> str:
        """A sentence with names in the place of ids."""
        return PUBLIC.sub(lambda found: self.name(found[0]), sentence)


def parties_of(viewer: Principal) -> Parties:
    """Everybody whom the viewer may name. A stranger knows nobody."""
    if viewer.is_stranger:
        return Parties({}, {}, {})
    return Parties(
        {one["user"]: one["name"] for one in teams.list_members(viewer)},
        {one["id"]: one["name"] for one in agents.list_agents(viewer)},
        {one["id"]: one["name"] for one in roles.list_roles(viewer)},
    )


def askable(viewer: Principal, parties: Parties) -> dict[str, str]:
    """Of whom the viewer may ask: themselves, agents in their care; a team admin of everybody."""
    own = ids.public("user", viewer.user) if viewer.user else ""
    everybody = offices.holds(viewer, ADMIN)
    found = {own: _("yourself")} if own else {}
    found |= {
        one["id"]: one["name"]
        for one in (agents.list_agents(viewer) if not viewer.is_stranger else ())
        if everybody or one["responsible"] == own
    }
    if everybody:
        found |= {one: name for one, name in parties.people.items() if one != own}
    return found
