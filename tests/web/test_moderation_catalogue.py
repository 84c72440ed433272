"""Moderators merge, split and name models and vendors: on the site, in a log, and back again."""

from __future__ import annotations

import html

import pytest
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, connection, transaction
from django.test import Client

from server.accounts.models import User
from server.catalog.models import DriveAlias, DriveModel, Vendor
from server.catalog.services import drive_model_resolve, vendor_resolve
from server.measurements.models import Run, Unit
from server.submissions.catalogue_changes import NotPossible, change_undo, models_merge, vendors_merge
from server.submissions.models import CatalogueChange
from tests.support.moderation import moderator
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = pytest.mark.django_db
REASON = "Sample reason, for this test."


@pytest.fixture
def by() -> User:
    return moderator()


@pytest.fixture
def signed_in(client: Client, by: User) -> Client:
    client.force_login(by)
    return client


def run_of(model: str, unit: str = "ab") -> Run:
    return sample_run(SampleRun(model=model, unit=unit * 32))


def names(model: DriveModel) -> str:
    return f"/moderation/catalogue/{model.slug}/"


def where() -> dict[object, tuple[object, object]]:
    """Each run with its model and its drive's model."""
    runs = Run.objects.values_list("pk", "drive_model__slug", "unit__drive_model__slug")
    return {pk: (model, of_unit) for pk, model, of_unit in runs}


def words(answer: object) -> str:
    return " ".join(html.unescape(answer.content.decode()).split())  # type: ignore[attr-defined]


def test_two_models_become_one_and_two_again(signed_in: Client) -> None:
    one, other = run_of("Sample 9000"), run_of("Sample 9000-A", "cd")
    source, target, before = other.drive_model, one.drive_model, where()
    row = DriveModel.objects.filter(pk=source.pk).values().get()
    sent = {"act": "merge", "into": target.slug, "reason": REASON}
    page = words(signed_in.post(names(source), sent, follow=True))
    assert f"Models merged: {source.title} into {target.title}" in page and REASON in page
    assert set(where().values()) == {(target.slug, target.slug)}
    assert signed_in.get(f"/drives/{source.slug}/").headers["Location"] == f"/drives/{target.slug}/"
    device = other.summary["device"]
    of_device = {"vendor_name": device["vendor"], "model_name": device["model"], "simulated": False}
    assert drive_model_resolve(**of_device) == target, "such devices are filed there from now on"

    change = CatalogueChange.objects.get()
    signed_in.post(f"/moderation/catalogue/{change.pk}/undo/", {"reason": REASON})
    assert where() == before
    again = DriveModel.objects.filter(pk=source.pk).values().get()
    assert {**again, "updated_at": None} == {**row, "updated_at": None}
    assert signed_in.get(f"/drives/{source.slug}/").status_code == 200
    assert drive_model_resolve(**of_device).pk == source.pk
    assert Unit.objects.count() == 2
    page = words(signed_in.get("/moderation/catalogue/"))
    assert "Undone: Models merged" in page and "sample-moderator" in page
    with pytest.raises(NotPossible):
        change_undo(change=change, by=moderator("second"), reason=REASON)


def test_a_drive_that_both_models_knew_is_one_and_two_again(by: User) -> None:
    one, other = run_of("Sample 9000"), run_of("Sample 9000-A")
    before = where()
    change = models_merge(source=other.drive_model, target=one.drive_model, by=by, reason=REASON)
    assert Unit.objects.count() == 1
    change_undo(change=change, by=by, reason=REASON)
    assert where() == before and Unit.objects.count() == 2


def test_a_model_is_split_by_what_its_devices_said(signed_in: Client, by: User) -> None:
    one, other = run_of("Sample 9000"), run_of("Sample 9000-A", "cd")
    model = one.drive_model
    models_merge(source=other.drive_model, target=model, by=by, reason=REASON)
    said = f"{other.summary['device']['vendor']} {other.summary['device']['model']}"
    sent = {"act": "split", "string": [said], "number": "Sample 9500", "reason": REASON}
    assert said in words(signed_in.get(names(model)))
    page = words(signed_in.post(names(model), sent, follow=True))
    assert "Done. The change stands in the log" in page
    other.refresh_from_db()
    assert (other.drive_model.number, other.unit and other.unit.drive_model) == (
        "Sample 9500",
        other.drive_model,
    )
    device = other.summary["device"]
    found = drive_model_resolve(vendor_name=device["vendor"], model_name=device["model"], simulated=False)
    assert found == other.drive_model

    address = f"/drives/{other.drive_model.slug}/"
    change_undo(change=CatalogueChange.objects.filter(action="split").get(), by=by, reason=REASON)
    assert {model for model, _unit in where().values()} == {model.slug}
    assert signed_in.get(address).headers["Location"] == f"/drives/{model.slug}/"
    found = drive_model_resolve(vendor_name=device["vendor"], model_name=device["model"], simulated=False)
    assert found == model


