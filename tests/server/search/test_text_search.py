"""Finding drive models by partial numbers, and by numbers with mistakes in them."""

from __future__ import annotations

import random
import string
from dataclasses import replace

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from server.catalog.loading import catalog_load
from server.catalog.models import DriveModel
from server.catalog.services import drive_model_resolve
from server.core.lifecycle import State
from server.core.text import normalize_name
from server.measurements.models import Run
from server.search.drive_list import DriveList, DriveQuery
from server.search.model_index import model_index
from server.search.text_search import mistakes, models_find, runs_find, vendors_find
from server.submissions.models import Submission
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db


def found(text: str, most: int = 5) -> list[str]:
    rows = DriveList(DriveQuery(text=text, sort="match")).page(1, most)
    return [row.drive_model.slug for row in rows]


TYPED = {
    "ST2000NM": "seagate-st2000nm0001",
    "hd103": "samsung-hd103sj",
    "ultrastar xp": "ibm-ultrastar-xp",
    "samsng hd103": "samsung-hd103sj",
    "st2000nm0O01": "seagate-st2000nm0001",
    "WD1600": "western-digital-wd1600aajs",
    "st 2000-nm0001": "seagate-st2000nm0001",
    "spinpoint": "samsung-hd103sj",
    "103SJ": "samsung-hd103sj",
    "seagate hawk": "seagate-st32430w",
    "wdc raptor": "western-digital-raptor",
    "seagatest2000": "seagate-st2000nm0001",
}


def test_what_people_type_finds_the_drive() -> None:
    catalog_load()
    assert {text: found(text, 1) for text in TYPED} == {text: [slug] for text, slug in TYPED.items()}


def test_what_is_like_nothing_finds_nothing() -> None:
    catalog_load()
    assert {slug.partition("-")[0] for slug in found("sea", 20)} == {"seagate"}
    for text in ("qqqqqqq", "zzyzx 99", "%", "\\", "'; --", "!!!", "a:b & c", "\N{SNOWMAN}"):
        assert found(text) == []


def test_every_model_is_found_from_its_number_with_one_mistake() -> None:
    """One letter changed, dropped, added, or swapped with its neighbour; among sixty alike."""
    catalog_load()
    chance = random.Random(4)
    for number in range(60):
        drive_model_resolve(vendor_name="Sampledata", model_name=f"SD{number * 37:04d}NM", simulated=False)
    DriveModel.objects.filter(curated=False).update(curated=True)
    call_command("refresh_summaries", "--missing")
    models = list(DriveModel.objects.all())
    for model in [*models[:17], *chance.sample(models[17:], 25)]:
        number = normalize_name(model.number)
        if len(number) < 5:
            continue
        wrong = with_one_mistake(number, chance)
        assert model.slug in found(wrong), f"{model.number} from {wrong}"


def with_one_mistake(number: str, chance: random.Random) -> str:
    place = chance.randrange(len(number) - 1)
    letter = chance.choice(string.ascii_lowercase + string.digits)
    return chance.choice(
        [
            number[:place] + letter + number[place + 1 :],
            number[:place] + number[place + 1 :],
            number[:place] + letter + number[place:],
            number[:place] + number[place + 1] + number[place] + number[place + 2 :],
        ]
    )


def test_the_whole_number_comes_before_numbers_that_begin_with_it() -> None:
    for number in ("SD100", "SD1000", "ASD100"):
        drive_model_resolve(vendor_name="Sampledata", model_name=number, simulated=False)
    DriveModel.objects.update(curated=True)
    call_command("refresh_summaries")
    assert found("sd100") == ["sampledata-sd100", "sampledata-sd1000", "sampledata-asd100"]
    assert DriveList(DriveQuery(text="sd100", sort="match")).page(1)[0].drive_model.number == "SD100"


