"""How long `POST /retrieve` takes as a scope grows, and how much of the truth it finds.

`python -m bench.latency [--rows N] [--keep DIR]`: a generated corpus, the app's login under
row-level security, the real route with its audit event, the embedding of the question known
beforehand. Scopes take turns, so that a busy machine slows all of them alike.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from bench.corpora import nodes, space
from bench.corpora.plan import TOPICS

QUESTIONS = 30  # of each kind, a scope
TOP, LIMIT = 10, 200
EQUAL = 2e-4  # half precision: two scores closer than this are a tie
GATES = {150: (1.0, 30.0), 3_000: (1.0, 40.0), 30_000: (0.99, 150.0)}  # recall@10, p95 in ms
MOST_STATEMENTS = 12


class Known:
    """An embedder that knows the vectors of its questions beforehand."""

    name, build, dimension = space.ENGINE, space.BUILD, space.DIMENSION

    def __init__(self) -> None:
        self.vectors: dict[str, np.ndarray] = {}

    def query(self, text: str) -> np.ndarray:
        return self.vectors[text]


@dataclass
class Seen:
    """What one scope's requests took (ms) and found."""

    scope: int
    times: list[float] = field(default_factory=list)
    work: float = 0.0  # seconds of processor, in this process and in the database's
    recalls: list[float] = field(default_factory=list)
    statements: int = 0
    items: int = 0

    def shape(self) -> dict[str, Any]:
        p50, p95 = np.percentile(self.times, (50, 95))
        return {
            "scope": self.scope, "recall@10": round(float(np.mean(self.recalls)), 4), "p50_ms": round(p50, 1),
            "p95_ms": round(p95, 1), "statements": self.statements, "n": len(self.times),
            "cpu_ms": round(1000 * self.work / len(self.times), 1),
        }  # fmt: skip


def questions(corpus: nodes.Corpus, scope: int, known: Known) -> list[str]:
    """Texts for a scope, half about what it holds and half about other topics, in turn."""
    dice = np.random.default_rng([corpus.plan.seed, scope])
    inside = {one.topic for one in corpus.plan.assets if one.id in set(corpus.plan.scopes[scope])}
    outside = [topic for topic in range(TOPICS) if topic not in inside] or list(range(TOPICS))
    found = []
    for number in range(2 * QUESTIONS):
        topic = int(dice.choice(sorted(inside) if number % 2 == 0 else outside))
        cluster = int(dice.choice(np.arange(topic, corpus.plan.clusters, TOPICS)))
        text = corpus.language.question(cluster, dice)
        known.vectors[text] = corpus.space.points([cluster], dice)[0].astype(np.float32)
        found.append(text)
    return found


def asked(application: Any, token: str, text: str) -> tuple[float, dict[str, Any]]:
    """Milliseconds of one request from its bytes to the bytes of the answer, and the answer."""
    body = json.dumps({"query": text, "trace": True}).encode()
    environment = {
        "REQUEST_METHOD": "POST", "PATH_INFO": "/api/v1/retrieve", "QUERY_STRING": "",
        "SERVER_NAME": "127.0.0.1", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "127.0.0.1", "HTTP_AUTHORIZATION": f"Bearer {token}",
        "CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body), "wsgi.errors": sys.stderr, "wsgi.url_scheme": "http",
        "wsgi.version": (1, 0), "wsgi.multithread": False, "wsgi.multiprocess": False, "wsgi.run_once": False,
    }  # fmt: skip
    status: list[str] = []
    begun = time.perf_counter()
    answer = application(environment, lambda line, _headers, _info=None: status.append(line))
    text_out = b"".join(answer)
    answer.close()
    took = (time.perf_counter() - begun) * 1000
    if not status[0].startswith("200"):
        message = f"{status[0]}: {text_out[:400]!r}"
        raise RuntimeError(message)
    found: dict[str, Any] = json.loads(text_out)
    return took, found


