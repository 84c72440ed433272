"""An example of every parameter, and words for those that say nothing of themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from server.benchmarks.registry import kinds_by_slug, metrics_by_key

_INSTANT = "2026-01-01T00:00:00Z"
_ID = "0198a5e2-7c40-7e0a-9b1f-3d5c8e2a4b60"
_DIGEST = "ab" * 32
_KIND = next(iter(kinds_by_slug()))
_METRIC = next(iter(metrics_by_key()))

PARAMETERS: Mapping[str, tuple[Any, str]] = {
    # Which models.
    "drive": ("seagate-st2000nm0001", "Slug of the drive model."),
    "vendor": ("seagate", "Slug of the vendor."),
    "vendor_slug": ("seagate", "Slug of the vendor."),
    "rpm": (7200, "Rotation rate that the vendor states, in turns a minute."),
    "rated_rpm": (7200, "Rotation rate that the vendor states, in turns a minute."),
    "rated_surfaces": (8, "Surfaces that the vendor states."),
    "year": (2014, "Year: of a model its introduction, of a batch its making."),
    "capacity_bytes": (2_000_398_934_016, "Capacity in bytes."),
    "capacity": ("1-4tb", "Range of capacities, as the facet names it."),
    "form_factor": ("3.5 inch", "Form factor."),
    "interface": ("SATA", "Interface."),
    "family": ("Barracuda", "Family of models, as the vendor names it."),
    "number": ("ST2000", "The vendor's model number."),
    "curated": ("true", "Whether it is in the catalogue, not only in runs."),
    "simulated": ("false", "Whether it is a simulated drive."),
    "q": ("seagate 2tb", "Words to search for; the beginning of one is enough."),
    # Which runs and units.
    "run": (_ID, "The run."),
    "run_id": (_ID, "The run."),
    "unit": (_DIGEST, "Digest of the unit."),
    "unit_digest": (_DIGEST, "Digest of the unit."),
    "drive_unit": (_DIGEST, "Digest of the unit."),
    "digest": (_DIGEST, "A digest: lower-case hex SHA-256."),
    "key": ("cd" * 32, "Key that signed it: lower-case hex SHA-256 of the public key."),
    "batch": ("2014-W38", "Batch by year and week, and label where there is one."),
    "batch_year": (2014, "Year of the batch."),
    "batch_week": (38, "Week of the batch, by ISO 8601."),
    "batch_label": ("A1", "Label of the batch."),
    "label": ("A1", "Label of the batch."),
    "week": (38, "Week, by ISO 8601."),
    "firmware": ("PS06", "Firmware revision."),
    "variant": ("western-digital-wd10ezex~variant:75WN4A0", "Variant that the unit names."),
    "license": ("CC-BY-4.0", "Licence of the run (SPDX)."),
    "block_bytes": (512, "Bytes of a block."),
    "in_browser": ("false", "Whether a page of the archive read the files."),
    "measured_on_request": ("true", "Whether it was measured under a challenge of this archive."),
    "quality": ("good", "How good the number is."),
    "extractor_version": ("1", "Version of the extraction."),
    # Which numbers.
    "scope": ("outer/read", "Where or how it was measured."),
    "value": (150, "The number."),
    "mean": (150, "Mean over units."),
    "median": (150, "Median over units."),
    "stdev": (1.5, "Standard deviation over units."),
    "n": (2, "Runs behind the number."),
    "count": (100, "Samples behind the number."),
    "units": (2, "Units behind the number."),
    "kind": (_KIND, "Slug of a benchmark kind."),
    "metric": (_METRIC, "Key of a metric."),
    "citation": ("olp", "Key of the document."),
    "verdict": ("met", "What comes of the claim."),
    # Instants.
    "since": (_INSTANT, "From that instant on."),
    "created_at": (_INSTANT, "When the probe says that it measured."),
    "published_at": (_INSTANT, "When it was published."),
    "updated_at": (_INSTANT, "When it was changed last."),
    "extracted_at": (_INSTANT, "When its numbers were extracted."),
    "first_seen_at": (_INSTANT, "When its first run came in."),
    # Pages, windows and places of the log.
    "limit": (100, "Rows at most."),
    "cursor": ("WzAsNDJd:c2lnbmVk", "Where the page begins, as `next` and `previous` give it."),
    "total": ("true", "Whether to count the rows of the whole list, with its first page."),
    "after": (41, "Only what stands behind that number."),
    "type": ("run.withdrawn", "Types of events."),
    "start": (0, "Number of the first row."),
    "stop": (1000, "Number of the first row that is no longer given."),
    "series": (0, "Number of a series."),
    "part": ("head", "The object in each series that holds the columns."),
    "size": (100, "Size of the log."),
    "first": (10, "The earlier size."),
    "second": (100, "The later size."),
    "leaf": (42, "Number of the leaf."),
    # Comparisons.
    "d": (["seagate-st2000nm0001", "maxtor-6l040j2"], "Two to eight groups."),
    "level": (0.95, "Confidence level."),
    "margin": (2, "Per cent below which a difference makes nothing better."),
    # Facets and headers.
    "has": ("runs", "What there is of the model."),
    "form": ("3.5 inch", "Form factor, as the facet names it."),
    "recording": ("CMR", "How tracks lie, as the facet names it."),
    "numbers": ("probe", "Which numbers there are."),
    "Content-Encoding": ("zstd", "How the body is compressed; plain without it."),
    "Range": ("bytes=0-1023", "One range of bytes."),
}
"""A parameter's name, without its lookup, to an example and what it is."""

