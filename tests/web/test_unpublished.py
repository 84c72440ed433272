"""Point 3 of what attackers found: what is not published is told by its state and its reasons alone, but for
moderators and the holder of the key."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import Permission
from django.test import Client

from server.accounts.models import User
from server.core.lifecycle import State
from server.measurements.models import Batch, Run
from server.model_stats.refresh import refresh_model
from server.search.archive_counts import archive_counts_update
from server.search.summaries import summary_update
from server.submissions.models import Submission
from tests.support.people import second_factor
from tests.support.sample_archive import DAY, SampleRun, sample_run
from tests.web.test_permission_matrix import address as address_of
from tests.web.test_permission_matrix import routes

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


def test_18_3_whoever_looks_for_its_id_hears_its_state_alone(client: Client, run: Any) -> None:
    """Its id stands in the log of decisions, for one."""
    run.submission.refresh_from_db()
    for text in (run.pk, run.submission_id):
        for address in (f"/drives/suggest/?q={text}", f"/drives/?q={text}", f"/compare/suggest/?q={text}"):
            answer = client.get(address, follow=True).content.decode().lower()
            assert "lure" not in answer, address
        [found] = client.get(f"/drives/suggest/?q={text}").json()["suggestions"]
        assert found["detail"] == f"{run.submission.state}, not public"


def test_18_3_it_changes_no_byte_of_what_everybody_reads(
    client: Client, settings: LazySettings, django_capture_on_commit_callbacks: Any
) -> None:
    """Not counts, headers or dates either, of a model that is listed by another run."""
    settings.API_LIMITS = dict.fromkeys(settings.API_LIMITS, (100_000, 60))
    with django_capture_on_commit_callbacks(execute=True):
        run = sample_run()
        refresh_model(drive_model_id=run.drive_model_id)
        archive_counts_update()
    before = answers(run)
    with django_capture_on_commit_callbacks(execute=True):
        for place, state in enumerate((State.QUARANTINED, State.REJECTED, State.VALIDATED, State.RECEIVED)):
            sample = SampleRun(state=state, unit=f"{place:02x}" * 32, at=DAY + timedelta(days=30))
            held = sample_run(sample)
            batch, _made = Batch.objects.get_or_create(
                drive_model=held.drive_model, year=2025, week=9, label=SECRET[3]
            )
            Run.objects.filter(pk=held.pk).update(firmware=SECRET[2], batch=batch)
    after = answers(run)
    assert [address for address in before if before[address] != after[address]] == []


SINCE = "since=2026-03-15T00:00:00Z"
SPENT = ("X-Request-Id", "RateLimit", "Set-Cookie", "Expires")


def answers(run: Run) -> dict[str, tuple[int, dict[str, str], str]]:
    """Return what everybody is answered, by address: of all that can be read, and of lists besides."""
    values = dict.fromkeys(("follow_id", "profile_id", "login_id", "run_id"), run.pk)
    values |= dict.fromkeys(("number", "key_id", "token_id", "change_id", "session_id"), 1)
    values |= {"slug": run.drive_model.slug, "submission_id": run.submission_id, "part": "2026-w07"}
    values |= {"provenance": "probe", "kind": "skippy", "chart_id": "pattern", "form": "svg", "path": "x"}
    values |= {"key": "skippy.mtm", "token": "x", "name": "run", "section": "drives", "uidb36": "1"}
    values["digits"] = run.unit.digest[:12] if run.unit else ""
    addresses = {
        address_of(route, values)
        for route in routes()
        # The feed of events, the challenge and the state of the machine say when they were asked.
        if not route.startswith(("admin/", "accounts/"))
        and route not in ("api/v1/challenges/", "events.atom", "health/", "readyz")
    }
    addresses |= {f"/api/v1/{name}/?{SINCE}" for name in ("drives", "runs", "units", "firmware")}
    addresses |= {f"/api/v1/{name}/?drive={values['slug']}" for name in ("units", "batches", "firmware")}
    addresses |= {"/drives/?q=sample", "/drives/suggest/?q=samp", "/compare/suggest/?q=samp"}
    found = {}
    for one in sorted(addresses):
        answer: Any = Client(raise_request_exception=False).get(one)
        body = b"".join(answer) if answer.streaming else answer.content
        text = re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", body.decode(errors="replace"))
        headers = {name: value for name, value in answer.headers.items() if name not in SPENT}
        found[one] = (answer.status_code, headers, text)
    return found


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
