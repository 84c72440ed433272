"""Pages and the API read from a replica that follows closely, and from the primary in every other case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings as project_settings
from django.db import connection, connections
from django.test import Client

from server.accounts.models import User
from server.accounts.services import api_token_create
from server.catalog.models import DriveModel
from server.config.env import database_from_url
from server.core import replica as replica_module
from server.core.cache import LISTS, cache_purge, model_tag
from server.core.metrics import replica_reads
from server.core.replica import replica
from server.core.replication import REPLICA, reads_replica
from server.model_stats.refresh import refresh_model
from tests.support.replica_server import ReplicaServer, replica_server
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


@pytest.fixture
def standby(settings: Any) -> Iterator[ReplicaServer]:
    """A replica of the test's database, which the site knows."""
    there = connection.settings_dict
    address = f"postgresql://{there['USER']}:{there['PASSWORD']}@/{there['NAME']}"
    primary_url = f"{address}?host={quote(str(there['HOST']), safe='')}"
    with replica_server(primary_url) as server:
        entry = {**connection.settings_dict, **database_from_url(server.url)}
        entry["TEST"] = {**entry["TEST"], "MIRROR": None}
        databases = {**project_settings.DATABASES, REPLICA: entry}
        settings.DATABASES = databases
        settings.REPLICA_MAX_LAG_S = 10
        settings.PAGE_CACHE_S = 60
        connections.settings[REPLICA] = entry
        # Django's test case lets connections of the names that it knows be opened, and of no others.
        connections[REPLICA].alias = "default"
        replica.forget()
        try:
            yield server
        finally:
            connections[REPLICA].close()
            del connections[REPLICA]
            del connections.settings[REPLICA]
            replica.forget()


@pytest.fixture(autouse=True)
def asked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known of the replica's position from before."""
    monkeypatch.setattr(replica_module, "ASK_REPLICA_S", -1.0)


def model_make(number: str) -> DriveModel:
    """Return a model with a published run; its address is acme-NUMBER."""
    run = sample_run(SampleRun(vendor="ACME", model=number))
    refresh_model(drive_model_id=run.drive_model_id)
    return run.drive_model


def counts() -> dict[str, float]:
    found = {name: replica_reads.labels(name)._value.get() for name in ("replica", "primary", "again")}
    return dict(found)


def answered_by(client: Client, path: str, **headers: str) -> tuple[int, str]:
    """Return the status, and who answered: `replica`, `primary`, or `again` for the primary after it."""
    before = counts()
    answer = client.get(path, headers=headers)
    b"".join(answer) if answer.streaming else answer.content  # type: ignore[call-overload]
    answer.close()
    grown = [name for name, count in counts().items() if count > before[name]]
    assert not reads_replica() and connection.alias == "default"
    return answer.status_code, ",".join(grown)


def warm(client: Client, standby: ReplicaServer) -> None:
    """Have the process know the primary's position, and the replica replay up to there."""
    standby.wait_replayed(url())
    client.get("/api/v1/vendors/")
    standby.wait_replayed(url())


def url() -> str:
    there = connection.settings_dict
    return (
        f"postgresql://{there['USER']}:{there['PASSWORD']}@/{there['NAME']}"
        f"?host={quote(str(there['HOST']), safe='')}"
    )


def test_what_follows_closely_answers_pages_and_api(standby: ReplicaServer, client: Client) -> None:
    model_make("ONE")
    warm(client, standby)
    for path in (
        "/api/v1/drives/",
        "/api/v1/drives/acme-one/",
        "/api/v1/drives.csv",
        "/drives/acme-one/",
        "/",
    ):
        assert answered_by(client, path) == (200, "replica"), path


