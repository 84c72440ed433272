"""Firmware revisions as a list, and one batch, revision, variant or unit at an address of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from django.core import signing
from django.http import HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from server.api.framework import parameters
from server.api.framework.filters import missing
from server.api.framework.formats import streamed, streams_lines
from server.api.framework.keyset import chunks_after, cursor_signer
from server.api.framework.openapi import PAGE_PARAMETERS, PageShape, described
from server.api.framework.rows import RowSerializer, columns_of
from server.api.framework.tables import TableView
from server.api.framework.views import Resource
from server.api.resources.shared import DriveField, drive_key
from server.api.statistics import (
    STATISTICS_TABLES,
    StatisticsSerializer,
    statistics_data,
    statistics_tables,
)
from server.core.lifecycle import Provenance
from server.core.problems import problem
from server.measurements.firmware import BEFORE_ALL, Firmware, Key, firmware_list
from server.measurements.group_keys import (
    DIGITS,
    GroupsError,
    GroupType,
    encoded,
    firmware_key,
    unit_key,
    variant_key,
)
from server.measurements.groups import Group, group_get
from server.model_stats.breakdown import part_statistics

_SALT = "FirmwareView"
_NAMES = {
    GroupType.BATCH: "batch",
    GroupType.FIRMWARE: "fw",
    GroupType.VARIANT: "variant",
    GroupType.UNIT: "unit",
}


class FirmwareSerializer(RowSerializer):
    """A firmware revision of a drive model, of which a run is published."""

    identity = ("drive", "revision")

    drive = DriveField()
    drive_model = serializers.CharField(source="drive_model.slug", help_text="Slug of the drive model.")
    revision = serializers.CharField()
    group = serializers.SerializerMethodField(help_text="Its key in comparisons.")

    def get_group(self, row: Firmware) -> str:
        return firmware_key(row.drive_model.slug, row.revision)


@described("firmware_list", "Firmware revisions with a published run", "runs")
class FirmwareView(ListModelMixin, Resource):
    """Firmware revisions, by model and name; pages go forward only."""

    serializer_class = FirmwareSerializer
    pagination_class = PageShape
    streams = streams_lines

    def known_parameters(self) -> set[str]:
        return super().known_parameters() | {"limit", "cursor", "drive"}

    def list_parameters(self) -> Iterator[OpenApiParameter]:
        yield from PAGE_PARAMETERS
        yield OpenApiParameter(
            "drive", description="Slug of the drive model, for example seagate-st2000nm0001."
        )

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer with a page, or with a stream of all pages."""
        slug = request.query_params.get("drive")
        shape, only, after = self.shape(), drive_key(slug) if slug else None, self._cursor()
        if self.streams(request):
            row: Any = self.serializer_class
            columns = list(columns_of(row(context={"shape": shape})))
            limit = parameters.limit_read(request, most=None)

            def read(after: Key, size: int) -> list[Firmware]:
                return firmware_list(after=after, limit=size, drive_model_id=only)

            pieces = chunks_after(read, after, lambda row: row.sort_key, limit)
            chunks = (self.serialized(rows, shape, many=True) for rows in pieces)
            return streamed(chunks, request.accepted_renderer, columns, name="firmware")
        limit = parameters.limit_read(request) or parameters.LIMIT_USUAL
        rows = firmware_list(after=after, limit=limit + 1, drive_model_id=only)
        more = rows[limit - 1].sort_key if len(rows) > limit else None
        found = self.serialized(rows[:limit], shape, many=True)
        total = len(found) if more is None and not request.query_params.get("cursor") else None
        return Response({"next": self._address(more), "previous": None, "total": total, "results": found})

    def _cursor(self) -> Key:
        text = self.request.query_params.get("cursor")
        if text is None:
            return BEFORE_ALL
        try:
            model, revision = cursor_signer(_SALT).unsign_object(text)
        except (signing.BadSignature, ValueError, TypeError):
            raise problem(
                "not-found",
                "The cursor leads to no page of this list. Follow `next` as it is, or begin anew.",
            ) from None
        return int(model), str(revision)

    def _address(self, after: Key | None) -> str | None:
        if after is None:
            return None
        query = self.request.query_params.copy()
        query["cursor"] = cursor_signer(_SALT).sign_object(list(after))
        return self.request.build_absolute_uri(f"{self.request.path}?{query.urlencode()}")