def processor(backend: int) -> float:
    """Seconds of processor so far, of this process and of the database's process of that number."""
    fields = Path(f"/proc/{backend}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
    return time.process_time() + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def statements(application: Any, token: str, text: str) -> int:
    """SQL statements of one request as the client library sends them, but BEGIN and COMMIT."""
    from django.db import connection

    connection.ensure_connection()
    with tempfile.NamedTemporaryFile("r") as log:
        connection.connection.pgconn.trace(os.open(log.name, os.O_WRONLY))
        asked(application, token, text)
        connection.connection.pgconn.untrace()
        sent = [line for line in log if "\tF\t" in line and ("\tQuery\t" in line or "\tExecute\t" in line)]
    return sum(not ('"BEGIN' in line or '"COMMIT' in line) for line in sent)


def recall(
    corpus: nodes.Corpus, scope: int, token: str, vector: np.ndarray, text: str, table: np.ndarray
) -> float:
    """The part of the truly nearest ten that the vector arm gives among its first ten."""
    from assets import scope as scopes
    from assets.models import EmbeddingModel
    from assets.retrieval.arms import vectors
    from assets.retrieval.types import Query
    from hub.authn.lookup import principal_for_token

    principal = principal_for_token(token, "rest", "bench")
    assert principal is not None
    seen = corpus.seen(scope)
    truth = table @ vector.astype(np.float16).astype(np.float32)
    best = np.sort(truth)[::-1][:TOP]
    model = EmbeddingModel.objects.get(name=Known.name).id
    with scopes.reading(principal) as allowed:
        assert allowed.row_count == scope
        found = vectors.find(allowed, Query(text), LIMIT, vector, model).candidates
    place = {corpus.nodes[at].tobytes(): number for number, at in enumerate(seen)}
    mine = [truth[place[UUID(one.node).bytes]] for one in found[:TOP]]
    return float(sum(score >= best[-1] - EQUAL for score in mine)) / TOP


def checked_login() -> None:
    """Raises AssertionError when the login is above row-level security."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "select rolsuper or rolbypassrls or exists (select from pg_class where relowner = r.oid"
            " and relname like 'assets%%') from pg_roles r where rolname = current_user"
        )
        assert cursor.fetchone() == (False,), "the bench asks by the app's login"


def measure(corpus: nodes.Corpus) -> list[Seen]:
    from django.core.wsgi import get_wsgi_application
    from django.db import connection

    from assets.embedding import engines

    known = Known()
    engines.default = lambda: known  # type: ignore[assignment, return-value]
    application = get_wsgi_application()
    checked_login()
    texts = {scope: questions(corpus, scope, known) for scope in corpus.tokens}
    found = {scope: Seen(scope) for scope in corpus.tokens}
    for scope, token in corpus.tokens.items():  # a hub that has been asked before
        for text in texts[scope][:16]:
            asked(application, token, text)
    backend = connection.connection.info.backend_pid
    for number in range(2 * QUESTIONS):
        for scope, token in corpus.tokens.items():
            before = processor(backend)
            took, answer = asked(application, token, texts[scope][number])
            found[scope].work += processor(backend) - before
            found[scope].times.append(took)
            found[scope].items += len(answer["items"])
    for scope, token in corpus.tokens.items():
        found[scope].statements = max(statements(application, token, text) for text in texts[scope][:2])
        table = np.asarray(corpus.vectors[corpus.seen(scope)], np.float32)
        found[scope].recalls = [
            recall(corpus, scope, token, known.vectors[text], text, table) for text in texts[scope]
        ]
    return list(found.values())


def misses(shape: dict[str, Any]) -> list[str]:
    """What a scope's figures miss of its gate; a scope without a gate misses nothing."""
    if shape["scope"] not in GATES:
        return []
    least, most = GATES[shape["scope"]]
    found = [] if shape["recall@10"] >= least else [f"recall@10 below {least}"]
    found += [] if shape["p95_ms"] <= most else [f"p95 above {most:.0f} ms"]
    return found + ([] if shape["statements"] <= MOST_STATEMENTS else ["too many statements"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=nodes.ROWS)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    os.environ.setdefault("HUB_LIMITS", "search=1000000/60,read=1000000/60,write=1000000/60")
    with nodes.opened(options.rows, keep=options.keep) as corpus:
        print(
            f"{options.rows} rows, made in {corpus.made_in:.0f} s"
            if corpus.made_in
            else "the corpus was there"
        )
        shapes = [one.shape() for one in measure(corpus)]
    failed = False
    for shape in shapes:
        missed = misses(shape)
        failed = failed or bool(missed)
        print(" ".join(f"{name} {value}" for name, value in shape.items()), "; ".join(missed) or "as wanted")
    print(json.dumps({"rows": options.rows, "scopes": shapes}))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
