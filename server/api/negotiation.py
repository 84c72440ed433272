"""The API speaks JSON whatever `Accept` says: a problem must reach a client that asked for something else."""

from __future__ import annotations

from collections.abc import Iterable

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class JSONNegotiation(BaseContentNegotiation):
    """Picks the view's first renderer and the first parser that takes the body."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        """Return the first parser, if any."""
        return next(iter(parsers), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the first renderer and its media type."""
        renderer = next(iter(renderers))
        return renderer, renderer.media_type or "application/json"
