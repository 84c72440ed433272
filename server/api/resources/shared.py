"""What rows of several resources have in common."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast
from uuid import UUID

import django_filters
from django.db.models import Model, QuerySet
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from server.api.framework.filters import NameFilter, NamesFilter, missing, name_trouble
from server.benchmarks.registry import kinds_by_slug, metrics_by_key
from server.catalog.files import facts_by_key
from server.catalog.models import DriveModel
from server.core.cache import cached
from server.core.problems import Problem, problem
from server.core.querying import CompiledQuery
from server.core.text import did_you_mean
from server.measurements.selectors import drive_model_public, drive_models_public
from server.search.drive_list import models_named
from server.submissions.models import Submission
from server.submissions.selectors import submission_of_run, tombstone_of


class DriveField(serializers.Serializer[Any]):
    """The drive model that a row is about."""

    slug = serializers.SlugField()
    vendor = serializers.CharField(source="vendor.name")
    number = serializers.CharField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("source", "drive_model")
        super().__init__(*args, **kwargs)


_KEYS: CompiledQuery[int] = CompiledQuery(
    lambda slug: (
        DriveModel.objects.filter(drive_models_public(), slug__given=slug)
        .order_by()
        .values_list("pk", flat=True)
    )
)


_MOST_SLUGS = 5000


def drive_missing(slug: str) -> Problem:
    """Return the problem of a model that is not there, with those whose names are near."""
    # Of the same beginning: to look through all names would cost more than it helps.
    alike = DriveModel.objects.filter(drive_models_public(), slug__startswith=slug[:3]).order_by()
    near = did_you_mean(slug[:80], alike.values_list("slug", flat=True)[:_MOST_SLUGS])
    return problem("not-found", f"There is no drive {slug[:80]!r}.{near} Check its spelling.")


def drive_key(slug: str) -> int:
    """Return the key of the model of that slug; raises Problem."""
    found = _KEYS.rows(slug=slug)
    if not found:
        raise drive_missing(slug)
    return found[0]


def drive_keys(slugs: Collection[str]) -> list[int]:
    """Return the keys of the models of these slugs, by one query; raises Problem where one is no model's."""
    found = DriveModel.objects.filter(drive_models_public(), slug__in=slugs).order_by()
    keys = dict(found.values_list("slug", "pk"))
    for slug in slugs:
        if slug not in keys:
            raise drive_missing(slug)
    return list(keys.values())


class DriveFilter(django_filters.CharFilter):
    """Rows of one drive model; a slug that no model has is told, since an empty list would look like an
    answer."""

    def filter(self, queryset: QuerySet[Any], value: Any) -> QuerySet[Any]:
        if not value:
            return queryset
        # The key goes into the query, so that the planner knows how many rows this very model has.
        return queryset.filter(**{str(self.field_name): drive_key(value)})


def drive_filter(column: str = "drive_model_id") -> DriveFilter:
    """Return the filter `drive` of a list whose rows name their model in `column`."""
    return DriveFilter(column, label="Slug of the drive model, for example seagate-st2000nm0001.")


def _metrics() -> frozenset[str]:
    """Return the keys that a row's metric may have: of what is measured, and of what is only published."""
    return frozenset(metrics_by_key()) | frozenset(facts_by_key())


def metric_filter(column: str = "metric") -> NameFilter:
    """Return the filter of a list whose rows are of a metric."""
    return _described(NameFilter, "MetricKey", column, trouble=_metric_trouble, label=_METRIC)


def metrics_filter(column: str = "metric") -> NameFilter:
    """Return the filter by any of some metrics."""
    return _described(NamesFilter, "MetricKey", column, trouble=_metric_trouble, label=_METRIC)


def kind_filter(column: str = "kind", **more: Any) -> NameFilter:
    """Return the filter of a list whose rows are of a benchmark kind."""
    return _described(NameFilter, "KindSlug", column, trouble=_kind_trouble, **{"label": _KIND, **more})


def kinds_filter(column: str = "kind", **more: Any) -> NameFilter:
    """Return the filter by any of some kinds."""
    return _described(NamesFilter, "KindSlug", column, trouble=_kind_trouble, **{"label": _KIND, **more})


