"""An OpenAI-compatible service over real HTTP: in order, in batches, checked, tried twice, and quiet."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from assets.embedding import engines, openai_engine
from assets.embedding.openai_engine import OpenAIEmbedder
from assets.embedding.protocol import Embedder, EmbeddingError
from assets.embedding.settings import Endpoint

Answer = tuple[int, dict[str, str], bytes]


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, float(sum(text.encode()) % 97), 0.5]


def well(body: dict[str, Any]) -> Answer:
    rows = [{"index": at, "embedding": vector(text)} for at, text in enumerate(body["input"])]
    return 200, {}, json.dumps({"data": rows[::-1]}).encode()  # out of order, as it is allowed


@dataclass
class Service:
    """A real server whose next answers a test chooses; it keeps what it was sent."""

    url: str = ""
    answers: list[Callable[[dict[str, Any]], Answer]] = field(default_factory=list)
    always: Callable[[dict[str, Any]], Answer] = well
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@pytest.fixture
def service() -> Iterator[Service]:
    state = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append(body)
            state.headers.append(dict(self.headers))
            state.paths.append(self.path)
            code, headers, content = (state.answers.pop(0) if state.answers else state.always)(body)
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            if "Content-Length" not in headers:
                self.send_header("Content-Length", str(len(content)))
            with suppress(OSError):  # the asker may have gone: that is one of the tests
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, *_args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def engine(service: Service, pauses: list[float]) -> OpenAIEmbedder:
    return OpenAIEmbedder(endpoint(service), pause=pauses.append)


def endpoint(service: Service) -> Endpoint:
    return Endpoint(
        url=service.url, model="bge-m3", dimension=4, key="secret-key", query_prefix="Q: ",
        passage_prefix="P: ", batch=3,
    )  # fmt: skip


def answer(code: int, body: object = "", headers: dict[str, str] | None = None) -> Callable[[Any], Answer]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda _asked: (code, headers or {}, content)


def expected(text: str) -> np.ndarray:
    found = np.array(vector(text))
    return np.asarray(found / np.linalg.norm(found))


def test_texts_go_in_batches_and_come_back_in_order(engine: OpenAIEmbedder, service: Service) -> None:
    texts = [f"herons {number}" * number for number in range(8)]
    found = engine.passages(texts)
    assert isinstance(engine, Embedder)
    assert found.shape == (8, 4)
    assert found.dtype == np.float32
    assert np.allclose(found, [expected("P: " + text) for text in texts], atol=1e-6)
    assert [len(body["input"]) for body in service.asked] == [3, 3, 2]
    assert service.paths == ["/v1/embeddings"] * 3
    assert {body["model"] for body in service.asked} == {"bge-m3"}
    assert {headers["Authorization"] for headers in service.headers} == {"Bearer secret-key"}
    assert engine.passages([]).shape == (0, 4)


def test_a_question_has_its_own_prefix(engine: OpenAIEmbedder, service: Service) -> None:
    assert np.allclose(engine.query("when?\0 \ud800"), expected("Q: when?  ?"), atol=1e-6)
    assert service.asked[0]["input"] == ["Q: when?  ?"]


def test_without_a_key_none_is_sent(service: Service) -> None:
    OpenAIEmbedder(replace(endpoint(service), key="")).query("x")
    assert "Authorization" not in service.headers[0]


@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_busy_service_is_asked_once_more(
    engine: OpenAIEmbedder, service: Service, pauses: list[float], code: int
) -> None:
    service.answers = [answer(code, headers={"Retry-After": "7"})]
    assert engine.passages(["a"]).shape == (1, 4)
    assert len(service.asked) == 2
    assert pauses == [7.0]


def test_twice_busy_is_an_error_and_a_question_waits_less(
    engine: OpenAIEmbedder, service: Service, pauses: list[float]
) -> None:
    service.always = answer(503, headers={"Retry-After": "3600"})
    with pytest.raises(EmbeddingError, match="answered 503"):
        engine.query("a")
    assert len(service.asked) == 2
    assert pauses == [1.0]


@pytest.mark.parametrize("code", [301, 307, 401, 403, 404])
def test_a_refusal_or_another_address_is_not_followed(
    engine: OpenAIEmbedder, service: Service, code: int
) -> None:
    service.always = answer(code, headers={"Location": "/elsewhere"})
    with pytest.raises(EmbeddingError, match=f"answered {code}"):
        engine.passages(["a"])
    assert service.paths == ["/v1/embeddings"]


def test_a_text_that_is_too_long_is_shortened_alone(engine: OpenAIEmbedder, service: Service) -> None:
    def strict(body: dict[str, Any]) -> Answer:
        return well(body) if max(map(len, body["input"])) < 1_000 else (413, {}, b"")

    service.always = strict
    found = engine.passages(["short", "long " * 1_000, "brief"])
    assert np.allclose(found[[0, 2]], [expected("P: short"), expected("P: brief")], atol=1e-6)
    assert np.allclose(found[1], expected("P: " + ("long " * 1_000)[:625]), atol=1e-6)


def test_what_is_refused_when_short_is_an_error(engine: OpenAIEmbedder, service: Service) -> None:
    service.always = answer(400)
    with pytest.raises(EmbeddingError, match="answered 400"):
        engine.passages(["a", "b"])


ROW = {"index": 0, "embedding": [1, 2, 3, 4]}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html>", "no list"),
        (b"\xff\xfe", "no list"),
        (b"[" * 60_000, "no list"),
        ({}, "no list"),
        ({"data": None}, "no list"),
        ({"data": ["x"]}, "no list"),
        ({"data": [{"embedding": [1, 2, 3, 4]}]}, "no list"),
        ({"data": [{"index": [0], "embedding": [1, 2, 3, 4]}]}, "no list"),
        ({"data": []}, "other texts"),
        ({"data": [ROW, ROW]}, "other texts"),
        ({"data": [{**ROW, "index": 1}]}, "other texts"),
        ({"data": [{**ROW, "index": True}]}, "other texts"),
        ({"data": [{**ROW, "index": "0"}]}, "other texts"),
        ({"data": [{**ROW, "embedding": [1, 2, 3]}]}, "HUB_EMBEDDER_DIMENSION is 4"),
        ({"data": [{**ROW, "embedding": "AAAA"}]}, "list of numbers"),
        ({"data": [{**ROW, "embedding": [1, 2, 3, None]}]}, "list of numbers"),
        ({"data": [{**ROW, "embedding": [1, 2, 3, True]}]}, "list of numbers"),
        (b'{"data": [{"index": 0, "embedding": [1, 2, 3, NaN]}]}', "not finite"),
        (b'{"data": [{"index": 0, "embedding": [1, 2, 3, 1e400]}]}', "not finite"),
        (b'{"data": [{"index": 0, "embedding": [1, 2, 3, 1e39]}]}', "not finite"),
        (b'{"data": [{"index": 0, "embedding": [1, 2, 3, 1' + b"0" * 400 + b"]}]}", "not finite"),
        ({"data": [{**ROW, "embedding": [0, 0, 0, 0]}]}, "without direction"),
        (b" " * 100_000, "far more"),
    ],
)
def test_a_malformed_answer_is_refused(
    engine: OpenAIEmbedder, service: Service, body: object, said: str
) -> None:
    service.always = answer(200, body)
    with pytest.raises(EmbeddingError, match=said):
        engine.passages(["a"])
    assert len(service.asked) == 1


def test_an_answer_that_breaks_off_is_tried_again(engine: OpenAIEmbedder, service: Service) -> None:
    service.answers = [answer(200, b'{"data"', {"Content-Length": "500"})]
    assert engine.query("a").shape == (4,)


def test_nobody_there_and_nobody_answering(
    service: Service, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = replace(endpoint(service), url="http://127.0.0.1:1/v1")
    with pytest.raises(EmbeddingError, match="does not answer"):
        OpenAIEmbedder(gone, pause=pauses.append).query("a")
    assert pauses == [1.0]
    monkeypatch.setattr(openai_engine, "QUERY_WITHIN", 0.2)
    until = threading.Event()

    def slow(body: dict[str, Any]) -> Answer:
        until.wait(10)
        return well(body)

    service.always = slow
    with pytest.raises(EmbeddingError, match="does not answer"):
        OpenAIEmbedder(endpoint(service), pause=pauses.append).query("a")
    until.set()


def test_neither_text_nor_key_is_said(
    engine: OpenAIEmbedder, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    service.always = answer(500, "the text was: private herons, your key was: secret-key")
    with pytest.raises(EmbeddingError) as raised:
        engine.query("private herons")
    for said in (str(raised.value), caplog.text, repr(endpoint(service))):
        assert "herons" not in said
        assert "secret-key" not in said


def test_all_that_moves_vectors_is_in_the_build(service: Service) -> None:
    one = endpoint(service)
    others = [
        replace(one, url="http://other/v1"), replace(one, model="m"), replace(one, dimension=5),
        replace(one, query_prefix=""), replace(one, passage_prefix="Q"),
    ]  # fmt: skip
    builds = {OpenAIEmbedder(other).build for other in [one, *others]}
    assert len(builds) == 6
    assert OpenAIEmbedder(replace(one, key="new", batch=9)).build in builds


def test_it_is_chosen_by_the_settings(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {
        "HUB_EMBEDDER": "openai", "HUB_EMBEDDER_URL": service.url + "/embeddings/",
        "HUB_EMBEDDER_MODEL": "bge-m3", "HUB_EMBEDDER_DIMENSION": "4", "HUB_EMBEDDER_QUERY_PREFIX": "ask: ",
    }  # fmt: skip
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    engines.forget()
    try:
        chosen = engines.default()
        assert isinstance(chosen, OpenAIEmbedder)
        assert chosen.query("a").shape == (4,)
        assert service.asked[0]["input"] == ["ask: a"]
    finally:
        engines.forget()
