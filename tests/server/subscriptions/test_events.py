"""Events of the archive: listed in order, told once, and silent about what was withdrawn."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import Error, IntegrityError, transaction
from django.test import Client

from server.accounts.models import User
from server.catalog.models import Citation, Claim, DriveModel
from server.claims.selectors import verdicts_update
from server.core.lifecycle import Provenance
from server.measurements.models import Measurement, Run
from server.submissions.models import Submission
from server.submissions.withdrawal import run_erase, run_withdraw
from server.subscriptions.events import events_list, run_events_add, verdict_events_add
from server.subscriptions.models import ArchiveEvent, Delivery, Subscription
from server.subscriptions.services import webhook_create, webhook_resume, webhook_test
from tests.server.subscriptions.conftest import Clock
from tests.support.receiver import Receiver
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = pytest.mark.django_db
Work = Callable[[], None]
Kind = ArchiveEvent.Kind


def fetch(client: Client, address: str = "", status: int = 200) -> Any:
    response = client.get(f"/api/v1/events/{address}")
    assert response.status_code == status, response.content
    return json.loads(response.content)


def happened(count: int = 1, kind: ArchiveEvent.Kind = Kind.RUN_PUBLISHED, **fields: Any) -> list[Run]:
    """Make published runs with an event each."""
    runs = [sample_run(SampleRun(**fields)) for _ in range(count)]
    run_events_add(kind, [run.pk for run in runs])
    return runs


@pytest.fixture
def archive(hook: Receiver, owner: User, time: Clock) -> Subscription:
    """The whole archive, followed at the receiver."""
    return webhook_create(owner=owner, model=None, url=hook.url)[0]


@pytest.fixture
def keeper(db: None) -> User:
    made = User.objects.create_user("keeper")
    made.user_permissions.add(Permission.objects.get(codename="withdraw"))
    return User.objects.get(pk=made.pk)


def told(hook: Receiver) -> list[dict[str, Any]]:
    return [event for one in hook.received for event in json.loads(one.body)["data"]["events"]]


def test_events_are_listed_in_the_order_in_which_their_transactions_ended(
    client: Client, time: Clock
) -> None:
    happened(3)
    assert fetch(client)["results"] == []  # No number yet: a later one might still be committed first.
    assert events_list() == 3 and events_list() == 3
    happened()
    events_list()
    assert [row["id"] for row in fetch(client)["results"]] == [1, 2, 3, 4]
    assert [row["id"] for row in fetch(client, "?after=2")["results"]] == [3, 4]
    first = fetch(client, "?limit=3")
    assert [row["id"] for row in first["results"]] == [1, 2, 3]
    assert [row["id"] for row in json.loads(client.get(first["next"]).content)["results"]] == [4]
    assert [row["id"] for row in fetch(client, "?ordering=-id&limit=1")["results"]] == [4]


def test_events_are_narrowed_by_type_and_by_when_they_were_listed(client: Client, time: Clock) -> None:
    happened(2)
    happened(1, Kind.RUN_WITHDRAWN)
    events_list()
    time.on(hours=1)
    since = time.moment.isoformat().replace("+00:00", "Z")
    happened()
    events_list()
    assert [row["id"] for row in fetch(client, "?type=run.withdrawn")["results"]] == [3]
    assert len(fetch(client, "?type=run.withdrawn,run.published")["results"]) == 4
    assert [row["id"] for row in fetch(client, f"?since={since}")["results"]] == [4]
    assert "run.withdrawn" in fetch(client, "?type=run.withdrawm", 422)["detail"]
    table = b"".join(client.get("/api/v1/events.csv")).decode().splitlines()
    assert table[0].startswith("id,type,at,listed_at,run_id") and len(table) == 5


def test_a_publication_a_withdrawal_and_an_erasure_are_events(
    client: Client, publish: Callable[..., Submission], keeper: User
) -> None:
    first, second = publish(), publish()
    run_withdraw(run=first.run, by=keeper, reason="The drive was failing.")
    run_erase(run=second.run, by=keeper, reason="A person asked for it.")
    events_list()
    rows = [(row["type"], row["run_id"]) for row in fetch(client)["results"]]
    one, other = str(first.run.pk), str(second.run.pk)
    assert rows == [
        ("run.published", one),
        ("run.published", other),
        ("run.withdrawn", one),
        ("run.withdrawn", other),
    ]


def test_nothing_is_told_of_what_was_withdrawn(
    client: Client,
    publish: Callable[..., Submission],
    keeper: User,
    archive: Subscription,
    hook: Receiver,
    time: Clock,
    work: Work,
) -> None:
    run = publish(vendor="Lurevendor", model="LURE-77", firmware="LUREFW").run
    run_events_add(Kind.RUN_REEXTRACTED, [run.pk], details={"kind": "skippy", "changes": 2})
    events_list()
    assert fetch(client)["results"][0]["drive_model"] == "lurevendor-lure-77"
    assert fetch(client)["results"][1]["kind"] == "skippy"
    run_withdraw(run=run, by=keeper, reason="The drive was failing.")
    time.on(seconds=300)
    work()
    time.on(seconds=300)
    work()
    feed = client.get("/events.atom").content.decode()
    rows = fetch(client)["results"]
    bodies = "".join(one.body.decode() for one in hook.received)
    for text in (feed, json.dumps(rows), bodies):
        assert "lure" not in text.lower() and "skippy" not in text
    assert [event["type"] for event in told(hook)] == ["run.reextracted", "run.withdrawn"]
    assert str(run.pk) in bodies


def test_the_archives_followers_are_told_once_in_one_message_of_a_window(
    archive: Subscription, hook: Receiver, time: Clock, work: Work
) -> None:
    happened(150)
    work()
    assert hook.received == []
    time.on(seconds=300)
    happened()
    work()
    work()
    [message] = hook.received
    data = json.loads(message.body)["data"]
    assert json.loads(message.body)["type"] == "archive.events"
    assert (data["count"], len(data["events"])) == (151, 100)
    assert [event["id"] for event in data["events"]] == list(range(1, 101))
    assert data["all_url"].endswith("/api/v1/events/?after=0")
    delivery = Delivery.objects.get()
    assert (delivery.kind, delivery.events, delivery.runs) == ("events", 151, 0)
    time.on(days=1)
    work()
    assert len(hook.received) == 1
    happened()
    work()
    time.on(seconds=300)
    work()
    assert [event["id"] for event in told(hook)[100:]] == [152]


def test_who_begins_is_told_of_nothing_before_and_a_pause_is_no_backlog(
    owner: User, hook: Receiver, time: Clock, work: Work
) -> None:
    happened(2)
    follow, _new = webhook_create(owner=owner, model=None, url=hook.url)
    time.on(seconds=600)
    work()
    assert hook.received == []
    Subscription.objects.update(state="paused", paused_at=time.moment)
    happened()
    work()
    webhook_resume(follow=follow)
    happened()
    work()
    time.on(seconds=300)
    work()
    assert [event["id"] for event in told(hook)] == [4]


def test_followers_are_told_of_the_kinds_that_they_want(
    owner: User, hook: Receiver, time: Clock, work: Work
) -> None:
    webhook_create(owner=owner, model=None, url=hook.url, events=["run.withdrawn"])
    webhook_create(owner=owner, model=None, url=hook.url + "/sim", simulated=True)
    [run] = happened(1, provenance=Provenance.SIMULATED)
    run_events_add(Kind.RUN_WITHDRAWN, [happened()[0].pk])
    work()
    time.on(seconds=300)
    work()
    by_path = {one.path: [e["type"] for e in json.loads(one.body)["data"]["events"]] for one in hook.received}
    assert by_path == {
        "/hook": ["run.withdrawn"],
        "/hook/sim": ["run.published", "run.published", "run.withdrawn"],
    }
    assert str(run.pk) in {event["run_id"] for event in told(hook)}


def test_a_test_of_the_archives_webhook_says_that_it_is_one(
    archive: Subscription, hook: Receiver, work: Work
) -> None:
    webhook_test(follow=archive)
    work()
    [message] = [json.loads(one.body) for one in hook.received]
    assert message["type"] == "follow.test" and message["data"]["count"] == 0


def test_another_verdict_is_an_event_and_the_same_is_none(client: Client, time: Clock) -> None:
    run = sample_run(SampleRun())
    rows = Measurement.objects.filter(benchmark__run=run, metric="zoned.outer_bandwidth")
    rows.update(value=150.0, low=149.8, high=150.2, quality="good")
    citation = Citation.objects.create(key="sample-sheet", authors="Sample vendor", title="A sample sheet")
    claim = Claim.objects.create(
        drive_model=run.drive_model,
        citation=citation,
        metric="zoned.outer_bandwidth",
        form="minimum",
        low=100.0,
        unit="MB/s",
        locator="p. 1",
    )
    for _ in range(2):
        verdicts_update(drive_model_id=run.drive_model_id)
    events_list()
    [row] = fetch(client)["results"]
    assert (row["type"], row["claim_id"], row["verdict_before"]) == ("verdict.changed", claim.pk, "untested")
    assert row["verdict_after"] not in (None, "untested")
    assert row["drive_model"] == run.drive_model.slug
    Claim.objects.update(hidden=True)
    [row] = fetch(client)["results"]
    assert (row["drive_model"], row["verdict_before"], row["verdict_after"], row["url"]) == (None,) * 4
    Claim.objects.all().delete()
    assert fetch(client)["results"][0]["claim_id"] == claim.pk


@pytest.mark.parametrize(
    "change", [{"kind": "run.withdrawn"}, {"number": 9}, {"number": None}, {"run": None}]
)
def test_no_event_is_changed(time: Clock, change: dict[str, Any]) -> None:
    happened()
    events_list()
    with pytest.raises((Error, IntegrityError)), transaction.atomic():
        ArchiveEvent.objects.update(**change)


def test_no_event_is_removed(time: Clock) -> None:
    happened()
    with pytest.raises(Error), transaction.atomic():
        ArchiveEvent.objects.all().delete()


def test_the_archive_is_not_followed_by_mail(model: DriveModel) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Subscription.objects.create(
            channel="mail", mail="sample@example.org", drive_model=None, created_at="2026-01-01T00:00:00Z"
        )


def test_the_feed_tells_events_and_is_read_again_for_nothing(client: Client, time: Clock) -> None:
    import feedparser

    [run] = happened()
    happened(1, Kind.RUN_WITHDRAWN)
    events_list()
    response = client.get("/events.atom")
    feed = feedparser.parse(response.content)
    assert not feed.bozo and [entry.title.partition(":")[0] for entry in feed.entries] == [
        "Run withdrawn",
        "Run published",
    ]
    assert feed.entries[1].link.endswith(f"/runs/{run.pk}/")
    assert len({entry.id for entry in feed.entries}) == 2
    assert feed.entries[1].title == f"Run published: {run.drive_model.title}"
    again = client.get("/events.atom", headers={"If-None-Match": response.headers["ETag"]})
    assert again.status_code == 304


def test_20_the_feed_says_how_a_run_was_made_and_of_which_claim_the_verdict_is(
    client: Client, time: Clock
) -> None:
    import feedparser

    [run] = happened()
    citation = Citation.objects.create(key="sheet", authors="Sample", title="A sheet", year=2000)
    claim = Claim.objects.create(
        **{"drive_model": run.drive_model, "citation": citation, "metric": "skippy.rotation_time"},
        **{"form": "typical", "low": 6, "high": 6, "unit": "ms", "locator": "p. 1"},
    )
    verdict_events_add({claim.pk: ("untested", "met")})
    events_list()
    feed = feedparser.parse(client.get("/events.atom").content)
    newest, published = feed.entries
    assert newest.title == f"Another verdict on a claim: {run.drive_model.title}, Rotation time"
    assert newest.summary == "The verdict was “not tested” and is “met”."
    assert published.summary == "Measured on a real drive."
    other = feedparser.parse(client.get("/feed.atom").content)
    assert feed.feed.id != other.feed.id and feed.feed.id.endswith("/events.atom")


def test_the_feed_calls_a_kind_by_its_name(client: Client, time: Clock) -> None:
    import feedparser

    [run] = happened()
    details = {"kind": "zoned", "extractor_version": "7", "changes": 1}
    run_events_add(Kind.RUN_REEXTRACTED, [run.pk], details=details)
    events_list()
    [newest, _published] = feedparser.parse(client.get("/events.atom").content).entries
    assert newest.summary == "ZONED, version 7: 1 number changed."


def test_a_window_counts_from_when_an_event_was_listed(
    archive: Subscription, hook: Receiver, time: Clock, work: Work
) -> None:
    run = happened()[0]
    ArchiveEvent.objects.create(kind=Kind.RUN_PUBLISHED, run=run, at=time.moment - timedelta(days=1))
    work()
    assert hook.received == []
