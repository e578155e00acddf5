"""Django's entry for this package."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import AppConfig

from assets.embedding import settings
from hub.signals import serving


class AssetsConfig(AppConfig):
    name = "assets"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        settings.check()
        serving.connect(load_engine)

    def findings(self) -> Iterator[tuple[str, str, str]]:
        """What `doctor` says of this package: colour, name and text."""
        from assets.embedding import engines
        from assets.embedding.protocol import EmbeddingError

        embedder = engines.default()
        if embedder is None:
            yield "amber", "embedding", "no engine: search is by words only"
            return
        try:
            embedder.query("Is it well?")
        except EmbeddingError as error:
            yield "amber", "embedding", str(error)
        else:
            yield "green", "embedding", f"{embedder.name} ({embedder.build})"


def load_engine(**_signal: Any) -> None:
    """So that the first question does not wait for the model."""
    from assets.embedding import engines

    engines.default()