def test_a_replica_that_lags_answers_nothing(
    standby: ReplicaServer, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm(client, standby)
    standby.pause()
    model_make("TWO")
    # Within the bound the API may be that old; what the replica does not have yet the primary has.
    assert answered_by(client, "/api/v1/vendors/") == (200, "replica")
    assert answered_by(client, "/api/v1/drives/acme-two/") == (200, "again")
    now = replica_module.time.monotonic()
    monkeypatch.setattr(replica_module.time, "monotonic", lambda: now + 11)
    assert answered_by(client, "/api/v1/vendors/") == (200, "primary")
    standby.resume()
    standby.wait_replayed(url())
    assert answered_by(client, "/api/v1/vendors/") == (200, "replica")


def test_no_page_of_an_older_state_is_kept(standby: ReplicaServer, client: Client) -> None:
    model = model_make("THREE")
    warm(client, standby)
    assert answered_by(client, "/drives/acme-three/") == (200, "replica")
    standby.pause()
    DriveModel.objects.filter(pk=model.pk).update(rated_rpm=4321)
    cache_purge(model_tag(model.pk), LISTS)
    assert answered_by(client, "/drives/acme-three/") == (200, "primary")
    page = client.get("/drives/acme-three/").content.decode()
    assert "4,321" in page or "4321" in page
    standby.resume()
    standby.wait_replayed(url())
    assert client.get("/drives/acme-three/").content.decode() == page
    cache_purge(model_tag(model.pk))
    standby.wait_replayed(url())
    assert answered_by(client, "/drives/acme-three/") == (200, "replica")


def test_a_purge_that_nobody_noted_holds_as_well(
    standby: ReplicaServer, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_make("FOUR")
    warm(client, standby)
    standby.pause()
    DriveModel.objects.filter(pk=model.pk).update(rated_rpm=4321)
    with monkeypatch.context() as patch:
        # As by a machine whose settings name no replica.
        patch.setattr("server.core.cache.has_replica", lambda: False)
        cache_purge(model_tag(model.pk))
    assert answered_by(client, "/drives/acme-four/") == (200, "primary")


def test_a_replica_that_is_gone_is_answered_for_and_left_alone(
    standby: ReplicaServer, client: Client
) -> None:
    warm(client, standby)
    assert answered_by(client, "/api/v1/vendors/") == (200, "replica")
    standby.kill()
    assert answered_by(client, "/api/v1/vendors/")[0] == 200
    assert replica.breaker.open
    assert answered_by(client, "/api/v1/vendors/") == (200, "primary")
    standby.start()
    standby.wait_replayed(url())
    replica.breaker._open_until = 1e-9  # Its pause is over.
    assert answered_by(client, "/api/v1/vendors/") == (200, "replica")
    assert not replica.breaker.open


def test_one_that_dies_during_an_answer_is_answered_for(
    standby: ReplicaServer, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_make("FIVE")
    warm(client, standby)
    usable = replica.usable

    def then_dies(purges: int | None) -> bool:
        found = usable(purges)
        if found:
            standby.kill()
        return found

    monkeypatch.setattr(replica, "usable", then_dies)
    assert answered_by(client, "/api/v1/drives/") == (200, "again")
    assert replica.breaker.open


def test_whatever_is_no_reading_of_public_rows_asks_the_primary(
    standby: ReplicaServer, client: Client
) -> None:
    warm(client, standby)
    for path in ("/api/v1/log/", "/api/v1/log/leaves/", "/accounts/login/", "/health/"):
        assert answered_by(client, path) == (200, ""), path
    assert answered_by(client, "/api/v1/submissions/01234567-89ab-cdef-0123-456789abcdef/") == (404, "")


def test_a_token_is_asked_of_the_primary_and_counted_once(standby: ReplicaServer, client: Client) -> None:
    warm(client, standby)
    standby.pause()
    owner = User.objects.create_user("sample")
    _token, secret = api_token_create(owner=owner, name="sample")
    before = client.get("/api/v1/drives/none/", headers={"Authorization": f"Bearer {secret}"})
    assert before.status_code == 404
    after = client.get("/api/v1/drives/none/", headers={"Authorization": f"Bearer {secret}"})
    used = [int(one["RateLimit"].partition("r=")[2].partition(";")[0]) for one in (before, after)]
    assert used[0] - used[1] == 1
    standby.resume()
