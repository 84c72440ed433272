"""What vendors claim, and what comes of it."""

from __future__ import annotations

from typing import Any

import django_filters
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from server.api.framework.filters import value_filter, words_filter
from server.api.framework.keyset import Ordering
from server.api.framework.openapi import described
from server.api.framework.rows import Derived, RowSerializer
from server.api.framework.views import ListView
from server.api.resources.catalog import CitationSerializer
from server.api.resources.filters import model_filters, null_filter
from server.api.resources.shared import DriveField, metric_filter, metrics_filter, scope_filter
from server.catalog.models import Claim
from server.catalog.selectors import claims_all
from server.claims.models import ClaimVerdict
from server.claims.selectors import TERMS, terms_digest_of
from server.claims.verdicts import Outcome

OUTCOMES = [(outcome.value, outcome.value) for outcome in Outcome]


class VerdictSerializer(serializers.Serializer[Any]):
    """What comes of a claim: by measured runs, and apart from that by published values."""

    evidence = serializers.ChoiceField(choices=ClaimVerdict.Evidence.choices)
    standing = serializers.ChoiceField(
        source="effective_verdict",
        choices=OUTCOMES,
        help_text="By measured runs, or else by published values.",
    )
    outcome = serializers.ChoiceField(choices=OUTCOMES, help_text="By measured runs alone.")
    words = serializers.CharField(help_text="The same as a sentence, with the reason.")
    by_percent = serializers.FloatField(allow_null=True, help_text="How far off, in per cent of the claim.")
    needed = serializers.IntegerField(allow_null=True, help_text="Drives or runs that would decide.")
    metric = serializers.CharField(help_text="What was measured; empty for nothing.")
    scope = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    units = serializers.IntegerField(help_text="Drives behind it.")
    runs = serializers.IntegerField(help_text="Runs behind it.")
    left_out = serializers.IntegerField(help_text="Runs left out, since they were made otherwise.")
    published_outcome = serializers.CharField(help_text="By published values; empty where they say nothing.")
    published_words = serializers.CharField()
    published_value = serializers.FloatField(allow_null=True)
    published_low = serializers.FloatField(allow_null=True)
    published_high = serializers.FloatField(allow_null=True)
    published_units = serializers.IntegerField()
    judged_at = serializers.DateTimeField()


VERDICT = {name: str(field.source) for name, field in VerdictSerializer().fields.items()}
"""What is shown of a verdict, with its columns."""


@extend_schema_serializer(deprecate_fields=("unit",))
class ClaimSerializer(RowSerializer):
    """What a vendor states for a metric of a model."""

    id = serializers.IntegerField()
    claim_id = serializers.IntegerField(source="id", help_text="The same, as releases name it.")
    drive = DriveField()
    drive_model = serializers.CharField(source="drive_model.slug", help_text="Slug of the drive model.")
    metric = serializers.CharField()
    scope = serializers.CharField()
    form = serializers.ChoiceField(choices=Claim.BoundType.choices)
    quantity = serializers.ChoiceField(choices=Claim.Quantity.choices)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    unit = serializers.CharField()
    unit_of_measure = serializers.CharField(source="unit", help_text="Unit of the numbers.")
    printed = serializers.CharField(help_text="The vendor's words.")
    tolerance = serializers.FloatField(allow_null=True)
    conditions = serializers.CharField()
    write_cache = serializers.CharField(help_text="State of the write cache that it is made for; or empty.")
    stated_on = serializers.CharField()
    note = serializers.CharField()
    citation = CitationSerializer()
    locator = serializers.CharField(help_text="Where in the document.")
    verdict = Derived(
        *TERMS,
        "verdict__claim_digest",
        *(f"verdict__{column}" for column in VERDICT.values()),
        help_text="Null until it is judged.",
    )
    updated_at = serializers.DateTimeField()

    @extend_schema_field(VerdictSerializer(allow_null=True))
    def get_verdict(self, *values: Any) -> Any:
        terms, judged, shown = values[: len(TERMS)], values[len(TERMS)], values[len(TERMS) + 1 :]
        # A verdict on other terms than the claim's present ones is none.
        if judged is None or judged != terms_digest_of(terms):
            return None
        return dict(zip(VERDICT, shown, strict=True))


_ModelFilters: Any = model_filters()


class ClaimFilters(_ModelFilters):
    """Filters of claims."""

    verdict__isnull = null_filter("verdict", "a verdict")
    citation = value_filter("document", claims_all, "citation__key", label="Key of the document.")
    metric = metric_filter()
    metric__in = metrics_filter()
    scope = scope_filter(Claim)
    verdict = django_filters.ChoiceFilter(field_name="verdict__effective_verdict", choices=OUTCOMES)
    verdict__in = words_filter([word for word, _ in OUTCOMES], "verdict__effective_verdict", "verdict")
    evidence = django_filters.ChoiceFilter(
        field_name="verdict__evidence", choices=ClaimVerdict.Evidence.choices
    )

    class Meta:
        model = Claim
        fields = {"form": ["exact"], "quantity": ["exact"]}


@described("claims_list", "Vendors' claims with their verdicts", "numbers")
class ClaimsView(ListView):
    """Vendors' claims."""

    serializer_class = ClaimSerializer
    filterset_class = ClaimFilters
    file_name = "claims"
    indexed = ("drive",)
    joined = frozenset({"verdict"})
    orderings = {"id": Ordering(("pk",)), "updated_at": Ordering(("updated_at", "pk"))}

    def rows(self) -> QuerySet[Any]:
        return claims_all().select_related("drive_model__vendor", "citation", "verdict")

    since_column = "updated_at"
