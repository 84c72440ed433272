"""Lists whose rows are parts of runs' benchmarks: what all such rows begin with, and how their pages go on.

They lie in no table of the database, so that a page begins behind a place: a benchmark, and a position in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar
from uuid import UUID

from django.core import signing
from django.db.models import QuerySet
from django_filters import ChoiceFilter
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin

from server.api.framework import parameters
from server.api.framework.filters import StrictFilterBackend
from server.api.framework.formats import streams_lines
from server.api.framework.keyset import cursor_signer
from server.api.framework.openapi import PAGE_PARAMETERS, PageShape
from server.api.framework.rows import RowSerializer
from server.api.framework.views import Resource
from server.api.resources.filters import run_filters
from server.core.lifecycle import Provenance
from server.core.problems import problem
from server.measurements.listings import benchmarks_all
from server.measurements.models import Benchmark

RowKey = tuple[int, int]
"""Key of a benchmark, and position of a row in it."""
BEFORE_ALL: RowKey = (0, -1)

_RunFilters: Any = run_filters("run")


class RunRowFilters(_RunFilters):
    """Filters of such rows, by the runs that they are of."""

    provenance = ChoiceFilter(field_name="run__provenance", choices=Provenance.choices)

    class Meta:
        model = Benchmark
        fields: ClassVar[list[str]] = []


class RunRowSerializer(RowSerializer):
    """What every such row begins with."""

    run_id = serializers.UUIDField(help_text="The run.")
    drive_model = serializers.CharField(help_text="Slug of the drive model.")
    vendor_slug = serializers.CharField()
    unit_digest = serializers.CharField(allow_null=True, help_text="Digest of the unit; null where untold.")
    provenance = serializers.ChoiceField(choices=Provenance.choices)
    license = serializers.CharField(help_text="Licence of the row (SPDX).")


RUN_COLUMNS = (
    "run_id",
    "run__drive_model__slug",
    "run__drive_model__vendor__slug",
    "run__unit__digest",
    "run__provenance",
    "run__license",
)
"""Where a benchmark has what RunRowSerializer shows."""
RUN_FIELDS = tuple(RunRowSerializer().fields)


def run_values(run_id: UUID, *values: str | None) -> dict[str, Any]:
    """Return what a row begins with, from a benchmark's RUN_COLUMNS."""
    return dict(zip(RUN_FIELDS, (str(run_id), *values), strict=True))


class RunRowsView(ListModelMixin, Resource):
    """Such rows in the order in which their runs came; pages go forward only."""

    pagination_class = PageShape
    filter_backends = [StrictFilterBackend]
    filterset_class: ClassVar[Any] = RunRowFilters
    streams = streams_lines
    cursor_salt: ClassVar[str]
    """What the cursors of this list are signed under."""
    since_about: ClassVar[str] = (
        "Rows of runs that were published or extracted anew at that instant or later."
    )

    def get_queryset(self) -> QuerySet[Any]:
        """Return the benchmarks that the rows are of."""
        return benchmarks_all().filter(state=Benchmark.State.EXTRACTED)

    def known_parameters(self) -> set[str]:
        return super().known_parameters() | {"limit", "cursor", "since", *self.filterset_class.base_filters}

    def list_parameters(self) -> Iterator[OpenApiParameter]:
        yield from PAGE_PARAMETERS
        form = {"type": "string", "format": "date-time"}
        yield OpenApiParameter("since", form, description=self.since_about)

    def benchmarks_asked(self) -> QuerySet[Any]:
        """Return the benchmarks that the request's filters leave."""
        queryset = self.filter_queryset(self.get_queryset())
        if since := parameters.since_read(self.request):
            queryset = queryset.filter(run__updated_at__gte=since)
        return queryset

    def row_key(self) -> RowKey:
        """Return the place behind which the page begins; raises Problem for a cursor of another list."""
        text = self.request.query_params.get("cursor")
        if text is None:
            return BEFORE_ALL
        try:
            benchmark, position = cursor_signer(self.cursor_salt).unsign_object(text)
        except (signing.BadSignature, ValueError, TypeError):
            raise problem(
                "not-found",
                "The cursor leads to no page of this list. Follow `next` as it is, or begin anew.",
            ) from None
        return int(benchmark), int(position)

    def page(self, rows: list[dict[str, Any]], last: RowKey | None) -> dict[str, Any]:
        """Return a page of rows; the next one begins behind `last`, and there is none without."""
        whole = last is None and self.request.query_params.get("cursor") is None
        total = len(rows) if whole else None
        return {"next": self._address(last), "previous": None, "total": total, "results": rows}

    def _address(self, after: RowKey | None) -> str | None:
        if after is None:
            return None
        query = self.request.query_params.copy()
        query["cursor"] = cursor_signer(self.cursor_salt).sign_object(list(after))
        return self.request.build_absolute_uri(f"{self.request.path}?{query.urlencode()}")
