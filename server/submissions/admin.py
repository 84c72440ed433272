"""Administration: look at submissions, and decide about those that are held."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.core.exceptions import PermissionDenied
from django.db.models import Prefetch, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST

from server.accounts.models import User
from server.core.admin import ReadOnlyAdmin
from server.core.lifecycle import State
from server.core.text import counted
from server.measurements.models import Aggregate, Batch, Benchmark, Run, Unit
from server.plausibility.models import CheckResult
from server.plausibility.registry import CHECKS
from server.submissions import moderation
from server.submissions.models import Decision, Submission, SubmissionEvent
from server.submissions.moderation import evidence_page
from server.submissions.selectors import submission_run
from server.submissions.withdrawal import NotPublished, run_withdraw
from server.transparency.models import LogKey, LogLeaf, Withdrawal

Decide = Callable[..., Decision]
DECISIONS: dict[str, Decide] = {
    "accept": moderation.submission_accept,
    "reject": moderation.submission_reject,
    "restart": moderation.submission_restart,
}
CHECK_TITLES = {check.key: check.title for check in CHECKS}
REFUSED = (moderation.NotQuarantined, moderation.NoReason)


class EventInline(admin.TabularInline):  # type: ignore[type-arg]  # stubs make it generic, Django does not
    """The steps of a life."""

    model = SubmissionEvent
    extra = 0
    can_delete = False
    readonly_fields = ("at", "state", "reason")


class ReasonForm(ActionForm):
    """The reason that every decision needs, beside the choice of the action."""

    reason = forms.CharField(required=False, label="Reason:", max_length=1000)


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    """Submissions, with the evidence and the decision about held ones."""

    list_display = ("short_digest", "state", "what", "held_for", "received_at")
    list_filter = ("state",)
    list_select_related = ("run__drive_model__vendor",)
    search_fields = ("digest", "run__run_id")
    inlines = (EventInline,)
    action_form = ReasonForm
    actions = ("accept", "reject", "process_again", "withdraw", "withdraw_and_keep")
    change_form_template = "admin/submissions/submission/change_form.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        """Fetch what holds each run with the list."""
        holding = CheckResult.objects.filter(outcome=CheckResult.Outcome.HELD)
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

    @admin.action(description="Publish quarantined submissions: looked at and found right")
    def accept(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        """Publish."""
        self._decide_all(request, queryset, "accepted", moderation.submission_accept)

    @admin.action(description="Reject quarantined submissions: looked at and found wrong")
    def reject(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        """Reject."""
        self._decide_all(request, queryset, "rejected", moderation.submission_reject)

    @admin.action(description="Process quarantined submissions again: what stood against them is mended")
    def process_again(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        """Start over."""
        self._decide_all(request, queryset, "started over", moderation.submission_restart)

    def _decide_all(
        self, request: HttpRequest, queryset: QuerySet[Submission], word: str, decide: Decide
    ) -> None:
        done = 0
        for submission in queryset.filter(state=State.QUARANTINED):
            try:
                decide(submission, by=user_of(request), reason=request.POST.get("reason", ""))
                done += 1
            except REFUSED as error:
                self.message_user(request, f"{submission.digest[:12]}: {error}", messages.ERROR)
        self.message_user(request, f"{counted(done, 'quarantined submission')} {word}", messages.SUCCESS)

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
            except (NotPublished, moderation.NoReason, PermissionDenied) as error:
                self.message_user(request, f"{submission.digest[:12]}: {error}", messages.ERROR)
        self.message_user(request, f"{counted(done, 'published run')} withdrawn", messages.SUCCESS)

    def get_urls(self) -> list[URLPattern]:
        """Add the address to which a decision is posted."""
        decide = require_POST(self.admin_site.admin_view(self.decide_view))
        own = [path("<uuid:submission_id>/decide/", decide, name="submissions_submission_decide")]
        return [*own, *super().get_urls()]

    def decide_view(self, request: HttpRequest, submission_id: UUID) -> HttpResponse:
        """Decide about one submission and show it again."""
        submission = Submission.objects.filter(pk=submission_id).first()
        decide = DECISIONS.get(request.POST.get("verdict", ""))
        if submission is None or decide is None:
            raise Http404
        try:
            made = decide(submission, by=user_of(request), reason=request.POST.get("reason", ""))
            self.message_user(request, f"The submission was {made.verdict}.", messages.SUCCESS)
        except REFUSED as error:
            self.message_user(request, str(error), messages.ERROR)
        return HttpResponseRedirect(reverse("admin:submissions_submission_change", args=[submission_id]))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show a submission with the evidence beside the decision."""
        submission = self.get_object(request, object_id)
        context = dict(extra_context or {})
        if submission is not None:
            context["evidence"] = evidence_page(submission)
            context["held"] = submission.state == State.QUARANTINED
            context["may_decide"] = user_of(request).has_perm(moderation.PERMISSION)
            context["shortest_reason"] = moderation.SHORTEST_REASON
        return super().change_view(request, object_id, form_url, context)


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
