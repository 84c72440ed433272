"""The statistics of a model as JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from django.test import Client

from server.core.lifecycle import Provenance
from server.model_stats.refresh import refresh_model
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db


def fetch(client: Client, slug: str) -> tuple[int, Any]:
    response = client.get(f"/api/v1/drives/{slug}/statistics/")
    return response.status_code, json.loads(response.content)


def test_each_provenance_stands_alone_and_unlike_runs_are_told(client: Client) -> None:
    model = measured(1, 100.0).drive_model
    measured(2, 104.0, firmware="S2")
    measured(3, 500.0, provenance=Provenance.SIMULATED)
    refresh_model(drive_model_id=model.pk)
    status, body = fetch(client, model.slug)
    assert status == 200
    probe, simulated = body["statistics"]
    assert (probe["provenance"], probe["units"], simulated["units"]) == ("probe", 2, 1)
    assert probe["differing"] == {"firmware": {"S1": 1, "S2": 1}}
    assert probe["mixture"] == "2 runs under 2 firmware revisions (S1: 1, S2: 1)"
    (row,) = (one for one in probe["numbers"] if one["metric"] == "zoned.outer_bandwidth")
    assert row["mean"] == pytest.approx(102) and row["unit"] == "MB/s"
    assert math.isfinite(row["low"]) and row["low"] < 102 < row["high"]
    (firmware,) = probe["confounders"]
    assert firmware["matters"] is False and firmware["tests"]


def test_two_mechanisms_are_flagged_with_their_runs(client: Client) -> None:
    model = measured(1).drive_model
    measured(2)
    other = measured(10, 140.0, track=220.0, rotation=11.11)
    refresh_model(drive_model_id=model.pk)
    (probe,) = fetch(client, model.slug)[1]["statistics"]
    assert probe["mechanism_flag"].startswith("Two mechanisms are sold under this name")
    assert [group["runs"] for group in probe["mechanisms"]][1] == [str(other.pk)]


def test_a_model_that_is_not_there_is_a_problem_document(client: Client) -> None:
    status, body = fetch(client, "no-such-drive")
    assert status == 404 and body["type"].endswith("/problems/not-found/")
