"""Signing in by another site's account: whoever is signed in there, and nobody else, by a provider on this
machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.conf import LazySettings
from django.core import mail
from django.test import Client

from server.accounts.models import User
from server.accounts.profiles import orcid_confirmed, profile_save
from tests.support.sign_in_provider import UID, SignInProvider, providers_known

pytestmark = pytest.mark.django_db
BEGIN = {
    "github": "/accounts/github/login/",
    "orcid": "/accounts/orcid/login/",
    "openid_connect": "/accounts/oidc/oidc/login/",
}
PROVIDERS = list(BEGIN)
PASSWORD = "a long sample password"


@pytest.fixture
def there(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Iterator[SignInProvider]:
    """A provider, which stands for all three, and an archive to which visitors may come."""
    with providers_known(settings, monkeypatch) as site:
        yield site


def begun(client: Client, provider: str, **more: str) -> str:
    """Press the provider's button, and return where the browser is sent."""
    answer = client.post(BEGIN[provider], more)
    assert answer.status_code == 302, answer.content.decode()
    return str(answer.headers["Location"])


def came_back(client: Client, provider: str, given: dict[str, str]) -> Any:
    return client.get(f"{BEGIN[provider]}callback/", given, follow=True)


def signed_in(client: Client, there: SignInProvider, provider: str, **more: str) -> Any:
    """Go the whole way, as whoever is signed in there."""
    return came_back(client, provider, there.approved(begun(client, provider, **more)))


def whose(client: Client) -> int | None:
    """Return whose session it is."""
    found = client.session.get("_auth_user_id")
    return int(found) if found else None


def member(name: str = "sample", email: str = "person@example.org", *, verified: bool = True) -> User:
    user = User.objects.create_user(name, email, PASSWORD)
    user.emailaddress_set.create(email=email, primary=True, verified=verified)
    return user


@pytest.mark.parametrize("provider", ["github", "openid_connect"])
def test_an_account_is_made_of_a_confirmed_address_and_entered_again(
    client: Client, there: SignInProvider, provider: str
) -> None:
    there.uid = UID[provider]
    signed_in(client, there, provider)
    [user] = User.objects.all()
    assert whose(client) == user.pk and user.email == "person@example.org"
    assert re.fullmatch(r"member-[0-9a-f]{12}", user.username) and not user.has_usable_password()
    elsewhere = Client()
    signed_in(elsewhere, there, provider)
    assert whose(elsewhere) == user.pk and User.objects.count() == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_nothing_is_kept_of_the_other_account_but_whose_it_is(
    client: Client, there: SignInProvider, provider: str
) -> None:
    there.uid = UID[provider]
    signed_in(client, there, provider)
    signed_in(Client(), there, provider)
    [linked] = SocialAccount.objects.all()
    assert (linked.uid, linked.extra_data) == (there.uid, {})
    assert not SocialToken.objects.exists()
    assert (linked.user.first_name, linked.user.last_name) == ("", "")


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "how", ["none", "made up", "of another browser", "used before", "of another provider"]
)
def test_a_way_back_that_this_browser_did_not_begin_signs_nobody_in(
    client: Client, there: SignInProvider, provider: str, how: str
) -> None:
    there.uid = UID[provider]
    other = PROVIDERS[PROVIDERS.index(provider) - 1]
    given = there.approved(begun(client, provider))
    match how:
        case "none":
            del given["state"]
        case "made up":
            given["state"] = "a" * 16
        case "of another browser":  # Somebody is made to sign in as the attacker.
            client = Client()
        case "used before":
            came_back(client, provider, given)
            User.objects.all().delete()
            client.logout()
        case _:
            given["state"] = there.approved(begun(client, other))["state"]
    page = came_back(client, provider, given)
    assert whose(client) is None and not SocialAccount.objects.exists()
    assert "That did not work" in page.content.decode()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_address_that_the_provider_did_not_confirm_opens_no_account(
    client: Client, there: SignInProvider, provider: str
) -> None:
    there.uid, there.verified = UID[provider], "false" if provider == "openid_connect" else False
    owner = member()
    signed_in(client, there, provider)
    assert whose(client) is None
    assert not SocialAccount.objects.filter(user=owner).exists()
    assert not EmailAddress.objects.filter(email=owner.email, verified=True).exclude(user=owner).exists()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_address_that_the_provider_confirmed_opens_nobody_elses_account(
    client: Client, there: SignInProvider, provider: str
) -> None:
    there.uid = UID[provider]
    owner = member()
    signed_in(client, there, provider)
    assert whose(client) != owner.pk and not SocialAccount.objects.filter(user=owner).exists()
    assert User.objects.filter(email=owner.email).count() == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_who_signed_up_with_anothers_address_gets_nothing_of_that_person(
    client: Client, there: SignInProvider, provider: str
) -> None:
    there.uid = UID[provider]
    squatter = member("squatter", verified=False)
    signed_in(client, there, provider)
    assert whose(client) != squatter.pk
    assert not SocialAccount.objects.filter(user=squatter).exists()
    assert not EmailAddress.objects.filter(user=squatter, verified=True).exists()


