"""The first page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from server.compare.selectors import run_showcase
from server.runs.envelopes import EnvelopeLost
from server.runs.models import Run
from server.runs.selectors import home_counts, runs_latest
from server.web.figures import Figure, figures_of_run
from server.web.page import page


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show what the archive is, how much it holds, and what came last."""
    run = run_showcase()
    context = {
        "counts": home_counts(),
        "latest": runs_latest(limit=8),
        "showcase": run,
        "figure": _first_figure(run) if run else None,
    }
    return page(request, "web/home.html", context)


def _first_figure(run: Run) -> Figure | None:
    """Return the run's first chart; without its envelope the page does without."""
    try:
        return next((figure for figures in figures_of_run(run).values() for figure in figures), None)
    except EnvelopeLost:
        return None