def test_names_spelled_alike_are_the_same_with_and_without_the_database_s_trigrams() -> None:
    catalog_load()
    for number in range(60):
        drive_model_resolve(vendor_name="Sampledata", model_name=f"SD{number * 37:04d}NM", simulated=False)
    DriveModel.objects.update(curated=True)
    call_command("refresh_summaries")
    index = model_index()
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm')")
        assert index.trigram_index is cursor.fetchone()[0]
    chance = random.Random(7)
    typed = [
        with_one_mistake(normalize_name(model.number), chance) for model in DriveModel.objects.all()[:70]
    ]
    for text in ("smapledata sd1017", "samsng hd103", "st2000nm0O01", "seagat st2000", "sampledatta", *typed):
        in_memory = models_find(replace(index, trigram_index=False), text)
        assert models_find(index, text) == in_memory, text
    assert models_find(index, "smapledata sd1017").fuzzy


def test_a_text_narrows_like_any_choice_and_each_page_reads_its_own_rows() -> None:
    for index in range(9):
        drive_model_resolve(vendor_name="Sampledata", model_name=f"SD10{index}", simulated=False)
    DriveModel.objects.update(curated=True, rated_rpm=7200)
    DriveModel.objects.filter(number="SD104").update(rated_rpm=5400)
    call_command("refresh_summaries")
    found = DriveList(DriveQuery(text="sampledata", sort="match", facets={"rpm": ("7200",)}))
    with CaptureQueriesContext(connection) as queries:
        pages = [row.drive_model.number for number in (1, 2, 3) for row in found.page(number, 3)]
    assert pages == [f"SD10{index}" for index in range(9) if index != 4]
    assert found.total == 8 and found.fuzzy_matches == 0
    assert len(queries) == 4  # which counts the index has to belong to, and a read for each page


def test_a_model_of_held_runs_alone_is_not_found() -> None:
    run = measured(1, state=State.QUARANTINED)
    DriveModel.objects.update(curated=False)
    call_command("refresh_summaries")
    assert found(run.drive_model.number) == []


def test_makers_are_found_by_other_spellings() -> None:
    catalog_load()
    assert [vendor.name for vendor in vendors_find("wdc", limit=3)] == ["Western Digital"]
    assert vendors_find("w", limit=3) == []


def test_a_pasted_digest_finds_its_runs_and_only_published_ones() -> None:
    run, held = measured(0xABCDEF), measured(2, state=State.QUARANTINED)
    assert held.unit is not None
    submission = Submission.objects.get(run=run)
    assert run.unit is not None
    for text in (str(run.run_id), str(run.run_id).upper(), submission.digest, submission.probe_key.keyid):
        assert runs_find(f" {text} ") == [run], text
    assert runs_find(run.unit.digest) == [run]
    assert runs_find(held.unit.digest) == runs_find(str(held.run_id)[:13]) == []
    assert runs_find("st2000nm0001") == runs_find("1234567890123") == []
    assert Run.objects.count() == 2


def test_mistakes_are_counted_against_the_beginning_of_a_name() -> None:
    assert mistakes("st2000nm0o01", "st2000nm0001") == 1
    assert mistakes("samsnghd103", "samsunghd103sj") == 1
    assert mistakes("hd130", "hd103sj") == 1
    assert mistakes("hd103", "hd103sj") == 0


def test_mistakes_are_counted_up_to_the_most_that_matters() -> None:
    assert mistakes("hd310", "hd103sj", most=2) == mistakes("hd310", "hd103sj")
    assert mistakes("st2000nm0001", "hd103sj", most=3) == 4


def test_a_contributor_finds_a_run_that_is_not_published_by_its_id_alone() -> None:
    run = measured(1, state=State.QUARANTINED)
    assert runs_find(str(run.run_id)) == [run]
    assert runs_find(str(run.submission.pk)) == [run]


def test_a_run_is_found_by_its_id_as_lists_shorten_it_and_a_drive_by_a_digest_of_figures() -> None:
    run = measured(0x121212)
    assert runs_find(str(run.run_id)[:13]) == [run]
    assert runs_find("0" * 12) == [run]
