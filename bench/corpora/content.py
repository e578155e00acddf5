"""The rows of assets, made asset by asset and sent by COPY into four tables at once."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import psycopg

from assets.models.content import FOREVER
from assets.tree import analyse, path, weight
from bench.corpora.plan import SESSION, TOPICS, Asset, Plan, identity
from bench.corpora.space import DIMENSION

if TYPE_CHECKING:
    from uuid import UUID

    from bench.corpora.language import Language
    from bench.corpora.space import Space

BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
SPEAKERS = ("Ana", "Ben", "Chen", "Dina", "Emil", "Fang")
COPIES = {
    "node": "assets_node (id, ident, team_id, asset_id, parent, path, depth, sequence, kind, tier, title,"
    " content, tags, is_constraint, is_pinned, state, occurred_at, recorded_at, author_user_id, source,"
    " trust, since, until, protection, key_id, extra)",
    "text": "assets_nodetext (team, node, asset, words, bigrams, length, occurred_at, state, since, until,"
    " analyser)",
    "signal": "assets_nodesignal (ident, team_id, asset_id, parent, importance, confidence, uses, half_life,"
    " weight, weighted_at)",
    "vector": "assets_embedding (team, node, model, asset, subject, state, since, until, vector) with"
    " (format binary)",
}
# One row of the binary form: a count of fields, then each field's length before its bytes.
ROW = np.dtype(
    [("fields", ">i2")]
    + [(name, part) for key in ("team", "node", "model", "asset") for name, part in ((f"{key}_", ">i4"), (key, "V16"))]
    + [("subject_", ">i4"), ("state_", ">i4"), ("state", "S4"), ("since_", ">i4"), ("since", ">i4")]
    + [("until_", ">i4"), ("until", ">i4"), ("vector_", ">i4"), ("size", ">i2"), ("zero", ">i2")]
    + [("vector", ">f2", (DIMENSION,))]
)  # fmt: skip
HEAD, TAIL = b"PGCOPY\n\xff\r\n\x00" + bytes(8), b"\xff\xff"


class Writer:
    """Sends an asset's rows; keeps the vectors with their nodes for exact comparison."""

    def __init__(self, plan: Plan, language: Language, space: Space, model: UUID) -> None:
        self.plan, self.language, self.space, self.model = plan, language, space, model
        self.nodes: list[bytes] = []
        self.vectors: list[np.ndarray] = []

    def write(self, owner_url: str) -> dict[UUID, int]:
        """Write every asset of the plan; gives the characters of each."""
        characters = {}
        with ExitStack() as stack:
            copies = {}
            for name, target in COPIES.items():
                session = stack.enter_context(psycopg.connect(owner_url))
                cursor = stack.enter_context(session.cursor())
                target, _, options = target.partition(" with ")
                copy = cursor.copy(
                    f"copy {target} from stdin {'with ' + options if options else ''}".encode()
                )
                copies[name] = stack.enter_context(copy)
            copies["vector"].write(HEAD)
            for asset in self.plan.assets:
                parts, characters[asset.id] = self._asset(asset)
                for name, data in parts.items():
                    copies[name].write(data)
            copies["vector"].write(TAIL)
        return characters

    def _asset(self, asset: Asset) -> tuple[dict[str, bytes], int]:
        random = Random(f"{self.plan.seed} {asset.id}")
        dice = np.random.default_rng(random.getrandbits(64))
        clusters = self._clusters(asset, random)
        texts = self.language.texts(clusters, dice)
        nodes, lines, signals = [], [], []
        rows: list[UUID] = []
        characters = 0
        for place, text in enumerate(texts):
            sequence, row = place + 1, identity(random)
            at = BEGIN + timedelta(days=random.random() * 600, minutes=place)
            if place % SESSION == 0:
                session, top, begun = row, path.label(sequence), at
                kind, parent, title, content, speaker = "conversation", "\\N", text[:30].strip(), "", ""
                place_in_tree, depth = top, 1
            else:
                at = begun + timedelta(minutes=place)
                kind, parent, title, content = "message", str(session), "", text
                speaker = SPEAKERS[random.randrange(len(SPEAKERS))]
                place_in_tree, depth = path.join(top, sequence), 2
                rows.append(row)
            characters += len(content)
            extra = f'{{"speaker": "{speaker}"}}' if speaker else "{}"
            moment, value = at.isoformat(), weight.importance(kind)
            nodes.append(
                f"{row}\t{row}\t{asset.team}\t{asset.id}\t{parent}\t{place_in_tree}\t{depth}\t{sequence}\t{kind}"
                f"\tepisodic\t{title}\t{content}\t{{}}\tf\tf\tlive\t{moment}\t{moment}\t{asset.owner}\t\t0.6"
                f"\t{sequence}\t{FOREVER}\tplain\t\t{extra}\n"
            )
            found = analyse.analyse("\n".join(part for part in (speaker, title, content) if part))
            lines.append(
                f"{asset.team}\t{row}\t{asset.id}\t{analyse.to_tsvector_text(found.words)}"
                f"\t{analyse.to_tsvector_text(found.bigrams)}\t{found.length}\t{moment}\tlive\t{sequence}"
                f"\t{FOREVER}\t{analyse.ANALYSER}\n"
            )
            life = weight.half_life(kind)
            signal = (row, asset.team, asset.id, parent, value, 0.7, 0, life or "\\N", value, moment)
            signals.append("\t".join(map(str, signal)) + "\n")
        messages = [cluster for place, cluster in enumerate(clusters) if place % SESSION]
        vectors = self.space.points(messages, dice)
        self.nodes += [row.bytes for row in rows]
        self.vectors.append(vectors)
        parts = {"node": nodes, "text": lines, "signal": signals}
        return {
            **{name: "".join(some).encode() for name, some in parts.items()},
            "vector": self._binary(asset, rows, vectors),
        }, characters

    def _clusters(self, asset: Asset, random: Random) -> list[int]:
        """A cluster for each row: of the owner's topic 70 %, of the next one 20 %, of any 10 %."""
        clusters = self.plan.clusters
        found: list[int] = []
        while len(found) < asset.rows:
            three = []
            for _ in range(3):
                die = random.random()
                topic = (
                    asset.topic if die < 0.7 else asset.topic + 1 if die < 0.9 else random.randrange(TOPICS)
                )
                of_topic = range(topic % TOPICS, clusters, TOPICS)
                three.append(random.choice(of_topic))
            found += [random.choice(three) for _ in range(SESSION)]
        return found[: asset.rows]

    def _binary(self, asset: Asset, rows: list[UUID], vectors: np.ndarray) -> bytes:
        table = np.zeros(len(rows), ROW)
        table["fields"] = 9
        for name, value in (("team", asset.team), ("model", self.model), ("asset", asset.id)):
            table[name + "_"], table[name] = 16, np.void(value.bytes)
        table["node_"] = 16
        table["node"] = np.frombuffer(b"".join(row.bytes for row in rows), "V16")
        table["subject_"], table["state_"], table["state"] = -1, 4, b"live"
        table["since_"], table["until_"], table["until"] = 4, 4, FOREVER
        numbers = np.arange(1, asset.rows + 1)
        table["since"] = numbers[(numbers - 1) % SESSION != 0]
        table["vector_"], table["size"] = 4 + 2 * DIMENSION, DIMENSION
        table["vector"] = vectors
        return table.tobytes()
