"""Who may ask for what: every route of the site with every method, for five people.

The routes come from the URL configuration: a new one fails here until it has a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.usersessions.models import UserSession
from django.conf import LazySettings
from django.contrib.auth.models import Permission
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLResolver, get_resolver, include, path

from server.accounts.key_logins import login_begin
from server.accounts.models import ApiToken, ProbeKey, User
from server.accounts.profiles import profile_save
from server.accounts.services import api_token_create
from server.api.views import unknown_address
from server.config import urls
from server.core.lifecycle import State
from server.submissions.catalogue_changes import alias_add
from server.subscriptions.models import Subscription
from server.subscriptions.services import webhook_create
from tests.support.people import second_factor
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = [pytest.mark.django_db, pytest.mark.services]

PEOPLE = ("anonymous", "contributor", "other contributor", "moderator", "staff")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
ANYBODY = frozenset(PEOPLE)
ACCOUNTS = ANYBODY - {"anonymous"}
OWNER = frozenset({"contributor"})
INSIDERS = frozenset({"contributor", "moderator", "staff"})
MODERATORS = frozenset({"moderator", "staff"})
NOBODY: frozenset[str] = frozenset()
Rule = dict[str, frozenset[str]]
READ: Rule = {"GET": ANYBODY}
SEND: Rule = {"POST": ANYBODY}
FORM: Rule = {"GET": ANYBODY, "POST": ANYBODY}
OWN_FORM: Rule = {"GET": ACCOUNTS, "POST": ACCOUNTS}
# allauth answers some pages before it looks at the method; whom it lets in is what counts.
SIGN_IN: Rule = {"*": ANYBODY}
OWN_SIGN_IN: Rule = {"*": ACCOUNTS}


def _all(rule: Rule, routes: str) -> dict[str, Rule]:
    return dict.fromkeys(routes.split(), rule)


_CHART = "<slug:kind>/<slug:chart_id>"
_DRIVE_CHART = "charts/<slug:provenance>/<slug:kind>/<slug:chart_id>"
_FIGURE_ENDS = (".json", ".csv", "/", ".<figure_form:form>")
API = {
    **_all(
        READ,
        """drives/ drives/<slug:slug>/ drives/<slug:slug>/statistics/ drives/<slug:slug>/exports/
        drives/<slug:slug>/exports/<str:form>/ drives/<slug:slug>/overview/ drives/<slug:slug>/charts/
        drives/<slug:slug>/batches/<str:part>/ drives/<slug:slug>/firmware/<str:part>/
        drives/<slug:slug>/variants/<str:part>/
        drives/<slug:slug>/units/<str:part>/ comparisons/ comparisons/charts/ log/ log/leaves/ log/checkpoint
        log/proofs/inclusion log/proofs/consistency log/cosigned releases/ releases/<int:number>/
        releases/<int:number>/files/<path:path> releases/latest/ releases/latest/files/<path:path>
        tombstones/ events/ decisions/ statistics/ wanted/ facets/ firmware/
        vendors/ vendors/<slug:slug>/ literature/ runs/ runs/<uuid:run_id>/ runs/<uuid:run_id>/envelope/
        runs/<uuid:run_id>/document/ runs/<uuid:run_id>/standing/ runs/<uuid:run_id>/charts/
        runs/<uuid:run_id>/benchmarks/<slug:kind>/samples/ units/ batches/ measurements/ aggregates/ claims/
        metrics/ metrics/<str:key>/ methods/ methods/<slug:slug>/ benchmarks/ samples/
        zones/ seek-points/ seek-curves/ tracks/
        submissions/<uuid:submission_id>/ logins/<uuid:login_id>/ challenges/ schema/""",
    ),
    f"drives/<slug:slug>/{_DRIVE_CHART}/": READ,
    f"runs/<uuid:run_id>/charts/{_CHART}/": READ,
    # A run's signature, or the key's under a command, says what may be done: not who sends it.
    **_all(
        SEND,
        """submissions/ keys/me/runs/ keys/me/withdraw/ keys/me/license/ keys/me/label/ keys/me/revoke/
        keys/me/rotate/ keys/me/login/ log/witness/add-checkpoint""",
    ),
    "": READ,
    "follows/": {"GET": ACCOUNTS, "POST": ACCOUNTS},
    "follows/<uuid:follow_id>/": {"GET": OWNER, "DELETE": OWNER},
    "follows/<uuid:follow_id>/resume/": {"POST": OWNER},
    "follows/<uuid:follow_id>/test/": {"POST": OWNER},
    "^.*$": {},
}
ACCOUNT = {
    **_all(OWN_FORM, "device/ tokens/ delete/ profile/"),
    **_all({"GET": ACCOUNTS}, "data/ data/account.json"),
    **_all(OWN_SIGN_IN, "email/ password/change/ password/set/ reauthenticate/"),
    **_all(
        OWN_SIGN_IN,
        """2fa/ 2fa/reauthenticate/ 2fa/totp/activate/ 2fa/recovery-codes/generate/ 2fa/webauthn/
        2fa/webauthn/add/ 2fa/webauthn/reauthenticate/ 3rdparty/ sessions/""",
    ),
    # Who it is is asked before whose it is, which tests/web/test_second_factor.py asks.
    **_all(OWN_SIGN_IN, "2fa/webauthn/keys/<int:pk>/remove/ 2fa/webauthn/keys/<int:pk>/edit/"),
    "2fa/totp/deactivate/": {"*": INSIDERS},  # those of the world below who have an app
    **_all({"*": OWNER}, "2fa/recovery-codes/ 2fa/recovery-codes/download/"),
    "3rdparty/login/error/": {},  # tells of a failure by a 401, whoever asks
    "": {"GET": ACCOUNTS},
    "keys/": {"GET": ACCOUNTS},
    "keys/<int:key_id>/": {"POST": OWNER},
    "tokens/<int:token_id>/": {"POST": OWNER},
    "runs/<uuid:submission_id>/appeal/": {"GET": OWNER, "POST": OWNER},
    "sessions/<int:session_id>/": {"POST": OWNER},
    **_all(
        SIGN_IN,
        """login/ signup/ password/reset/ login/code/confirm/ 2fa/authenticate/ 2fa/webauthn/login/
        3rdparty/login/cancelled/ 3rdparty/signup/ social/login/cancelled/
        social/login/error/ social/signup/ social/connections/""",
    ),
    "logout/": FORM,
    **_all(READ, "inactive/ confirm-email/ password/reset/done/ password/reset/key/done/"),
    # Whoever has the link of a mail is who the mail went to.
    "^confirm-email/(?P<key>[-:\\w]+)/$": FORM,
    "^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": SIGN_IN,
}
SITE = {
    **_all(
        READ,
        """robots.txt favicon.ico .well-known/security.txt sitemap.xml sitemap-<section>.xml
        health/ healthz readyz drives/ drives/columns/ drives/suggest/ drives/<slug:slug>/
        drives/<slug:slug>/batches/
        drives/<slug:slug>/units/<str:digits>/ drives/<slug:slug>/variants/<str:part>/
        drives/<slug:slug>/batches/<str:part>/ drives/<slug:slug>/firmware/<str:part>/
        drives/<slug:slug>/badge/ datasets/<int:number>/
        drives/<slug:slug>/badge.svg drives/<slug:slug>/platter.svg drives/<slug:slug>/card.png
        drives/<slug:slug>/feed.atom feed.atom events.atom
        drives/<slug:slug>/numbers/<slug:kind>/ runs/<uuid:run_id>/ runs/<uuid:run_id>/status/
        runs/<uuid:run_id>/envelope.json claims/ claims/claims.csv compare/ compare/suggest/
        compare/comparison.csv contribute/ download/<str:name> methods/ methods/claims/ methods/<slug:slug>/
        methods/<slug:slug>/figures/<slug:name>.svg
        problems/ problems/<slug:slug>/ schema/ schema/<slug:name>/v1.json licenses/ about/ api/ datasets/
        moderation/decisions/ moderation/catalogue/ explore/ explore/explore.csv
        explore/explore.<drawing_form:form>""",
    ),
    **_all(
        {"GET": MODERATORS, "POST": MODERATORS},
        "moderation/ moderation/<uuid:submission_id>/ moderation/catalogue/<slug:slug>/",
    ),
    "moderation/catalogue/<int:change_id>/undo/": {"POST": MODERATORS},
    **{f"drives/<slug:slug>/{_DRIVE_CHART}{end}": READ for end in _FIGURE_ENDS},
    **{f"runs/<uuid:run_id>/charts/{_CHART}{end}": READ for end in _FIGURE_ENDS},
    "": READ,
    "contributors/<uuid:profile_id>/": READ,
    "drives/<slug:slug>/follow/": FORM,
    "contribute/import/": FORM,
    "drives/ask/": FORM,
    "contribute/import/<str:token>/": FORM,
    "follow/confirm/<str:token>/": FORM,
    "follow/stop/<str:token>/": FORM,
}
RULES = {
    **{f"api/v1/{route}": rule for route, rule in API.items()},
    **{f"accounts/{route}": rule for route, rule in ACCOUNT.items()},
    **SITE,
}
ADMIN = "admin/"
"""All below it is the staff's; its own sign-in leads to the site's."""
UNPUBLISHED: dict[str, Rule] = {
    # Its state and reasons are told to everybody, its page besides to those whom it concerns.
    **_all(READ, "runs/<uuid:run_id>/ runs/<uuid:run_id>/status/ api/v1/submissions/<uuid:submission_id>/"),
    "runs/<uuid:run_id>/envelope.json": {"GET": INSIDERS},
    "accounts/runs/<uuid:submission_id>/appeal/": {"GET": OWNER, "POST": OWNER},
    "api/v1/runs/<uuid:run_id>/envelope/": {"GET": INSIDERS},
    "api/v1/runs/<uuid:run_id>/document/": {"GET": INSIDERS},
    "moderation/<uuid:submission_id>/": {"GET": MODERATORS},
}
"""What is given of a run under review; all else is nobody's. Its charts, which those who see its page see
too, need samples that the sample run does not have."""
_SUFFIX = "<drf_format_suffix_json_csv_ndjson:format>"


@dataclass(frozen=True)
class World:
    """Some people, and what belongs to the contributor."""

    clients: dict[str, Client]
    values: dict[str, Any]
    unpublished: dict[str, Any]


def routes() -> Iterator[str]:
    """Give the patterns of all routes, whole."""

    def walk(patterns: list[Any], prefix: str) -> Iterator[str]:
        for pattern in patterns:
            route = prefix + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, route)
            else:
                yield route

    return walk(get_resolver().url_patterns, "")


def rule_of(route: str) -> Rule | None:
    """Return a route's rule; an address with a format has that of the one without."""
    if route.startswith(ADMIN):
        return dict.fromkeys(METHODS, frozenset({"staff"}))
    return RULES.get(route.replace(_SUFFIX, "/"))


