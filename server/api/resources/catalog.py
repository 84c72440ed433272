"""Vendors and drive models, and what documents state of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import django_filters
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from server.api.framework.filters import RANGE, Filters, NameFilter, NamesFilter, value_filter
from server.api.framework.keyset import Ordering, Ranked
from server.api.framework.openapi import described
from server.api.framework.parameters import choice_read
from server.api.framework.rows import Derived, Related, RowSerializer, Shape
from server.api.framework.views import DetailView, ListView
from server.api.resources.filters import model_filters, null_filter, vendor_trouble
from server.api.resources.shared import (
    DriveField,
    drive_missing,
    metric_filter,
    metrics_filter,
    of_models_found,
    page_url,
    scope_filter,
)
from server.catalog.models import DriveModel, LiteratureValue, Vendor, drive_title
from server.catalog.selectors import (
    drive_aliases,
    drive_models_all,
    literature_all,
    vendor_aliases,
    vendors_all,
)
from server.core.text import normalize_name
from server.measurements.selectors import drive_models_public, vendors_public
from server.search.columns import COLUMNS
from server.search.drive_list import ModelOrder
from server.search.model_index import EVIDENCE, NUMBERS

_FACTS = (EVIDENCE, "runs", "units", "claims", "latest")
_RANKED = {"natural": "name", **{sort: sort for sort in (*_FACTS, *(column.key for column in COLUMNS))}}
"""Orders that are those of the website's list."""


class VendorSerializer(RowSerializer):
    """Who made drives."""

    identity = ("slug",)
    related = {"aliases": Related(vendor_aliases, "vendor_id", "text")}

    slug = serializers.SlugField()
    vendor_slug = serializers.SlugField(source="slug", help_text="The same, as other lists name it.")
    name = serializers.CharField()
    aliases = serializers.SerializerMethodField(help_text="Other spellings, as interfaces give them.")
    updated_at = serializers.DateTimeField()

    def get_aliases(self, vendor: Vendor) -> list[str]:
        return [alias.text for alias in vendor.aliases.all()]


@described("vendors_list", "Vendors", "catalogue")
class VendorsView(ListView):
    """Vendors."""

    serializer_class = VendorSerializer
    file_name = "vendors"
    orderings = {"name": Ordering(("name", "pk")), "updated_at": Ordering(("updated_at", "pk"))}
    usual_ordering = "name"
    since_column = "updated_at"
    searches = True

    @staticmethod
    def rows() -> QuerySet[Any]:
        """Return the vendors of models that anybody may see."""
        return vendors_all().filter(vendors_public())

    def search(self, queryset: QuerySet[Any], words: str) -> QuerySet[Any]:
        squeezed = normalize_name(words)
        found = Vendor.objects.filter(normalized__contains=squeezed) | Vendor.objects.filter(
            aliases__normalized__contains=squeezed
        )
        return queryset.filter(pk__in=found.values("pk"))


@described("vendors_get", "A vendor", "catalogue")
class VendorView(DetailView):
    """A vendor."""

    serializer_class = VendorSerializer
    noun = "vendor"

    def row(self, *, shape: Shape, slug: str) -> Vendor | None:
        return vendors_all().filter(vendors_public(), slug=slug).first()


class SpreadSerializer(serializers.Serializer[Any]):
    """A number of a model over its units, or over published values."""

    median = serializers.FloatField()
    q1 = serializers.FloatField(
        allow_null=True, help_text="Lower quartile; null of published values, as `q3` is."
    )
    q3 = serializers.FloatField(allow_null=True, help_text="Upper quartile.")
    runs = serializers.IntegerField(help_text="Runs or published values behind it.")
    units = serializers.IntegerField(allow_null=True, help_text="Null of published values.")
    low = serializers.FloatField(
        allow_null=True, help_text="Interval that the median's digits follow; null where there is none."
    )
    high = serializers.FloatField(allow_null=True)


class SummarySerializer(serializers.Serializer[Any]):
    """What the website's list shows of a model."""

    measured_runs = serializers.IntegerField()
    simulated_runs = serializers.IntegerField()
    units = serializers.IntegerField()
    claims = serializers.IntegerField()
    last_published_at = serializers.DateTimeField(allow_null=True)
    numbers = serializers.DictField(
        child=serializers.DictField(child=SpreadSerializer()),
        help_text="Provenance to the name of an order to its number.",
    )


SUMMARY = ("measured_runs", "simulated_runs", "units", "claims", "last_published_at", "headline")
"""Columns of a summary that it shows."""


