"""Administration: look at releases, and have one made."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST

from server.core.admin import ReadOnlyAdmin
from server.core.task_queue import message_send
from server.datasets import tasks
from server.datasets.models import Release


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    """Releases."""

    list_display = ("number", "state", "schema_version", "log_size", "began_at", "published_at")
    list_filter = ("state",)
    change_list_template = "admin/datasets/release/change_list.html"

    def get_urls(self) -> list[URLPattern]:
        build = require_POST(self.admin_site.admin_view(self.build_view))
        return [path("build/", build, name="datasets_release_build"), *super().get_urls()]

    def build_view(self, request: HttpRequest) -> HttpResponse:
        if not request.user.has_perm("datasets.add_release"):
            words = "Making a release needs the permission 'datasets.add_release'."
            self.message_user(request, words, messages.ERROR)
        elif not message_send(tasks.release_build_task.name):
            words = "The queue does not answer, so that no release was begun. Try again in a minute."
            self.message_user(request, words, messages.ERROR)
        else:
            self.message_user(request, "A release is being made; it is listed once it is complete.")
        return HttpResponseRedirect(reverse("admin:datasets_release_changelist"))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        may = request.user.has_perm("datasets.add_release")
        return super().changelist_view(request, {**(extra_context or {}), "may_build": may})
