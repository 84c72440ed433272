"""Administration of accounts and keys."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from server.accounts.models import ProbeKey, User

admin.site.register(User, UserAdmin)


@admin.register(ProbeKey)
class ProbeKeyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # stubs make it generic, Django does not
    """Keys: a person may revoke one."""

    list_display = ("keyid", "status", "owner", "first_seen_at")
    list_filter = ("status",)
    readonly_fields = ("keyid", "algorithm", "public_key", "first_seen_at")
    search_fields = ("keyid",)
