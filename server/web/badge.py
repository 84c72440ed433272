"""A drive model's badge: one number, what it is of, and where it comes from, as an SVG for other pages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse
from django.utils.html import escape

from server.benchmarks.measurands import answered
from server.benchmarks.registry import metrics_by_key
from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance
from server.measurements.models import Aggregate
from server.measurements.typical import typical_of

CHARACTER = 6.6
"""Mean width of a character at 11 px, a little generous: the text is stretched to what is reckoned here."""
PADDING = 8
HEIGHT = 20
NOT_MEASURED = "not measured yet"
_MARKDOWN = re.compile(r"([\\\[\]`*_<])")
MEASURED, SIMULATED, NOTHING = "#1c6a45", "#7a4300", "#4a5a64"
"""The colours of the site's own badges; white on each holds 4.5 to 1."""


@dataclass(frozen=True, slots=True)
class Badge:
    """The words of a badge."""

    left: str
    right: str
    color: str


def badge_of(drive_model: DriveModel) -> Badge:
    """Return a model's badge: measured before simulated, and that nothing was measured where it wasn't."""
    for provenance, color in ((Provenance.PROBE, MEASURED), (Provenance.SIMULATED, SIMULATED)):
        found = _headline(drive_model, provenance)
        if found is not None:
            return Badge(drive_model.number, _words(found, provenance), color)
    return Badge(drive_model.number, NOT_MEASURED, NOTHING)


def card_numbers(drive_model: DriveModel) -> tuple[list[tuple[str, str]], str]:
    """Return a model's headline numbers of the whole drive, each with what it is, and how they came about:
    measured before simulated."""
    order = [key for key, metric in metrics_by_key().items() if metric.headline]
    for provenance, how in ((Provenance.PROBE, "measured"), (Provenance.SIMULATED, "simulated drive")):
        rows = Aggregate.objects.filter(
            drive_model=drive_model, provenance=provenance, scope="", metric__in=order
        )
        found = []
        for row in sorted(rows, key=lambda row: order.index(row.metric)):
            metric = metrics_by_key()[row.metric]
            shown = typical_of(row).shown(metric.unit)
            if shown:
                found.append((metric.title, f"{shown.value} {shown.unit}".strip()))
        if found:
            return found, how
    return [], NOT_MEASURED


def _headline(drive_model: DriveModel, provenance: Provenance) -> Aggregate | None:
    """Return the first answer that the model's page leads with, or else the first headline number of the
    whole drive."""
    metrics = metrics_by_key()
    order = [metric for metric, scope in answered() if not scope]
    order += [key for key, metric in metrics.items() if metric.headline and key not in order]
    rows = Aggregate.objects.filter(
        drive_model=drive_model, provenance=provenance, scope="", metric__in=order
    )
    return min(rows, key=lambda row: order.index(row.metric), default=None)


def _words(row: Aggregate, provenance: Provenance) -> str:
    metric = metrics_by_key()[row.metric]
    typical = typical_of(row)
    shown = typical.shown(metric.unit)
    number = f"{shown.value} {shown.unit}".strip() if shown else ""
    how = "measured" if provenance == Provenance.PROBE else "simulated drive"
    return f"{metric.title} {number} · {how}, {typical.words}"


def badge_embeds(drive_model: DriveModel, badge: Badge) -> tuple[tuple[str, str], ...]:
    """Return what to write to have a model's badge on a page, that leads to the model's: language, text."""
    page = f"{settings.SITE_URL}{reverse('drive-detail', args=[drive_model.slug])}"
    image = f"{settings.SITE_URL}{reverse('drive-badge', args=[drive_model.slug])}"
    words = f"{badge.left} on DiskAtlas"
    html = f'<a href="{escape(page)}"><img src="{escape(image)}" alt="{escape(words)}" height="{HEIGHT}"></a>'
    marked = _MARKDOWN.sub(r"\\\1", words)
    rst = f".. image:: {image}\n   :target: {page}\n   :alt: {words}"
    return (("HTML", html), ("Markdown", f"[![{marked}]({image})]({page})"), ("reStructuredText", rst))


def badge_svg(badge: Badge) -> str:
    """Return the badge as SVG. Everything in it is escaped; it loads nothing."""
    left, right = (round(len(text) * CHARACTER) + 2 * PADDING for text in (badge.left, badge.right))
    title = escape(f"{badge.left}: {badge.right} (DiskAtlas)")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img" '
        f'aria-label="{title}"><title>{title}</title>'
        f'<path fill="#10212b" d="M3 0h{left - 3}v{HEIGHT}H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z"/>'
        f'<path fill="{badge.color}" d="M{left} 0h{right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{left}z"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{_text(PADDING, left, badge.left)}{_text(left + PADDING, right, badge.right)}</g></svg>\n"
    )


def _text(x: int, width: int, words: str) -> str:
    return f'<text x="{x}" y="14" textLength="{width - 2 * PADDING}">{escape(words)}</text>'
