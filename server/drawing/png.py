"""A drawing as a PNG, for pages and mails that take no SVG: by resvg. With fonts of its own it looks the
same on every machine."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import resvg_py

ZOOM = 2.0
"""Pixels of the picture to one of the drawing: sharp on every screen."""


def png_of(svg: str, fonts: Iterable[Path] = (), *, zoom: float = ZOOM) -> bytes:
    """Return an SVG document as a PNG in its light colours, its words in these fonts; where none are given,
    in those of the machine. Raises ValueError where it is no SVG."""
    font_files = [str(path) for path in fonts]
    return resvg_py.svg_to_bytes(
        svg_string=svg,
        zoom=zoom,
        skip_system_fonts=bool(font_files),
        font_files=font_files,
        font_family="IBM Plex Sans",
        sans_serif_family="IBM Plex Sans",
    )
