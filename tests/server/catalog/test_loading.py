"""Loading the catalogue: again without a change, and never over what a person edited."""

from __future__ import annotations

import json
import shutil
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from server.catalog.files import DATA, CatalogError, catalog_read, value_rows
from server.catalog.loading import catalog_load
from server.catalog.models import Citation, Claim, DriveModel, LiteratureValue
from server.catalog.services import drive_model_resolve
from server.catalog.sheets import claims_of
from server.catalog.sightings import sightings_load
from server.measurements.selectors import drive_model_public

pytestmark = pytest.mark.django_db
TABLES = (DriveModel, Citation, LiteratureValue, Claim)


def table_rows() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in TABLES]


def sample_files(tmp_path: Path, *, without: str = "", year: int | None = None) -> Path:
    """Return a copy of the files, HD103SJ without the values of one place or with another year."""
    folder = tmp_path / (without or "all").replace(" ", "-")
    shutil.copytree(DATA, folder)
    path = folder / "drives" / "samsung-hd103sj.json"
    drive = json.loads(path.read_text())
    drive["published"] = [group for group in drive["published"] if group["locator"] != without]
    drive["year"] = year
    path.write_text(json.dumps(drive))
    return folder


def hd103sj() -> DriveModel:
    return DriveModel.objects.get(slug="samsung-hd103sj")


def test_everything_in_the_files_is_loaded_once() -> None:
    files = catalog_read()
    report = catalog_load()
    stated = [rows for sheet in files.sheets.values() for rows in claims_of(sheet).values()]
    assert DriveModel.objects.count() == report.drives == len(files.drives) + len(stated)
    assert LiteratureValue.objects.count() == sum(len(value_rows(drive)) for drive in files.drives.values())
    own = sum(len(drive["claims"]) for drive in files.drives.values())
    assert Claim.objects.count() == own + sum(len(rows) for rows in stated)


def test_loading_twice_changes_nothing() -> None:
    catalog_load()
    before = table_rows()
    report = catalog_load()
    assert (report.created, report.changed, report.removed, report.kept) == ([], [], [], [])
    assert table_rows() == before


def test_what_a_file_changed_is_changed(tmp_path: Path) -> None:
    catalog_load()
    report = catalog_load(folder=sample_files(tmp_path, year=2009))
    assert hd103sj().year == 2009
    assert len(report.changed) == 1


def test_what_left_the_files_is_removed_and_reported(tmp_path: Path) -> None:
    catalog_load()
    report = catalog_load(folder=sample_files(tmp_path, without="Table 3"))
    assert not hd103sj().literature_values.filter(locator="Table 3").exists()
    assert len(report.removed) == 5


def test_what_a_person_edited_stays_and_is_reported(tmp_path: Path) -> None:
    catalog_load()
    LiteratureValue.objects.filter(drive_model=hd103sj(), value=143, locator="Table 3").update(
        note="Looked up."
    )
    for folder in (DATA, sample_files(tmp_path, without="Table 3")):
        report = catalog_load(folder=folder)
        assert LiteratureValue.objects.get(note="Looked up.").value == 143
        assert any("bandwidth.peak" in row for row in report.kept)


def test_overwrite_puts_the_files_over_a_persons_edit() -> None:
    catalog_load()
    DriveModel.objects.filter(slug="samsung-hd103sj").update(rated_rpm=5400)
    assert catalog_load().kept
    assert hd103sj().rated_rpm == 5400
    catalog_load(overwrite=True)
    assert hd103sj().rated_rpm == 7200


def test_a_persons_own_entry_is_neither_removed_nor_changed() -> None:
    catalog_load()
    own = LiteratureValue.objects.create(
        drive_model=hd103sj(),
        citation=Citation.objects.get(key="eridano"),
        locator="own",
        metric="skippy.mtm",
        value=1.0,
        unit="ms",
    )
    report = catalog_load()
    assert not report.removed and not report.kept
    assert LiteratureValue.objects.filter(pk=own.pk).exists()


def test_a_hidden_value_stays_hidden() -> None:
    catalog_load()
    Claim.objects.filter(drive_model=hd103sj()).update(hidden=True)
    catalog_load()
    assert not Claim.objects.filter(drive_model=hd103sj(), hidden=False).exists()


