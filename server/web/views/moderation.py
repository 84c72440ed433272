"""The moderators' pages: what waits for a decision, a case with its evidence, and the log of decisions,
which everybody may read without the names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from server.accounts.models import User
from server.core.lifecycle import State
from server.core.numbers import Shown, show
from server.core.text import counted
from server.plausibility.registry import CHECKS
from server.submissions import moderation
from server.submissions.case_evidence import (
    BesideOthers,
    appeals_list,
    evidence_page,
    liftings_list,
    quarantined_list,
)
from server.submissions.models import Appeal, Submission
from server.submissions.selectors import decisions_public, submission_run
from server.submissions.withdrawal import PERMISSION as MAY_WITHDRAW
from server.submissions.withdrawal import NotPublished, run_erase, run_withdraw
from server.web.page import page
from server.web.peer_rank import EDGE, STRIP, percent_text
from server.web.rows import Name, metric_name

PER_PAGE = 50
CHECK_TITLES = {check.key: check.title for check in CHECKS}
LOOKED_AT = ("quarantined", "noted")
BULK = ("accept", "reject", "ask")
_ALWAYS = {"prepared": moderation.PREPARED, "shortest_reason": moderation.SHORTEST_REASON}


def _withdraw(submission: Submission, *, by: User, reason: str) -> object:
    return run_withdraw(run=submission.run, by=by, reason=reason)


def _erase(submission: Submission, *, by: User, reason: str) -> object:
    return run_erase(run=submission.run, by=by, reason=reason)


ACTS: dict[str, Callable[..., object]] = {**moderation.DECISIONS, "withdraw": _withdraw, "erase": _erase}


def moderators_only(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Answer moderators alone; others are sent to sign in, or refused."""
    may = permission_required(moderation.PERMISSION, raise_exception=True)
    return never_cache(login_required(may(view)))


@require_http_methods(["GET", "HEAD", "POST"])
@moderators_only
def queue(request: HttpRequest) -> HttpResponse:
    """List what waits, the oldest first, and decide about several with one reason."""
    if request.method == "POST":
        return _decided_together(request)
    if run := request.GET.get("run", "").strip():
        return _case_of_run(run)
    found = quarantined_list()
    check = request.GET.get("check", "")
    if check in CHECK_TITLES:
        holding = {"run__check_results__check_key": check, "run__check_results__outcome": "held"}
        found = found.filter(**holding).distinct()
    context = {
        **_ALWAYS,
        "pages": Paginator(found, PER_PAGE).get_page(request.GET.get("page")),
        "liftings": liftings_list()[:PER_PAGE],
        "appeals": appeals_list()[:PER_PAGE],
        "titles": CHECK_TITLES,
        "check": check,
    }
    return page(request, "web/moderation/queue.html", context, section="moderation")


def _decided_together(request: HttpRequest) -> HttpResponse:
    act = moderation.DECISIONS.get(request.POST.get("verdict", ""))
    chosen = [one for one in request.POST.getlist("submission") if _uuid(one) is not None]
    if act is None or request.POST["verdict"] not in BULK or not chosen:
        messages.error(request, "Nothing was decided: choose submissions, and what to do.")
        return HttpResponseRedirect(reverse("moderation"))
    done, refused = 0, ""
    for submission in Submission.objects.filter(pk__in=chosen).order_by("received_at"):
        try:
            act(submission, by=_user(request), reason=_reason(request))
            done += 1
        except moderation.REFUSED as error:
            refused = str(error)
    if refused:
        messages.error(request, refused)
    messages.success(request, f"Decided about {counted(done, 'submission')} of {len(chosen)}.")
    return HttpResponseRedirect(reverse("moderation"))


def _case_of_run(text: str) -> HttpResponse:
    run = _uuid(text)
    found = Submission.objects.filter(run__run_id=run).values_list("pk", flat=True).first() if run else None
    if found is None:
        raise Http404
    return HttpResponseRedirect(reverse("moderation-case", args=[found]))