PATHS: Mapping[str, tuple[Any, str]] = {
    "slug": ("seagate-st2000nm0001", "Slug of the drive model, vendor or kind."),
    "part": ("2014-w38", "The batch, the firmware revision, the variant, or the unit's digest."),
    "chart_id": ("sawtooth", "The chart, unique within its kind."),
    "kind": (_KIND, "Slug of a benchmark kind."),
    "provenance": ("probe", "Where the numbers come from."),
    "form": ("simulated", "Format of the file."),
    "key": (_METRIC, "Key of the metric."),
    "number": (1, "Number of the release, from 1."),
    "path": ("csv/runs.csv.gz", "Path within the release."),
    "follow_id": (_ID, "The webhook."),
    "login_id": (_ID, "The sign-in."),
    "run_id": (_ID, "The run."),
    "submission_id": (_ID, "The submission."),
}
"""The same of variable parts of addresses."""
_ELSEWHERE = {
    ("/api/v1/methods/{slug}/", "slug"): _KIND,
    ("/api/v1/metrics/", "unit"): "MB/s",
    ("/api/v1/releases/{number}/", "since"): 0,
    ("/api/v1/vendors/{slug}/", "slug"): "seagate",
    ("/api/v1/drives/{slug}/firmware/{part}/", "part"): "PS06",
    ("/api/v1/drives/{slug}/variants/{part}/", "part"): "75WN4A0",
    ("/api/v1/drives/{slug}/units/{part}/", "part"): _DIGEST,
}
_LOOKUPS = {
    "gte": "That or more.",
    "lte": "That or less.",
    "lt": "Before that.",
    "in": "Any of these, separated by commas.",
    "isnull": "`true`: rows without a value; `false`: those with one.",
    "startswith": "Its beginning.",
    "icontains": "A part of it, whatever the case.",
}


def parameters_with_examples(result: dict[str, Any], **_more: Any) -> dict[str, Any]:
    """Give every parameter of the OpenAPI document an example and words; raises KeyError for one that has
    neither an example of its own nor one here."""
    for path, parameter in _parameters(result):
        known = PATHS if parameter["in"] == "path" else PARAMETERS
        name, _, lookup = parameter["name"].partition("__")
        example, about = known.get(name, (None, ""))
        if "example" not in parameter:
            example = _ELSEWHERE.get((path, name), example)
            parameter["example"] = _fitting(parameter["schema"], example, result)
            if parameter["example"] is None:
                raise KeyError(f"{path} {parameter['name']}: no example in server/api/parameter_examples.py")
        if not parameter.get("description"):
            parameter["description"] = " ".join(filter(None, (about, _LOOKUPS.get(lookup, ""))))
    return result


def _parameters(result: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, operations in result["paths"].items():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                yield path, parameter


def _fitting(schema: Mapping[str, Any], example: Any, result: Mapping[str, Any]) -> Any:
    """Return the example, where the schema allows it, or the first of the words that it names."""
    if "$ref" in schema:
        return _fitting(result["components"]["schemas"][schema["$ref"].rpartition("/")[2]], example, result)
    if "example" in schema:
        return schema["example"]
    if schema.get("type") == "array":
        several = example if isinstance(example, list) else [example]
        found = [_fitting(schema["items"], one, result) for one in several]
        return None if None in found else found
    if schema.get("type") == "string" and example is not None:
        example = str(example)
    words = schema.get("enum")
    return example if not words or example in words else words[0]
