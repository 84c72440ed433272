"""The charts of runs and drive models: their data, their points as a table, and the figures of a model's
page."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from server.benchmarks.chart_json import chart_json
from server.benchmarks.contract import Chart
from server.catalog.models import DriveModel
from server.core.cache import cache
from server.core.envelope_store import EnvelopeLost
from server.core.lifecycle import State
from server.measurements.charts import run_chart, run_chart_full
from server.measurements.model_charts import ModelChart, drive_chart, drive_charts_numbered, first_charts
from server.measurements.models import Benchmark, Run
from server.submissions.selectors import submission_visible
from server.web.figures import Figure, chart_csv, chart_tables, figure_of, figure_with, provenance_words
from server.web.page import page
from server.web.page_cache import release
from server.web.views.withdrawn import absent

ROWS_PER_PAGE = 500
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
    return render_to_string("web/parts/figure.html", {"figure": drive_figure(model, provenance, one)})


def drive_figure(model: DriveModel, provenance: str, one: ModelChart) -> Figure:
    """Return a chart of the model with what its page needs."""
    many = one.units > 1
    return figure_with(
        one.chart,
        base_url=f"/drives/{model.slug}/charts/{provenance}/{one.kind}/{one.chart.id}",
        name=f"{model.slug}-{provenance}-{one.kind}-{one.chart.id}",
        source=(
            f"{model.title} · {provenance_words(provenance)} · "
            f"{f'the middle one of {one.units} units' if many else 'one unit'}, run {one.run_id} · DiskAtlas"
        ),
        full_url=f"/runs/{one.run_id}/charts/{one.kind}/{one.chart.id}.csv?full=1",
        note=f"Drawn is the unit in the middle of {one.units}: its numbers lie nearest to the medians."
        if many
        else "",
        licence=one.licence,
        measured_at=one.measured_at,
    )


# ---- What the addresses of both have in common.


def _json(chart: Chart) -> HttpResponse:
    """Answer with a chart's data, as the front end draws it."""
    return JsonResponse(chart_json(chart), headers={"Cache-Control": "public, max-age=300"})


def _csv(chart: Chart, name: str) -> HttpResponse:
    """Answer with a chart's points as a file."""
    response = HttpResponse(chart_csv(chart), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def _table(request: HttpRequest, figure: Figure, about: dict[str, Any]) -> HttpResponse:
    """Show the points of a chart, page by page; `view` says of which of its views."""
    tables = chart_tables(figure.chart)
    table = next((one for one in tables if one.key == request.GET.get("view")), tables[0])
    pages = Paginator(table.rows, ROWS_PER_PAGE).get_page(request.GET.get("page"))
    context = {**about, "figure": figure, "table": table, "tables": tables, "pages": pages}
    return page(request, "web/chart_table.html", context, section="drives")


# ---- Charts of drive models.


def _model_chart(**address: str) -> ModelChart:
    one = drive_chart(**address)
    if one is None:
        raise Http404
    return one


@require_safe
def drive_chart_json(request: HttpRequest, **address: str) -> HttpResponse:
    """Answer with a chart's data."""
    return _json(_model_chart(**address).chart)


@require_safe
def drive_chart_csv(request: HttpRequest, **address: str) -> HttpResponse:
    """Answer with a chart's points."""
    return _csv(_model_chart(**address).chart, "-".join(address.values()))


@require_safe
def drive_chart_table(request: HttpRequest, **address: str) -> HttpResponse:
    """Show a chart's points."""
    model, provenance = get_object_or_404(DriveModel, slug=address["slug"]), address["provenance"]
    figure = drive_figure(model, provenance, _model_chart(**address))
    return _table(request, figure, {"run": None, "model": model, "provenance": provenance})


# ---- Charts of runs. What a run that was withdrawn had is gone, and says so.


def _run_chart(request: HttpRequest, run_id: UUID, kind: str, chart_id: str) -> tuple[Chart | None, bool]:
    """Return a chart of a run, if whoever asks may see what was measured, and whether everybody may."""
    run = Run.objects.select_related("submission__probe_key").filter(pk=run_id).first()
    if run is None or not submission_visible(run.submission, request.user):
        return None, False
    published = run.submission.state == State.PUBLISHED
    find = run_chart_full if request.GET.get("full") == "1" else run_chart
    try:
        return find(run_id=run_id, kind=kind, chart_id=chart_id), published
    except (Benchmark.DoesNotExist, EnvelopeLost):
        return None, published


@require_safe
def run_chart_json(request: HttpRequest, run_id: UUID, kind: str, chart_id: str) -> HttpResponse:
    """Answer with a chart's data; with `full=1`, with all its points."""
    chart, published = _run_chart(request, run_id, kind, chart_id)
    if chart is None:
        return absent(request, run_id)
    response = _json(chart)
    if not published:
        response["Cache-Control"] = "private, no-store"
    return response


@require_safe
def run_chart_csv(request: HttpRequest, run_id: UUID, kind: str, chart_id: str) -> HttpResponse:
    """Answer with a chart's points; with `full=1`, with all of them."""
    chart, _published = _run_chart(request, run_id, kind, chart_id)
    full = "-full" if request.GET.get("full") == "1" else ""
    return _csv(chart, f"{kind}-{chart.id}-{run_id}{full}") if chart else absent(request, run_id)


@require_safe
def run_chart_table(request: HttpRequest, run_id: UUID, kind: str, chart_id: str) -> HttpResponse:
    """Show a chart's points."""
    chart, _published = _run_chart(request, run_id, kind, chart_id)
    if chart is None:
        return absent(request, run_id)
    run = get_object_or_404(Run.objects.select_related("drive_model__vendor"), pk=run_id)
    about = {"run": run, "model": run.drive_model, "provenance": run.provenance}
    return _table(request, figure_of(run, kind, chart), about)
