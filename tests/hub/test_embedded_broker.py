"""The embedded broker: a socket, no port, and nothing lost over a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import redis

from hub.embedded import broker

if TYPE_CHECKING:
    from pathlib import Path


def connect(folder: Path) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(folder / "run" / "v.sock"))


def test_it_keeps_what_was_written_and_opens_no_port(tmp_path: Path) -> None:
    with broker.running(tmp_path) as server:
        assert server.url.startswith("redis+socket:///")
        with connect(tmp_path) as client:
            client.lpush("queue", "task")
            assert client.config_get("port") == {"port": "0"}
            assert client.config_get("appendonly") == {"appendonly": "yes"}
    assert not server.answers()
    with broker.running(tmp_path), connect(tmp_path) as client:
        assert client.lrange("queue", 0, -1) == [b"task"]