def test_names_are_added_and_removed_and_that_is_undone(signed_in: Client, by: User) -> None:
    model = run_of("Sample 9000").drive_model
    sent = {"act": "name", "text": "Sample label", "reason": REASON}
    signed_in.post(names(model), sent)
    assert drive_model_resolve(vendor_name=None, model_name="SAMPLE-LABEL", simulated=False) == model
    assert "means" in words(signed_in.post(names(model), sent, follow=True))
    signed_in.post(names(model), {"act": "unname", "text": "Sample label", "reason": REASON})
    assert not DriveAlias.objects.filter(text="Sample label").exists()
    change_undo(change=CatalogueChange.objects.filter(action="alias_removed").get(), by=by, reason=REASON)
    assert DriveAlias.objects.get(text="Sample label").drive_model == model
    change_undo(change=CatalogueChange.objects.filter(action="alias_added").get(), by=by, reason=REASON)


def test_vendors_become_one_and_two_again(signed_in: Client, by: User) -> None:
    model = run_of("Sample 9000").drive_model
    source, target = model.vendor, vendor_resolve(name="Other maker")
    change = vendors_merge(source=source, target=target, by=by, reason=REASON)
    model.refresh_from_db()
    assert model.vendor == target == vendor_resolve(name=source.name)
    assert signed_in.get(f"/drives/{model.slug}/").status_code == 200
    old = f"/api/v1/vendors/{source.slug}/"
    assert signed_in.get(old).headers["Location"] == f"/api/v1/vendors/{target.slug}/"
    change_undo(change=change, by=by, reason=REASON)
    model.refresh_from_db()
    assert model.vendor == source == vendor_resolve(name=source.name)
    assert signed_in.get(old).status_code == 200


def test_what_would_contradict_is_refused_with_the_reason(signed_in: Client, by: User) -> None:
    one, simulated = run_of("Sample 9000").drive_model, run_of("Sample 9001", "cd").drive_model
    DriveModel.objects.filter(pk=simulated.pk).update(simulated=True)
    for sent, said in (
        ({"act": "merge", "into": simulated.slug}, "measured and simulated never meet"),
        ({"act": "merge", "into": one.slug}, "That is one model already"),
        ({"act": "merge", "into": "no-such"}, "No model has that address"),
        ({"act": "split", "number": "X 1"}, "Choose some of the strings"),
        ({"act": "nothing"}, "choose what to do"),
        ({"act": "vendors", "into": one.vendor.slug}, "That is one vendor already"),
    ):
        page = words(signed_in.post(names(one), {**sent, "reason": REASON}, follow=True))
        assert said in page, sent
    short = words(signed_in.post(names(one), {"act": "name", "text": "x9", "reason": "no"}, follow=True))
    assert "The reason has 2 characters" in short
    DriveModel.objects.filter(pk=one.pk).update(loaded_digest="ab" * 32)
    other = run_of("Sample 9002", "ef").drive_model
    page = words(
        signed_in.post(names(one), {"act": "merge", "into": other.slug, "reason": REASON}, follow=True)
    )
    assert "stands in the catalogue's files" in page
    assert not CatalogueChange.objects.exists() and Vendor.objects.filter(pk=one.vendor_id).exists()


def test_everybody_reads_what_was_changed_and_nobody_rewrites_it(client: Client, by: User) -> None:
    one, other = run_of("Sample 9000"), run_of("Sample 9000-A", "cd")
    change = models_merge(source=other.drive_model, target=one.drive_model, by=by, reason=REASON)
    page = words(client.get("/moderation/catalogue/"))
    assert REASON in page and "sample-moderator" not in page and "Undo" not in page
    for act in (
        lambda: CatalogueChange.objects.update(reason="another"),
        lambda: CatalogueChange.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError, match="only added to"), transaction.atomic():
            act()
    stranger = User.objects.create_user("stranger")
    with pytest.raises(PermissionDenied):
        change_undo(change=change, by=stranger, reason=REASON)
    assert not connection.needs_rollback


def test_the_log_opens_a_model_by_any_address_it_had(signed_in: Client, by: User) -> None:
    one, other = run_of("Sample 9000"), run_of("Sample 9000-A", "cd")
    old = other.drive_model.slug
    models_merge(source=other.drive_model, target=one.drive_model, by=by, reason=REASON)
    for asked in (old, f"https://example.org/drives/{old}/", one.drive_model.slug):
        answer = signed_in.get("/moderation/catalogue/", {"model": asked})
        assert answer.headers["Location"] == names(one.drive_model)
    assert "No model has the address" in words(signed_in.get("/moderation/catalogue/?model=none"))


@pytest.mark.parametrize("act", ["merge", "split", "name", "unname", "vendors", "\0"])
@pytest.mark.parametrize("text", ["\0", "\u202e", "x" * 5000, "<b>"])
def test_whatever_a_form_brings_is_done_or_refused_in_words(signed_in: Client, act: str, text: str) -> None:
    model = run_of("Sample 9000").drive_model
    sent = {"act": act, "reason": REASON, **dict.fromkeys(("into", "number", "text", "string"), text)}
    page = signed_in.post(names(model), sent, follow=True)
    assert page.status_code == 200 and "<b></" not in page.content.decode()
    assert signed_in.get("/moderation/catalogue/", {"model": text}).status_code == 200
    assert "\0" not in "".join(DriveAlias.objects.values_list("text", flat=True))