def summary_data(measured_runs: int | None, *rest: Any) -> dict[str, Any] | None:
    """Return a summary of the values of its columns; None for a model that has none yet."""
    if measured_runs is None:
        return None
    *counted, headline = (measured_runs, *rest)
    names = [column for column in SUMMARY if column != "headline"]
    numbers = {source: dict(_numbers(headline[source])) for source in NUMBERS if source in headline}
    return {**dict(zip(names, counted, strict=True)), "numbers": numbers}


def _numbers(stored: dict[str, list[Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    names = ("median", "q1", "q3", "runs", "units", "low", "high")
    for column in COLUMNS:
        if (found := stored.get(column.metric_scope)) is not None:
            # A row that an older release wrote ends behind the units.
            yield column.key, dict(zip_longest(names, found))


@extend_schema_serializer(deprecate_fields=("vendor",))
class DriveSerializer(RowSerializer):
    """A drive model: what is known of it before anyone measures one."""

    identity = ("slug",)
    on_demand = ("summary",)
    related = {"aliases": Related(drive_aliases, "drive_model_id", "text")}

    slug = serializers.SlugField()
    drive_model = serializers.SlugField(source="slug", help_text="The same, as other lists name it.")
    vendor = serializers.SlugField(source="vendor.slug")
    vendor_slug = serializers.SlugField(source="vendor.slug", help_text="Slug of the vendor.")
    vendor_name = serializers.CharField(source="vendor.name", help_text="Name of the vendor.")
    number = serializers.CharField(help_text="Model number.")
    name = serializers.CharField(help_text="What people call it; empty where that is its number.")
    title = Derived("vendor__name", "number", "name", help_text="Vendor, number and name, as pages write it.")
    aliases = serializers.SerializerMethodField(help_text="Other names, as devices and people give them.")
    year = serializers.IntegerField(allow_null=True)
    interface = serializers.CharField()
    form_factor = serializers.CharField()
    capacity_bytes = serializers.IntegerField(allow_null=True)
    rated_rpm = serializers.FloatField(allow_null=True)
    rated_surfaces = serializers.IntegerField(allow_null=True)
    simulated = serializers.BooleanField(help_text="Whether it exists only in a simulator.")
    curated = serializers.BooleanField(help_text="Whether a person has checked the entry.")
    notes = serializers.CharField()
    url = Derived("slug", help_text="Its page.")
    summary = Derived(
        *(f"summary__{name}" for name in SUMMARY),
        help_text="With `expand=summary`: counts and medians as the website's list shows them.",
    )
    updated_at = serializers.DateTimeField()

    get_summary = staticmethod(extend_schema_field(SummarySerializer(allow_null=True))(summary_data))
    get_title = staticmethod(drive_title)

    def get_aliases(self, drive: DriveModel) -> list[str]:
        return [alias.text for alias in drive.aliases.all()]

    def get_url(self, slug: str) -> str:
        return page_url(self.context, "drive-detail", slug)


def drive_models_seen() -> QuerySet[DriveModel]:
    """Return the drive models that anybody may see."""
    return drive_models_all().filter(drive_models_public())


_RPM = "The same as `rated_rpm`, by the name that lists of runs and numbers have."


class DriveFilters(Filters):
    """Filters of drive models."""

    vendor = NameFilter("vendor__slug", trouble=vendor_trouble, label="Slug of the vendor.")
    vendor__in = NamesFilter(
        "vendor__slug", lookup_expr="in", trouble=vendor_trouble, label="Slugs of vendors, with commas."
    )
    number__icontains = django_filters.CharFilter("number", lookup_expr="icontains")
    interface = value_filter("interface", drive_models_seen, "interface", lookup="iexact")
    form_factor = value_filter("form factor", drive_models_seen, "form_factor", lookup="iexact")
    rpm = django_filters.NumberFilter("rated_rpm", label=_RPM)
    rpm__gte = django_filters.NumberFilter("rated_rpm", lookup_expr="gte", label=_RPM)
    rpm__lte = django_filters.NumberFilter("rated_rpm", lookup_expr="lte", label=_RPM)
    year__isnull = null_filter("year", "a year")
    capacity_bytes__isnull = null_filter("capacity_bytes", "a capacity")
    rated_rpm__isnull = null_filter("rated_rpm", "a rated rotation rate")

    class Meta:
        model = DriveModel
        fields = {
            "year": RANGE,
            "capacity_bytes": RANGE,
            "rated_rpm": RANGE,
            "rated_surfaces": RANGE,
            "simulated": ["exact"],
            "curated": ["exact"],
        }


@described("drives_list", "Drive models", "catalogue")
class DrivesView(ListView):
    """Drive models."""

    serializer_class = DriveSerializer
    filterset_class = DriveFilters
    file_name = "drives"
    indexed = ("vendor",)
    orderings = {
        "name": Ordering(("vendor__name", "number", "pk")),
        "year": Ordering(("year", "pk"), nullable=True),
        "capacity_bytes": Ordering(("capacity_bytes", "pk"), nullable=True),
        "rated_rpm": Ordering(("rated_rpm", "pk"), nullable=True),
        "updated_at": Ordering(("updated_at", "pk")),
    }
    more_orderings = {
        f"{sign}{sort}": Ordering(("value", "name", "pk")) for sort in _RANKED for sign in ("", "-")
    }
    usual_ordering = "name"
    since_column = "updated_at"
    searches = True

    def known_parameters(self) -> set[str]:
        return super().known_parameters() | {"numbers"}

    def list_parameters(self) -> Iterator[OpenApiParameter]:
        yield from super().list_parameters()
        described = "Whose numbers an order by a number goes by, `probe` unless told; they never mix."
        yield OpenApiParameter("numbers", enum=list(NUMBERS), description=described)

    rows = staticmethod(drive_models_seen)

    def ranked(self, queryset: QuerySet[Any], ordering: str) -> QuerySet[Any] | Ranked:
        sort = _RANKED.get(ordering.removeprefix("-"))
        if sort is None:
            return queryset
        return Ranked(queryset, ModelOrder(sort, self._numbers(), ordering.startswith("-")))

    def order_words(self, ordering: str) -> str:
        return f"{ordering}:{self._numbers()}"

    def _numbers(self) -> str:
        return choice_read(self.request, "numbers", NUMBERS, NUMBERS[0])

    def search(self, queryset: QuerySet[Any], words: str) -> QuerySet[Any]:
        return of_models_found(queryset, words, "pk")


@described("drives_get", "A drive model", "catalogue")
class DriveView(DetailView):
    """A drive model."""

    serializer_class = DriveSerializer
    noun = "drive"

    def row(self, *, shape: Shape, slug: str) -> DriveModel:
        found = drive_models_seen().filter(slug=slug).first()
        if found is None:
            raise drive_missing(slug)
        return found


class CitationSerializer(serializers.Serializer[Any]):
    """The document that states something."""

    key = serializers.CharField()
    authors = serializers.CharField()
    title = serializers.CharField()
    year = serializers.IntegerField(allow_null=True)
    publisher = serializers.CharField()
    url = serializers.CharField()


@extend_schema_serializer(deprecate_fields=("unit",))
class LiteratureSerializer(RowSerializer):
    """A number that a document states: provenance `literature`, never part of a statistic of runs."""

    id = serializers.IntegerField()
    literature_id = serializers.IntegerField(source="id", help_text="The same, as releases name it.")
    drive = DriveField()
    drive_model = serializers.CharField(source="drive_model.slug", help_text="Slug of the drive model.")
    provenance = Derived()
    metric = serializers.CharField()
    scope = serializers.CharField()
    relation = serializers.ChoiceField(choices=LiteratureValue.Relation.choices)
    value = serializers.FloatField()
    unit = serializers.CharField()
    unit_of_measure = serializers.CharField(source="unit", help_text="Unit of the numbers.")
    printed = serializers.CharField(help_text="As the document prints it, where that is other.")
    basis = serializers.ChoiceField(
        choices=LiteratureValue.Basis.choices, help_text="What the number rests on."
    )
    deviation = serializers.FloatField(allow_null=True, help_text="Standard deviation, where it is stated.")
    samples = serializers.ListField(child=serializers.FloatField())
    count = serializers.IntegerField(allow_null=True, help_text="Samples behind it; null where not said.")
    units = serializers.IntegerField(allow_null=True, help_text="Drives behind it; null where not said.")
    conditions = serializers.CharField()
    note = serializers.CharField()
    citation = CitationSerializer()
    locator = serializers.CharField(help_text="Where in the document.")
    updated_at = serializers.DateTimeField()

    def get_provenance(self) -> str:
        """Return what all of these are."""
        return "literature"


_ModelFilters: Any = model_filters()


class LiteratureFilters(_ModelFilters):
    """Filters of published values."""

    citation = value_filter("document", literature_all, "citation__key", label="Key of the document.")
    metric = metric_filter()
    metric__in = metrics_filter()
    metric__startswith = value_filter(
        "metric that begins with", literature_all, "metric", lookup="startswith"
    )
    scope = scope_filter(LiteratureValue)

    class Meta:
        model = LiteratureValue
        fields = {
            "basis": ["exact"],
            "value": ["gte", "lte"],
        }


@described("literature_list", "Published values with citation", "numbers")
class LiteratureView(ListView):
    """Published values."""

    serializer_class = LiteratureSerializer
    filterset_class = LiteratureFilters
    file_name = "literature"
    indexed = ("drive",)
    orderings = {"id": Ordering(("pk",)), "updated_at": Ordering(("updated_at", "pk"))}
    since_column = "updated_at"

    rows = staticmethod(literature_all)
