"""An account's own pages beside those of signing in: its keys and their codes, its
tokens, its data and its end."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from server.accounts.deletion import HasRights, account_delete
from server.accounts.key_logins import Taken, TooManyCodes, key_release, login_decide, login_find
from server.accounts.models import ProbeKey, Scope, User
from server.accounts.services import (
    TooManyTokens,
    api_token_create,
    api_token_revoke,
    probe_key_revoke,
)
from server.core import clock
from server.core.rate_limit import rate_limit_hit
from server.core.text import counted, squeeze_spaces
from server.web.account_data import account_export
from server.web.page import page


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def device(request: HttpRequest) -> HttpResponse:
    """Take the code that a probe shows, say whose key it is, and have the account approve or refuse it."""
    if request.method == "POST" and "login" in request.POST:
        return _decided(request)
    code = (request.POST if request.method == "POST" else request.GET).get("code", "")[:40]
    context: dict[str, Any] = {"code": code, "login": None, "error": ""}
    if code:
        try:
            context["login"] = login_find(code=code, by=_user(request))
        except TooManyCodes as error:
            return page(request, "account/device.html", {**context, "error": str(error)}, status=429)
        if context["login"] is None:
            context["error"] = "Nothing waits under this code. Codes last a quarter of an hour: look at the "
            context["error"] += "terminal, or call diskatlas login again."
    return page(request, "account/device.html", context)


def _decided(request: HttpRequest) -> HttpResponse:
    approve = request.POST.get("decision") == "approve"
    try:
        done = login_decide(login_id=UUID(request.POST["login"]), by=_user(request), approve=approve)
    except Taken as error:
        return page(request, "account/device.html", {"error": str(error), "login": None}, status=409)
    except ValueError:
        done = None
    if not done:
        messages.error(request, "The code has expired, or was decided about before.")
    elif approve:
        _notify(request, "key-added")
        messages.success(request, "The key is yours now. The probe says so too.")
    else:
        messages.success(request, "Refused. If you did not ask for it, somebody sent you that link.")
    return HttpResponseRedirect(reverse("account-keys"))


@never_cache
@require_safe
@login_required
def key_list(request: HttpRequest) -> HttpResponse:
    """List the account's keys."""
    keys = _user(request).probe_keys.annotate(runs=Count("submissions__run")).order_by("-first_seen_at")
    return page(request, "account/keys.html", {"keys": keys})


@never_cache
@require_POST
@login_required
def key_change(request: HttpRequest, key_id: int) -> HttpResponse:
    """Rename a key of the account, revoke it, or let it go."""
    key = _user(request).probe_keys.filter(pk=key_id).first()
    if key is None:
        raise Http404
    answer: HttpResponse = _key_changed(request, key)
    return answer


@reauthentication_required  # type: ignore[untyped-decorator]  # allauth has no types
def _key_changed(request: HttpRequest, key: ProbeKey) -> HttpResponse:
    notice, words = _change(key, request.POST)
    if notice:
        _notify(request, notice)
    if words:
        messages.success(request, words)
    return HttpResponseRedirect(reverse("account-keys"))


def _change(key: ProbeKey, form: Any) -> tuple[str, str]:
    """Return the notice that is mailed of a change, and what the next page says."""
    action = form.get("action")
    if action == "rename":
        key.name = squeeze_spaces(form.get("name", ""))[:60]
        key.save(update_fields=["name"])
        return "", "The key has its name."
    if action == "revoke":
        probe_key_revoke(key=key, since=clock.now())
        return "key-revoked", "The key is revoked: nothing more is taken that it signs."
    if action == "release":
        key_release(key=key)
        return "key-released", "The key is no longer this account's."
    return "", ""


def _notify(request: HttpRequest, notice: str) -> None:
    """Tell the account by mail what was done, and from where: it may have been somebody else."""
    get_adapter(request).send_notification_mail(notice, _user(request))