@require_http_methods(["GET", "HEAD", "POST"])
@moderators_only
def case(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """Show a submission with the evidence beside the decision, and decide about it."""
    found = Submission.objects.select_related("probe_key").prefetch_related("events")
    submission = found.filter(pk=submission_id).first()
    if submission is None:
        raise Http404
    user, error, status = _user(request), "", 200
    if request.method == "POST":
        try:
            act = ACTS.get(request.POST.get("verdict", ""))
            if act is None or submission_run(submission) is None:
                raise moderation.NoReason("Nothing was decided: choose what to do.")
            act(submission, by=user, reason=_reason(request))
        except (*moderation.REFUSED, NotPublished) as refused:
            error, status = str(refused), 409
        else:
            messages.success(request, "Done. The decision stands in the log.")
            return HttpResponseRedirect(reverse("moderation-case", args=[submission_id]))
    evidence = evidence_page(submission)
    context = {
        **_ALWAYS,
        "submission": submission,
        "evidence": evidence,
        "appeal": Appeal.objects.filter(submission=submission).first(),
        "numbers": [_beside(number) for number in evidence.numbers],
        "folded": [finding for finding in evidence.findings if finding.outcome not in LOOKED_AT],
        "findings": [finding for finding in evidence.findings if finding.outcome in LOOKED_AT],
        "acts": _acts(submission, user),
        "reason": request.POST.get("reason", ""),
        "error": error,
    }
    return page(request, "web/moderation/case.html", context, section="moderation", status=status)


@dataclass(frozen=True, slots=True)
class BesideRow:
    """One number beside those of the other units, and where each lies on a strip, in pixels."""

    name: Name
    mine: Shown | None
    median: Shown | None
    percent: str
    others: int
    at: float
    median_at: float | None
    others_at: tuple[float, ...]


def _beside(number: BesideOthers) -> BesideRow:
    every = [number.value, *(value for _unit, value in number.others)]
    ends = {"low": min(every), "high": max(every)}

    def place(value: float) -> float:
        return round(EDGE + number.place_of(value) * (STRIP - 2 * EDGE), 1)

    return BesideRow(
        name=metric_name(number.metric, number.scope),
        mine=show(number.value, number.unit, **ends),
        median=None if number.median is None else show(number.median, number.unit, **ends),
        percent=percent_text(number.percent_off) if number.others else "",
        others=len(number.others),
        at=place(number.value),
        median_at=None if number.median is None else place(number.median),
        others_at=tuple(place(value) for _unit, value in number.others),
    )


def _acts(submission: Submission, user: User) -> list[tuple[str, str, str]]:
    """Return what may be done now: the form's name of it, its button, and what it does."""
    withdraw, erase = (
        ("withdraw", "Withdraw", "Its data go; a tombstone with your reason stays."),
        ("erase", "Erase", "Every word that came with it goes, for good: where the law asks for it."),
    )
    found = {
        State.QUARANTINED: [
            ("accept", "Accept", "It is published."),
            ("reject", "Reject", "It is shown to nobody, and the same bytes are not taken again."),
            ("ask", "Ask", "It stays here; the contributor reads your question, which is public."),
            ("restart", "Process again", "From the start, failed kinds included."),
        ],
        State.REJECTED: [
            ("lift", "Lift the rejection", "Takes two moderators: one proposes it, another one agrees."),
            (
                "reject",
                "Let it stand",
                "Where it was proposed to lift it, or its contributor asked for that.",
            ),
        ],
    }.get(State(submission.state), [])
    if user.has_perm(MAY_WITHDRAW) and submission_run(submission) is not None:
        found = [*found, *([withdraw] if submission.state == State.PUBLISHED else []), erase]
    return found


@never_cache
@require_safe
def decisions(request: HttpRequest) -> HttpResponse:
    """Show every decision with its reason; moderators also see whose it was."""
    pages = Paginator(decisions_public(), PER_PAGE).get_page(request.GET.get("page"))
    named = request.user.is_active and request.user.has_perm(moderation.PERMISSION)
    return page(request, "web/moderation/decisions.html", {"pages": pages, "named": named}, section="about")


def _reason(request: HttpRequest) -> str:
    return moderation.reason_of(request.POST.get("prepared", ""), request.POST.get("reason", "")[:1000])


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
