"""A contributor sees its own runs with what they wait for; others see what the contributor wants to show."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.socialaccount.models import SocialAccount
from django.conf import LazySettings
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from server.accounts.deletion import account_delete
from server.accounts.models import ProbeKey, Profile, User
from server.accounts.profiles import BadProfile, orcid_read, profile_save
from server.core.lifecycle import State
from server.measurements.models import Run
from server.submissions.events import event_add
from tests.support.sample_archive import DAY, SampleRun, sample_archive, sample_run
from tests.web.test_account_pages import assert_frame
from tests.web.test_second_factor import member

pytestmark = pytest.mark.django_db
IDS = ("0000-0002-1825-0097", "0000-0001-5109-3700", "0000-0002-1694-233X")
"""Those that ORCID's own documents show."""


@pytest.fixture
def owner() -> User:
    return member()


def of(owner: User, run: Run) -> Run:
    ProbeKey.objects.filter(pk=run.submission.probe_key_id).update(owner=owner, status="claimed")
    return run


def page_of(client: Client, address: str = "/accounts/") -> str:
    body = client.get(address).content.decode()
    assert_frame(body)
    return " ".join(body.split())


def test_own_runs_stand_with_state_reason_and_what_they_wait_for(client: Client, owner: User) -> None:
    waiting = of(owner, sample_run(SampleRun(state=State.QUARANTINED)))
    event_add(waiting.submission, State.QUARANTINED, "Its seek times are those of no disk.")
    of(owner, sample_run(SampleRun(state=State.RECEIVED, unit="ab" * 32)))
    of(owner, sample_run(SampleRun(unit="cd" * 32)))
    client.force_login(owner)
    page = page_of(client)
    assert "A moderator decides about it. Its seek times are those of no disk." in page
    assert "The archive works on it." in page
    assert "quarantined: 1" in page and "received: 1" in page and "published: 1" in page
    only = page_of(client, "/accounts/?state=quarantined")
    assert "A moderator decides" in only and "The archive works" not in only
    assert page_of(client, "/accounts/?state=nonsense").count('data-label="State"') == 3


def test_the_place_of_a_drive_and_what_is_wanted_of_its_model_are_told(client: Client, owner: User) -> None:
    of(owner, sample_run())
    client.force_login(owner)
    page = page_of(client)
    assert "How your units stand" in page
    assert "No other key has measured another unit of this model" in page
    assert "Still wanted:" in page and "A second opinion" in page


def test_who_has_no_runs_is_told_how_they_come(client: Client, owner: User) -> None:
    sample_run()
    client.force_login(owner)
    page = page_of(client)
    assert "There is none yet" in page and "diskatlas login http://testserver" in page
    assert "How your units stand" not in page


def test_the_page_asks_no_more_often_for_many_runs_than_for_few(client: Client, owner: User) -> None:
    run = of(owner, sample_archive().runs.filter(provenance="probe").latest("created_at"))
    client.force_login(owner)
    client.get("/accounts/")
    with CaptureQueriesContext(connection) as few:
        client.get("/accounts/")
    for hours in range(6):
        made = sample_run(SampleRun(at=DAY - timedelta(hours=hours + 1), unit=f"{hours:064x}"))
        type(made.submission).objects.filter(pk=made.submission_id).update(
            probe_key=run.submission.probe_key_id
        )
    client.get("/accounts/")
    with CaptureQueriesContext(connection) as many:
        assert client.get("/accounts/").status_code == 200
    assert len(many) <= len(few)


def test_nobody_is_named_unless_they_want_it(
    client: Client, owner: User, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PAGE_CACHE_S = 600
    monkeypatch.setattr(transaction, "on_commit", lambda act, **_options: act())
    run = of(owner, sample_run())
    address = f"/runs/{run.pk}/"
    assert "Sample Person" not in client.get(address).content.decode()
    client.force_login(owner)
    client.post(
        "/accounts/profile/", {"name": "Sample\u202e  Person", "orcid": f"https://orcid.org/{IDS[0]}"}
    )
    profile = Profile.objects.get()
    assert (profile.name, profile.orcid) == ("Sample Person", IDS[0])
    public = f"/contributors/{profile.pk}/"
    page = " ".join(Client().get(public).content.decode().split())
    assert "Sample Person (ORCID 0000-0002-1825-0097). 1 measured" in page and "(not confirmed)" in page
    assert owner.email not in page
    assert public in page_of_run(run)
    SocialAccount.objects.create(user=owner, provider="orcid", uid=IDS[0])
    assert "confirmed by ORCID" in Client().get(public).content.decode()
    client.post("/accounts/profile/", {"remove": "1"})
    assert Client().get(public).status_code == 404
    assert public not in page_of_run(run)


def page_of_run(run: Run) -> str:
    return Client().get(f"/runs/{run.pk}/").content.decode()


def test_only_published_runs_of_real_drives_are_shown_to_others(client: Client, owner: User) -> None:
    of(owner, sample_run(SampleRun(state=State.QUARANTINED)))
    profile = profile_save(user=owner, name="Sample Person", orcid="")
    page = " ".join(client.get(f"/contributors/{profile.pk}/").content.decode().split())
    assert "0 published runs of 0 drive models" in page and "How to cite" not in page


def test_a_deleted_account_takes_its_name_along(client: Client, owner: User) -> None:
    run = of(owner, sample_run())
    profile = profile_save(user=owner, name="Sample Person", orcid="")
    account_delete(user=owner)
    assert client.get(f"/contributors/{profile.pk}/").status_code == 404
    assert "Sample Person" not in client.get(f"/runs/{run.pk}/").content.decode()


@pytest.mark.parametrize("known", IDS)
def test_an_orcid_id_is_taken_as_people_copy_it(known: str) -> None:
    for written in (known, known.lower(), f"https://orcid.org/{known}", f" {known} "):
        assert orcid_read(written) == known


@pytest.mark.parametrize(
    "wrong",
    [
        *("0000-0002-1825-0098", "0000000218250097", "x", "https://evil.example/" + IDS[0]),
        IDS[0].replace("0", "\N{ARABIC-INDIC DIGIT ZERO}"),
    ],
)
def test_what_is_no_orcid_id_is_refused_with_fact_limit_and_remedy(
    client: Client, owner: User, wrong: str
) -> None:
    with pytest.raises(BadProfile, match="Copy it from orcid"):
        orcid_read(wrong)
    client.force_login(owner)
    answer = client.post("/accounts/profile/", {"name": "Sample", "orcid": wrong})
    assert answer.status_code == 400 and not Profile.objects.exists()
    assert client.post("/accounts/profile/", {"name": " ", "orcid": ""}).status_code == 400