@pytest.fixture
def world(settings: LazySettings) -> World:
    settings.ACCOUNT_RATE_LIMITS = False
    settings.SUBMISSION_RATE = "100000/s"
    settings.API_LIMITS = dict.fromkeys(settings.API_LIMITS, (100_000, 60))
    users = {name: User.objects.create_user(name.replace(" ", "-"), password="sample") for name in PEOPLE[1:]}
    users["moderator"].user_permissions.add(*Permission.objects.filter(codename__in=("decide", "withdraw")))
    User.objects.filter(pk=users["staff"].pk).update(is_staff=True, is_superuser=True)
    contributor, moderator = users["contributor"], User.objects.get(pk=users["moderator"].pk)
    for name in INSIDERS:
        second_factor(users[name])
    RecoveryCodes.activate(contributor)
    run = sample_run()
    held = sample_run(SampleRun(state=State.QUARANTINED, unit="ef" * 32))
    key = run.submission.probe_key
    ProbeKey.objects.filter(pk=key.pk).update(owner=contributor, status="claimed")
    follow, _made = webhook_create(
        owner=contributor, model=run.drive_model, url="https://example.org/hook", simulated=False
    )
    assert isinstance(follow, Subscription)
    values = {
        **{"slug": run.drive_model.slug, "part": "2026-w07", "provenance": "probe", "kind": "skippy"},
        **{"chart_id": "pattern", "number": 1, "path": "x", "form": "svg", "key": "skippy.mtm", "token": "x"},
        **{"name": "run", "section": "pages", "uidb36": "1", "key_id": key.pk, "follow_id": follow.pk},
        "token_id": api_token_create(owner=contributor, name="sample")[0].pk,
        "profile_id": profile_save(user=contributor, name="Sample", orcid="").pk,
        "digits": run.unit.digest[:12] if run.unit else "",
        "login_id": login_begin(key=key, name="").pk,
        "change_id": alias_add(
            model=run.drive_model, text="Sample alias", by=moderator, reason="Sample reason, for this test."
        ).pk,
    }
    clients = {name: _client(users.get(name)) for name in PEOPLE}
    # One of the contributor's that no client here has.
    values["session_id"] = UserSession.objects.create(
        user=contributor, ip="203.0.113.9", session_key="elsewhere", user_agent="Sample"
    ).pk
    return World(clients, {**values, **_ids(run)}, {**values, **_ids(held)})


