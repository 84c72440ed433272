"""A site on this machine by whose accounts people sign in: it answers as GitHub, ORCID and an OpenID Connect
provider do, and checks what the archive has to send (RFC 6749, RFC 7636)."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from django.conf import LazySettings

from tests.support.loopback import http_server

CLIENT_ID, CLIENT_SECRET = "sample-client", "sample-secret-of-a-sample-client"
UID = {"github": "4711", "orcid": "0000-0002-1825-0097", "openid_connect": "subject-1"}


@dataclass
class SignInProvider:
    """Who is signed in there, and what was asked."""

    url: str = ""
    uid: str = "4711"
    email: str = "person@example.org"
    verified: Any = True
    audience: str = CLIENT_ID
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    """What was asked when each code was given out."""
    wrong: list[str] = field(default_factory=list)
    """What the archive did wrong."""
    issuer: str = ""

    def approved(self, location: str) -> dict[str, str]:
        """Return what a browser brings back to the archive, once its person approved at `location`."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
        if asked["client_id"] != CLIENT_ID or asked["response_type"] != "code":
            self.wrong.append(f"asked {asked}")
        code = secrets.token_hex(8)
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def token(self, given: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Return the answer to who brings a code; each is good once, and for who asked for it."""
        asked = self.codes.pop(given.get("code", ""), None)
        if asked is None:
            return 400, {"error": "invalid_grant"}
        verifier = given.get("code_verifier", "").encode()
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier).digest()).decode().rstrip("=")
        if "code_challenge" in asked and asked["code_challenge"] != challenge:
            self.wrong.append("code_verifier")
        if given.get("redirect_uri") != asked["redirect_uri"]:
            self.wrong.append("redirect_uri")
        if given.get("client_secret") != CLIENT_SECRET:
            self.wrong.append("client_secret")
        claims = {
            "iss": self.issuer or self.url,
            "aud": self.audience,
            "sub": self.uid,
            "exp": 2**33,
            "iat": 1,
        }
        signed = jwt.encode(claims, CLIENT_SECRET, algorithm="HS256")
        return 200, {"access_token": "t", "token_type": "bearer", "orcid": self.uid, "id_token": signed}

    def get(self, path: str) -> Any:
        """Return what the account's addresses answer."""
        who = {"email": self.email, "email_verified": self.verified}
        if path.startswith("/v3.0/"):
            person = {"emails": {"email": [{"email": self.email}]}, "name": {"given-names": {"value": "Ann"}}}
            return {"orcid-identifier": {"path": self.uid}, "person": person, "history": "x" * 1000}
        return {
            "/user": {
                "id": int(self.uid) if self.uid.isdigit() else 1,
                "login": "lure",
                "name": "Ann Sample",
            },
            "/user/emails": [{"email": self.email, "primary": True, "verified": self.verified}],
            "/userinfo": {"sub": self.uid, "preferred_username": "lure", **who},
            "/.well-known/openid-configuration": {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "userinfo_endpoint": f"{self.url}/userinfo",
                "jwks_uri": f"{self.url}/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            },
        }.get(path)


@contextmanager
def sign_in_provider() -> Iterator[SignInProvider]:
    """Serve on a free port of 127.0.0.1."""
    state = SignInProvider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = state.get(urlsplit(self.path).path)
            self._answer(200 if found is not None else 404, found)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer(*state.token({name: values[0] for name, values in parse_qs(body).items()}))

        def _answer(self, status: int, found: Any) -> None:
            body = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http_server(Handler) as address:
        state.url = address
        yield state


@contextmanager
def providers_known(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Iterator[SignInProvider]:
    """Have an archive to which visitors may come know the three, all of them such a site."""
    # Only once the applications are loaded can the library's own be.
    from allauth.socialaccount.providers import registry
    from allauth.socialaccount.providers.github.provider import GitHubProvider
    from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
    from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
    from allauth.socialaccount.providers.orcid.provider import OrcidProvider
    from allauth.socialaccount.providers.orcid.views import OrcidOAuth2Adapter

    with sign_in_provider() as site:
        app = {"client_id": CLIENT_ID, "secret": CLIENT_SECRET}
        oidc = {**app, "provider_id": "oidc", "name": "Sample", "settings": {"server_url": site.url}}
        settings.SOCIALACCOUNT_PROVIDERS = {
            "github": {"APPS": [app], "OAUTH_PKCE_ENABLED": True},
            "orcid": {"APPS": [app]},
            "openid_connect": {"APPS": [oidc], "OAUTH_PKCE_ENABLED": True},
        }
        settings.ROOT_URLCONF = "tests.support.provider_urls"
        settings.SIGN_UP = True
        for adapter in (GitHubOAuth2Adapter, OrcidOAuth2Adapter):
            monkeypatch.setattr(adapter, "authorize_url", f"{site.url}/authorize")
            monkeypatch.setattr(adapter, "access_token_url", f"{site.url}/token")
        monkeypatch.setattr(GitHubOAuth2Adapter, "profile_url", f"{site.url}/user")
        monkeypatch.setattr(GitHubOAuth2Adapter, "emails_url", f"{site.url}/user/emails")
        monkeypatch.setattr(OrcidOAuth2Adapter, "profile_url", f"{site.url}/v3.0/%s/record")
        before = registry.provider_map.copy()
        for provider in (GitHubProvider, OrcidProvider, OpenIDConnectProvider):
            registry.register(provider)
        try:
            yield site
        finally:
            registry.provider_map.clear()
            registry.provider_map.update(before)
        assert site.wrong == []
