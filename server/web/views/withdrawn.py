"""What stands at the addresses of a run that was withdrawn."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse

from server.measurements.models import Run
from server.submissions.selectors import tombstone_of
from server.transparency.publication_log import leaves_list
from server.web.page import page


def absent(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Return the tombstone of the run whose part was asked for, with status 410, or raise Http404."""
    run = Run.objects.select_related("submission", "drive_model__vendor").filter(pk=run_id).first()
    tombstone = tombstone_of(run.submission) if run else None
    if tombstone is None:
        raise Http404
    context = {"run": run, "tombstone": tombstone, "log": leaves_list(run_id=run_id)}
    return page(request, "web/run_withdrawn.html", context, section="drives", status=410)
