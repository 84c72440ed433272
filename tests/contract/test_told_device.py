"""What a device tells of its arms and its tracks, from the document to the numbers that it takes away."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema_rs
import pytest

from server.benchmarks.contract import Facts, Measurement, Quality
from server.benchmarks.media_cache import MEDIA_CACHE, of_media_cache
from server.benchmarks.registry import kinds_by_slug
from server.measurements.documents import facts_of
from tests.contract.golden import SCHEMA, golden_of
from tests.support.kinds import measurement
from tests.support.probe import entry_of

FACTS = Facts(block_bytes=512, capacity_bytes=10**12, write_cache=False)
SHINGLED = replace(FACTS, shingled=True)


def told(slug: str, **device: Any) -> dict[str, Any]:
    """A kind's golden run as a device would have it that tells so much more of itself."""
    document = golden_of(slug).document()
    document["device"] |= device
    return document


def two_ranges(capacity_bytes: int) -> list[dict[str, int]]:
    half = capacity_bytes // 2
    return [{"offset_bytes": at, "length_bytes": half} for at in (0, half)]


def test_extraction_learns_of_arms_and_shingled_tracks_from_a_valid_document() -> None:
    document = told("seeker")
    plain = facts_of(document, entry_of(document, "seeker"))
    assert (plain.arms, plain.shingled) == (1, False)
    ranges = two_ranges(document["device"]["capacity_bytes"])
    document = told("seeker", shingled="drive-managed", access_ranges=ranges)
    schema = jsonschema_rs.validator_for(json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert list(schema.iter_errors(document)) == []
    facts = facts_of(document, entry_of(document, "seeker"))
    assert (facts.arms, facts.shingled) == (2, True)


@pytest.mark.parametrize(
    "device",
    [
        {"access_ranges": two_ranges(1024)[:1]},
        {"access_ranges": [{"offset_bytes": 0}] * 2},
        {"shingled": "yes"},
    ],
)
def test_one_range_or_another_word_is_refused(device: dict[str, Any]) -> None:
    schema = jsonschema_rs.validator_for(json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert list(schema.iter_errors(told("seeker", **device)))


def test_a_run_over_two_arms_has_no_stroke() -> None:
    document = told("seeker")
    document["device"]["access_ranges"] = two_ranges(document["device"]["capacity_bytes"])
    entry = entry_of(document, "seeker")
    found = kinds_by_slug()["seeker"].extract(entry, facts_of(document, entry)).measurements
    whole = [one for one in found if one.metric in ("seeker.full_stroke", "seeker.average")]
    assert len(whole) == 4
    assert all(one.value is None and "2 actuators" in one.reason for one in whole)


def test_a_number_of_shingled_tracks_is_fair_at_best_and_says_whose_it_may_be() -> None:
    found = of_media_cache(measurement("sync_write.asymptotic_rate", 100.0), SHINGLED)
    assert (found.value, found.quality, found.reason) == (100.0, Quality.FAIR, MEDIA_CACHE)
    poor = replace(measurement("sync_write.asymptotic_rate", 100.0), quality=Quality.POOR, reason="Few.")
    assert of_media_cache(poor, SHINGLED).reason == f"Few. {MEDIA_CACHE}"
    assert of_media_cache(poor, SHINGLED).quality is Quality.POOR
    assert of_media_cache(poor, FACTS) is poor


def of_writes(slug: str, one: Measurement) -> bool:
    return slug == "sync_write" or bool({"write", "mixed"} & set(one.scope.split("/")))


@pytest.mark.parametrize("slug", ["bandwidth", "fluctuation", "random_io", "sync_write", "temperature"])
def test_no_rate_of_writes_to_shingled_tracks_is_good(slug: str) -> None:
    document = told(slug, shingled="host-aware")
    entry = entry_of(document, slug)
    found = kinds_by_slug()[slug].extract(entry, facts_of(document, entry)).measurements
    written = [one for one in found if one.value is not None and of_writes(slug, one)]
    assert written
    assert {one.quality for one in written} <= {Quality.FAIR, Quality.POOR}
    assert all(MEDIA_CACHE not in one.reason for one in found if not of_writes(slug, one))
