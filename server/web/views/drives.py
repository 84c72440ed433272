"""The list of drive models, and the page of one."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from server.catalog.models import DriveModel
from server.catalog.selectors import literature_facts_list
from server.compare.claims import claim_rows
from server.compare.selectors import (
    SORTS,
    drive_metric_rows,
    drive_representative_run,
    drives_list,
)
from server.compare.statistics import drive_statistics
from server.runs.models import Provenance, Run
from server.runs.selectors import runs_of_model
from server.web.claims import claim_views
from server.web.figures import Figure
from server.web.page import page
from server.web.published import fact_rows
from server.web.rows import Sources, statistics_groups
from server.web.units import units_section
from server.web.views.runs import safe_figures

PER_PAGE = 50
QUERY_MAX = 200
RUNS_PER_PAGE = 25


@require_safe
def drive_list(request: HttpRequest) -> HttpResponse:
    """Show the models; search, sort and page stand in the address."""
    query = request.GET.get("q", "").strip()[:QUERY_MAX]
    wanted = request.GET.get("sort", "name")
    sort = wanted.removeprefix("-")
    if sort not in SORTS:
        wanted = sort = "name"
    models = drives_list(query=query, sort=sort, descending=wanted.startswith("-"))
    paginator = Paginator(models, PER_PAGE)
    context = {
        "query": query,
        "sort": sort,
        "descending": wanted.startswith("-"),
        "pages": paginator.get_page(request.GET.get("page")),
        "total": paginator.count,
    }
    return page(request, "web/drives.html", context, section="drives")


@require_safe
def drive_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a model: measured and published numbers, simulated ones apart, charts and runs."""
    model = get_object_or_404(DriveModel.objects.select_related("vendor"), slug=slug)
    sources = Sources()
    rows = drive_metric_rows(drive_model=model, provenance=Provenance.PROBE)
    measured = statistics_groups(rows, sources)
    simulated = statistics_groups(
        drive_metric_rows(drive_model=model, provenance=Provenance.SIMULATED), sources
    )
    runs = runs_of_model(drive_model=model)
    measured_runs = runs.filter(provenance=Provenance.PROBE)
    measured_run, simulated_run = (
        drive_representative_run(drive_model=model, provenance=provenance)
        for provenance in (Provenance.PROBE, Provenance.SIMULATED)
    )
    measured_units, simulated_units = (
        units_section(drive_statistics(drive_model=model, provenance=provenance))
        for provenance in (Provenance.PROBE, Provenance.SIMULATED)
    )
    context = {
        "model": model,
        "measured": measured,
        "measured_units": measured_units,
        "simulated_units": simulated_units,
        "readouts": [row for group in measured for row in group.rows if row.headline],
        "simulated": simulated,
        "facts": fact_rows(literature_facts_list(drive_model=model), sources),
        "claims": claim_views(claim_rows(drive_model=model), sources),
        "sources": sources,
        "measured_run": measured_run,
        "measured_figures": _figures(measured_run),
        "simulated_run": simulated_run,
        "simulated_figures": _figures(simulated_run),
        "measured_runs": Paginator(measured_runs, RUNS_PER_PAGE).get_page(request.GET.get("page")),
        "unmeasured": not measured_runs.exists(),
        "unit_count": measured_runs.exclude(unit=None).order_by().values("unit").distinct().count(),
        "simulated_runs": runs.filter(provenance=Provenance.SIMULATED)[:RUNS_PER_PAGE],
    }
    return page(request, "web/drive.html", context, section="drives")


def _figures(run: Run | None) -> list[Figure]:
    """Return the first figure of each kind; the run's own page has all."""
    if run is None:
        return []
    return [figures[0] for figures in safe_figures(run).values() if figures]
