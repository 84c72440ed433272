"""The charts of a drive model: their data, and their points as a table."""

from __future__ import annotations

import hashlib

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from server.benchmarks.chart_json import chart_json
from server.catalog.models import DriveModel
from server.core.cache import cache
from server.measurements.model_charts import ModelChart, drive_chart, drive_charts_numbered, first_charts
from server.web.figures import Figure, chart_csv, chart_tables, figure_with, provenance_words
from server.web.page import page
from server.web.page_cache import release
from server.web.views.runs import ROWS_PER_PAGE

FIGURES_S = 3600
"""How long the HTML of a figure is cached. It stays the same until its chart is drawn anew, under another
number, while the pages that it stands in are rendered again after each change that they show."""


def drive_figures(model: DriveModel, provenance: str) -> dict[str, SafeString]:
    """Return the first figure of each kind of a model's runs of one provenance as HTML; the pages of runs
    have all. A chart that was drawn anew meanwhile has none."""
    numbers = first_charts(drive_model=model, provenance=provenance)
    named = hashlib.sha256(f"{model.slug}|{model.title}|{release()}".encode()).hexdigest()
    keys = {number: f"figure:{number}:{named}" for number in numbers.values()}
    html = cache.get_many(list(keys.values()))
    lacking = [number for number, key in keys.items() if key not in html]
    if lacking:
        charts = drive_charts_numbered(lacking)
        made = {keys[number]: _figure_html(model, provenance, one) for number, one in charts.items()}
        cache.set_many(made, FIGURES_S)
        html |= made
    # A template's result is a plain text, which the page would escape.
    return {kind: SafeString(html[keys[one]]) for kind, one in numbers.items() if keys[one] in html}


def _figure_html(model: DriveModel, provenance: str, one: ModelChart) -> str:
    figure = drive_figure(model.slug, model.title, provenance, one)
    return render_to_string("web/parts/figure.html", {"figure": figure})


def drive_figure(slug: str, title: str, provenance: str, one: ModelChart) -> Figure:
    """Return a chart of the model of that slug and title with what its page needs."""
    many = one.units > 1
    return figure_with(
        one.chart,
        base_url=f"/drives/{slug}/charts/{provenance}/{one.kind}/{one.chart.id}",
        name=f"{slug}-{provenance}-{one.kind}-{one.chart.id}",
        source=(
            f"{title} · {provenance_words(provenance)} · "
            f"{f'the middle one of {one.units} units' if many else 'one unit'}, run {one.run_id} · DiskAtlas"
        ),
        full_url=f"/runs/{one.run_id}/charts/{one.kind}/{one.chart.id}.csv?full=1",
        note=f"Drawn is the unit in the middle of {one.units}." if many else "",
    )


def _chart_or_404(slug: str, provenance: str, kind: str, chart_id: str) -> ModelChart:
    one = drive_chart(slug=slug, provenance=provenance, kind=kind, chart_id=chart_id)
    if one is None:
        raise Http404
    return one


@require_safe
def drive_chart_json(
    request: HttpRequest, slug: str, provenance: str, kind: str, chart_id: str
) -> HttpResponse:
    """Answer with a chart's data, as the front end draws it."""
    response = JsonResponse(chart_json(_chart_or_404(slug, provenance, kind, chart_id).chart))
    response["Cache-Control"] = "public, max-age=300"
    return response


@require_safe
def drive_chart_csv(
    request: HttpRequest, slug: str, provenance: str, kind: str, chart_id: str
) -> HttpResponse:
    """Answer with a chart's points as a file."""
    one = _chart_or_404(slug, provenance, kind, chart_id)
    response = HttpResponse(chart_csv(one.chart), content_type="text/csv; charset=utf-8")
    name = f"{slug}-{provenance}-{kind}-{chart_id}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_safe
def drive_chart_table(
    request: HttpRequest, slug: str, provenance: str, kind: str, chart_id: str
) -> HttpResponse:
    """Show the points of a chart, page by page; `view` says of which of its views."""
    model = get_object_or_404(DriveModel, slug=slug)
    one = _chart_or_404(slug, provenance, kind, chart_id)
    tables = chart_tables(one.chart)
    table = next((each for each in tables if each.key == request.GET.get("view")), tables[0])
    context = {
        "run": None,
        "model": model,
        "provenance": provenance,
        "figure": drive_figure(model.slug, model.title, provenance, one),
        "table": table,
        "tables": tables,
        "pages": Paginator(table.rows, ROWS_PER_PAGE).get_page(request.GET.get("page")),
    }
    return page(request, "web/chart_table.html", context, section="drives")
