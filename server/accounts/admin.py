"""Administration of accounts, keys and tokens."""

from __future__ import annotations

from typing import Any

from allauth.socialaccount.models import SocialApp, SocialToken
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest

from server.accounts.models import ApiToken, ProbeKey, User
from server.accounts.services import api_token_create, api_token_revoke

admin.site.register(User, UserAdmin)
# Providers come from settings, which the content security policy knows too.
admin.site.unregister([SocialApp, SocialToken])


@admin.register(ProbeKey)
class ProbeKeyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # stubs make it generic, Django does not
    """Keys: a person may revoke one."""

    list_display = ("keyid", "name", "status", "owner", "first_seen_at")
    list_filter = ("status",)
    readonly_fields = ("keyid", "algorithm", "public_key", "holder_key", "first_seen_at")
    search_fields = ("keyid",)


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # stubs make it generic, Django does not
    """Tokens: made here and shown once, ended here."""

    list_display = ("name", "owner", "scopes", "hint", "created_at", "seen_at", "expires_at", "revoked_at")
    fields = ("owner", "name", "scopes", "expires_at", "hint", "created_at", "seen_at", "revoked_at")
    readonly_fields = ("hint", "created_at", "seen_at", "revoked_at")
    search_fields = ("name", "owner__username")
    autocomplete_fields = ("owner",)
    actions = ("revoke",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse: a token is ended, its row stays."""
        return False

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        """Make a new token through the service, and show its secret this once."""
        if change:
            super().save_model(request, obj, form, change)
            return
        token, secret = api_token_create(
            owner=obj.owner, name=obj.name, scopes=obj.scopes, expires_at=obj.expires_at
        )
        obj.pk = token.pk
        obj.refresh_from_db()
        messages.warning(request, f"The token, shown this once: {secret}")

    @admin.action(description="End the selected tokens", permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        for token in queryset:
            api_token_revoke(token=token)
        messages.success(request, "The tokens are no longer taken.")
