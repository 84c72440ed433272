"""What the website's pages say of a model and of the archive as a whole, from the same selectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from server.api.framework.filters import name_trouble
from server.api.framework.openapi import described
from server.api.framework.tables import TableView, fields_of
from server.api.resources.shared import drive_model_of, page_url
from server.catalog.selectors import drive_class, drive_models_similar
from server.core.lifecycle import Provenance
from server.core.problems import ErrorItem, problem
from server.measurements.group_keys import Source, key_parse, model_key
from server.model_stats.coverage_gaps import drive_coverage_gaps
from server.model_stats.overview import DriveOverview, PartCount, drive_overview
from server.search.archive_counts import archive_counts, recommended_runs
from server.search.drive_list import DriveList, DriveQuery, drive_query_of
from server.search.facets import FACETS, UNSTATED

WANTED_MOST = 100


class CountsSerializer(serializers.Serializer[Any]):
    """How much the archive holds. Samples and numbers are those of measured runs alone."""

    models_listed = serializers.IntegerField()
    models_measured = serializers.IntegerField()
    units = serializers.IntegerField()
    measured_runs = serializers.IntegerField()
    simulated_runs = serializers.IntegerField()
    samples = serializers.IntegerField(help_text="Timings in the documents of measured runs.")
    measurements = serializers.IntegerField()
    claims = serializers.IntegerField()
    updated_at = serializers.DateTimeField(allow_null=True, help_text="Null before anything was counted.")


@described("statistics", "How much the archive holds", "archive", CountsSerializer)
class StatisticsView(TableView):
    """The archive's counts."""

    tables = {"counts": ("archive", fields_of(CountsSerializer))}
    file_name = "statistics"

    def get(self, request: Request, format: str | None = None) -> HttpResponseBase:
        """Return the counts of the first page."""
        empty = {**dict.fromkeys(fields_of(CountsSerializer), 0), "updated_at": None}
        body = CountsSerializer(archive_counts() or empty).data
        return self.answer(request, body, {"counts": [body]})


class WantedSerializer(serializers.Serializer[Any]):
    """A model of which a further run would settle something."""

    drive = serializers.SlugField()
    title = serializers.CharField()
    rank = serializers.IntegerField(help_text="The smaller, the more a run settles.")
    words = serializers.CharField()
    measured_runs = serializers.IntegerField()
    units = serializers.IntegerField()
    url = serializers.CharField()


class WantedListSerializer(serializers.Serializer[Any]):
    """The runs that are wanted most, in order."""

    results = WantedSerializer(many=True)


@described(
    "wanted", f"Runs that would settle most, {WANTED_MOST} models at most", "archive", WantedListSerializer
)
class WantedView(TableView):
    """Which runs are wanted."""

    tables = {"wanted": ("model", fields_of(WantedSerializer))}
    file_name = "wanted"

    def get(self, request: Request, format: str | None = None) -> HttpResponseBase:
        """Return the models in order."""
        results = [
            {
                "drive": row.drive_model.slug,
                "title": row.drive_model.title,
                "rank": row.recommended_rank,
                "words": row.recommended_words,
                "measured_runs": row.measured_runs,
                "units": row.units,
                "url": page_url({"request": request}, "drive-detail", row.drive_model.slug),
            }
            for row in recommended_runs(limit=WANTED_MOST)
        ]
        return self.answer(request, {"results": results}, {"wanted": results})


class FacetValueSerializer(serializers.Serializer[Any]):
    """One value, with how many drives it would leave."""

    value = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # the field's published name
    count = serializers.IntegerField()
    chosen = serializers.BooleanField()


class FacetSerializer(serializers.Serializer[Any]):
    """One thing that drives differ in."""

    key = serializers.CharField()
    title = serializers.CharField()
    values = FacetValueSerializer(many=True)


class FacetsSerializer(serializers.Serializer[Any]):
    """How the drives that pass are spread."""

    total = serializers.IntegerField(help_text="Drive models that pass all choices.")
    facets = FacetSerializer(many=True)


@described(
    "facets",
    "Facets of drive models, counted",
    "catalogue",
    FacetsSerializer,
    description="As the website's list narrows: counts follow the choices in the other facets.",
)
class FacetsView(TableView):
    """The facets of the list of drives."""

    tables = {"values": ("value of a facet", ("facet", "title", *fields_of(FacetValueSerializer)))}
    file_name = "facets"
    parameters = (
        OpenApiParameter("q", description="Words to search for."),
        *(
            OpenApiParameter(facet.key, str, many=True, description=f"{facet.title}; any of several.")
            for facet in FACETS
        ),
    )
    repeatable = frozenset(facet.key for facet in FACETS)

    def get(self, request: Request, format: str | None = None) -> HttpResponseBase:
        """Return every facet with its values."""
        query = drive_query_of(request.query_params)
        _facet_values_check(query)
        found = DriveList(query)
        facets = [
            {"key": group.facet.key, "title": group.facet.title, "values": group.values}
            for group in found.facets()
        ]
        body = FacetsSerializer({"total": found.total, "facets": facets}).data
        rows = [
            {"facet": one["key"], "title": one["title"], **value}
            for one in body["facets"]
            for value in one["values"]
        ]
        return self.answer(request, body, {"values": rows})


