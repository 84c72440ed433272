"""What the probe writes, the archive reads: recorded runs validate, extraction finds the drive's truth."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema_rs
import pytest

from server.benchmarks.contract import ROLES, SHAPES, Extraction, Kind, Measurement, Quality, Series
from server.benchmarks.registry import KINDS
from tests.contract.golden import SCHEMA, Golden, comparable, facts_of, golden_of
from tests.support.probe import Probe, entry_of

pytestmark = pytest.mark.parametrize("kind", KINDS, ids=[kind.slug for kind in KINDS])


def errors(schema: Any, document: Any) -> list[str]:
    validator = jsonschema_rs.validator_for(schema)
    return [f"{error.instance_path}: {error.message}" for error in validator.iter_errors(document)]


def schema_errors(kind: Kind, document: dict[str, Any]) -> list[str]:
    """What both schemas say against a document with one entry of this kind."""
    entry = entry_of(document, kind.slug)
    own = kind.folder / "schema" / f"v{entry['version']}.json"
    return errors(json.loads(SCHEMA.read_text(encoding="utf-8")), document) + errors(
        json.loads(own.read_text(encoding="utf-8")), entry
    )


@cache
def extraction_of(kind: Kind, golden: Golden) -> Extraction:
    """Extraction is pure and takes seconds: once for each golden run is enough."""
    document = golden.document()
    return kind.extract(entry_of(document, kind.slug), facts_of(document))


def measurement_of(extraction: Extraction, metric: str, scope: str) -> Measurement:
    found = [m for m in extraction.measurements if (m.metric, m.scope) == (metric, scope)]
    assert len(found) == 1, f"{metric} [{scope}] is there {len(found)} times"
    return found[0]


def test_the_golden_run_validates_against_both_schemas(kind: Kind) -> None:
    assert schema_errors(kind, golden_of(kind.slug).document()) == []


def test_a_field_that_no_schema_knows_is_refused_with_its_place(kind: Kind) -> None:
    document = golden_of(kind.slug).document()
    entry_of(document, kind.slug)["params"]["colour"] = 1
    assert any("colour" in error for error in schema_errors(kind, document))


def test_extraction_finds_what_is_true_of_the_golden_drive(kind: Kind) -> None:
    golden = golden_of(kind.slug)
    extraction = extraction_of(kind, golden)
    assert golden.expected
    wrong = []
    for expected in golden.expected:
        found = measurement_of(extraction, expected.metric, expected.scope)
        if expected.value is None:
            good = found.value is None and bool(found.reason)
        else:
            good = found.value is not None and abs(found.value - expected.value) <= expected.tolerance
        if not good:
            wrong.append(
                f"{expected.metric} [{expected.scope}] is {found.value}, not {expected.value}: {found}"
            )
    assert wrong == []


def test_every_measurement_is_of_a_known_metric_and_carries_its_interval_or_its_reason(kind: Kind) -> None:
    keys = {metric.key for metric in kind.metrics}
    seen = set()
    for measurement in extraction_of(kind, golden_of(kind.slug)).measurements:
        assert measurement.metric in keys
        assert (measurement.metric, measurement.scope) not in seen
        seen.add((measurement.metric, measurement.scope))
        if measurement.value is None:
            assert measurement.quality is Quality.NONE
            assert measurement.reason
        else:
            assert measurement.quality is not Quality.NONE
            assert measurement.low is not None
            assert measurement.high is not None
            assert measurement.low <= measurement.value <= measurement.high
            assert measurement.count > 0
    assert {metric for metric, _ in seen} == keys, "a metric that is never extracted misleads its reader"


def series_faults(series: Series) -> list[str]:
    """What a series' columns lack, or are too long or short by."""
    faults = [f"{name} is missing" for name in ROLES[series.role] if not getattr(series, name)]
    for name in ("y", "z", "low", "high", "q1", "q3"):
        column = getattr(series, name)
        if column and len(column) != len(series.x):
            faults.append(f"{name} has {len(column)} values, x has {len(series.x)}")
    return faults if series.x and series.y else [*faults, "there is no point"]


def test_every_chart_names_measured_things_and_has_equally_long_columns(kind: Kind) -> None:
    golden = golden_of(kind.slug)
    document = golden.document()
    extraction = extraction_of(kind, golden)
    charts = kind.charts(entry_of(document, kind.slug), facts_of(document), extraction)
    measured = {measurement.metric for measurement in extraction.measurements}
    assert charts
    assert len({chart.id for chart in charts}) == len(charts)
    for chart in charts:
        assert chart.shape in SHAPES
        assert chart.summary
        assert chart.metrics
        assert set(chart.metrics) <= measured
        assert chart.series
        assert all(series_faults(series) == [] for series in chart.series)
        keys = [series.key for series in chart.series]
        assert len(set(keys)) == len(keys)
        assert all(set(view.series) <= set(keys) and view.series for view in chart.views)


def test_extraction_can_be_told_as_json(kind: Kind) -> None:
    extraction = extraction_of(kind, golden_of(kind.slug))
    json.dumps(dict(extraction.details), allow_nan=False)
    json.dumps([[m.value, m.low, m.high] for m in extraction.measurements], allow_nan=False)


def test_todays_probe_writes_the_golden_run(kind: Kind, probe: Probe, tmp_path: Any) -> None:
    golden = golden_of(kind.slug)
    today = probe.run(golden.device, tmp_path / "today.run.json", "--only", kind.slug, *golden.options)
    message = "the probe's document changed: look at `make golden` and its difference"
    assert comparable(today) == comparable(golden.document()), message
