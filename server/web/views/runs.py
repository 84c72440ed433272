"""A run's page while its jobs run and afterwards, and its charts' data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from uuid import UUID

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from server.benchmarks.chart_json import chart_json
from server.benchmarks.contract import Chart
from server.core.cache import key_tag, model_tag, run_tag
from server.core.envelope_store import EnvelopeLost, envelope_load
from server.core.lifecycle import State
from server.measurements.charts import run_chart, run_chart_full
from server.measurements.group_keys import run_key
from server.measurements.models import Benchmark, Run
from server.plausibility.models import CheckResult
from server.plausibility.peer_rank import run_peer_rank
from server.submissions.moderation import findings_of
from server.submissions.selectors import BenchmarkPart, RunPage, run_page, submission_visible
from server.web.disturbances import disturbance_words
from server.web.figures import Figure, chart_csv, chart_tables, figure_of, figures_of_run
from server.web.log_place import log_places
from server.web.page import page
from server.web.page_cache import cache_page, shows
from server.web.peer_rank import peer_rank_view
from server.web.rows import Lack, MeasuredRow, lacks_of, measured_row
from server.web.views.withdrawn import absent

REFRESH_S = 3
"""How often a page whose jobs run asks again."""
ROWS_PER_PAGE = 500
LIFE = (State.RECEIVED, State.VERIFIED, State.VALIDATED, State.EXTRACTED, State.PUBLISHED)


@dataclass(frozen=True, slots=True)
class Part:
    """One kind's section of a run's page."""

    benchmark: Benchmark
    title: str
    rows: tuple[MeasuredRow, ...]
    """Those with a number."""
    lacks: tuple[Lack, ...]
    figures: tuple[Figure, ...]
    disturbed: str
    """What disturbed it, as a sentence; empty where nothing did."""


def _data_or_404(run_id: UUID) -> RunPage:
    try:
        return run_page(run_id=run_id)
    except Run.DoesNotExist:
        raise Http404 from None


def _envelope_name(data: RunPage) -> str:
    return "api:run-envelope" if data.submission.state == State.PUBLISHED else "run-envelope"


def _withdrawn(data: RunPage) -> bool:
    return data.submission.state == State.WITHDRAWN


def _life(state: str) -> list[tuple[str, str]]:
    """Return the stops of a submission's life, each with its class: done, now, or still ahead."""
    if state not in LIFE:
        return [(State.RECEIVED.value, "done"), (state, "stopped")]
    reached = LIFE.index(State(state))
    ended = state == State.PUBLISHED
    return [
        (stop.value, "done" if place < reached or ended else "now" if place == reached else "")
        for place, stop in enumerate(LIFE)
    ]


def _status(data: RunPage) -> dict[str, Any]:
    submission = data.submission
    events = list(submission.events.all())
    return {
        "data": data,
        "run": data.run,
        "submission": submission,
        "life": _life(submission.state),
        "events": events,
        "last_reason": next(
            (event.reason for event in reversed(events) if event.state == submission.state), ""
        ),
        "refresh_s": REFRESH_S,
    }


def safe_figures(run: Run) -> dict[str, tuple[Figure, ...]]:
    """Return the run's figures; none where its envelope is lost, which the log of the storage tells."""
    try:
        return figures_of_run(run)
    except EnvelopeLost:
        return {}


def _part(part: BenchmarkPart, figures: tuple[Figure, ...], conditions: Mapping[str, Any]) -> Part:
    rows = [measured_row(row) for row in part.measurements]
    return Part(
        benchmark=part.benchmark,
        title=part.title,
        rows=tuple(row for row in rows if row.shown),
        lacks=lacks_of(rows),
        figures=figures,
        disturbed=disturbance_words(conditions, part.benchmark.kind),
    )


def plausibility_of(run: Run) -> dict[str, Any]:
    """Return the checks' answers: those with something to say, those without, and how many of each
    outcome."""
    findings = findings_of(run)
    nothing = CheckResult.Outcome.NOT_APPLICABLE.label
    left = [finding for finding in findings if finding.outcome == nothing]
    return {
        "findings": findings,
        "findings_shown": [finding for finding in findings if finding not in left],
        "findings_left": left,
        "outcomes": list(Counter(finding.outcome for finding in findings).items()),
    }