def _facet_values_check(query: DriveQuery) -> None:
    """Raise Problem where a value is chosen that no model has, and that is no word of the facet's."""
    if not query.facets:
        return
    for group in DriveList(DriveQuery()).facets():
        known = [key for key, _label in group.facet.labels] or [one.value for one in group.values]
        for value in query.facets.get(group.facet.key, ()):
            if words := name_trouble(group.facet.title.lower(), value, {*known, UNSTATED}):
                raise problem("unknown-name", words, ErrorItem(f"?{group.facet.key}", words))


class PartSerializer(serializers.Serializer[Any]):
    """One variant, batch or firmware revision."""

    part = serializers.CharField(help_text="Empty where the runs do not tell.")
    label = serializers.CharField()  # type: ignore[assignment]  # the field's published name
    key = serializers.CharField(help_text="In comparisons; empty where the runs do not tell.")
    runs = serializers.IntegerField()
    units = serializers.IntegerField()


class OverviewSerializer(serializers.Serializer[Any]):
    """The runs of one provenance, counted."""

    provenance = serializers.ChoiceField(choices=Provenance.choices)
    runs = serializers.IntegerField()
    units = serializers.IntegerField(
        help_text="Different units; runs that do not tell theirs count as one of each key."
    )
    untold = serializers.IntegerField(help_text="Runs that do not tell their drive.")
    keys = serializers.IntegerField(help_text="Different keys that signed them.")
    batches = PartSerializer(many=True)
    firmwares = PartSerializer(many=True)
    variants = PartSerializer(many=True, help_text="None where no unit names one.")


class SimilarSerializer(serializers.Serializer[Any]):
    """A model of the same class."""

    drive = serializers.SlugField()
    title = serializers.CharField()
    url = serializers.CharField()


class WantingSerializer(serializers.Serializer[Any]):
    """One thing that the archive does not know of a model that was measured."""

    title = serializers.CharField()
    words = serializers.CharField()
    kinds = serializers.ListField(
        child=serializers.CharField(),
        help_text="The benchmarks that it is about; none where it is about runs.",
    )


class DriveOverviewSerializer(serializers.Serializer[Any]):
    """What the page of a model says beside its numbers."""

    drive = serializers.SlugField()
    overviews = OverviewSerializer(many=True, help_text="One for each provenance that it has runs of.")
    wanted = serializers.CharField(help_text="Which further run would settle most; or empty.")
    missing = WantingSerializer(many=True, help_text="None for a model that nobody measured: all is missing.")
    similar_rule = serializers.CharField(help_text="What models of one class have in common; or empty.")
    similar = SimilarSerializer(many=True)


@described(
    "drive_overview",
    "Runs of a drive model by unit, batch and firmware; what is wanted; models of its class",
    "catalogue",
    DriveOverviewSerializer,
)
class DriveOverviewView(TableView):
    """What a model's runs are of, which are wanted, and which models are like it."""

    tables = {
        "parts": (
            "provenance, batch and firmware revision",
            ("drive", "provenance", "division", *fields_of(PartSerializer)),
        )
    }
    file_name = "overview"

    def get(self, request: Request, slug: str, format: str | None = None) -> HttpResponseBase:
        """Return what the page says."""
        model = drive_model_of(slug)
        found = [(one, drive_overview(drive_model=model, provenance=one)) for one in Provenance]
        summary, alike = getattr(model, "summary", None), drive_class(model)
        body = {
            "drive": slug,
            "overviews": [_overview(one, overview) for one, overview in found if overview.runs],
            "wanted": summary.recommended_words if summary else "",
            "missing": [
                {"title": one.title, "words": one.words, "kinds": [kind for kind, _title in one.kinds]}
                for one in drive_coverage_gaps(drive_model=model)
            ],
            "similar_rule": alike.words if alike else "",
            "similar": [
                {
                    "drive": one.slug,
                    "title": one.title,
                    "url": page_url({"request": request}, "drive-detail", one.slug),
                }
                for one in drive_models_similar(drive_model=model)
            ],
        }
        shown = DriveOverviewSerializer(body).data
        return self.answer(request, shown, {"parts": _part_rows(shown)})


def _overview(provenance: Provenance, overview: DriveOverview) -> dict[str, Any]:
    names = ("runs", "units", "keys")
    return {
        "provenance": provenance.value,
        **{name: getattr(overview, name) for name in names},
        "untold": overview.unidentified_runs,
        "batches": [_part(one, provenance) for one in overview.batches],
        "firmwares": [_part(one, provenance) for one in overview.firmwares],
        "variants": [_part(one, provenance) for one in overview.variants],
    }


def _part(part: PartCount, provenance: Provenance) -> dict[str, Any]:
    """Return a batch or revision; its key asks for runs of this provenance, whatever else there is."""
    key = str(replace(key_parse(part.key), asked=Source(provenance.value))) if part.key else ""
    return {**asdict(part), "key": key}


_DIVISIONS = {"batch": "batches", "firmware": "firmwares", "variant": "variants"}


def _part_rows(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the counts of each provenance, of the whole model first, then of its parts."""
    for one in body["overviews"]:
        common = {"drive": body["drive"], "provenance": one["provenance"]}
        key = model_key(body["drive"], Source(one["provenance"]))
        counted = {"key": key, "runs": one["runs"], "units": one["units"]}
        yield {**common, "division": "model", "part": "", "label": "", **counted}
        for division, name in _DIVISIONS.items():
            for part in one[name]:
                yield {**common, "division": division, **part}