class DivisionSerializer(serializers.Serializer[Any]):
    """A part of a drive model's runs: a batch, a firmware revision, a variant or a unit."""

    group = serializers.CharField(help_text="Its key in comparisons.")
    form = serializers.ChoiceField(choices=[form.value for form in _NAMES])
    drive = DriveField()
    part = serializers.CharField(help_text="Week and label, revision, variant, or digest.")
    title = serializers.CharField()
    provenance = serializers.ChoiceField(choices=Provenance.choices, help_text="Of the runs counted here.")
    runs = serializers.IntegerField()
    units = serializers.IntegerField(help_text="Different units among them, as far as the runs tell.")
    runs_url = serializers.URLField(help_text="The runs as a list.")
    url = serializers.CharField(help_text="Its page.")
    statistics = StatisticsSerializer(allow_null=True, help_text="Null where no number is usable.")


class DivisionView(TableView):
    """The base of the four."""

    type: GroupType
    tables = STATISTICS_TABLES
    file_name = "statistics"

    def get(self, request: Request, slug: str, part: str, format: str | None = None) -> HttpResponseBase:
        try:
            # What a key may not hold is percent-encoded in it, as the website's addresses have it.
            group = group_get(f"{slug}~{_NAMES[self.type]}:{encoded(part)}")
        except GroupsError:
            raise missing(self.type.value, f"{slug} {part}") from None
        runs = group.runs()
        statistics = part_statistics(group)
        if not runs.exists():
            raise missing(self.type.value, f"{slug} {part}")
        body = {
            # A unit may be asked for by more digits than its key has.
            "group": unit_key(slug, part)
            if group.type == GroupType.UNIT and len(part) > DIGITS
            else group.key,
            "form": group.type.value,
            "drive_model": group.drive_model,
            "part": part,
            "title": group.title,
            "provenance": group.source.value,
            "runs": runs.count(),
            "units": runs.exclude(unit=None).values("unit").distinct().count(),
            "runs_url": request.build_absolute_uri(f"{reverse('api:runs')}?{_runs_query(group)}"),
            "url": request.build_absolute_uri(group.url),
            "statistics": statistics_data(statistics) if statistics else None,
        }
        shown = DivisionSerializer(body).data
        groups = [(shown["group"], shown["statistics"])] if statistics else []
        return self.answer(request, shown, statistics_tables(groups))


def _runs_query(group: Group) -> str:
    """Return the filters of the list of runs that give the group's."""
    run = group.runs().select_related("batch", "unit").first()
    filters: dict[str, Any] = {"drive": group.drive_model.slug, "provenance": group.source.value}
    if group.type == GroupType.FIRMWARE:
        filters["firmware"] = group.part
    elif group.type == GroupType.VARIANT:
        filters["variant"] = variant_key(group.drive_model.slug, group.part)
    elif run is not None and group.type == GroupType.UNIT and run.unit is not None:
        filters["unit"] = run.unit.digest
    elif run is not None and run.batch is not None:
        own = {"batch_year": run.batch.year, "batch_week": run.batch.week, "batch_label": run.batch.label}
        filters |= {name: value for name, value in own.items() if value not in (None, "")}
    return urlencode(filters)


@described("batches_get", "A batch of a drive model with its statistics", "runs", DivisionSerializer)
class BatchView(DivisionView):
    """A batch of a drive model with its statistics"""

    type = GroupType.BATCH


@described(
    "firmware_get", "A firmware revision of a drive model with its statistics", "runs", DivisionSerializer
)
class FirmwareRevisionView(DivisionView):
    """A firmware revision of a drive model with its statistics"""

    type = GroupType.FIRMWARE


@described("variants_get", "A variant of a drive model with its statistics", "runs", DivisionSerializer)
class VariantView(DivisionView):
    """A variant of a drive model with its statistics"""

    type = GroupType.VARIANT


@described("units_get", "A unit, by its digest or the first twelve digits of it", "runs", DivisionSerializer)
class UnitView(DivisionView):
    """A unit, by its digest or the first twelve digits of it"""

    type = GroupType.UNIT