DAYS = (30, 90, 365)
"""How long a token may last, which is chosen: a forgotten one should end by itself."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@reauthentication_required(allow_get=True)  # type: ignore[untyped-decorator]  # a token outlasts the session
def token_list(request: HttpRequest) -> HttpResponse:
    """List the account's API tokens; make one, whose secret the answer alone shows."""
    context: dict[str, Any] = {"secret": "", "error": "", "scopes": Scope.choices, "days": DAYS}
    status = 200
    if request.method == "POST":
        try:
            context["secret"] = _token_made(request)
        except (TooManyTokens, ValueError) as error:
            context["error"], status = str(error), 400
    tokens = _user(request).api_tokens.order_by("-created_at")[:200]
    return page(
        request, "account/tokens.html", {**context, "tokens": tokens, "now": clock.now()}, status=status
    )


def _token_made(request: HttpRequest) -> str:
    """Return the secret of a new token; raises TooManyTokens, and ValueError for a form that makes none."""
    name = squeeze_spaces(request.POST.get("name", ""))[:100]
    scopes = [scope for scope in request.POST.getlist("scope") if scope in Scope.values]
    days = request.POST.get("days", "")
    if not name or not scopes or days not in map(str, DAYS):
        raise ValueError("A token needs a name, something that it may do, and a day on which it ends.")
    ends = clock.now() + timedelta(days=int(days))
    secret = api_token_create(owner=_user(request), name=name, scopes=scopes, expires_at=ends)[1]
    _notify(request, "token-made")
    return secret


@never_cache
@require_POST
@login_required
def token_end(request: HttpRequest, token_id: int) -> HttpResponse:
    """End a token of the account."""
    token = _user(request).api_tokens.filter(pk=token_id).first()
    if token is None:
        raise Http404
    api_token_revoke(token=token)
    messages.success(request, "The token is no longer taken.")
    return HttpResponseRedirect(reverse("account-tokens"))


@never_cache
@require_POST
@login_required
def session_end(request: HttpRequest, session_id: int) -> HttpResponse:
    """End one session of the account; that of this browser ends by signing out."""
    session = UserSession.objects.filter(user=_user(request), pk=session_id).first()
    if session is None:
        raise Http404
    if session.session_key == request.session.session_key:
        return HttpResponseRedirect(reverse("account_logout"))
    session.end()
    messages.success(request, "The session is ended: whoever had it has to sign in again.")
    return HttpResponseRedirect(reverse("usersessions_list"))


@never_cache
@require_safe
@login_required
def data(request: HttpRequest) -> HttpResponse:
    """Say what is kept of the account, and lead to its download and deletion."""
    return page(request, "account/data.html", {"error": ""})


EXPORTS, EXPORTS_S = 10, 3600


@never_cache
@require_safe
@login_required
@reauthentication_required  # type: ignore[untyped-decorator]  # allauth has no types
def data_download(request: HttpRequest) -> HttpResponseBase:
    """Hand out all that is kept of the account."""
    user = _user(request)
    limit = rate_limit_hit(policy="account-data", client=str(user.pk), quota=EXPORTS, window_s=EXPORTS_S)
    if limit.exceeded:
        words = f"It was asked for {EXPORTS} times within an hour, the limit. Try again in "
        words += f"{counted(limit.reset_s // 60 + 1, 'minute')}."
        return page(request, "account/data.html", {"error": words}, status=429)
    site = request.build_absolute_uri("/").rstrip("/")
    response = StreamingHttpResponse(account_export(user=user, site=site), content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="diskatlas-account.json"'
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@reauthentication_required  # type: ignore[untyped-decorator]  # allauth has no types
def delete(request: HttpRequest) -> HttpResponse:
    """Say what a deletion ends and what stays; delete the account."""
    if request.method != "POST":
        return page(request, "account/delete.html", {"error": ""})
    try:
        account_delete(user=_user(request))
    except HasRights as error:
        return page(request, "account/delete.html", {"error": str(error)}, status=409)
    logout(request)
    messages.success(request, "The account is deleted.")
    return HttpResponseRedirect(reverse("account_login"))


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