def _ids(run: Any) -> dict[str, Any]:
    return {"run_id": run.pk, "submission_id": run.submission_id}


def _client(user: User | None) -> Client:
    """Return a client that shows who it is in both ways, by session and by token."""
    client = Client(raise_request_exception=False)
    if user is not None:
        client.force_login(user)
        scopes = ["read", "submit", "manage"]
        secret = api_token_create(owner=user, name="sample", scopes=scopes)[1]
        client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    return client


def address(route: str, values: dict[str, Any]) -> str:
    """Return an address of a route."""
    named = {"vendors/": "acme", "methods/": "skippy", "problems/": "not-found"}
    slug = next((value for part, value in named.items() if part in route), values["slug"])
    given = {**values, "slug": slug, "format": ".json", "object_id": "1", "app_label": "accounts", "url": "x"}
    given |= {
        "content_type_id": 1,
        "id": 1,
        "pk": 1,
        "submission_id": values["submission_id"],
        "decision": "accept",
    }
    given["key"] = "x" if route.startswith("accounts/") else values["key"]
    found = re.sub(r"\(\?P<(\w+)>[^)]*\)", lambda match: str(given[match[1]]), route)
    found = re.sub(r"<(?:\w+:)?(\w+)>", lambda match: str(given[match[1]]), found).replace("^.*$", "nothing")
    return "/" + re.sub(r"[\^$]|\\Z", "", found).replace(".*", "x")