def scope_filter(model: type[Model], names: type[Model] | None = None) -> NameFilter:
    """Return the filter of a list of `model` by its column `scope`. Where `model` is too large to be looked
    through, the scopes of `names` and of its own latest rows are proposed for one that no row has."""

    def scopes() -> frozenset[str]:
        known = (names or model)._default_manager.order_by().values_list("scope", flat=True).distinct()
        latest = model._default_manager.order_by("-pk").values_list("scope", flat=True)
        return frozenset(known) | frozenset(latest[:_LATEST] if names else ())

    def trouble(name: str) -> str | None:
        # With all metrics named, an index on metric and scope answers; a scope alone has none.
        rows = model._default_manager.order_by()
        if rows.filter(metric__in=_metrics(), scope=name).exists():
            return None
        known = cached(f"scopes:{(names or model)._meta.label}", scopes, keep_s=_SCOPES_KEEP_S)
        # One that the table of names has and no row of `model` is told as the others are.
        return name_trouble("scope", name, known - {name})

    return NameFilter("scope", trouble=trouble, label="Scope, for example outer/read.")


_SCOPES_KEEP_S = 300
_LATEST = 10_000
_METRIC = "Key of a metric, as `/api/v1/metrics/` lists them."
_KIND = "Slug of a benchmark kind, as `/api/v1/methods/` lists them."


def _metric_trouble(name: str) -> str | None:
    return name_trouble("metric", name, _metrics())


def _kind_trouble(name: str) -> str | None:
    return name_trouble("kind", name, kinds_by_slug())


def _described(made: type[NameFilter], component: str, column: str, *, label: str, **more: Any) -> NameFilter:
    lookup = "in" if issubclass(made, NamesFilter) else "exact"
    one = made(column, lookup_expr=lookup, label=label, **more)
    shape = {"$ref": f"#/components/schemas/{component}", "description": label}
    described: NameFilter = extend_schema_field(shape)(one)
    return described


def names_as_components(result: dict[str, Any], **_more: Any) -> dict[str, Any]:
    """Describe the names that filters know, once each, in the OpenAPI document."""
    for component, names in (("KindSlug", kinds_by_slug()), ("MetricKey", _metrics())):
        result["components"]["schemas"][component] = {"type": "string", "enum": sorted(names)}
    return result


def of_models_found(queryset: QuerySet[Any], words: str, column: str) -> QuerySet[Any]:
    """Return the rows of the models that the website's search finds; `column` is the model's key."""
    return queryset.filter(**{f"{column}__in": models_named(words)})


def drive_model_of(slug: str) -> DriveModel:
    """Return the model of that slug, with vendor and summary; raises Problem."""
    models = DriveModel.objects.select_related("vendor", "summary").filter(drive_models_public())
    model = models.filter(slug=slug).first()
    if model is None:
        raise drive_missing(slug)
    return model


def drive_model_at(slug: str) -> DriveModel:
    """Return the model of an address that holds its slug, with its vendor; raises Problem."""
    model = drive_model_public(slug=slug)
    if model is None:
        raise drive_missing(slug)
    return model


def gone_check(submission: Submission, run_id: UUID) -> None:
    """Raise Problem where the submission was withdrawn."""
    tombstone = tombstone_of(submission)
    if tombstone is not None:
        done = "erased" if tombstone.erased else "withdrawn"
        raise problem(
            "withdrawn",
            f"The run {run_id} was {done} on {tombstone.leaf.at:%Y-%m-%d}: {tombstone.reason} Its leaf "
            f"{tombstone.leaf_id} of the publication log stays.",
        )


def run_missing(run_id: UUID) -> Problem:
    """Return the problem of a run that is not published; that of a withdrawn one says so."""
    try:
        gone_check(submission_of_run(run_id=run_id), run_id)
    except Submission.DoesNotExist:
        pass
    except Problem as gone:
        return gone
    return missing("published run", run_id)


def page_url(context: Mapping[str, Any], name: str, key: object) -> str:
    """Return the absolute address of a page of the website; `key` is a slug or a UUID."""
    cache_key = f"page-url:{name}"
    addresses = cast(dict[str, Any], context)
    around: tuple[str, str] | None = addresses.get(cache_key)
    if around is None:
        # Addresses of one list differ in the key alone, and resolving each anew takes longer than the rows.
        path, request = reverse(name, args=[key]), context.get("request")
        begin, _key, end = (request.build_absolute_uri(path) if request else path).rpartition(str(key))
        around = addresses[cache_key] = (begin, end)
    return f"{around[0]}{key}{around[1]}"
