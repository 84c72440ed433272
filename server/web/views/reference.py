"""Pages that explain: methods, problems, schemas, licences, and how to contribute."""

from __future__ import annotations

import json
from pathlib import Path

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from server.benchmarks.registry import kinds_by_slug
from server.core.problems import PROBLEM_TYPES
from server.web.assets import license_files
from server.web.downloads import download_name, download_path, downloads_list, help_list, release_read
from server.web.methods import method_groups, read_about, render_markdown, split_title
from server.web.page import page

CLAIMS_ABOUT = Path(__file__).resolve().parents[2] / "claims" / "about.md"
ESSAYS = {
    "statistics": Path(__file__).resolve().parents[2] / "model_stats",
    "log": Path(__file__).resolve().parents[1] / "essays" / "log",
    "standing": Path(__file__).resolve().parents[1] / "essays" / "standing",
    "words": Path(__file__).resolve().parents[1] / "essays" / "words",
}
"""Methods that belong to no kind: address to the folder of their `about.md`."""
CORE_SCHEMAS = Path(__file__).resolve().parents[2] / "core" / "schema"


@require_safe
def contribute(request: HttpRequest) -> HttpResponse:
    """Show how to measure a drive, safety first, and how to send the result."""
    downloads = downloads_list()
    context = {
        "downloads": downloads,
        "download_name": download_name(downloads),
        "help_files": help_list(),
        "release": release_read(Path(settings.DOWNLOADS_DIR), downloads),
        "server_url": request.build_absolute_uri("/").rstrip("/"),
    }
    return page(request, "web/contribute.html", context, section="contribute")


@require_safe
def download(request: HttpRequest, name: str) -> HttpResponseBase:
    """Answer with a binary of the probe, or a file that goes with it."""
    path = download_path(name)
    if path is None:
        raise Http404
    return FileResponse(path.open("rb"), as_attachment=True, filename=name)


@require_safe
def method_list(request: HttpRequest) -> HttpResponse:
    """Show the benchmark kinds by topic, and what is made of their numbers."""
    groups = method_groups(kinds_by_slug().values())
    return page(request, "web/methods.html", {"groups": groups}, section="methods")


@require_safe
def method_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a kind: what it measures, how to read it, and the definition of each of its metrics; or a method
    that belongs to no kind."""
    if slug in ESSAYS:
        title, text = split_title(read_about(ESSAYS[slug]))
        essay = {"title": title, "text": render_markdown(text)}
        return page(request, "web/method_text.html", essay, section="methods")
    kind = kinds_by_slug().get(slug)
    if kind is None:
        raise Http404
    _title, text = split_title(read_about(kind.folder))
    metrics = [(metric.key.partition(".")[2], metric) for metric in kind.metrics]
    about = render_markdown(text, figures_url=f"{request.path}figures/")
    context = {"kind": kind, "about": about, "metrics": metrics}
    return page(request, "web/method.html", context, section="methods")


@require_safe
@cache_control(public=True, max_age=3600)
def method_figure(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """Answer with a picture of a method's text."""
    kind = kinds_by_slug().get(slug)
    path = kind.folder / "figures" / f"{name}.svg" if kind else None
    if path is None or not path.is_file():
        raise Http404
    return FileResponse(path.open("rb"), content_type="image/svg+xml; charset=utf-8")


@require_safe
def method_claims(request: HttpRequest) -> HttpResponse:
    """Show how a vendor's claim is judged."""
    title, text = split_title(CLAIMS_ABOUT.read_text(encoding="utf-8"))
    return page(
        request, "web/method_text.html", {"title": title, "text": render_markdown(text)}, section="methods"
    )


@require_safe
def problem_list(request: HttpRequest) -> HttpResponse:
    """Show the problem types of the API."""
    return page(request, "web/problems.html", {"problems": list(PROBLEM_TYPES.values())})


@require_safe
def problem_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """Explain one problem type."""
    if slug not in PROBLEM_TYPES:
        raise Http404
    return page(request, "web/problem.html", {"problem": PROBLEM_TYPES[slug]})


def _schema_file(name: str) -> Path | None:
    if name in ("run", "command"):
        return CORE_SCHEMAS / f"{name}-v1.json"
    kind = kinds_by_slug().get(name)
    return kind.folder / "schema" / "v1.json" if kind else None


@require_safe
def schema_list(request: HttpRequest) -> HttpResponse:
    """Show the published schemas."""
    return page(request, "web/schemas.html", {"kinds": list(kinds_by_slug().values())})


@require_safe
def schema_detail(request: HttpRequest, name: str) -> HttpResponse:
    """Answer with a schema, as the archive and the probe check by it."""
    path = _schema_file(name)
    if path is None or not path.is_file():
        raise Http404
    text = path.read_text(encoding="utf-8")
    json.loads(text)  # A broken schema is a server error here, not a puzzle for the reader.
    response = HttpResponse(text, content_type="application/schema+json")
    response["Cache-Control"] = "public, max-age=3600"
    return response


@require_safe
def licenses(request: HttpRequest) -> HttpResponse:
    """Show under which terms data and software stand."""
    return page(request, "web/licenses.html", {"files": license_files()})
