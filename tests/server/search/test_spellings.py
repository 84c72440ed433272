"""A drive is found by what stands on its label: each of 487 strings of real drives, by five spellings."""

from __future__ import annotations

import pytest

from server.catalog.identities import identities
from server.catalog.models import DriveModel
from server.catalog.names import DriveName, drive_name
from server.catalog.sightings import sightings_load
from server.core.text import normalize_name
from server.search.model_index import ModelIndex, model_index_build
from server.search.summaries import summary_update
from server.search.text_search import models_find

pytestmark = pytest.mark.django_db


@pytest.fixture
def index() -> ModelIndex:
    sightings_load()
    for model in DriveModel.objects.select_related("vendor"):
        summary_update(drive_model_id=model.pk, model=model)
    return model_index_build(None)


def found(index: ModelIndex, text: str) -> list[str]:
    places = models_find(index, text).literal
    return [index.names[place].split()[0] for place in places]


def spellings(text: str, name: DriveName) -> dict[str, str]:
    return {
        "as the drive gives it": text,
        "the model alone": name.model,
        "with its maker": f"{name.vendor} {name.model}",
        "small and without marks": normalize_name(f"{name.model}{name.variant}"),
        "the first letters": name.model[: max(6, len(name.model) - 3)],
    }


def test_every_real_drive_is_found_by_five_spellings(index: ModelIndex) -> None:
    missed = []
    for one in identities():
        name = drive_name(None, one.model_string)
        for what, text in spellings(one.model_string, name).items():
            if normalize_name(name.model) not in found(index, text):
                missed.append((what, text))
    assert missed == []


LABELS = [
    ("WDC WD10EZEX-99XYZA0", "WD10EZEX"),
    ("Hitachi HUS724040ALE641", "HUS724040ALE641"),
    ("wd 10 ezex", "WD10EZEX"),
    ("81Y9791", "ST1000NM0011"),
    ("Exos X16", "ST16000NM001G"),
    ("IronWolf 10TB", "ST10000VN0008"),
    ("IronWolf 10 TB", "ST10000VN0008"),
    ("HP MB2000EBUCF", "MB2000EBUCF"),
    ("Hewlett-Packard MB2000EBUCF", "MB2000EBUCF"),
    ("SUN250G", "ST32500NS"),
    ("Lenovo ST1000NX0423", "ST1000NX0423"),
    ("lenovo", "MG07ACA14TE"),
    ("SATA 4TB", "ST4000DM000"),
    ("2.5 inch 1tb", "ST1000LM035"),
    ("2,5 Zoll 1 TB", "ST1000LM035"),
    ("barracuda 7200 1tb", "ST1000DM003"),
    ("1 terabyte", "WD10EZEX"),
]


NOT_MEANT = [
    # `2tb` stands in `12tb`, and a number of 12 TB may begin with `12`.
    ("2TB", "HUH721212ALE600"),
    ("2 TB", "HUH721212ALE600"),
    ("SATA 2 TB", "HUH721212ALE600"),
    ("2tb 7200", "WD20EFRX"),
    ("2.5 inch 1tb", "ST1000DM003"),
]


def test_labels_families_parts_and_capacities_lead_to_a_drive(index: ModelIndex) -> None:
    assert [text for text, number in LABELS if normalize_name(number) not in found(index, text)] == []
    assert [text for text, number in NOT_MEANT if normalize_name(number) in found(index, text)] == []
