"""Rendering a page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers


def page(
    request: HttpRequest, template: str, context: dict[str, Any], *, section: str = "", status: int = 200
) -> HttpResponse:
    """Render `template`; caches keep one copy per cookie, since the theme's cookie shapes the page."""
    response = render(request, template, {**context, "section": section}, status=status)
    patch_vary_headers(response, ["Cookie"])
    return response
