"""Signing in by other sites' accounts: where the operator configured one, and to its host alone."""

from __future__ import annotations

import subprocess
import sys

from tests.server.config.test_settings import GOOD, start
from tools.embedded.binaries import PROJECT

ASK = """
import django
django.setup()
from django.test import Client, override_settings
from tests.settings import STORAGES as test_storages
from allauth.socialaccount.models import SocialApp
SocialApp.objects.on_site = lambda request: SocialApp.objects.none()
with override_settings(ALLOWED_HOSTS=["testserver"], CACHES={"default": {"BACKEND":
        "django.core.cache.backends.locmem.LocMemCache"}}, STORAGES=test_storages, RATE_LIMIT_REDIS_URL=None,
        SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies"):
    page = Client().get("/accounts/login/")
    print(page.headers["Content-Security-Policy"].rpartition("form-action ")[2])
    print(page.content.decode())
    for name in ("github", "orcid"):
        print("leads to", Client().post(f"/accounts/{name}/login/").headers.get("Location"))
        print("a look answers", Client().get(f"/accounts/{name}/login/").status_code)
"""
GITHUB = {"GITHUB_CLIENT_ID": "sample-id", "GITHUB_CLIENT_SECRET": "sample-secret"}
ORCID = {"ORCID_CLIENT_ID": "sample-id", "ORCID_CLIENT_SECRET": "sample-secret"}
OIDC = {"OIDC_CLIENT_ID": "sample-id", "OIDC_CLIENT_SECRET": "sample", "OIDC_NAME": "Sample University"}


def asked(**environment: str) -> str:
    """Return what an archive with these variables answers."""
    clean = {**GOOD, **environment, "DJANGO_SETTINGS_MODULE": "server.config.settings", "LOG_LEVEL": "ERROR"}
    done = subprocess.run(
        [sys.executable, "-c", ASK], cwd=PROJECT, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_provider_is_offered_where_it_is_configured_and_forms_may_lead_to_it() -> None:
    answers = asked(**GITHUB, **ORCID, **OIDC, OIDC_ISSUER="https://sign-in.example/realm")
    assert answers.startswith("'self' https://github.com https://orcid.org https://sign-in.example\n")
    for words in ("Sign in with GitHub", "Sign in with Orcid", "Sign in with Sample University"):
        assert words in " ".join(answers.split())
    assert "leads to https://github.com/login/oauth/authorize?client_id=sample-id" in answers
    assert "leads to https://orcid.org/oauth/authorize?client_id=sample-id" in answers
    assert "sample-secret" not in answers
    assert answers.count("a look answers 200") == 2  # A link of another site signs nobody in.


def test_without_configuration_there_is_none() -> None:
    answers = asked()
    assert answers.startswith("'self'\n")
    assert "GitHub" not in answers and answers.count("a look answers 404") == 2


def test_a_provider_by_halves_stops_the_start() -> None:
    for halves in ({"GITHUB_CLIENT_ID": "sample"}, OIDC):
        done = start(**GOOD, **halves)
        assert done.returncode != 0
        assert "lacks settings" in done.stderr and "CLIENT_SECRET" in done.stderr


def test_an_issuer_is_an_https_address() -> None:
    done = start(**GOOD, **OIDC, OIDC_ISSUER="http://sign-in.example")
    assert done.returncode != 0 and "OIDC_ISSUER" in done.stderr
