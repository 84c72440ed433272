"""A platter seen from above: rings by bandwidth, from the zones that a profile's steps give.

How wide a ring is follows from what it holds and how fast it is read. At one rate of rotation a track holds
as much as is read in a turn, so a zone has as many tracks as its bytes divided by its rate. The hole is as
wide as if bits were equally long on all tracks: then rates go with the radius.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from server.benchmarks.contract import Chart
from server.drawing.palette import DARK_STYLE, FONT, INK, MUTED, SURFACE, ink, ramp_color
from server.drawing.text import escape, shortened, width_of, wrapped

SIZE_PX = 360
_CENTRE, _OUTER = SIZE_PX / 2, SIZE_PX / 2 - 8
_SMALLEST_HOLE, _LARGEST_HOLE = 0.36, 0.7
"""Shares of the radius: words have to fit into the hole, and rings around it."""
_FILLED = 0.88
"""How much of the hole's width a line takes at most."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A stretch of the disk with one bandwidth, from the outside in."""

    start_gb: float
    end_gb: float
    mb_per_s: float

    @property
    def words(self) -> str:
        """Where it is and how fast, in a line."""
        return f"{self.start_gb:.4g} to {self.end_gb:.4g} GB: {self.mb_per_s:.4g} MB/s"


@dataclass(frozen=True, slots=True)
class Ring:
    """A zone, and where it is drawn, as shares of the platter's radius."""

    zone: Zone
    outer: float
    inner: float
    color: str


def zones_of_chart(chart: Chart) -> tuple[Zone, ...]:
    """Return the zones that a profile's steps say; none where it has no steps.

    A step holds its bandwidth, in MB/s, from its place, in GB, to the next one's. Neighbours that read as one
    are one.
    """
    steps = next((one for one in chart.series if one.role == "step"), None)
    if steps is None or chart.x.unit != "GB" or chart.y.unit != "MB/s":
        return ()
    found: list[Zone] = []
    for start, end, rate in zip(steps.x, steps.x[1:], steps.y, strict=False):
        if end <= start or rate <= 0:
            continue
        if found and found[-1].mb_per_s == rate:
            start = found.pop().start_gb
        found.append(Zone(start, end, rate))
    return tuple(found)


def rings_of(zones: Sequence[Zone]) -> tuple[Ring, ...]:
    """Return the rings of a platter with these zones, from the outside in."""
    if not zones:
        return ()
    tracks = [(zone.end_gb - zone.start_gb) / zone.mb_per_s for zone in zones]
    rates = [zone.mb_per_s for zone in zones]
    low, high = min(rates), max(rates)
    hole = min(max(zones[-1].mb_per_s / zones[0].mb_per_s, _SMALLEST_HOLE), _LARGEST_HOLE)
    edge, found = 1.0, []
    for zone, count in zip(zones, tracks, strict=True):
        inner = edge - (1 - hole) * count / sum(tracks)
        # The darkest and the lightest colour are left to drives that have them: zones differ by half.
        share = 0.15 + 0.8 * (zone.mb_per_s - low) / (high - low) if high > low else 0.6
        found.append(Ring(zone, edge, inner, ramp_color(share)))
        edge = inner
    return tuple(found)


def platter_svg(zones: Sequence[Zone], *, title: str, foot: Sequence[str] = ()) -> str:
    """Return a platter as an SVG document: rings that say on hovering what they are, and lines below."""
    lines = [line for words in foot for line in wrapped(words, SIZE_PX - 16, 11)]
    height = SIZE_PX + 24 + 15 * len(lines)
    words = "".join(
        f'<text {ink(MUTED)} fill="currentColor" font-size="11" x="8" y="{SIZE_PX + 32 + 15 * row}">'
        f"{escape(line)}</text>"
        for row, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE_PX} {height}" width="{SIZE_PX}" '
        f'height="{height}" role="img" aria-labelledby="title" font-family="{FONT}">'
        f'<title id="title">{escape(title)}</title>{DARK_STYLE}'
        f'<rect {ink(SURFACE)} fill="currentColor" width="100%" height="100%"/>'
        f'<text {ink(INK)} fill="currentColor" font-size="13" font-weight="600" x="8" y="18">'
        f'{escape(shortened(title, SIZE_PX - 16, 14))}</text><g transform="translate(0 20)">'
        f"{rings_svg(zones)}</g>{words}</svg>\n"
    )


