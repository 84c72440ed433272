"""Administration: look at submissions, and withdraw runs. Moderators decide on the site."""

from __future__ import annotations

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.core.exceptions import PermissionDenied
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from server.accounts.models import User
from server.core.admin import ReadOnlyAdmin
from server.core.lifecycle import State
from server.core.text import counted
from server.measurements.models import Aggregate, Batch, Benchmark, Run, Unit
from server.plausibility.models import CheckResult
from server.plausibility.registry import CHECKS
from server.submissions.models import Decision, Submission, SubmissionEvent
from server.submissions.moderation import NoReason
from server.submissions.selectors import submission_run
from server.submissions.withdrawal import NotPublished, run_withdraw
from server.transparency.models import LogKey, LogLeaf, Withdrawal

CHECK_TITLES = {check.key: check.title for check in CHECKS}


class EventInline(admin.TabularInline):  # type: ignore[type-arg]  # stubs make it generic, Django does not
    """The steps of a life."""

    model = SubmissionEvent
    extra = 0
    can_delete = False
    readonly_fields = ("at", "state", "reason")


class ReasonForm(ActionForm):
    """The reason that every withdrawal needs, beside the choice of the action."""

    reason = forms.CharField(required=False, label="Reason:", max_length=1000)


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    """Submissions; their evidence and decisions stand on the moderators' pages."""

    list_display = ("short_digest", "state", "what", "held_for", "received_at", "case")
    readonly_fields = ("case",)
    list_filter = ("state",)
    list_select_related = ("run__drive_model__vendor",)
    search_fields = ("digest", "run__run_id")
    inlines = (EventInline,)
    action_form = ReasonForm
    actions = ("withdraw", "withdraw_and_keep")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        """Fetch what holds each run with the list."""
        holding = CheckResult.objects.filter(outcome=CheckResult.Outcome.QUARANTINED)
        return super().get_queryset(request).prefetch_related(Prefetch("run__check_results", holding))

    @admin.display(description="digest", ordering="digest")
    def short_digest(self, submission: Submission) -> str:
        """Name the submission as pages do."""
        return submission.digest[:12]

    @admin.display(description="drive")
    def what(self, submission: Submission) -> str:
        """Say which drive was measured, and whether it is a real one."""
        run = submission_run(submission)
        return f"{run.drive_model} ({run.provenance})" if run else "no valid document"

    @admin.display(description="held by")
    def held_for(self, submission: Submission) -> str:
        """Name the checks that hold it."""
        run = submission_run(submission)
        if run is None or submission.state != State.QUARANTINED:
            return ""
        titles = [CHECK_TITLES.get(result.check_key, result.check_key) for result in run.check_results.all()]
        return ", ".join(titles) or "its last event says why"

    @admin.action(description="Withdraw published runs: their data and bytes go, a tombstone stays")
    def withdraw(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        """Withdraw."""
        self._withdraw_all(request, queryset, keep_envelope=False)

    @admin.action(description="Withdraw published runs, and keep their signed bytes unseen")
    def withdraw_and_keep(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        """Withdraw and keep the envelope."""
        self._withdraw_all(request, queryset, keep_envelope=True)

    def _withdraw_all(
        self, request: HttpRequest, queryset: QuerySet[Submission], *, keep_envelope: bool
    ) -> None:
        done = 0
        for submission in queryset.filter(state=State.PUBLISHED).select_related("run"):
            try:
                run_withdraw(
                    run=submission.run,
                    by=user_of(request),
                    reason=request.POST.get("reason", ""),
                    keep_envelope=keep_envelope,
                )
                done += 1
            except (NotPublished, NoReason, PermissionDenied) as error:
                self.message_user(request, f"{submission.digest[:12]}: {error}", messages.ERROR)
        self.message_user(request, f"{counted(done, 'published run')} withdrawn", messages.SUCCESS)

    @admin.display(description="case")
    def case(self, submission: Submission) -> str:
        """Lead to the moderators' page."""
        return format_html('<a href="{}">look at it</a>', reverse("moderation-case", args=[submission.pk]))


def user_of(request: HttpRequest) -> User:
    """Return who is signed in; raises PermissionDenied for nobody."""
    if not isinstance(request.user, User):
        raise PermissionDenied("Sign in to decide.")
    return request.user


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


@admin.register(CheckResult)
class CheckResultAdmin(ReadOnlyAdmin):
    """What the checks said: how often each one holds a run."""

    list_display = ("check_key", "outcome", "run_id", "at", "words")
    list_filter = ("outcome", "check_key")


@admin.register(Decision)
class DecisionAdmin(ReadOnlyAdmin):
    """The log of decisions."""

    list_display = ("at", "by", "verdict", "submission", "reason")
    list_filter = ("verdict", "by")
    list_select_related = ("by", "submission")


@admin.register(LogLeaf)
class LogLeafAdmin(ReadOnlyAdmin):
    """The publication log."""

    list_display = ("index", "kind", "run_id", "at", "digest")
    list_filter = ("kind",)
    search_fields = ("run_id", "digest")
    show_full_result_count = False


@admin.register(Withdrawal)
class WithdrawalAdmin(ReadOnlyAdmin):
    """Tombstones."""

    list_display = ("leaf_id", "submission", "reason", "envelope", "by")
    list_filter = ("envelope",)
    list_select_related = ("submission", "by")


for _model in (Aggregate, Batch, LogKey, Unit):
    admin.site.register(_model, ReadOnlyAdmin)
