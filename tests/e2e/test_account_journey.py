"""A contributor's way: an account by mail, a passkey, a probe whose key is bound to it, and its runs."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from allauth.socialaccount.models import SocialAccount
from django.conf import LazySettings
from django.core import mail
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from server.accounts.models import ProbeKey, User
from server.accounts.profiles import profile_save
from server.accounts.services import api_token_create
from server.submissions.appeals import appeal_make
from server.submissions.models import Submission
from server.submissions.moderation import submission_reject
from server.submissions.pipeline import submissions_process
from tests.e2e.walk import AXE, findings, heard_errors
from tests.support.moderation import moderator, quarantined
from tests.support.probe import Probe
from tests.support.sign_in_provider import SignInProvider, providers_known

pytestmark = [pytest.mark.browser, pytest.mark.probe, pytest.mark.django_db(transaction=True)]
MAIL, PASSWORD = "contributor@example.org", "a long sample password"
OWN_PAGES = {
    **{
        name: f"/accounts/{name}/"
        for name in ("keys", "tokens", "device", "email", "sessions", "data", "profile")
    },
    "runs": "/accounts/",
    "second-factor": "/accounts/2fa/",
    "passkeys": "/accounts/2fa/webauthn/",
    "add-passkey": "/accounts/2fa/webauthn/add/",
    "app": "/accounts/2fa/totp/activate/",
    "recovery": "/accounts/2fa/recovery-codes/",
    "delete": "/accounts/delete/",
    "password": "/accounts/password/change/",
    "reauthenticate": "/accounts/reauthenticate/",
    "logout": "/accounts/logout/",
    "device-code": "/accounts/device/?code=ABCD-EFGH",
    "linked": "/accounts/3rdparty/",
    "link": "/accounts/github/login/?process=connect",
}
"""Pages that only their owner sees, by name."""
STRANGERS_PAGES = {
    name: f"/accounts/{name}/"
    for name in (
        *("login", "signup", "password/reset", "password/reset/done", "password/reset/key/done"),
        *("confirm-email", "confirm-email/none", "password/reset/key/1-none", "inactive"),
        *("github/login", "3rdparty/login/cancelled"),
    )
}


@pytest.fixture
def site(live_server: LiveServer, built_front_end: None, settings: LazySettings) -> str:
    """The address of a site with the real kinds, at which visitors may make accounts."""
    settings.SIGN_UP = True
    settings.SITE_URL = live_server.url
    settings.ACCOUNT_RATE_LIMITS = False
    return str(live_server.url)


@pytest.fixture
def providers(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Iterator[SignInProvider]:
    """Sites by whose accounts people may sign in."""
    with providers_known(settings, monkeypatch) as site:
        yield site


def button(page: Page, name: str) -> None:
    page.get_by_role("main").get_by_role("button", name=name, exact=True).click()


def signed_up(page: Page, site: str) -> None:
    page.goto(f"{site}/accounts/signup/")
    page.get_by_label("Email").fill(MAIL)
    for label in ("Password", "Password (again)"):
        page.get_by_label(label, exact=True).fill(PASSWORD)
    button(page, "Sign up")
    expect(page.get_by_role("heading", level=1)).to_have_text("Check your mail")
    [asked] = mail.outbox
    page.goto(re.findall(r"https?://\S+/accounts/confirm-email/\S+", str(asked.body))[0])
    button(page, "Confirm")


def signed_in_by_password(page: Page, site: str) -> None:
    page.goto(f"{site}/accounts/login/")
    page.locator("#id_login").fill(MAIL)
    page.locator("#id_password").fill(PASSWORD)
    button(page, "Sign in")
    expect(page.get_by_role("heading", level=1)).to_have_text("Your runs")


def authenticator(page: Page) -> None:
    """Give the browser a device with a passkey store that says yes."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send(
        "WebAuthn.addVirtualAuthenticator",
        {
            "options": {
                **{"protocol": "ctap2", "transport": "internal", "hasResidentKey": True},
                **{"hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True},
            }
        },
    )


def passkey_added(page: Page, site: str) -> None:
    page.goto(f"{site}/accounts/2fa/webauthn/add/")
    page.locator("#id_password").fill(PASSWORD)
    button(page, "Continue")
    page.get_by_label("Name").fill("Notebook")
    button(page, "Add it")
    expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")
    assert len(page.get_by_label("Recovery codes").inner_text().split()) == 10


def signed_in_by_passkey(page: Page, site: str) -> None:
    page.goto(f"{site}/accounts/logout/")
    button(page, "Sign out")
    page.goto(f"{site}/accounts/login/")
    button(page, "Sign in with a passkey")
    expect(page.get_by_role("heading", level=1)).to_have_text("Your runs")


