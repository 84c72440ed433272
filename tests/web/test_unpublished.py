"""Point 3 of what attackers found: what is not published is told by its state and its reasons alone, but for
moderators and the holder of the key."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from server.accounts.models import User
from server.core.lifecycle import State
from server.search.summaries import summary_update
from server.submissions.models import Submission
from tests.support.people import second_factor
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = pytest.mark.django_db
SECRET = ("Lurevendor", "LURE-9000", "FWLURE", "lurelabel")


@pytest.fixture(params=[State.QUARANTINED, State.REJECTED, State.VALIDATED])
def run(request: pytest.FixtureRequest, django_capture_on_commit_callbacks: Any) -> Any:
    """A run that is not published, of a model that no other run is of."""
    with django_capture_on_commit_callbacks(execute=True):
        made = sample_run(
            SampleRun(vendor=SECRET[0], model=SECRET[1], device={"firmware": SECRET[2]}, state=request.param)
        )
        summary_update(drive_model_id=made.drive_model_id)
    return made


def shown(client: Client, address: str) -> str:
    answer = client.get(address)
    return (b"".join(answer) if answer.streaming else answer.content).decode()


def test_18_3_its_page_tells_state_and_reasons_alone(client: Client, run: Any) -> None:
    for address in (f"/runs/{run.pk}/", f"/runs/{run.pk}/status/"):
        text = shown(client, address)
        assert run.submission.state in text
        for secret in (*SECRET, run.unit.digest[:8] if run.unit else SECRET[0]):
            assert secret not in text and secret.lower() not in text, (address, secret)


def test_18_3_envelope_and_document_are_not_handed_out(client: Client, run: Any) -> None:
    for part in ("envelope", "document"):
        assert client.get(f"/api/v1/runs/{run.pk}/{part}/").status_code == 404
    assert client.get(f"/runs/{run.pk}/envelope.json").status_code == 404


@pytest.mark.parametrize("state", [State.QUARANTINED, State.REJECTED])
def test_18_3_its_charts_are_shown_to_those_alone_who_see_its_page(client: Client, state: State) -> None:
    measured = sample_run()
    chart = f"/runs/{measured.pk}/charts/zoned/profile"
    assert client.get(f"{chart}.json").status_code == 200
    Submission.objects.filter(pk=measured.submission_id).update(state=state)
    addresses = [f"{chart}{end}" for end in (".json", ".csv", "/", ".svg", ".json?full=1", ".csv?full=1")]
    for address in (*addresses, f"/api/v1{chart}/", f"/api/v1/runs/{measured.pk}/charts/"):
        assert client.get(address).status_code == 404, address
    moderator = User.objects.create_user("looks")
    moderator.user_permissions.add(Permission.objects.get(codename="decide"))
    second_factor(moderator)
    client.force_login(moderator)
    answer = client.get(f"{chart}.json")
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "private, no-store"


def test_18_3_its_model_and_vendor_are_listed_nowhere(client: Client, run: Any) -> None:
    slug = run.drive_model.slug
    for address in (
        *(
            "/",
            "/drives/",
            "/drives/?q=lure",
            "/drives/?format=csv",
            "/drives/suggest/?q=lure",
            "/feed.atom",
            "/events.atom",
        ),
        *("/compare/suggest/?q=lure", f"/compare/?d={slug}&d=x", "/claims/"),
        *("/api/v1/drives/", "/api/v1/drives.csv", "/api/v1/drives.ndjson", "/api/v1/drives/?q=lure"),
        *(
            "/api/v1/drives/?ordering=-runs",
            "/api/v1/vendors/",
            "/api/v1/vendors.csv",
            "/api/v1/vendors/?q=l",
        ),
        *("/api/v1/units/", "/api/v1/batches/", "/api/v1/firmware/", "/api/v1/runs/"),
    ):
        text = shown(client, address).lower().replace(slug, "")  # The address of the question itself.
        assert "lure-9000" not in text and "lurevendor" not in text, address
    for address in (
        *(
            f"/drives/{slug}/",
            f"/drives/{slug}/batches/",
            f"/drives/{slug}/follow/",
            f"/drives/{slug}/feed.atom",
        ),
        *(f"/drives/{slug}/badge.svg", f"/drives/{slug}/numbers/skippy/"),
        *(f"/api/v1/drives/{slug}/", f"/api/v1/vendors/{run.drive_model.vendor.slug}/"),
        *(
            f"/api/v1/drives/{slug}/statistics/",
            f"/api/v1/drives/{slug}/overview/",
            f"/api/v1/runs/?drive={slug}",
        ),
    ):
        assert client.get(address).status_code == 404, address


def test_18_3_moderators_and_the_holder_of_the_key_see_it(client: Client, run: Any) -> None:
    moderator, holder = (
        User.objects.create_user("sample-moderator"),
        User.objects.create_user("sample-holder"),
    )
    moderator.user_permissions.add(Permission.objects.get(codename="decide"))
    key = run.submission.probe_key
    key.owner, key.status = holder, "claimed"
    key.save()
    for user, sees in ((moderator, True), (holder, True), (User.objects.create_user("sample-other"), False)):
        client.force_login(user)
        answer = client.get(f"/runs/{run.pk}/")
        assert ("no-store" in answer.headers.get("Cache-Control", "")) is sees
        assert (SECRET[1] in answer.content.decode()) is sees
        assert (client.get(f"/runs/{run.pk}/envelope.json").status_code == 200) is sees
        client.logout()
        assert SECRET[1] not in shown(client, f"/runs/{run.pk}/")  # And nobody is served their page.


def test_18_3_a_curated_model_is_listed_without_a_run(client: Client, run: Any) -> None:
    run.drive_model.curated = True
    run.drive_model.save()
    assert client.get(f"/drives/{run.drive_model.slug}/").status_code == 200
    assert SECRET[1] in shown(client, "/api/v1/drives.csv")
    assert SECRET[2] not in shown(client, f"/drives/{run.drive_model.slug}/")