@require_safe
@cache_page()
def run_detail(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Show a run: status, identity, conditions, measurements, charts and how to check them."""
    data = _data_or_404(run_id)
    if _withdrawn(data):
        return absent(request, run_id)
    if not submission_visible(data.submission, request.user):
        return page(request, "web/run_unpublished.html", _status(data), section="drives")
    if data.submission.state == State.PUBLISHED:  # Before that its page tells of work that goes on.
        shows(run_tag(run_id), model_tag(data.run.drive_model_id), key_tag(data.submission.probe_key_id))
    figures = safe_figures(data.run)
    conditions = data.run.summary["conditions"]
    parts = [_part(part, figures.get(part.benchmark.kind, ()), conditions) for part in data.parts]
    context = {
        **_status(data),
        "parts": parts,
        **plausibility_of(data.run),
        "readouts": [row for part in parts for row in part.rows if row.headline],
        "document": data.run.summary,
        "key": data.submission.probe_key,
        "log": log_places(run_id),
        "peers": peer_rank_view(run_peer_rank(run=data.run)),
        "compare_url": f"/compare/?d={quote(run_key(run_id))}&d={data.run.drive_model.slug}",
        "server_url": request.build_absolute_uri("/").rstrip("/"),
        "envelope_url": request.build_absolute_uri(reverse(_envelope_name(data), args=[run_id])),
    }
    return page(request, "web/run.html", context, section="drives")


@require_safe
def run_status(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Show the status alone, which the run's page polls; once it has ended, the whole page is due."""
    data = _data_or_404(run_id)
    if _withdrawn(data):
        return absent(request, run_id)
    response = render(request, "web/parts/run_status.html", _status(data))
    response["Cache-Control"] = "no-store"
    if not data.active:
        response["X-Reload"] = "true"
    return response


@require_safe
def run_envelope(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Hand out what was sent to whoever may see it: where it is not published, to those who are signed in as
    its moderators or its holder. The API hands out what is published."""
    submission = _data_or_404(run_id).submission
    if submission.state == State.WITHDRAWN or not submission_visible(submission, request.user):
        raise Http404
    content = envelope_load(digest=submission.digest, name=submission.storage_name)
    response = HttpResponse(content, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{run_id}.envelope.json"'
    response["Cache-Control"] = "private, no-store"
    return response


def _chart(request: HttpRequest, run_id: UUID, kind: str, chart_id: str) -> Chart | None:
    find = run_chart_full if request.GET.get("full") == "1" else run_chart
    try:
        return find(run_id=run_id, kind=kind, chart_id=chart_id)
    except (Benchmark.DoesNotExist, EnvelopeLost):
        return None


@require_safe
def run_chart_json(request: HttpRequest, run_id: UUID, kind: str, chart_id: str) -> HttpResponse:
    """Answer with a chart's data, as the front end draws it; with `full=1`, with all its points."""
    chart = _chart(request, run_id, kind, chart_id)
    if chart is None:
        return absent(request, run_id)
    response = JsonResponse(chart_json(chart))
    response["Cache-Control"] = "public, max-age=300"
    return response


@require_safe
def run_chart_csv(request: HttpRequest, run_id: UUID, kind: str, chart_id: str) -> HttpResponse:
    """Answer with a chart's points as a file; with `full=1`, with all of them."""
    chart = _chart(request, run_id, kind, chart_id)
    if chart is None:
        return absent(request, run_id)
    response = HttpResponse(chart_csv(chart), content_type="text/csv; charset=utf-8")
    full = "-full" if request.GET.get("full") == "1" else ""
    response["Content-Disposition"] = f'attachment; filename="{kind}-{chart.id}-{run_id}{full}.csv"'
    return response


@require_safe
def run_chart_table(request: HttpRequest, run_id: UUID, kind: str, chart_id: str) -> HttpResponse:
    """Show the points of a chart, page by page; `view` says of which of its views."""
    data = _data_or_404(run_id)
    chart = _chart(request, run_id, kind, chart_id)
    if chart is None:
        return absent(request, run_id)
    tables = chart_tables(chart)
    table = next((one for one in tables if one.key == request.GET.get("view")), tables[0])
    context = {
        "run": data.run,
        "model": data.run.drive_model,
        "provenance": data.run.provenance,
        "figure": figure_of(data.run, kind, chart),
        "table": table,
        "tables": tables,
        "pages": Paginator(table.rows, ROWS_PER_PAGE).get_page(request.GET.get("page")),
    }
    return page(request, "web/chart_table.html", context, section="drives")
