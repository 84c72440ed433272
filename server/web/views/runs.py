"""A run's page while its jobs run and afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from server.core.cache import key_tag, model_tag, run_tag
from server.core.envelope_store import EnvelopeLost, envelope_load
from server.core.lifecycle import State
from server.core.text import counted
from server.measurements.group_keys import run_key
from server.measurements.models import Benchmark, Run
from server.plausibility.models import CheckResult
from server.plausibility.peer_rank import run_peer_rank
from server.submissions.case_evidence import findings_of
from server.submissions.selectors import (
    BenchmarkPart,
    RunPage,
    came_after_revocation,
    run_page,
    submission_visible,
    tombstone_of,
)
from server.transparency.publication_log import leaves_list
from server.web.figures import Figure, figures_of_run
from server.web.page import page
from server.web.page_cache import cache_page, shows
from server.web.peer_rank import peer_rank_view
from server.web.rows import MeasuredRow, MissingReason, measured_row, missing_reasons
from server.web.views.withdrawn import absent

REFRESH_S = 3
"""How often a page whose jobs run asks again."""
LIFE = (State.RECEIVED, State.VERIFIED, State.VALIDATED, State.EXTRACTED, State.PUBLISHED)
_CAUSES = (
    ("foreign_requests", "request of others on the drive", "requests of others on the drive"),
    ("swapped_pages", "page swapped", "pages swapped"),
    ("throttle_events", "slow-down for heat", "slow-downs for heat"),
)


@dataclass(frozen=True, slots=True)
class Part:
    """One kind's section of a run's page."""

    benchmark: Benchmark
    title: str
    rows: tuple[MeasuredRow, ...]
    """Those with a number."""
    missing: tuple[MissingReason, ...]
    figures: tuple[Figure, ...]
    disturbed: str
    """What disturbed it, as a sentence; empty where nothing did."""

    @property
    def contents(self) -> str:
        """What the section holds: `2 pictures, 14 numbers`."""
        found = [counted(len(self.figures), "picture")] if self.figures else []
        found += [counted(len(self.rows), "number")] if self.rows else []
        found += ["what has no number"] if self.missing else []
        return ", ".join(found) or "No numbers"


def _data_or_404(run_id: UUID) -> RunPage:
    try:
        return run_page(run_id=run_id)
    except Run.DoesNotExist:
        raise Http404 from None


def _envelope_name(data: RunPage) -> str:
    return "api:run-envelope" if data.submission.state == State.PUBLISHED else "run-envelope"


def _withdrawn(data: RunPage) -> bool:
    """Whether a tombstone stands there; a run that was taken back unpublished has none."""
    return data.submission.state == State.WITHDRAWN and tombstone_of(data.submission) is not None


def _life(state: str) -> list[tuple[str, str]]:
    """Return the stops of a submission's life, each with its class: done, now, or still ahead."""
    if state not in LIFE:
        return [(State.RECEIVED.value, "done"), (state, "stopped")]
    reached = LIFE.index(State(state))
    ended = state == State.PUBLISHED
    return [
        (stop.value, "done" if index < reached or ended else "now" if index == reached else "")
        for index, stop in enumerate(LIFE)
    ]


def _status(data: RunPage) -> dict[str, Any]:
    submission = data.submission
    events = list(submission.events.all())
    return {
        "data": data,
        "run": data.run,
        "submission": submission,
        "life": _life(submission.state),
        "events": events,
        "last_reason": next(
            (event.reason for event in reversed(events) if event.state == submission.state), ""
        ),
        "refresh_s": REFRESH_S,
    }


def safe_figures(run: Run) -> dict[str, tuple[Figure, ...]]:
    """Return the run's figures; none where its envelope is lost, which the log of the storage tells."""
    try:
        return figures_of_run(run)
    except EnvelopeLost:
        return {}


def _part(part: BenchmarkPart, figures: tuple[Figure, ...], conditions: Mapping[str, Any]) -> Part:
    rows = [measured_row(row) for row in part.measurements]
    return Part(
        benchmark=part.benchmark,
        title=part.title,
        rows=tuple(row for row in rows if row.shown),
        missing=missing_reasons(rows),
        figures=figures,
        disturbed=disturbance_words(conditions, part.benchmark.kind),
    )


