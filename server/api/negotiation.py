"""Which format an answer has: the address's suffix says, or `Accept`, or else it is JSON.

A client that asks for something unknown gets JSON too: a problem must reach it.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.http import Http404
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class JSONNegotiation(BaseContentNegotiation):
    """Picks the renderer that suffix or `Accept` name, the first one otherwise."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        """Return the first parser, if any."""
        return next(iter(parsers), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the renderer and its media type; raises Http404 for a suffix that the address has not."""
        known = {str(renderer.media_type): renderer for renderer in renderers}
        if format_suffix:
            for media_type, renderer in known.items():
                if renderer.format == format_suffix:
                    return renderer, media_type
            raise Http404
        chosen = request._request.get_preferred_type(list(known)) or next(iter(known))
        return known[chosen], chosen
