"""Two moderators at the same names: the second one's page shows what the first one has changed since."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from server.accounts.models import User
from server.catalog.models import DriveAlias, DriveModel, Vendor
from server.catalog.services import vendor_resolve
from server.core.locks import transaction_lock
from server.measurements.models import Run
from server.submissions.catalogue_changes import (
    NotPossible,
    alias_add,
    alias_remove,
    change_undo,
    model_split,
    models_merge,
    vendors_merge,
)
from server.submissions.models import CatalogueChange
from tests.support.moderation import moderator
from tests.support.sample_archive import SampleRun, sample_run

REASON = "Sample reason, for this test."


@pytest.fixture
def by() -> User:
    return moderator()


def run_of(model: str, unit: str) -> Run:
    return sample_run(SampleRun(model=model, unit=unit * 32))


def model_of(number: int) -> DriveModel:
    return run_of(f"Sample 900{number}", f"{number:x}a").drive_model


def filed() -> dict[object, str]:
    return dict(Run.objects.values_list("pk", "drive_model__slug"))


@pytest.mark.django_db
class TestOfWhatIsGone:
    """Each page was loaded before another moderator merged a model away."""

    def test_18_two_models_are_not_merged_into_each_other(self, by: User) -> None:
        one, other = model_of(1), model_of(2)
        seen_one, seen_other = (DriveModel.objects.get(pk=model.pk) for model in (one, other))
        models_merge(source=one, target=other, by=by, reason=REASON)
        before = filed()
        for source, target in ((seen_other, seen_one), (seen_one, seen_other)):
            with pytest.raises(NotPossible, match="is gone"):
                models_merge(source=source, target=target, by=by, reason=REASON)
        assert filed() == before and CatalogueChange.objects.count() == 1

    def test_18_nor_in_a_circle_of_three(self, by: User) -> None:
        models = [model_of(number) for number in (1, 2, 3)]
        seen = [DriveModel.objects.get(pk=model.pk) for model in models]
        models_merge(source=models[0], target=models[1], by=by, reason=REASON)
        models_merge(source=seen[1], target=seen[2], by=by, reason=REASON)
        with pytest.raises(NotPossible, match="is gone"):
            models_merge(source=seen[2], target=seen[0], by=by, reason=REASON)
        assert set(filed().values()) == {models[2].slug}
        for change in CatalogueChange.objects.filter(action="merged").order_by("-pk"):
            change_undo(change=change, by=by, reason=REASON)
        assert len(set(filed().values())) == 3

    @pytest.mark.parametrize(
        "act",
        [
            lambda model, by: model_split(
                source=model, strings=["x"], number="Sample 1", by=by, reason=REASON
            ),
            lambda model, by: alias_add(model=model, text="Sample 77", by=by, reason=REASON),
        ],
        ids=["split", "named"],
    )
    def test_18_nothing_is_done_to_a_model_that_is_gone(
        self, by: User, act: Callable[[DriveModel, User], Any]
    ) -> None:
        one, other = model_of(1), model_of(2)
        seen = DriveModel.objects.get(pk=one.pk)
        models_merge(source=one, target=other, by=by, reason=REASON)
        with pytest.raises(NotPossible, match="is gone"):
            act(seen, by)

    def test_18_a_name_is_taken_away_once(self, by: User) -> None:
        model = model_of(1)
        alias_add(model=model, text="Sample 77", by=by, reason=REASON)
        first, second = (DriveAlias.objects.get(text="Sample 77") for _page in range(2))
        alias_remove(alias=first, by=by, reason=REASON)
        with pytest.raises(NotPossible, match="is gone"):
            alias_remove(alias=second, by=by, reason=REASON)
        assert CatalogueChange.objects.filter(action="alias_removed").count() == 1

    def test_18_a_split_goes_to_the_vendor_of_today(self, by: User) -> None:
        run_of("Sample 9000", "ab")
        other = run_of("Sample 9000-A", "cd")
        model = Run.objects.exclude(pk=other.pk).get().drive_model
        models_merge(source=other.drive_model, target=model, by=by, reason=REASON)
        seen = DriveModel.objects.select_related("vendor").get(pk=model.pk)
        target = vendor_resolve(name="Other maker")
        vendors_merge(source=model.vendor, target=target, by=by, reason=REASON)
        said = f"{other.summary['device']['vendor']} {other.summary['device']['model']}"
        model_split(source=seen, strings=[said], number="Sample 9500", by=by, reason=REASON)
        assert set(DriveModel.objects.values_list("vendor", flat=True)) == {target.pk}


@pytest.mark.django_db
def test_18_vendors_that_were_merged_to_and_fro_lead_in_no_circle(client: Client, by: User) -> None:
    model = model_of(1)
    one, other = model.vendor, vendor_resolve(name="Other maker")
    third = vendor_resolve(name="Third maker")
    for source, target in ((one, other), (other, one), (one, third)):
        vendors_merge(source=source, target=target, by=by, reason=REASON)
    for vendor in (one, other):
        led = client.get(f"/api/v1/vendors/{vendor.slug}/")
        assert led.headers["Location"] == f"/api/v1/vendors/{third.slug}/"
    vendors_merge(source=third, target=one, by=by, reason=REASON)
    DriveModel.objects.update(vendor=Vendor.objects.create(name="X", normalized="x", slug="x"))
    for vendor in (one, other, third):
        assert client.get(f"/api/v1/vendors/{vendor.slug}/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_18_what_a_merge_undoes_is_what_it_moved_and_not_what_its_page_showed() -> None:
    """B goes into C while A goes into B: what came from A goes back to B with the rest."""
    by = moderator()
    one, two, three = (model_of(number) for number in (1, 2, 3))
    seen = [DriveModel.objects.get(pk=model.pk) for model in (two, three)]
    results: list[Any] = []

    def second() -> None:
        try:
            results.append(models_merge(source=seen[0], target=seen[1], by=by, reason=REASON))
        except Exception as error:
            results.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=second)
    with transaction.atomic():
        transaction_lock("catalog")
        thread.start()
        deadline = time.monotonic() + 20
        while not _somebody_waits() and time.monotonic() < deadline:
            time.sleep(0.02)
        models_merge(source=one, target=two, by=by, reason=REASON)
    thread.join()
    [change] = results
    assert isinstance(change, CatalogueChange), change
    assert set(filed().values()) == {three.slug}
    change_undo(change=change, by=by, reason=REASON)
    assert sorted(filed().values()) == sorted([two.slug, two.slug, three.slug])


@pytest.mark.django_db(transaction=True)
def test_18_two_moderators_undo_the_same_change_once() -> None:
    by = moderator()
    one, two = model_of(1), model_of(2)
    change = models_merge(source=one, target=two, by=by, reason=REASON)
    results: list[Any] = []

    def undo() -> None:
        try:
            results.append(change_undo(change=change, by=by, reason=REASON))
        except Exception as error:
            results.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=undo) for _moderator in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(type(result).__name__ for result in results) == ["CatalogueChange", *["NotPossible"] * 3]
    assert len(set(filed().values())) == 2


def _somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])
