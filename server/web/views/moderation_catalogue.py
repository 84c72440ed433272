"""Moderators' pages for names: models and vendors merged, split and named otherwise, with the log of it that
everybody may read without the names of who did it."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from server.accounts.models import User
from server.catalog.models import DriveAlias, DriveModel, DriveRedirect, Vendor
from server.core.text import printable
from server.submissions import catalogue_changes as changes
from server.submissions.models import CatalogueChange
from server.submissions.moderation import PERMISSION, SHORTEST_REASON, NoReason
from server.web.page import page
from server.web.views.moderation import moderators_only

PER_PAGE = 50
_REFUSED = (changes.NotPossible, NoReason)


@never_cache
@require_safe
def log(request: HttpRequest) -> HttpResponse:
    """Show every change of names with its reason; moderators also see whose it was, and undo it."""
    user = request.user
    named = user.is_active and user.has_perm(PERMISSION)
    if named and (slug := printable(request.GET.get("model", "")).strip().strip("/").rpartition("/")[2]):
        moved = DriveRedirect.objects.filter(slug=slug).values_list("drive_model__slug", flat=True).first()
        if moved or DriveModel.objects.filter(slug=slug).exists():
            return HttpResponseRedirect(reverse("catalogue-model", args=[moved or slug]))
        messages.error(request, f"No model has the address “{slug}”.")
    rows = CatalogueChange.objects.select_related("by").annotate(
        undone=Exists(CatalogueChange.objects.filter(undoes=OuterRef("pk")))
    )
    context = {
        "pages": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "named": named,
        "shortest_reason": SHORTEST_REASON,
    }
    return page(request, "web/moderation/catalogue.html", context, section="about")


@require_http_methods(["POST"])
@moderators_only
def undo(request: HttpRequest, change_id: int) -> HttpResponse:
    """Take a change back."""
    change = CatalogueChange.objects.filter(pk=change_id).first()
    if change is None:
        raise Http404
    done = _tried(request, lambda by, reason: changes.change_undo(change=change, by=by, reason=reason))
    if done:
        messages.success(request, "Undone. Both rows stay in the log.")
    return HttpResponseRedirect(reverse("catalogue-changes"))


@require_http_methods(["GET", "HEAD", "POST"])
@moderators_only
def model(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what a model is called and what its devices said, and merge, split or name it."""
    found = DriveModel.objects.select_related("vendor").filter(slug=slug).first()
    if found is None:
        raise Http404
    if request.method == "POST":
        done = _tried(request, lambda by, reason: _act(request, found, by, reason))
        if done:
            messages.success(request, "Done. The change stands in the log, where it can be undone.")
            there = DriveModel.objects.filter(pk=found.pk).exists()
            address = reverse("catalogue-model", args=[slug]) if there else reverse("catalogue-changes")
            return HttpResponseRedirect(address)
        return HttpResponseRedirect(reverse("catalogue-model", args=[slug]))
    counts = DriveModel.objects.filter(pk=found.pk).aggregate(
        runs=Count("runs", distinct=True),
        units=Count("units", distinct=True),
        claims=Count("claims", distinct=True),
        values=Count("literature_values", distinct=True),
        follows=Count("follows", distinct=True),
    )
    context = {
        "model": found,
        "counts": counts,
        "aliases": found.aliases.order_by("text"),
        "strings": {text: len(runs) for text, runs in sorted(changes.device_strings(found).items())},
        "redirects": found.redirects.all(),
        "shortest_reason": SHORTEST_REASON,
    }
    return page(request, "web/moderation/catalogue_model.html", context, section="moderation")


def _act(request: HttpRequest, found: DriveModel, by: User, reason: str) -> CatalogueChange:
    """Do what the form asks for; raises NotPossible where it asks for nothing that there is."""
    sent = {name: printable(request.POST.get(name, "")) for name in request.POST}
    match sent.get("act", ""):
        case "merge":
            target = DriveModel.objects.select_related("vendor").filter(slug=sent.get("into", "")).first()
            if target is None:
                raise changes.NotPossible("No model has that address. Copy it from the model's page.")
            return changes.models_merge(source=found, target=target, by=by, reason=reason)
        case "split":
            return changes.model_split(
                source=found,
                strings=request.POST.getlist("string"),
                number=sent.get("number", ""),
                by=by,
                reason=reason,
            )
        case "name":
            return changes.alias_add(model=found, text=sent.get("text", ""), by=by, reason=reason)
        case "unname":
            aliases = found.aliases.select_related("drive_model__vendor")
            alias: DriveAlias | None = aliases.filter(text=sent.get("text", "")).first()
            if alias is None:
                raise changes.NotPossible("That name is gone already.")
            return changes.alias_remove(alias=alias, by=by, reason=reason)
        case "vendors":
            into = Vendor.objects.filter(slug=sent.get("into", "")).first()
            if into is None:
                raise changes.NotPossible("No vendor has that address. /api/v1/vendors/ lists them.")
            return changes.vendors_merge(source=found.vendor, target=into, by=by, reason=reason)
    raise changes.NotPossible("Nothing was changed: choose what to do.")


def _tried(request: HttpRequest, act: Callable[[User, str], object]) -> bool:
    assert isinstance(request.user, User)
    try:
        act(request.user, request.POST.get("reason", ""))
    except _REFUSED as refused:
        messages.error(request, str(refused))
        return False
    return True