def test_a_model_that_a_device_named_becomes_the_catalogues() -> None:
    named = drive_model_resolve(vendor_name="Samsung", model_name="HD103SJ", simulated=False)
    report = catalog_load()
    assert not report.kept
    model = hd103sj()
    assert (model.pk, model.curated, model.rated_rpm) == (named.pk, True, 7200)


def test_rows_of_an_earlier_loader_are_brought_up_to_date() -> None:
    catalog_load()
    LiteratureValue.objects.filter(locator="Table 3").update(loaded_digest="before digests", printed="")
    assert not catalog_load().kept
    assert LiteratureValue.objects.filter(printed="9.68 MB/s", locator="Table 3").exists()


def test_the_command_says_what_it_did(tmp_path: Path) -> None:
    out = StringIO()
    call_command("load_catalog", stdout=out)
    assert f"{DriveModel.objects.count()} drive models" in out.getvalue()
    DriveModel.objects.filter(slug="samsung-hd103sj").update(notes="Mine.")
    out = StringIO()
    call_command("load_catalog", stdout=out)
    assert "kept as a person left it: drive model Samsung / hd103sj" in out.getvalue()


def test_a_makers_document_brings_claims_of_models_that_anybody_may_see() -> None:
    catalog_load()
    model = drive_model_public(slug="seagate-st4000nm0023")
    assert model is not None
    assert (model.family, model.interface, model.rated_rpm, model.rated_surfaces) == (
        "Constellation ES.3",
        "SAS",
        7200,
        10,
    )
    assert not model.curated
    claim = model.claims.get(metric="zoned.outer_bandwidth", quantity="same")
    assert (claim.high, claim.locator, claim.stated_on) == (175, "page 9, 4.1.2", "2012-10")
    assert claim.citation.title == "Constellation ES.3 SAS Product Manual, 100671510, Rev. B"
    model.claims.all().delete()
    assert drive_model_public(slug="seagate-st4000nm0023") is None


def test_documents_and_sightings_meet_in_one_model_whichever_comes_first() -> None:
    def rows() -> list[Any]:
        columns = ("slug", "family", "interface", "form_factor", "rated_rpm", "capacity_bytes", "seen_units")
        return list(DriveModel.objects.order_by("slug").values_list(*columns))

    catalog_load()
    sightings_load()
    documents_first = rows()
    DriveModel.objects.all().delete()
    sightings_load()
    catalog_load()
    assert rows() == documents_first


def test_a_family_that_an_earlier_table_gave_wrongly_is_mended_and_a_persons_stays() -> None:
    sightings_load()
    wrong, said = DriveModel.objects.filter(number__in=("ST3500630NS", "ST4000DM000")).order_by("number")
    assert (wrong.family, said.family) == ("Barracuda ES", "Desktop HDD.15")
    DriveModel.objects.filter(pk=wrong.pk).update(family="Constellation ES")
    DriveModel.objects.filter(pk=said.pk).update(family="Backup Plus")
    sightings_load()
    wrong.refresh_from_db()
    said.refresh_from_db()
    assert (wrong.family, said.family) == ("Barracuda ES", "Backup Plus")


def test_a_document_with_something_to_mend_is_not_loaded(tmp_path: Path) -> None:
    folder = sample_files(tmp_path)
    path = folder / "sheets" / "seagate-constellation-es3-sas-b.json"
    sheet = json.loads(path.read_text())
    del sheet["document"]["date"]
    path.write_text(json.dumps(sheet))
    with pytest.raises(CatalogError, match="it has no date"):
        catalog_load(folder=folder)
    assert not Claim.objects.exists()


def test_claims_of_a_document_that_left_the_files_are_removed(tmp_path: Path) -> None:
    catalog_load()
    folder = sample_files(tmp_path)
    (folder / "sheets" / "seagate-constellation-es3-sas-b.json").unlink()
    catalog_load(folder=folder)
    assert not Claim.objects.filter(drive_model__slug="seagate-st4000nm0023").exists()
    assert DriveModel.objects.filter(slug="seagate-st4000nm0023").exists()
