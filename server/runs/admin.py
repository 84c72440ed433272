"""Administration: look at submissions, and decide about those that are held."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from server.runs import deciding
from server.runs.models import Aggregate, Batch, Benchmark, Run, State, Submission, SubmissionEvent, Unit

Decision = Callable[[Submission], None]


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # the base of several models' pages
    """Shows rows that only the pipeline may write."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes by hand."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes by hand."""
        return False


class EventInline(admin.TabularInline):  # type: ignore[type-arg]  # stubs make it generic, Django does not
    """The steps of a life."""

    model = SubmissionEvent
    extra = 0
    can_delete = False
    readonly_fields = ("at", "state", "reason")


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    """Submissions, with the decisions about held ones as actions."""

    list_display = ("digest", "state", "received_at", "published_at", "attempts", "probe_key")
    list_filter = ("state",)
    search_fields = ("digest", "run__run_id")
    inlines = (EventInline,)
    actions = ("release", "reject", "process_again")

    @admin.action(description="Publish held submissions: looked at and found right")
    def release(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        """Publish."""
        self._decide(
            request, queryset, "released", lambda one: deciding.submission_release(one, by=str(request.user))
        )

    @admin.action(description="Reject held submissions: looked at and found wrong")
    def reject(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        """Reject."""
        self._decide(
            request, queryset, "rejected", lambda one: deciding.submission_reject(one, by=str(request.user))
        )

    @admin.action(description="Process held submissions again: what stood against them is mended")
    def process_again(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        """Start over."""
        self._decide(
            request,
            queryset,
            "started over",
            lambda one: deciding.submission_restart(one, by=str(request.user)),
        )

    def _decide(self, request: HttpRequest, queryset: QuerySet[Submission], word: str, act: Decision) -> None:
        held = list(queryset.filter(state=State.QUARANTINED))
        for submission in held:
            act(submission)
        self.message_user(request, f"{len(held)} held submission(s) {word}", messages.SUCCESS)


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    """Runs."""

    list_display = ("run_id", "drive_model", "provenance", "created_at")
    list_filter = ("provenance",)
    list_select_related = ("drive_model__vendor",)
    search_fields = ("run_id",)


@admin.register(Benchmark)
class BenchmarkAdmin(ReadOnlyAdmin):
    """Benchmarks."""

    list_display = ("run_id", "kind", "state", "attempts", "extractor_version")
    list_filter = ("kind", "state")


for _model in (Aggregate, Batch, Unit):
    admin.site.register(_model, ReadOnlyAdmin)
