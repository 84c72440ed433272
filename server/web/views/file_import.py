"""Importing in the browser: files are dropped, read, shown, and published once their sender consents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.core.files.uploadhandler import MemoryFileUploadHandler
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from server.benchmarks.registry import kinds_by_slug
from server.core.problems import Problem
from server.core.rate_limit import client_address, limit_client, rate_limit_hit
from server.core.text import counted
from server.measurements.documents import timings_count
from server.submissions.file_import import (
    OFFER_LASTS_S,
    AlreadyImported,
    import_publish,
    import_withdraw,
    offer_make,
    offer_read,
    own_submission,
    own_token,
)
from server.submissions.import_program import (
    MOST_BYTES,
    MOST_FILES,
    CannotRead,
    DriveFacts,
    DroppedFile,
    NotRead,
    files_read,
    import_program,
)
from server.submissions.selectors import submission_run
from server.submissions.validation import LICENSES
from server.web.page import page

_TEMPLATE = "web/file_import.html"
_FRAME_BYTES = 1024**2
"""What a request may take beside its files."""
_WHOLE_CHARACTERS = 40_000
"""Of a document that is shown with its samples."""
_read_or_post = require_http_methods(["GET", "HEAD", "POST"])


class _InMemory(MemoryFileUploadHandler):
    """Keeps files out of temporary files: nothing of them is written before their sender consents."""

    def handle_raw_input(self, *args: Any, **kwargs: Any) -> None:
        self.activated = True


@never_cache
@csrf_exempt  # `_checked` asks for the token, once the size was looked at and files stay in memory.
@_read_or_post
def file_import(request: HttpRequest) -> HttpResponse:
    """Show the form; read what was dropped, and show it; publish what its sender consented to."""
    if request.method != "POST":
        return _form(request)
    try:
        length = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        length = 0
    if length > MOST_BYTES + _FRAME_BYTES:
        words = f"The files have more than {MOST_BYTES >> 20} MiB together, which is the limit here. The "
        return _form(request, error=words + "program takes more.", status=413)
    request.upload_handlers = [_InMemory(request)]
    return _checked(request)


@csrf_protect
def _checked(request: HttpRequest) -> HttpResponse:
    return _publish(request) if "offer" in request.POST else _read(request)


@never_cache
@_read_or_post
def own_import(request: HttpRequest, token: str) -> HttpResponse:
    """Show what became of a run to whoever imported it, and take it back where they say so."""
    submission = own_submission(token)
    if submission is None:
        raise Http404
    if request.method == "POST":
        import_withdraw(submission)
        return HttpResponseRedirect(request.path)
    run = submission_run(submission)
    context = {"submission": submission, "run": run, "address": request.build_absolute_uri()}
    # The address holds the right to take the run back. The site's referrer policy tells it to no other site;
    # a stricter one would leave forms without an origin, and so without effect.
    return page(request, "web/file_import_own.html", context, section="contribute")


def _form(request: HttpRequest, *, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "step": "choose",
        "able": import_program() is not None,
        "most_mib": MOST_BYTES >> 20,
        "most_files": MOST_FILES,
        "facts": {},
        "error": "",
        "refused": None,
        "known": None,
        **more,
    }
    return page(request, _TEMPLATE, context, section="contribute", status=status)


def _read(request: HttpRequest) -> HttpResponse:
    """Read the files of the form and show what would be published."""
    given = {name: request.POST.get(name, "").strip()[:256] for name in _FACTS}
    uploads = request.FILES.getlist("files")
    if words := _too_often(request, "file-import", "Files were read for your address"):
        return _form(request, facts=given, error=words, status=429)
    if not 1 <= len(uploads) <= MOST_FILES:
        words = f"{counted(len(uploads), 'file')} came. Choose one to {MOST_FILES}, of one drive."
        return _form(request, facts=given, error=words, status=422)
    try:
        facts = DriveFacts(**{name: _FACTS[name](text) for name, text in given.items() if text})
    except ValueError as error:
        return _form(request, facts=given, error=str(error), status=422)
    files = [DroppedFile(upload.name or "file", upload.read()) for upload in uploads]
    try:
        document = files_read(files, facts)
        offer = offer_make(document)
    except NotRead as error:
        return _form(request, facts=given, refused=error, status=422)
    except CannotRead as error:
        return _form(request, facts=given, error=str(error), status=503)
    except Problem as trouble:
        return _form(request, facts=given, error=trouble.detail, status=422)
    return _preview(request, document, offer)


def _preview(
    request: HttpRequest, document: dict[str, Any], offer: str, *, error: str = "", status: int = 200
) -> HttpResponse:
    parts = [
        (kinds_by_slug()[part["kind"]].title, len(part["samples"]["series"]), timings_count(part["samples"]))
        for part in document["benchmarks"]
    ]
    whole = orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()
    if len(whole) > _WHOLE_CHARACTERS:
        short = {**document, "benchmarks": [{**part, "samples": "..."} for part in document["benchmarks"]]}
        whole = orjson.dumps(short, option=orjson.OPT_INDENT_2).decode()
    context = {
        "step": "consent",
        "document": document,
        "parts": parts,
        "whole": whole[: 2 * _WHOLE_CHARACTERS],
        "offer": offer,
        "hours": OFFER_LASTS_S // 3600,
        "licenses": LICENSES,
        "error": error,
    }
    return page(request, _TEMPLATE, context, section="contribute", status=status)


def _too_often(request: HttpRequest, policy: str, what: str) -> str:
    """Count a request that costs much, and return why it is one too many; empty where it is not."""
    quota = settings.IMPORTS_PER_HOUR
    state = rate_limit_hit(policy=policy, client=limit_client(request), quota=quota, window_s=3600)
    if not state.exceeded:
        return ""
    words = f"{what} {quota} times within the hour, which is the limit. Try again in "
    return f"{words}{counted(state.reset_s, 'second')}, or import them with the program."


def _publish(request: HttpRequest) -> HttpResponse:
    # An offer of some kilobytes may hold a document of many megabytes.
    if words := _too_often(request, "file-import-consent", "Runs were sent from your address"):
        return _form(request, error=words, status=429)
    offer, license = request.POST["offer"], request.POST.get("license", "")
    document = offer_read(offer)
    if document is None:
        words = "What you were shown is too old, or was changed on its way. Choose the files again."
        return _form(request, error=words, status=422)
    if license not in LICENSES or "consent" not in request.POST:
        words = "Choose a licence, and say that you may publish this: nothing is kept otherwise."
        return _preview(request, document, offer, error=words, status=422)
    try:
        import_publish(document=document, license=license, address=client_address(request))
    except AlreadyImported as known:
        return _form(request, known=known.run_id, status=409)
    except Problem as trouble:
        return _preview(request, document, offer, error=trouble.detail, status=trouble.type.status)
    return HttpResponseRedirect(reverse("own-import", args=[own_token(UUID(document["run_id"]))]))


# ---- What a person says of the drive.


def _number(name: str, low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        digits = text.replace(" ", "").replace(",", "").replace(".", "")
        if not digits.isascii() or not digits.isdigit() or not low <= int(digits) <= high:
            raise ValueError(f"{name} is {text!r}. It is a whole number from {low:,} to {high:,}.")
        return int(digits)

    return read


def _rotational(text: str) -> bool:
    if text not in ("yes", "no"):
        raise ValueError("Whether the drive turns is yes or no.")
    return text == "yes"


_FACTS: dict[str, Callable[[str], Any]] = {
    "model": str,
    "capacity_bytes": _number("The capacity in bytes", 512, 2**53 - 1),
    "block_bytes": _number("The block in bytes", 256, 1_048_576),
    "rotational": _rotational,
    "device": str,
    "offset_gib": _number("The offset in GiB", 0, 2**30),
    "source": str,
}
