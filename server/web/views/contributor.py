"""A contributor's pages: the account's runs and what they wait for, its profile, and what others see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Max, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from server.accounts.models import ProbeKey, Profile, User
from server.accounts.profiles import BadProfile, orcid_confirmed, profile_remove, profile_save
from server.catalog.models import DriveModel
from server.core import clock
from server.core.lifecycle import ACTIVE_STATES, Provenance, State
from server.measurements.models import Run
from server.model_stats.coverage_gaps import CoverageGap, drive_coverage_gaps
from server.plausibility.peer_rank import run_peer_rank
from server.submissions.appeals import (
    LONGEST,
    BadAppeal,
    NotAppealable,
    appeal_make,
    appeal_open,
    may_appeal,
)
from server.submissions.holder import last_reason, submissions_of
from server.submissions.models import Submission
from server.submissions.selectors import submission_run
from server.web.page import page
from server.web.peer_rank import confirmed_words

PER_PAGE = 50
MODELS = 5
"""Models whose place and gaps are shown: those measured last."""
PUBLIC_MODELS = 100


@dataclass(frozen=True, slots=True)
class OwnRun:
    """One line of the account's runs."""

    submission: Submission
    run: Run | None
    waits_for: str
    """What happens next, and by whom; empty where nothing does."""
    reason: str
    may_appeal: bool


@dataclass(frozen=True, slots=True)
class OwnModel:
    """A model that the account measured, beside what others found."""

    model: DriveModel
    run: Run
    """The latest published one."""
    confirmed: str
    gaps: tuple[CoverageGap, ...]


@never_cache
@require_safe
@login_required
def run_list(request: HttpRequest) -> HttpResponse:
    """List the account's runs, by state where one is asked for, and how its drives stand."""
    keys = _user(request).probe_keys.all()
    sent = submissions_of(keys)
    counts = dict(sent.order_by().values_list("state").annotate(n=Count("pk")))
    state = request.GET.get("state", "")
    found = sent.filter(state=state) if state in State.values else sent
    pages = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "pages": pages,
        "runs": [_own_run(submission) for submission in pages],
        "counts": [(one, counts[one]) for one in State.values if one in counts],
        "state": state if state in State.values else "",
        "models": _own_models(keys),
        "most": MODELS,
    }
    return page(request, "account/runs.html", context)


def _own_run(submission: Submission) -> OwnRun:
    waits_for = ""
    if submission.state in ACTIVE_STATES:
        waits_for = "The archive works on it."
    elif submission.state == State.QUARANTINED:
        waits_for = "A moderator decides about it."
    elif submission.state == State.REJECTED and appeal_open(submission):
        waits_for = "Another moderator looks at it again."
    reason = "" if submission.state == State.PUBLISHED else last_reason(submission)
    rejected = submission.state == State.REJECTED
    return OwnRun(
        submission, submission_run(submission), waits_for, reason, rejected and may_appeal(submission)
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def appeal(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """Ask moderators once to look again at a run of the account that one of them rejected."""
    user = _user(request)
    submission = submissions_of(user.probe_keys.all()).filter(pk=submission_id).first()
    if submission is None:
        raise Http404
    words, error, status = request.POST.get("words", "")[:LONGEST], "", 200
    if request.method == "POST":
        try:
            appeal_make(submission, by=user, words=words)
        except (BadAppeal, NotAppealable) as refused:
            error, status = str(refused), 409
        else:
            messages.success(request, "Moderators are asked to look again. You are told what comes of it.")
            return HttpResponseRedirect(reverse("account-runs"))
    context = {
        "submission": submission,
        "run": submission_run(submission),
        "reason": last_reason(submission),
        "may": may_appeal(submission),
        "longest": LONGEST,
        "words": words,
        "error": error,
    }
    return page(request, "account/appeal.html", context, status=status)


def _own_models(keys: QuerySet[ProbeKey]) -> list[OwnModel]:
    """Return the models that the keys measured last, each with its latest published run."""
    published = Run.objects.filter(
        submission__probe_key__in=keys, submission__state=State.PUBLISHED, provenance=Provenance.PROBE
    )
    latest = published.values("drive_model").annotate(at=Max("created_at")).order_by("-at")[:MODELS]
    found = []
    for one in latest:
        run = (
            published.filter(drive_model=one["drive_model"])
            .select_related("drive_model__vendor", "submission__probe_key")
            .latest("created_at")
        )
        rank = run_peer_rank(run=run)
        gaps = drive_coverage_gaps(drive_model=run.drive_model)
        found.append(OwnModel(run.drive_model, run, confirmed_words(rank) if rank else "", gaps))
    return found


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def profile(request: HttpRequest) -> HttpResponse:
    """Make the account's profile, change it, or take it away."""
    user = _user(request)
    found = Profile.objects.filter(user=user).first()
    context: dict[str, Any] = {"profile": found, "error": ""}
    context |= {"name": found.name if found else "", "orcid": found.orcid if found else ""}
    if request.method != "POST":
        return page(request, "account/profile.html", context)
    if "remove" in request.POST:
        profile_remove(user=user)
        messages.success(request, "The profile is gone. Your runs name nobody.")
        return HttpResponseRedirect(reverse("account-profile"))
    given = {name: request.POST.get(name, "")[:200] for name in ("name", "orcid")}
    try:
        profile_save(user=user, **given)
    except BadProfile as error:
        return page(request, "account/profile.html", {**context, **given, "error": str(error)}, status=400)
    messages.success(request, "The profile is public, and your runs name it.")
    return HttpResponseRedirect(reverse("account-profile"))


@require_safe
def contributor(request: HttpRequest, profile_id: UUID) -> HttpResponse:
    """Show what an account wants to show: its name, what it measured, and how to cite that."""
    found = Profile.objects.filter(pk=profile_id, user__is_active=True).first()
    if found is None:
        raise Http404
    runs = Run.objects.filter(
        submission__probe_key__owner=found.user_id,
        submission__state=State.PUBLISHED,
        provenance=Provenance.PROBE,
    )
    models = (
        DriveModel.objects.filter(runs__in=runs)
        .select_related("vendor")
        .annotate(count=Count("runs"))
        .order_by("-count", "pk")
    )
    context = {
        "profile": found,
        "orcid_confirmed": bool(found.orcid) and orcid_confirmed(found),
        "runs": runs.count(),
        "models": models[:PUBLIC_MODELS],
        "model_count": models.count(),
        "year": clock.now().year,
        "address": request.build_absolute_uri(request.path),
    }
    return page(request, "web/contributor.html", context)


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