def answer(client: Client, method: str, path: str) -> HttpResponse:
    """Ask, and have all as it was before."""
    cookies = client.cookies.copy()
    with transaction.atomic():
        response: Any = client.generic(method, path, "{}", content_type="application/json")
        transaction.set_rollback(True)
    client.cookies = cookies
    return response  # type: ignore[no-any-return]


def refused(response: Any) -> bool:
    """Whether somebody is sent away."""
    to_sign_in = re.match(r"/(accounts|admin)/login/\?next=|/admin/$", response.headers.get("Location", ""))
    return response.status_code in (401, 403, 404) or bool(to_sign_in)


def trouble(rule: Rule, method: str, person: str, response: Any) -> str:
    """Return what is wrong about an answer; empty where nothing is."""
    status, may = response.status_code, rule.get("GET" if method == "HEAD" else method, rule.get("*", NOBODY))
    if status == 405 and "*" in rule:
        return ""
    if status >= 500 and status != 503:
        return f"failed with {status}"
    if person not in may:
        return "" if status == 405 or refused(response) else f"got {status}, and may not"
    open_to_all = may == ANYBODY
    missing = status == 404 and not open_to_all
    sent_away = refused(response) and not (status == 404 and open_to_all)
    return f"got {status}, and may" if status == 405 or sent_away or missing else ""


