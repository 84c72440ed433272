"""Whether this process can answer: asked by load balancers and container health checks."""

from __future__ import annotations

from django.db import connection
from django.http import HttpRequest, HttpResponse


def health(request: HttpRequest) -> HttpResponse:
    """Answer 200 where the database answers; the queue may be away without a submission being lost."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok\n", content_type="text/plain", headers={"Cache-Control": "no-store"})