def thumbnail_svg(zones: Sequence[Zone], *, title: str) -> str:
    """Return a platter without words, for places where it is small; a grey one of a drive without zones."""
    rings = "".join(_ring(ring) for ring in rings_of(zones))
    blank = (
        f'<path {ink(MUTED)} fill="currentColor" fill-opacity=".2" fill-rule="evenodd" '
        f'd="{_annulus(1, 0.4)}"/>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE_PX} {SIZE_PX}" width="96" height="96" '
        f'role="img" aria-labelledby="title"><title id="title">{escape(title)}</title>{DARK_STYLE}'
        f"{rings or blank}</svg>\n"
    )


def rings_svg(zones: Sequence[Zone], *, focusable: bool = False) -> str:
    """Return the rings and what the hole says: the range of the rates, or of the ring that is pointed at.

    `focusable` is for a drawing inside a page, whose style sheet shows the words of the ring that has the
    focus; rings are then walked along by the keyboard.
    """
    rings = rings_of(zones)
    if not rings:
        return ""
    rates = [ring.zone.mb_per_s for ring in rings]
    count = "one zone" if len(rings) == 1 else f"{len(rings)} zones"
    room = 2 * rings[-1].inner * _OUTER
    parts = [f'<g class="all">{_hole(_span(rates), "MB/s", count, room)}</g>']
    for index, ring in enumerate(rings):
        label, shown = f"Zone {index + 1}: {ring.zone.words}", _ring(ring)
        focus = ""
        if focusable:
            focus = f' tabindex="{min(index, 1) * -1}" role="img" aria-label="{escape(label)}"'
            span = f"{ring.zone.start_gb:.4g} to {ring.zone.end_gb:.4g} GB"
            shown += f'<g class="speed">{_hole(f"{ring.zone.mb_per_s:.4g}", "MB/s", span, room)}</g>'
        parts.append(f'<g class="zone"{focus}><title>{escape(label)}</title>{shown}</g>')
    return "".join(parts)


def _span(rates: Sequence[float]) -> str:
    """Return the range of the rates, as many decimals in both."""
    high, low = max(rates), min(rates)
    text = f"{high:.4g}"
    return text if high == low else f"{text} to {low:.{len(text.partition('.')[2])}f}"


def _hole(large: str, unit: str, small: str, room_px: float) -> str:
    """Return the lines in the hole, no wider than it leaves room for."""
    return "".join(
        f'<text {ink(color)} fill="currentColor" text-anchor="middle" '
        f'font-size="{_size_in(words, size, _FILLED * room_px):.3g}" x="{_CENTRE:g}" '
        f'y="{_CENTRE + drop:g}">{escape(words)}</text>'
        for words, size, drop, color in ((large, 24, -8, INK), (unit, 15, 13, MUTED), (small, 14, 34, MUTED))
    )


def _size_in(words: str, size_px: float, room_px: float) -> float:
    return min(size_px, size_px * room_px / width_of(words, size_px))


def _ring(ring: Ring) -> str:
    return (
        f'<path fill="{ring.color}" fill-rule="evenodd" stroke="#ffffff" stroke-opacity=".45" '
        f'stroke-width=".7" d="{_annulus(ring.outer, ring.inner)}"/>'
    )


def _annulus(outer: float, inner: float) -> str:
    circles = []
    for share in (outer, inner):
        radius = share * _OUTER
        circles.append(
            f"M{_CENTRE - radius:.1f} {_CENTRE:g}a{radius:.1f} {radius:.1f} 0 1 0 {2 * radius:.1f} 0"
            f"a{radius:.1f} {radius:.1f} 0 1 0 -{2 * radius:.1f} 0z"
        )
    return "".join(circles)
