"""No kind raises on samples that its schema and the rules of the archive let through, and each number that it
gives is whole: finite, between its ends, and with a reason where it is not good.

A short run is part of the tests; `FUZZ_INPUTS=10000` makes a long one.
"""

from __future__ import annotations

import json
import math
import os
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from server.benchmarks.contract import Extraction, Kind, Quality
from server.benchmarks.registry import KINDS
from server.core.problems import Problem
from server.measurements.documents import facts_of
from server.measurements.extraction import extraction_of
from server.submissions.validation import inconsistencies, kind_check
from tests.contract.golden import golden_of
from tests.fuzz.samples import samples_mutated

INPUTS = int(os.environ.get("FUZZ_INPUTS", "30"))
LONGEST = 60
"""Of the golden runs' columns: extraction of all of them takes seconds."""


def shortened(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: shortened(value) for name, value in found.items()}
    if isinstance(found, list):
        return [shortened(value) for value in found[:LONGEST]]
    return found


def drawn(kind: Kind, random: Random) -> dict[str, Any]:
    """Return a golden run with other samples, that schema and rules let through."""
    golden = golden_of(kind.slug).document()
    part = next(one for one in golden["benchmarks"] if one["kind"] == kind.slug)
    schema = json.loads((kind.folder / "schema" / f"v{part['version']}.json").read_text(encoding="utf-8"))
    kept = shortened(part) if random.random() < 0.97 else part
    while True:
        changed = deepcopy(kept)
        samples_mutated(changed, schema, random)
        document = golden | {"benchmarks": [changed]}
        try:
            kind_check(changed, "")
        except Problem:
            continue
        if not inconsistencies(document):
            return document


def assert_whole(found: Extraction) -> None:
    for one in found.measurements:
        assert (one.value is None) == (one.quality is Quality.NONE), one
        assert one.quality is Quality.GOOD or one.reason, one
        assert all(end is None or math.isfinite(end) for end in (one.value, one.low, one.high)), one


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", KINDS, ids=[kind.slug for kind in KINDS])
def test_a_kind_gives_whole_numbers_or_reasons_whatever_its_samples_are(kind: Kind) -> None:
    for number in range(INPUTS):
        random = Random(f"{kind.slug}/{number}")
        document = drawn(kind, random)
        part = document["benchmarks"][0]
        facts = facts_of(document, part)
        try:
            found = extraction_of(kind, part, facts)
            kind.charts(part, facts, found)
        except Exception as error:
            error.add_note(f"Drawn: {kind.slug}/{number}")
            raise
        assert_whole(found)