def plausibility_of(run: Run) -> dict[str, Any]:
    """Return the checks' answers: those with something to say, those without, and how many of each
    outcome."""
    findings = findings_of(run)
    nothing = CheckResult.Outcome.NOT_APPLICABLE.label
    left = [finding for finding in findings if finding.outcome == nothing]
    return {
        "findings": findings,
        "findings_shown": [finding for finding in findings if finding not in left],
        "findings_left": left,
        "outcomes": list(Counter(finding.outcome for finding in findings).items()),
    }


@require_safe
@cache_page()
def run_detail(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Show a run: status, identity, conditions, measurements, charts and how to check them."""
    data = _data_or_404(run_id)
    if _withdrawn(data):
        return absent(request, run_id)
    if data.submission.state == State.WITHDRAWN or not submission_visible(data.submission, request.user):
        return page(request, "web/run_unpublished.html", _status(data), section="drives")
    if data.submission.state == State.PUBLISHED:  # Before that its page tells of work that goes on.
        shows(run_tag(run_id), model_tag(data.run.drive_model_id), key_tag(data.submission.probe_key_id))
    figures = safe_figures(data.run)
    conditions = data.run.summary["conditions"]
    parts = [_part(part, figures.get(part.benchmark.kind, ()), conditions) for part in data.parts]
    context = {
        **_status(data),
        "parts": parts,
        **plausibility_of(data.run),
        "readouts": [row for part in parts for row in part.rows if row.headline],
        "document": data.run.summary,
        "key": data.submission.probe_key,
        "contributor": getattr(data.submission.probe_key.owner, "profile", None),
        "after_revocation": came_after_revocation(data.submission),
        "log": leaves_list(run_id=run_id),
        "peers": peer_rank_view(run_peer_rank(run=data.run)),
        "compare_url": f"/compare/?d={quote(run_key(run_id))}&d={data.run.drive_model.slug}",
        "server_url": request.build_absolute_uri("/").rstrip("/"),
        "envelope_url": request.build_absolute_uri(reverse(_envelope_name(data), args=[run_id])),
    }
    response = page(request, "web/run.html", context, section="drives")
    if data.submission.state != State.PUBLISHED:  # Shown to some, and kept for nobody.
        response["Cache-Control"] = "private, no-store"
    return response


@require_safe
def run_status(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Show the status alone, which the run's page polls; once it has ended, the whole page is due."""
    data = _data_or_404(run_id)
    if _withdrawn(data):
        return absent(request, run_id)
    response = render(request, "web/parts/run_status.html", _status(data))
    response["Cache-Control"] = "no-store"
    if not data.active:
        response["X-Reload"] = "true"
    return response


@require_safe
def run_envelope(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Hand out what was sent to whoever may see it: where it is not published, to those who are signed in as
    its moderators or its holder. The API hands out what is published."""
    submission = _data_or_404(run_id).submission
    if submission.state == State.WITHDRAWN or not submission_visible(submission, request.user):
        raise Http404
    content = envelope_load(digest=submission.digest, name=submission.storage_name)
    response = HttpResponse(content, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{run_id}.envelope.json"'
    response["Cache-Control"] = "private, no-store"
    return response


def disturbance_words(conditions: Mapping[str, Any], kind: str) -> str:
    """Return a sentence or two about what disturbed a kind; empty where nothing did, or nobody could tell."""
    pieces = [piece for piece in conditions.get("disturbances", ()) if piece["kind"] == kind]
    if not pieces:
        return ""
    causes = [
        f"{total:,} {one if total == 1 else many}"
        for name, one, many in _CAUSES
        if (total := sum(piece[name] for piece in pieces))
    ]
    met = sum(piece["disturbed_requests"] for piece in pieces)
    again = sum(piece["attempts"] > 1 for piece in pieces)
    sentences = [f"Disturbed while it was measured: {', '.join(causes)}." if causes else ""]
    if met:
        sentences.append(
            f"{met:,} of its requests {'was' if met == 1 else 'were'} under way then; "
            "where they are marked, they are left out."
        )
    if again:
        sentences.append(
            f"{again:,} {'piece was' if again == 1 else 'pieces were'} measured again, "
            "and the least disturbed attempt was kept."
        )
    return " ".join(sentence for sentence in sentences if sentence)