def ruleless() -> list[str]:
    """Return the routes that have no rule."""
    return [route for route in routes() if rule_of(route) is None]


def test_18_a_new_route_is_found_until_it_has_a_rule(settings: LazySettings) -> None:
    more = ModuleType("more")
    api = path("api/v1/", include(([path("newer/<int:number>/", unknown_address)], "more")))
    more.urlpatterns = [path("new/", unknown_address), api, *urls.urlpatterns]  # type: ignore[attr-defined]
    settings.ROOT_URLCONF = more
    assert ruleless() == ["new/", "api/v1/newer/<int:number>/"]


def test_every_route_has_a_rule_and_every_rule_a_route() -> None:
    found = list(routes())
    assert ruleless() == []
    known = {route.replace(_SUFFIX, "/") for route in found}
    assert (set(RULES) | set(UNPUBLISHED)) - known == set()


@pytest.mark.parametrize("person", PEOPLE)
def test_each_person_gets_what_is_theirs_and_nothing_else(world: World, person: str) -> None:
    wrong = []
    for route in routes():
        rule = rule_of(route)
        assert rule is not None, route
        for method in METHODS[: 1 if _SUFFIX in route else None]:
            if route.startswith(ADMIN) and person == "staff":
                continue  # What the administration lets its staff do is Django's.
            response = answer(world.clients[person], method, address(route, world.values))
            if words := trouble(rule, method, person, response):
                wrong.append(f"{method} {route}: {person} {words}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("person", PEOPLE)
def test_of_an_unpublished_run_each_person_gets_what_is_theirs(world: World, person: str) -> None:
    wrong = []
    for route in routes():
        if ("run_id" not in route and "submission_id" not in route) or route.startswith(ADMIN):
            continue
        rule = UNPUBLISHED.get(route.replace(_SUFFIX, "/"), {})
        response = answer(world.clients[person], "GET", address(route, world.unpublished))
        if words := trouble(rule, "GET", person, response):
            wrong.append(f"{route}: {person} {words}")
    assert not wrong, "\n".join(wrong)


def test_forms_of_the_site_are_guarded_against_other_sites(world: World) -> None:
    """Routes of the API have no cookies to misuse; the links of mails are their own proof."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(User.objects.get(username="contributor"))
    unguarded = []
    for route in routes():
        rule = rule_of(route) or {}
        if route.startswith("api/v1/") or not {"POST", "*"} & set(rule):
            continue
        response = answer(client, "POST", address(route, world.values))
        if response.status_code != 403:
            unguarded.append(route)
    assert set(unguarded) == {"follow/confirm/<str:token>/", "follow/stop/<str:token>/"}


def test_the_matrix_itself_tells_wrong_from_right() -> None:
    for status, person, rule, fine in (
        (200, "anonymous", READ, True),
        (200, "anonymous", {"GET": OWNER}, False),
        (404, "contributor", {"GET": OWNER}, False),
        (403, "other contributor", {"GET": OWNER}, True),
        (500, "anonymous", READ, False),
    ):
        assert (trouble(rule, "GET", person, HttpResponse(status=status)) == "") is fine
    assert ApiToken.objects.count() == 0