def key_approved(page: Page, waiting: subprocess.Popen[str], look: Callable[[], None] = lambda: None) -> None:
    """Approve what a probe waits for, as the link that it prints leads there, after a look at the page."""
    assert waiting.stderr is not None
    said = [next(waiting.stderr) for _ in range(4)]
    address, code, keyid = said[1].strip(), said[2].split()[1], said[3].split()[1]
    page.goto(address)
    expect(page.get_by_role("main")).to_contain_text(code)
    expect(page.get_by_role("main")).to_contain_text(keyid)
    look()
    button(page, "Approve")
    out, _err = waiting.communicate(timeout=60)
    assert waiting.returncode == 0 and f"bound to your account at {page.url.partition('/accounts')[0]}" in out


def test_a_contributor_comes_by_passkey_and_finds_the_runs_of_the_probe(
    page: Page, site: str, probe: Probe, tmp_path: Path
) -> None:
    errors = heard_errors(page)
    authenticator(page)
    signed_up(page, site)
    signed_in_by_password(page, site)
    passkey_added(page, site)
    signed_in_by_passkey(page, site)
    assert errors == []
    expect(page.get_by_role("main")).to_contain_text("There is none yet")
    waiting = probe.start("login", site, "--name", "workshop")
    try:
        key_approved(page, waiting)
    finally:
        waiting.kill()
        waiting.wait()
    expect(page.get_by_role("heading", name="workshop")).to_be_visible()
    probe.run("sim:hp-97560,seed=1", tmp_path / "a.run.json", "--only", "zoned")
    sent = probe.call("submit", "--server", site, tmp_path / "a.run.json")
    assert sent.returncode == 0, sent.stderr
    page.goto(f"{site}/accounts/")
    expect(page.get_by_role("region", name="Your runs")).to_contain_text("The archive works on it.")
    submissions_process(submission_id=Submission.objects.get().pk)
    page.reload()
    row = page.get_by_role("region", name="Your runs").get_by_role("row").last
    expect(row).to_contain_text("published")
    row.get_by_role("link").click()
    expect(page.get_by_role("main")).to_contain_text("An account has claimed the key")


def test_a_passkey_that_is_called_off_is_told_on_the_page(page: Page, site: str) -> None:
    authenticator(page)
    page.goto(f"{site}/accounts/login/")
    note = page.get_by_role("alert")
    expect(note).to_be_hidden()
    button(page, "Sign in with a passkey")  # The device has none.
    expect(note).to_contain_text("The browser gave no passkey")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_of_an_account_are_clean(
    browser: Browser, site: str, theme: str, providers: SignInProvider
) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: call `npm ci` in frontend/")
    user = User.objects.create_user("sample", MAIL, PASSWORD)
    user.emailaddress_set.create(email=MAIL, primary=True, verified=True)
    key = ProbeKey.objects.create(
        keyid="ab" * 32, public_key=b"x" * 32, owner=user, status="claimed", name="workshop"
    )
    rejected, appealed = (quarantined() for _number in range(2))
    Submission.objects.update(probe_key=key)
    for case in (rejected, appealed):
        submission_reject(case, by=moderator(f"sample-{case.pk}"), reason="Sample reason: looked at.")
    appeal_make(appealed, by=user, words="Sample words: the rating was wrong.")
    api_token_create(owner=user, name="notebook")
    SocialAccount.objects.create(user=user, provider="github", uid=providers.uid)
    shown = profile_save(user=user, name="Sample Person", orcid="0000-0002-1825-0097")
    context = browser.new_context(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
    page = context.new_page()
    authenticator(page)
    errors = heard_errors(page)
    wrong = {
        name: findings(page, site + at, f"account-{name}", theme) for name, at in STRANGERS_PAGES.items()
    }
    signed_in_by_password(page, site)
    passkey_added(page, site)
    wrong |= {name: findings(page, site + at, f"account-{name}", theme) for name, at in OWN_PAGES.items()}
    for name, case in (("appeal", rejected), ("appealed", appealed)):
        address = f"{site}/accounts/runs/{case.pk}/appeal/"
        wrong[name] = findings(page, address, f"account-{name}", theme)
        page.set_viewport_size({"width": 390, "height": 900})
        if name == "appeal":
            words = page.get_by_label("What speaks against the rejection")
            box, form = words.bounding_box(), page.locator("form:has(textarea)").bounding_box()
            assert box and form and box["width"] == form["width"], "the field is as wide as its form"
    wrong["contributor"] = findings(page, f"{site}/contributors/{shown.pk}/", "contributor", theme)
    page.goto(f"{site}/accounts/logout/")
    button(page, "Sign out")
    page.goto(f"{site}/accounts/login/")
    page.locator("#id_login").fill(MAIL)
    page.locator("#id_password").fill(PASSWORD)
    button(page, "Sign in")
    wrong["authenticate"] = findings(page, page.url, "account-authenticate", theme)
    expect(page.get_by_role("heading", level=1)).to_have_text("Second factor")
    button(page, "Use a passkey")
    expect(page.get_by_role("heading", level=1)).to_have_text("Your runs")
    context.close()
    assert {name: found for name, found in wrong.items() if found} == {} and errors == []
