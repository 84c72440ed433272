"""What a drive's page leads with: answers with their rank among the class, and rotation as one fact."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from server.catalog.models import DriveModel
from server.search.archive_counts import archive_counts_update
from server.search.class_rank import class_rank, model_class
from server.search.model_index import model_index
from server.search.models import DriveSummary
from server.search.summaries import summary_update
from server.web.answers import ordinal
from server.web.strips import strip_of
from tests.support.sample_archive import drive_model_curated, sample_aggregate, sample_literature
from tests.web.test_pages import get, text_of

pytestmark = pytest.mark.django_db
OUTER = "zoned.outer_bandwidth"
FACTS: dict[str, Any] = {"form_factor": "3.5 inch", "rated_rpm": 7200, "capacity_bytes": 2 * 10**12}


@pytest.fixture(autouse=True)
def fresh_cache() -> None:
    cache.clear()


def rated(number: str, outer: list[float], **facts: Any) -> DriveModel:
    """A measured model whose units have these outer bandwidths."""
    model = drive_model_curated(vendor_name="Sampledata", model_name=number, simulated=False)
    for name, value in (FACTS | facts).items():
        setattr(model, name, value)
    model.save()
    if outer:
        stdev = (max(outer) - min(outer)) / 2 if len(outer) > 1 else None
        sample_aggregate(model, OUTER, outer, units=len(outer), stdev=stdev)
    summary_update(drive_model_id=model.pk)
    if outer:
        row = DriveSummary.objects.get(pk=model.pk)
        row.measured_runs, row.provenances = len(outer), ["probe"]
        row.facets = [*(word for word in row.facets if not word.startswith("numbers:")), "numbers:probe"]
        row.save()
    return model


def section(page: str) -> str:
    return text_of(page[page.index('id="answers-title"') : page.index('id="measured-title"')])


def test_a_number_has_its_rank_among_models_of_form_rotation_and_capacity(client: Client) -> None:
    model = rated("Mine", [150.0])
    rated("Faster", [180.0])
    rated("Slower", [120.0])
    rated("Smaller", [500.0], capacity_bytes=10**11)
    rated("Slim", [500.0], form_factor="2.5 inch")
    rated("Unmeasured", [])
    archive_counts_update()
    page = get(client, f"/drives/{model.slug}/")
    words = section(page)
    assert "3.5 inch, 7200 rpm, 1 to 4 TB" in words
    assert "How fast at the outer edge? 150 MB/s one run 2nd of 3" in words
    assert "120 MB/s 180 MB/s" in words
    assert 'aria-label="This model among 2nd of 3, from 120 MB/s to 180 MB/s"' in page


def test_how_alike_units_are_is_ranked_too_the_most_alike_first(client: Client) -> None:
    model = rated("Mine", [99.0, 100.0, 101.0])
    rated("Mixed", [80.0, 100.0, 120.0])
    archive_counts_update()
    words = section(get(client, f"/drives/{model.slug}/"))
    assert "How alike are its units? 1 % standard deviation of outer bandwidth over 3 units 1st of 2" in words


def test_a_model_that_nobody_else_is_measured_beside_says_so(client: Client) -> None:
    model = rated("Alone", [150.0])
    archive_counts_update()
    words = section(get(client, f"/drives/{model.slug}/"))
    assert "the only one measured of its class" in words
    assert "Ranked among" not in words


def test_of_a_model_that_little_is_known_of_no_rank_is_given(client: Client) -> None:
    model = rated("Unknown", [150.0], form_factor="", rated_rpm=None)
    archive_counts_update()
    assert model_class(model) is None
    assert "class" not in section(get(client, f"/drives/{model.slug}/"))


def test_a_published_number_answers_where_nobody_measured_and_says_that_it_is_published(
    client: Client,
) -> None:
    model = rated("Paper", [])
    stated = sample_literature(model)
    stated.metric, stated.unit, stated.value = OUTER, "MB/s", 44.5
    stated.save()
    words = section(get(client, f"/drives/{model.slug}/"))
    assert "How fast at the outer edge? 44.5 MB/s published one published value [1]" in words


def test_level_models_share_a_rank_and_less_can_be_better() -> None:
    model = rated("Mine", [10.0])
    rated("Level", [10.0])
    rated("Other", [12.0])
    archive_counts_update()
    klass = model_class(model)
    assert klass is not None
    asked = {"drive_model_id": model.pk, "key": f"{OUTER}|", "value": 10.0}
    lower = class_rank(model_index(), klass, **asked, higher=False)
    assert (lower.rank, lower.of, lower.values) == (1, 3, (10.0, 10.0, 12.0))
    assert class_rank(model_index(), klass, **asked, higher=True).rank == 2


def test_rotation_is_one_fact_with_its_time_beside_its_rate(client: Client) -> None:
    model = rated("Turning", [150.0])
    sample_aggregate(model, "skippy.rotation_time", [8.331, 8.3333, 8.335])
    sample_aggregate(model, "skippy.rotation_rate", [7200.0])
    page = get(client, f"/drives/{model.slug}/")
    inside = text_of(page[page.index('id="geometry-title"') : page.index('id="measured-title"')])
    assert "Rotation 7200.0 rpm 8.3333 ms a turn, 8.3310 to 8.3350 one unit, 3 runs" in inside
    assert "Rotation rate" not in inside and "Rotation time" not in inside


def test_a_strip_marks_one_of_its_values_between_the_lowest_and_the_highest() -> None:
    strip = strip_of((1.0, 2.0, 3.0), 2.0)
    assert strip is not None and (strip.others, strip.own) == ((12, 988), 500)
    assert strip_of((1.0,), 1.0) is None
    level = strip_of((2.0, 2.0), 2.0)
    assert level is not None and level.own == 500


def test_ordinals_are_those_of_english() -> None:
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        *("1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th")
    ]
