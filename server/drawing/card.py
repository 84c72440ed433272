"""The picture of a drive model that other sites show beside a link to it: 1200 by 630 pixels."""

from __future__ import annotations

from collections.abc import Sequence

from server.drawing.palette import FONT, INK, MUTED, SURFACE, ink
from server.drawing.platter import SIZE_PX, Zone, rings_svg
from server.drawing.text import WIDTH_EM, escape, shortened

WIDTH_PX, HEIGHT_PX = 1200, 630
_LEFT_PX, _PLATTER_PX = 620, 540
_ROW_PX, _MOST_ROWS = 86, 4
_NAME_PX = 52


def card_svg(zones: Sequence[Zone], *, name: str, about: str, numbers: Sequence[tuple[str, str]]) -> str:
    """Return a model's card: its platter, its name, what it is, and at most four numbers with their words."""
    left = _LEFT_PX if zones else 80
    width = WIDTH_PX - left - 50
    # A long name is written smaller, and shortened only where that does not do.
    name_px = max(30, min(_NAME_PX, int(width / (WIDTH_EM * max(1, len(name))))))
    rows = "".join(
        _words(value, left, 246 + _ROW_PX * row, 40, INK, width, "600")
        + _words(label, left, 274 + _ROW_PX * row, 22, MUTED, width)
        for row, (label, value) in enumerate(numbers[:_MOST_ROWS])
    )
    scale = _PLATTER_PX / SIZE_PX
    platter = f'<g transform="translate(40 45) scale({scale:g})">{rings_svg(zones)}</g>' if zones else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH_PX} {HEIGHT_PX}" width="{WIDTH_PX}" '
        f'height="{HEIGHT_PX}" font-family="{FONT}"><title>{escape(name)}</title>'
        f'<rect {ink(SURFACE)} fill="currentColor" width="100%" height="100%"/>'
        f'<rect fill="#10212b" width="100%" height="14"/>{platter}'
        f"{_words(name, left, 110, name_px, INK, width, '600')}{_words(about, left, 160, 26, MUTED, width)}"
        f"{rows}{_words('DiskAtlas · measured disk characteristics', left, 600, 22, MUTED, width)}</svg>\n"
    )


def _words(words: str, x: int, y: int, size: int, color: str, width_px: int, weight: str = "400") -> str:
    return (
        f'<text {ink(color)} fill="currentColor" x="{x}" y="{y}" font-size="{size}" '
        f'font-weight="{weight}">{escape(shortened(words, width_px, size))}</text>'
    )
