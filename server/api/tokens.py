"""Who asks: nobody in particular, or the holder of an API token."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from server.accounts.models import ApiToken, Scope, User
from server.accounts.second_factor import second_factor_due
from server.accounts.services import api_token_find
from server.core.problems import problem

CHALLENGE = 'Bearer realm="DiskAtlas API"'


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer TOKEN`. Reading needs none; a wrong token is told so, not passed over."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Return account and token, or None where no token is sent; raises Problem."""
        header = request.headers.get("Authorization")
        if header is None:
            return None
        scheme, _, secret = header.partition(" ")
        token = api_token_find(secret=secret.strip()) if scheme.lower() == "bearer" else None
        if token is None:
            trouble = problem(
                "bad-token",
                "The Authorization header holds no valid API token: it is mistyped, expired or revoked. "
                "Send `Authorization: Bearer TOKEN`, or leave the header out: reading needs none.",
            )
            trouble.headers["WWW-Authenticate"] = f'{CHALLENGE}, error="invalid_token"'
            raise trouble
        return token.owner, token

    def authenticate_header(self, request: Request) -> str:
        return CHALLENGE


class ScopePermission(BasePermission):
    """Refuses a token that was made for something else than what the view's `scope` says."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return True, for tokens of the scope and where none was sent; raises Problem."""
        token, scope = request.auth, view.scope
        if not isinstance(token, ApiToken) or scope in token.scopes:
            return True
        trouble = problem(
            "scope-missing",
            f"The token {token.name!r} may {' and '.join(token.scopes)}; this address needs {scope!r}. Make "
            "one that may at /accounts/tokens/.",
        )
        trouble.headers["WWW-Authenticate"] = f'{CHALLENGE}, error="insufficient_scope", scope="{scope}"'
        raise trouble


def account_acting(request: Request) -> User | None:
    """Return the account for whose own things a request may ask: that of a token made to manage it. None for
    all others, and where the account has rights without the second factor that they need."""
    token = request.auth
    if not isinstance(token, ApiToken) or Scope.MANAGE.value not in token.scopes:
        return None
    return None if second_factor_due(token.owner) else token.owner


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The same in the OpenAPI document."""

    target_class = "server.api.tokens.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "An API token of the scope read raises the limits, submit counts uploads apart, "
            "manage opens what is the account's own. Reading needs none.",
        }
