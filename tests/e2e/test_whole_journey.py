"""The whole way of a contributor in one: a key, runs, a sign-in, a passkey, a moderator's decision, what the
contributor is told, an appeal, and a run that is erased.

    JOURNEY_PICTURES=1 pytest tests/e2e/test_whole_journey.py

takes the pictures of docs/user/website.md on its way, in both themes.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core import mail
from playwright.sync_api import Browser, Locator, Page, expect

from server.accounts.models import ProbeKey
from server.core.lifecycle import State
from server.submissions.models import Submission
from server.submissions.pipeline import submissions_process
from tests.e2e.test_account_journey import (
    MAIL,
    authenticator,
    button,
    key_approved,
    passkey_added,
    signed_in_by_passkey,
    signed_in_by_password,
    signed_up,
)
from tests.e2e.test_account_journey import site as site
from tests.e2e.test_moderation import signed_in
from tests.e2e.walk import heard_errors
from tests.support.documents import envelope
from tests.support.forging import renewed
from tests.support.moderation import moderator
from tests.support.probe import Probe
from tools.pictures import picture_write

pytestmark = [pytest.mark.browser, pytest.mark.probe, pytest.mark.django_db(transaction=True)]
PICTURES = bool(os.environ.get("JOURNEY_PICTURES"))
THEMES = ("light", "dark") if PICTURES else ("light",)
VIEWPORT = {"width": 900, "height": 640}
REASON = "The numbers are not those of a disk of 5400 rpm."
ARGUMENT = "The drive says a rate that it does not turn at: its bridge makes one up."
LIFTED = "The rate that the drive says is its bridge's own."


class Album:
    """Takes pictures where they are asked for."""

    def __init__(self, theme: str) -> None:
        self._theme = theme

    def take(self, page: Page, name: str, part: Locator | None = None) -> None:
        if PICTURES:
            png = part.screenshot() if part else page.screenshot()
            picture_write(page.context, png, f"journey-{name}-{self._theme}")


@pytest.fixture(params=THEMES)
def theme(request: Any) -> str:
    return str(request.param)


@pytest.fixture
def contributor(browser: Browser, theme: str) -> Iterator[Page]:
    context = browser.new_context(color_scheme=theme, viewport=VIEWPORT, reduced_motion="reduce")  # type: ignore[arg-type]
    yield context.new_page()
    context.close()


def decided(page: Page, site: str, case: Submission, act: str, reason: str) -> None:
    """Decide as a moderator does: open the case, write the reason, press the button."""
    page.goto(f"{site}/moderation/{case.pk}/")
    page.get_by_label("What the evidence shows").fill(reason)
    page.get_by_role("button", name=act, exact=True).click()
    expect(page.get_by_role("status").filter(has_text="The decision stands in the log.")).to_be_visible()


def told(subject: str) -> str:
    """Return the last mail to the contributor, which has to be of that subject."""
    last = mail.outbox[-1]
    assert (last.subject, last.to) == (subject, [MAIL])
    return str(last.body)


def sent(probe: Probe, site: str, file: Path, **device: Any) -> Submission:
    """Measure a simulated drive and send the run; keyword arguments replace what the drive says of itself."""
    document = probe.run("sim:hp-97560,seed=1", file, "--only", "skippy")
    if device:
        seed = base64.b64decode((probe.home / "key").read_text().split()[-1])
        key = Ed25519PrivateKey.from_private_bytes(seed)
        file.write_bytes(envelope(renewed(document, **device), key))
    done = probe.call("submit", "--server", site, file)
    assert done.returncode == 0, done.stderr
    submission = Submission.objects.latest("received_at")
    submissions_process(submission_id=submission.pk)
    submission.refresh_from_db()
    return submission


def test_from_a_key_to_an_erased_run(
    browser: Browser, contributor: Page, site: str, probe: Probe, tmp_path: Path, theme: str
) -> None:
    page, album, errors = contributor, Album(theme), heard_errors(contributor)

    # A key, and runs of it: no account is needed for them.
    made = probe.call("key", "new", "--force")
    assert made.returncode == 0, made.stderr
    good = sent(probe, site, tmp_path / "a.json")
    doubted = sent(probe, site, tmp_path / "b.json", rotation_rate_rpm=5400)
    assert (good.state, doubted.state) == (State.PUBLISHED, State.QUARANTINED)

    # An account by mail, a passkey, and the key bound to the account.
    authenticator(page)
    signed_up(page, site)
    signed_in_by_password(page, site)
    passkey_added(page, site)
    signed_in_by_passkey(page, site)
    waiting = probe.start("login", site, "--name", "workshop")
    try:
        key_approved(page, waiting, lambda: album.take(page, "approve"))
    finally:
        waiting.kill()
        waiting.wait()
    assert ProbeKey.objects.get().owner is not None
    page.goto(f"{site}/accounts/")
    expect(page.get_by_role("region", name="Your runs")).to_contain_text("A moderator decides about it.")

    # A moderator rejects it with the evidence beside; the contributor is told why, and where to ask.
    options = {"color_scheme": theme, "viewport": VIEWPORT, "reduced_motion": "reduce"}
    judges = [signed_in(browser, site, moderator(f"judge-{number}"), **options) for number in range(3)]
    first, second, third = (context.new_page() for context in judges)
    first.goto(f"{site}/moderation/{doubted.pk}/")
    album.take(first, "case")
    decided(first, site, doubted, "Reject", REASON)
    letter = told("A moderator rejected your run")
    assert REASON in letter
    page.goto(f"{site}/accounts/")
    row = page.get_by_role("row").filter(has_text="rejected")
    expect(row).to_contain_text(REASON)
    album.take(page, "rejected")

    # The appeal: by the link of the mail, for moderators alone, answered by others than who rejected.
    page.goto(site + re.findall(r"https?://[^/]+(/\S+/appeal/)", letter)[0])
    page.get_by_label("What speaks against the rejection").fill(ARGUMENT)
    album.take(page, "appeal")
    button(page, "Ask")
    expect(page.get_by_role("main")).to_contain_text("Another moderator looks at it again.")
    assert probe.call("my", "runs", "--server", site).stdout.count("rejected") == 1
    second.goto(f"{site}/moderation/")
    section = second.get_by_role("region", name="Appeals")
    expect(section).to_be_visible()
    album.take(second, "queue")
    section.get_by_role("link").first.click()
    expect(second.get_by_role("main")).to_contain_text(ARGUMENT)
    decided(second, site, doubted, "Lift the rejection", LIFTED)
    decided(third, site, doubted, "Lift the rejection", LIFTED)
    assert LIFTED in told("Your run is looked at again")
    decided(third, site, doubted, "Accept", LIFTED)
    assert LIFTED in told("A moderator accepted your run")
    page.goto(f"{site}/runs/{doubted.run.pk}/")
    expect(page.get_by_role("main")).to_contain_text("An account has claimed the key")
    assert errors == []

    # Erased: a tombstone and the log stay, of the run itself nothing.
    decided(first, site, good, "Erase", "A court of sample law ordered it.")
    page.goto(f"{site}/runs/{good.run.pk}/")
    expect(page.get_by_role("main")).to_contain_text("A court of sample law ordered it.")
    album.take(page, "erased")
    listed = page.request.get(f"{site}/api/v1/tombstones/").json()["results"]
    assert [one["run_id"] for one in listed] == [str(good.run.pk)] and listed[0]["erased"] is True
    page.goto(f"{site}/moderation/decisions/")
    log = page.get_by_role("main").inner_text()
    assert all(word in log for word in (REASON, LIFTED)) and "judge-" not in log
    assert [one.verdict for one in doubted.decisions.all()] == [
        *("rejected", "lifting_proposed", "lifted", "accepted"),
    ]
    for context in judges:
        context.close()
