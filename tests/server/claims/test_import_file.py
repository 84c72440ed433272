"""Claims from files: all or none, with every wrong line named."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from server.accounts.models import User
from server.catalog.models import Citation, Claim, DriveModel
from server.catalog.services import drive_alias_add, drive_model_resolve
from server.claims.file_format import ClaimFileError
from server.claims.import_file import claims_export, claims_import

pytestmark = pytest.mark.django_db
BASE = {
    "vendor": "Sampledata",
    "model": "Sample 9000",
    "metric": "zoned.outer_bandwidth",
    "form": "maximum",
    "value": "152",
    "unit": "MB/s",
    "document": "sheet",
    "locator": "p. 1",
}


@pytest.fixture(autouse=True)
def model() -> DriveModel:
    model = drive_model_resolve(vendor_name="Sampledata", model_name="Sample 9000", simulated=False)
    drive_alias_add(drive_model=model, text="Sampledata Sample 9000")
    Citation.objects.create(key="sheet", authors="Sample vendor", title="A sample sheet")
    return model


def file(*changes: dict[str, Any]) -> bytes:
    rows = [BASE | change for change in changes or ({},)]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines = [";".join(columns), *(";".join(str(row.get(name, "")) for name in columns) for row in rows)]
    return "\n".join(lines).encode()


def refused(*changes: dict[str, Any]) -> str:
    with pytest.raises(ClaimFileError) as caught:
        claims_import(file(*changes))
    assert not Claim.objects.exists()
    return str(caught.value)


def test_a_claim_is_created_with_its_number_where_the_form_has_it() -> None:
    claims_import(
        file(
            {},
            {"form": "minimum", "value": "62,5"},
            {"form": "typical", "metric": "seeker.average", "unit": "ms", "value": "8,9"},
        )
    )
    numbers = {claim.form: (claim.low, claim.high) for claim in Claim.objects.all()}
    assert numbers == {"maximum": (None, 152.0), "minimum": (62.5, None), "typical": (8.9, 8.9)}


def test_importing_again_changes_nothing_and_another_number_changes_the_claim() -> None:
    claims_import(file())
    pk = Claim.objects.get().pk
    again = claims_import(file())
    assert (len(again.created), len(again.changed), len(again.unchanged)) == (0, 0, 1)
    other = claims_import(file({"value": 155}))
    assert (len(other.created), len(other.changed)) == (0, 1)
    claim = Claim.objects.get()
    assert (claim.pk, claim.high) == (pk, 155)


def test_a_dry_run_says_the_same_and_writes_nothing() -> None:
    report = claims_import(file(), dry_run=True)
    assert len(report.created) == 1
    assert not Claim.objects.exists()


def test_another_unit_is_converted_and_the_printed_number_kept() -> None:
    claims_import(file({"value": "145", "unit": "MiB/s"}))
    claim = Claim.objects.get()
    assert (claim.high, claim.unit, claim.printed) == (152.0, "MB/s", "145 MiB/s")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model": "Sampel 9000"}, "Did you mean Sampledata Sample 9000"),
        ({"metric": "zoned.outer_bandwith"}, "Did you mean zoned.outer_bandwidth"),
        ({"document": "sheets"}, "Did you mean sheet"),
        ({"unit": "ms"}, "ms is a unit of time, MB/s one of rate"),
        ({"unit": "furlongs"}, "'furlongs' is not known"),
        ({"form": "about"}, "It may be typical, minimum, maximum, range"),
        ({"quantity": "spin"}, "It may be same, raw_media, interface, other"),
        ({"value": "nan"}, "not finite"),
        ({"value": "1,000"}, "thousands or decimals"),
        ({"value": ""}, "high is empty. A maximum needs high"),
        ({"low": "1"}, "value stands beside low or high"),
        ({"form": "range", "value": "", "low": "9", "high": "8"}, "low (9) is above high (8)"),
        ({"form": "minimum", "value": "", "low": "1", "high": "2"}, "A minimum has low alone"),
        ({"tolerance": "5"}, "tolerance"),
        ({"stated_on": "July 2012"}, "Write the date as 2012, 2012-07"),
        ({"locator": ""}, "locator is empty"),
        ({"note": "x" * 601}, "note"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_wrong_line_is_named_with_what_is_wrong_and_what_to_do(change: dict[str, str], words: str) -> None:
    text = refused({}, change)
    assert text.startswith("line 3: ")
    assert words in text


def test_all_wrong_lines_are_named_at_once_and_none_is_written() -> None:
    text = refused({"model": "nothing"}, {}, {"metric": "no.such"})
    assert [line.partition(":")[0] for line in text.splitlines()] == ["line 2", "line 4"]


def test_the_same_claim_twice_in_a_file_is_refused() -> None:
    assert "line 3: it is the same claim as line 2" in refused({}, {"value": 153})
    claims_import(file({}, {"conditions": "at 20 °C"}))
    assert Claim.objects.count() == 2


def test_a_model_is_found_by_alias_and_without_its_vendor() -> None:
    claims_import(file({"vendor": "", "model": "SAMPLE-9000"}))
    assert Claim.objects.get().drive_model.number == "Sample 9000"


def test_a_model_that_two_vendors_make_needs_its_vendor() -> None:
    drive_model_resolve(vendor_name="Other", model_name="Sample 9000", simulated=False)
    assert "is made by Other, Sampledata" in refused({"vendor": ""})


def test_what_is_exported_is_imported_without_a_change_and_is_no_formula() -> None:
    claims_import(
        file(
            {"note": "=cmd()", "tolerance": "0,02"},
            {"form": "range", "value": "", "low": "-5", "high": "8.25"},
        )
    )
    text = claims_export(Claim.objects.select_related("drive_model__vendor", "citation").order_by("pk"))
    assert "'=cmd()" in text
    report = claims_import(text.encode())
    assert (len(report.created), len(report.changed), len(report.unchanged)) == (0, 0, 2)


def test_the_command_tells_what_it_would_do_and_then_does_it(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    path.write_bytes(file())
    out = StringIO()
    call_command("import_claims", str(path), "--dry-run", stdout=out)
    assert "1 would be created, 0 would be changed, 0 as they are" in out.getvalue()
    assert not Claim.objects.exists()
    call_command("import_claims", str(path), stdout=StringIO())
    assert Claim.objects.count() == 1


def test_the_command_refuses_with_every_error(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    path.write_bytes(file({"model": "nothing"}, {"form": "about"}))
    with pytest.raises(CommandError, match="2 errors; nothing was written"):
        call_command("import_claims", str(path))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_claims", str(tmp_path / "none.csv"))


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(User.objects.create_superuser(username="sample-admin", password="sample"))
    return client


def test_the_upload_shows_first_and_writes_without_the_tick(admin: Client) -> None:
    address = "/admin/catalog/claim/import/"
    page = admin.post(
        address, {"file": SimpleUploadedFile("c.csv", file()), "dry_run": "on"}
    ).content.decode()
    assert "What would happen" in page and not Claim.objects.exists()
    page = admin.post(address, {"file": SimpleUploadedFile("c.csv", file())}).content.decode()
    assert "What was done" in page and Claim.objects.count() == 1


def test_the_upload_lists_errors_as_text(admin: Client) -> None:
    content = file({"model": "<script>alert(1)</script>"})
    page = admin.post(
        "/admin/catalog/claim/import/", {"file": SimpleUploadedFile("c.csv", content)}
    ).content.decode()
    assert "line 2: " in page and "<script>alert(1)" not in page


def test_the_upload_needs_the_right_to_change_claims(client: Client) -> None:
    client.force_login(User.objects.create_user(username="sample-staff", password="sample", is_staff=True))
    assert client.get("/admin/catalog/claim/import/").status_code == 403


def entered(admin: Client, **changes: str) -> str:
    """Enter a claim in the form; return the page that answers."""
    model, citation = DriveModel.objects.get(), Citation.objects.get()
    fields = {
        "drive_model": model.pk,
        "citation": citation.pk,
        "locator": "p. 1",
        "metric": "zoned.outer_bandwidth",
        "form": "maximum",
        "high": "152",
        "unit": "MB/s",
        "quantity": "same",
    }
    return admin.post("/admin/catalog/claim/add/", fields | changes, follow=True).content.decode()


def test_a_claim_is_entered_in_the_form_and_converted(admin: Client) -> None:
    entered(admin, high="145", unit="MiB/s")
    claim = Claim.objects.get()
    assert (claim.high, claim.unit, claim.printed) == (152.0, "MB/s", "145 MiB/s")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"high": ""}, "A maximum needs high. Give high."),
        ({"low": "1"}, "A maximum has high alone"),
        ({"unit": "ms"}, "ms is a unit of time"),
        ({"metric": "no.such"}, "no.such is not one of the available choices"),
        ({"stated_on": "soon"}, "Write the date as 2012"),
    ],
    ids=str,
)
def test_a_wrong_entry_is_refused_with_fact_limit_and_remedy(
    admin: Client, changes: dict[str, str], words: str
) -> None:
    assert words in entered(admin, **changes)
    assert not Claim.objects.exists()


def test_the_list_of_claims_leads_to_the_import_and_exports(admin: Client) -> None:
    claims_import(file())
    address = "/admin/catalog/claim/"
    assert "/admin/catalog/claim/import/" in admin.get(address).content.decode()
    answer = admin.post(address, {"action": "export", "_selected_action": [Claim.objects.get().pk]})
    assert answer["Content-Type"].startswith("text/csv")
    assert b"zoned.outer_bandwidth" in answer.content
