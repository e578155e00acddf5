"""Who owns what: teams, owners with a topic each, assets, and agents that see exact numbers of rows."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from uuid import UUID

TOPICS, OWNERS = 40, 40  # owners in each team
SESSION = 50  # rows of a conversation: its own and 49 messages
BIG_TEAM = 0.64  # of all rows; the rest goes to three other teams
BIG_SCOPE = 0.54
SCOPES = (150, 3_000, 30_000)


@dataclass(frozen=True, slots=True)
class Asset:
    """An asset of `rows` rows, whose owner speaks mostly of `topic`."""

    id: UUID
    team: UUID
    owner: UUID
    topic: int
    rows: int


@dataclass(frozen=True, slots=True)
class Plan:
    """`scopes`: the rows that an agent sees -> its assets, all in the first team."""

    seed: int
    clusters: int
    teams: tuple[UUID, ...]
    owners: tuple[tuple[UUID, UUID, int], ...]  # id, team, topic
    assets: tuple[Asset, ...]  # by (team, id)
    scopes: dict[int, tuple[UUID, ...]]


def make(rows: int, seed: int) -> Plan:
    """The plan of `rows` rows. Raises ValueError below 2,000, where no scope has room."""
    if rows < 2_000:
        message = "a corpus has at least 2,000 rows"
        raise ValueError(message)
    random = Random(seed)
    teams = tuple(identity(random) for _ in range(4))
    big, small = (round(rows * share / SESSION) * SESSION for share in (BIG_TEAM, (1 - BIG_TEAM) / 3))
    owners, assets = [], []
    for team, left in zip(teams, (big, small, small, rows - big - 2 * small), strict=True):
        here = [(identity(random), team, number % TOPICS) for number in range(OWNERS)]
        owners += here
        while left:
            owner, _, topic = random.choice(here)
            size = min(left, random.choice((1, 1, 2, 4, 8)) * SESSION)
            assets.append(Asset(identity(random), team, owner, topic, size))
            left -= size
    assets.sort(key=lambda one: (one.team, one.id))
    in_first = [one for one in assets if one.team == teams[0]]
    wanted = [size for size in SCOPES if size <= rows * 0.3] + [round(rows * BIG_SCOPE / SESSION) * SESSION]
    scopes = {size: _exactly(in_first, size, random) for size in wanted}
    return Plan(seed, max(TOPICS, rows // 150), teams, tuple(owners), tuple(assets), scopes)


def identity(random: Random) -> UUID:
    return UUID(int=random.getrandbits(128), version=4)


def _exactly(assets: list[Asset], wanted: int, random: Random) -> tuple[UUID, ...]:
    """Assets owner by owner, in a random order of owners, whose rows make exactly `wanted`."""
    order = {owner: random.random() for owner in sorted({one.owner for one in assets})}
    chosen, left = [], wanted
    for one in sorted(assets, key=lambda one: (order[one.owner], one.id)):
        if one.rows <= left:
            chosen.append(one.id)
            left -= one.rows
    if left:
        message = f"no set of assets has exactly {wanted} rows"
        raise ValueError(message)
    return tuple(chosen)
