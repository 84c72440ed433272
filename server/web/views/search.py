"""What a search box offers while one types."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from server.catalog.models import Vendor
from server.core.cache import LISTS, model_tag, run_tag
from server.core.lifecycle import State
from server.core.numbers import show_bytes
from server.core.text import counted
from server.measurements.models import Run
from server.search.drive_list import MATCH, TEXT_MAX, DriveList, DriveQuery
from server.search.models import DriveSummary
from server.search.text_search import runs_find, vendors_find
from server.web.page_cache import cache_page, shows

MOST = 8
_VENDORS = 2


@require_safe
@cache_page(known=["q"])
def suggest(request: HttpRequest) -> JsonResponse:
    """Answer with `{"query", "suggestions": [{"kind", "label", "detail", "url"}]}`, the likeliest first."""
    text = " ".join(request.GET.get("q", "").replace("\0", "").split())[:TEXT_MAX]
    runs = runs_find(text)
    offered = [_run(run) for run in runs]
    if len(text) >= 2:
        offered += [_vendor(vendor) for vendor in vendors_find(text, limit=_VENDORS)]
        rows = DriveList(DriveQuery(text=text, sort=MATCH)).page(1, MOST)
        offered += [_model(row) for row in rows]
        if all(run.submission.state == State.PUBLISHED for run in runs):
            shows(LISTS, *(model_tag(row.pk) for row in rows), *(run_tag(run.run_id) for run in runs))
    response = JsonResponse({"query": text, "suggestions": offered[:MOST]})
    response.headers["Cache-Control"] = "public, max-age=60"
    return response


def _model(row: DriveSummary) -> dict[str, str]:
    capacity = show_bytes(row.capacity_bytes)
    parts = [f"{capacity.value} {capacity.unit}" if capacity else "", row.interface]
    if row.measured_runs:
        parts.append(counted(row.measured_runs, "measured run"))
    elif row.simulated_runs:
        parts.append("simulated only")
    elif row.literature_values:
        parts.append("published values only")
    return {
        "kind": "drive",
        "label": row.drive_model.title,
        "detail": ", ".join(part for part in parts if part),
        "url": reverse("drive-detail", args=[row.drive_model.slug]),
    }


def _vendor(vendor: Vendor) -> dict[str, str]:
    return {
        "kind": "vendor",
        "label": vendor.name,
        "detail": "all models of this vendor",
        "url": f"{reverse('drive-list')}?vendor={vendor.slug}",
    }


def _run(run: Run) -> dict[str, str]:
    words = "measured run" if run.provenance == "probe" else f"{run.provenance} run"
    detail = f"{words} of {run.drive_model.title}, {run.created_at:%Y-%m-%d}"
    # Of what is not published anybody hears the state alone: its id stands in the log of decisions.
    published = run.submission.state == State.PUBLISHED
    return {
        "kind": "run",
        "label": f"Run {run.run_id}",
        "detail": detail if published else f"{run.submission.state}, not public",
        "url": reverse("run-detail", args=[run.run_id]),
    }
