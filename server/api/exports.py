"""Drive models as files that simulators and tools read."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from server.api.framework.read_view import ReadView
from server.api.framework.tables import TableView
from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance
from server.core.problems import ErrorItem, problem
from server.exports.drive import ExportError
from server.exports.selectors import FORMS, drive_export, drive_exports
from server.measurements.selectors import drive_model_public

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


class DriveExportsView(TableView):
    """The forms there are."""

    tables = {"forms": ("form", ExportFormSerializer)}
    file_name = "exports"

    @extend_schema(
        operation_id="drive_exports",
        summary="Forms that a drive model can be exported in",
        responses={200: ExportFormSerializer(many=True)},
    )
    def get(self, request: Request, slug: str, format: str | None = None) -> HttpResponseBase:
        """Return each form with its address, for each provenance that there are runs of."""
        drive_model = _drive(slug)
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
            for one in FORMS.values()
        ]
        return self.answer(request, ExportFormSerializer(forms, many=True).data, {"forms": forms})


class DriveExportView(ReadView):
    """A drive model in one form."""

    known = frozenset({"provenance"})

    @extend_schema(
        operation_id="drive_export",
        summary="Drive model as a file for simulators",
        description=(
            "Medians over the published runs of one provenance; zones and seeks of the run with most kinds. "
            "The file's head says what it rests on and what was assumed."
        ),
        parameters=[
            OpenApiParameter("form", str, OpenApiParameter.PATH, enum=list(FORMS)),
            _PROVENANCE,
        ],
        responses={(200, "text/plain"): OpenApiTypes.STR},
    )
    def get(self, request: Request, slug: str, form: str) -> HttpResponse:
        """Return the file's text."""
        drive_model = _drive(slug)
        if form not in FORMS:
            raise problem("not-found", f"There is no form {form!r}. There are {', '.join(FORMS)}.")
        try:
            export = drive_export(drive_model=drive_model, provenance=_provenance(request), form=FORMS[form])
        except ExportError as error:
            raise problem("not-found", str(error)) from error
        response = HttpResponse(export.text, content_type="text/plain; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="{export.name}"'
        return response


def _drive(slug: str) -> DriveModel:
    model = drive_model_public(slug=slug)
    if model is None:
        raise problem("not-found", f"There is no drive {slug!r}. Check the address.")
    return model


def _provenance(request: Request) -> Provenance:
    wanted = request.query_params.get("provenance", Provenance.PROBE.value)
    if wanted not in Provenance.values:
        known = ", ".join(Provenance.values)
        detail = f"provenance is one of {known}."
        raise problem("bad-parameter", detail, ErrorItem("?provenance", detail))
    return Provenance(wanted)
