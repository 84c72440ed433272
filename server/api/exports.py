"""Drive models as files that simulators and tools read."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from server.api.framework.openapi import described
from server.api.framework.read_view import ReadView
from server.api.framework.tables import TableView, fields_of
from server.api.resources.shared import drive_model_at
from server.core.lifecycle import Provenance
from server.core.problems import ErrorItem, problem
from server.exports.selectors import FORMATS, drive_export, drive_exports

_PROVENANCE = OpenApiParameter(
    "provenance", str, enum=Provenance.values, default=Provenance.PROBE.value, description="Whose numbers."
)


class ExportFormSerializer(serializers.Serializer[Any]):
    """A form that a drive can be had in, by its runs of one provenance."""

    form = serializers.CharField()
    title = serializers.CharField()
    provenance = serializers.ChoiceField(choices=Provenance.choices)
    url = serializers.URLField()
    reason = serializers.CharField(help_text="Why it can't be had by these runs; or empty.")


@described(
    "drive_exports", "Forms that a drive model can be exported in", shape=ExportFormSerializer(many=True)
)
class DriveExportsView(TableView):
    """The forms there are."""

    tables = {"forms": ("form", fields_of(ExportFormSerializer))}
    file_name = "exports"

    def get(self, request: Request, slug: str, format: str | None = None) -> HttpResponseBase:
        """Return each form with its address, for each provenance that there are runs of."""
        drive_model = drive_model_at(slug)
        base = request.build_absolute_uri(reverse("api:drive-exports", args=[slug]))
        forms = [
            {
                "form": one.slug,
                "title": one.title,
                "provenance": provenance.value,
                "url": f"{base}{one.slug}/?provenance={provenance.value}",
                "reason": reason,
            }
            for provenance, reason in drive_exports(drive_model=drive_model)
            for one in FORMATS.values()
        ]
        return self.answer(request, ExportFormSerializer(forms, many=True).data, {"forms": forms})


@described(
    "drive_export",
    "Drive model as a file for simulators",
    responses={(200, "text/plain"): OpenApiTypes.STR},
    description="Medians over the published runs of one provenance; zones and seeks of the run with most "
    "kinds. The file's head says what it rests on and what was assumed.",
)
class DriveExportView(ReadView):
    """A drive model in one form."""

    parameters = (
        OpenApiParameter("form", str, OpenApiParameter.PATH, enum=list(FORMATS)),
        _PROVENANCE,
    )

    def get(self, request: Request, slug: str, form: str) -> HttpResponse:
        """Return the file's text."""
        drive_model = drive_model_at(slug)
        if form not in FORMATS:
            raise problem("not-found", f"There is no format {form!r}. There are {', '.join(FORMATS)}.")
        export = drive_export(drive_model=drive_model, provenance=_provenance(request), format=FORMATS[form])
        disposition = {"Content-Disposition": f'attachment; filename="{export.name}"'}
        return HttpResponse(export.text, content_type="text/plain; charset=utf-8", headers=disposition)


def _provenance(request: Request) -> Provenance:
    wanted = request.query_params.get("provenance", Provenance.PROBE.value)
    if wanted not in Provenance.values:
        known = ", ".join(Provenance.values)
        detail = f"provenance is one of {known}."
        raise problem("bad-parameter", detail, ErrorItem("?provenance", detail))
    return Provenance(wanted)
