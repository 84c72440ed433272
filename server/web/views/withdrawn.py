"""What stands at the addresses of a run that was withdrawn."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse

from server.measurements.models import Run
from server.submissions.withdrawal import tombstone_of
from server.web.log_place import log_places
from server.web.page import page


def gone(request: HttpRequest, run: Run) -> HttpResponse | None:
    """Return the tombstone of a run with status 410; None where the run was not withdrawn."""
    tombstone = tombstone_of(run.submission)
    if tombstone is None:
        return None
    context = {"run": run, "tombstone": tombstone, "log": log_places(run.pk)}
    return page(request, "web/run_withdrawn.html", context, section="drives", status=410)


def absent(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Return the tombstone of the run whose part was asked for; raises Http404 where there is none."""
    run = Run.objects.select_related("submission", "drive_model__vendor").filter(pk=run_id).first()
    answer = gone(request, run) if run else None
    if answer is None:
        raise Http404
    return answer
