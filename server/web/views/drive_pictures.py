"""Pictures that stand for a drive model: its platter, small, and the card that links to it show."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from server.catalog.models import DriveModel
from server.core.cache import model_tag
from server.core.lifecycle import Provenance
from server.core.numbers import show_bytes
from server.drawing.card import card_svg
from server.drawing.platter import Zone, thumbnail_svg, zones_of_chart
from server.drawing.png import png_of
from server.measurements.model_charts import drive_charts_numbered, first_charts
from server.measurements.selectors import drive_models_public
from server.web.assets import drawing_fonts
from server.web.badge import card_numbers
from server.web.page_cache import cache_page, shows
from server.web.views.figure_files import conditional, file_response


@require_safe
@conditional
@cache_page()
def drive_platter(request: HttpRequest, slug: str) -> HttpResponse:
    """Answer with a model's platter without words, to be shown small; grey where its zones are not known."""
    model = _model_or_404(slug)
    svg = thumbnail_svg(_zones(model), title=f"{model.title}: the platter by bandwidth")
    return file_response(svg.encode(), "image/svg+xml; charset=utf-8", f"{model.slug}-platter", "svg")


@require_safe
@conditional
@cache_page()
def drive_card(request: HttpRequest, slug: str) -> HttpResponse:
    """Answer with the picture that other sites show beside a link to a model."""
    model = _model_or_404(slug)
    numbers, how = card_numbers(model)
    size = show_bytes(model.capacity_bytes)
    capacity = f"{size.value} {size.unit}" if size else ""
    turns = f"{model.rated_rpm:g} rpm" if model.rated_rpm else ""
    about = " · ".join(one for one in (capacity, turns, how) if one)
    svg = card_svg(_zones(model), name=model.title, about=about, numbers=numbers)
    return file_response(png_of(svg, drawing_fonts(), zoom=1.0), "image/png", f"{model.slug}-card", "png")


def _model_or_404(slug: str) -> DriveModel:
    model = DriveModel.objects.select_related("vendor").filter(drive_models_public(), slug=slug).first()
    if model is None:
        raise Http404
    shows(model_tag(model.pk))
    return model


def _zones(model: DriveModel) -> tuple[Zone, ...]:
    """Return a model's zones, measured before simulated: those of its first chart that has some."""
    for provenance in (Provenance.PROBE, Provenance.IMPORTED, Provenance.SIMULATED):
        numbers = first_charts(drive_model=model, provenance=provenance)
        for one in drive_charts_numbered(numbers.values()).values():
            zones = zones_of_chart(one.chart) if one.chart.shape == "profile" else ()
            if zones:
                return zones
    return ()