def test_a_new_address_without_confirmation_waits_for_its_mail(client: Client, there: SignInProvider) -> None:
    there.uid, there.verified = UID["openid_connect"], False
    signed_in(client, there, "openid_connect")
    assert whose(client) is None
    [asked] = mail.outbox
    assert asked.to == [there.email] and "lure" not in f"{asked.subject}{asked.body}"


def test_an_orcid_is_confirmed_by_its_holder_and_by_nobody_else(
    client: Client, there: SignInProvider
) -> None:
    there.uid = UID["orcid"]
    user = member("ann", "ann@example.org")
    profile = profile_save(user=user, name="Ann Sample", orcid=there.uid)
    assert not orcid_confirmed(profile)
    client.force_login(user)
    signed_in(client, there, "orcid", process="connect")
    assert SocialAccount.objects.get().user == user and orcid_confirmed(profile)
    other = member("other", "other@example.org")
    stranger = Client()
    stranger.force_login(other)
    signed_in(stranger, there, "orcid", process="connect")
    assert SocialAccount.objects.get().user == user


def test_a_link_is_made_by_whoever_is_signed_in_here(client: Client, there: SignInProvider) -> None:
    """A victim's browser that is sent to the way back of an attacker links nothing."""
    attacker, victim = member("attacker", "a@example.org"), member("victim", "v@example.org")
    client.force_login(attacker)
    given = there.approved(begun(client, "github", process="connect"))
    theirs = Client()
    theirs.force_login(victim)
    came_back(theirs, "github", given)
    assert not SocialAccount.objects.filter(user=victim).exists()


def test_a_second_factor_is_asked_for_whichever_way_one_comes(client: Client, there: SignInProvider) -> None:
    from tests.support.people import second_factor

    user = member("ann", "ann@example.org")
    SocialAccount.objects.create(user=user, provider="github", uid=there.uid)
    second_factor(user)
    page = signed_in(client, there, "github")
    assert page.redirect_chain[-1][0] == "/accounts/2fa/authenticate/" and whose(client) is None


def test_a_closed_archive_makes_no_account_of_another_sites(
    client: Client, there: SignInProvider, settings: LazySettings
) -> None:
    settings.SIGN_UP = False
    page = signed_in(client, there, "github")
    assert "takes no new accounts" in page.content.decode() and not User.objects.exists()


def test_a_closed_account_stays_closed(client: Client, there: SignInProvider) -> None:
    user = member("ann", "ann@example.org")
    SocialAccount.objects.create(user=user, provider="github", uid=there.uid)
    User.objects.filter(pk=user.pk).update(is_active=False)
    signed_in(client, there, "github")
    assert whose(client) is None


def test_a_way_on_leads_to_this_site_alone(client: Client, there: SignInProvider) -> None:
    user = member("ann", "ann@example.org")
    SocialAccount.objects.create(user=user, provider="github", uid=there.uid)
    page = signed_in(client, there, "github", next="https://evil.example/")
    assert not any("evil" in place for place, _status in page.redirect_chain)


@pytest.mark.parametrize("wrong", ["audience", "issuer"])
def test_an_identity_for_another_archive_is_no_identity_here(
    client: Client, there: SignInProvider, wrong: str
) -> None:
    there.uid = UID["openid_connect"]
    setattr(there, wrong, "https://another.example")
    page = signed_in(client, there, "openid_connect")
    assert whose(client) is None and "That did not work" in page.content.decode()


def test_what_the_provider_says_went_wrong_is_not_repeated(client: Client, there: SignInProvider) -> None:
    given = there.approved(begun(client, "github"))
    lure = {
        "error": "<script>evil()</script>",
        "error_description": "call evil.example",
        "state": given["state"],
    }
    assert "evil" not in came_back(client, "github", lure).content.decode()


def test_a_provider_that_is_away_is_told(client: Client, there: SignInProvider) -> None:
    page = came_back(
        client, "github", {"code": "spent", "state": there.approved(begun(client, "github"))["state"]}
    )
    assert "That did not work" in page.content.decode() and whose(client) is None
