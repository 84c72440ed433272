"""By which other sites' accounts people may sign in: those alone that the environment configures."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from marshmallow.validate import URL

from server.config.env import Env

_ORIGINS = {"github": "https://github.com", "orcid": "https://orcid.org"}
_PKCE = {"github", "openid_connect"}
"""Providers that are known to check a code verifier (RFC 7636)."""


def sign_in_providers(env: Env) -> tuple[dict[str, Any], list[str]]:
    """Return allauth's settings of the providers, and the origins to which their buttons lead."""
    found: dict[str, Any] = {}
    origins: list[str] = []
    for provider, origin in _ORIGINS.items():
        app = _app(env, provider.upper())
        if app:
            found[provider] = _provider(provider, app)
            origins.append(origin)
    issuer = env.str("OIDC_ISSUER", "", validate=_issuer)
    name = env.str("OIDC_NAME", "OpenID Connect")
    app = _app(env, "OIDC")
    if app:
        app |= {"provider_id": "oidc", "name": name}
        found["openid_connect"] = _provider("openid_connect", {**app, "settings": {"server_url": issuer}})
        parts = urlsplit(issuer)
        origins.append(f"{parts.scheme}://{parts.netloc}")
    return found, origins


def _provider(kind: str, app: dict[str, Any]) -> dict[str, Any]:
    return {"APPS": [app], "OAUTH_PKCE_ENABLED": kind in _PKCE}


def _app(env: Env, prefix: str) -> dict[str, Any]:
    """Return what a provider knows the archive by; empty where nothing is set."""
    client_id, secret = env.str(f"{prefix}_CLIENT_ID", ""), env.str(f"{prefix}_CLIENT_SECRET", "")
    return {"client_id": client_id, "secret": secret} if client_id or secret else {}


def _issuer(value: str) -> None:
    if value:
        URL(schemes={"https"})(value)
