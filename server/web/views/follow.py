"""Following a drive: by feed, mail or webhook; and the links that mails carry."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from server.core.rate_limit import limit_client, rate_limit_hit
from server.measurements.selectors import drive_model_public
from server.subscriptions.messages import confirm_read, stop_read
from server.subscriptions.models import Subscription
from server.subscriptions.services import BadMail, follow_by_mail, follow_confirm, follow_find, follow_stop
from server.web.page import page

read_or_post = require_http_methods(["GET", "HEAD", "POST"])
_TEMPLATE = "web/follow.html"


@never_cache
@read_or_post
def follow(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the ways to follow a drive; take a mail address."""
    model = drive_model_public(slug=slug)
    if model is None:
        raise Http404
    context = {
        "model": model,
        "server_url": request.build_absolute_uri("/").rstrip("/"),
        "hours": settings.FOLLOW_CONFIRM_HOURS,
        "asked": "asked" in request.GET,
        "mail": "",
        "simulated": False,
        "error": "",
    }
    if request.method != "POST":
        return page(request, _TEMPLATE, context, section="drives")
    mail, simulated = request.POST.get("mail", ""), request.POST.get("simulated") == "1"
    context |= {"mail": mail[:254], "simulated": simulated}
    if not _may_ask(request):
        context["error"] = "Too many addresses were given from here within the hour. Try again later."
        return page(request, _TEMPLATE, context, section="drives", status=429)
    try:
        follow_by_mail(model=model, mail=mail, simulated=simulated)
    except BadMail as error:
        return page(request, _TEMPLATE, {**context, "error": str(error)}, section="drives", status=400)
    return HttpResponseRedirect(f"{request.path}?asked#mail-title")


@never_cache
@csrf_exempt  # The link's signature says who may; it comes from a mail, where no cookie is.
@read_or_post
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Confirm a follow. A look at the address alone does nothing: mail programs look at every link."""
    follow_id = confirm_read(token)
    if request.method == "POST" and follow_id is not None:
        begun = follow_confirm(follow_id=follow_id)
        return _answer(request, begun, "confirmed" if begun else "expired")
    found = _found(follow_id)
    if found is not None and found.state == Subscription.State.ACTIVE:
        return _answer(request, found, "confirmed")
    return _answer(request, found, "confirm" if found else "expired")


@never_cache
@csrf_exempt  # As above; RFC 8058 has mail programs post here by themselves.
@read_or_post
def stop(request: HttpRequest, token: str) -> HttpResponse:
    """End a follow, at once where a person or a mail program posts."""
    follow_id = stop_read(token)
    found = _found(follow_id)
    if follow_id is None:
        return _answer(request, None, "expired")
    if request.method == "POST":
        follow_stop(follow_id=follow_id, all_of_address=request.POST.get("all") == "1")
        return _answer(request, found, "stopped")
    return _answer(request, found, "stop" if found else "stopped")


def _found(follow_id: UUID | None) -> Subscription | None:
    return follow_find(follow_id=follow_id) if follow_id is not None else None


def _answer(request: HttpRequest, follow: Subscription | None, step: str) -> HttpResponse:
    model = follow.drive_model if follow else None
    status = 404 if step == "expired" else 200
    context = {"step": step, "model": model}
    response = page(request, "web/follow_link.html", context, section="drives", status=status)
    # The address holds the right to end the follow: no other site is told it.
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def _may_ask(request: HttpRequest) -> bool:
    """Count how often mail was asked for from one address within the hour."""
    quota = settings.FOLLOW_MAILS_PER_HOUR
    state = rate_limit_hit(policy="follow", client=limit_client(request), quota=quota, window_s=3600)
    return not state.exceeded
