"""Moderators' changes of what models and vendors are called: merging, splitting and other names. Each is a
row with its author and reason, keeps addresses, and is undone by another row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from server.accounts.models import User
from server.catalog.models import DriveAlias, DriveModel, DriveRedirect, Vendor, VendorAlias
from server.catalog.services import drive_model_search_text_update
from server.catalog.signals import catalogue_changed
from server.core import clock
from server.core.cache import model_tag, purge_on_commit
from server.core.locks import transaction_lock
from server.core.text import normalize_name, squeeze_spaces
from server.measurements.models import Batch, Run, Unit
from server.submissions.events import models_due
from server.submissions.model_merge import drive_model_merge
from server.submissions.models import CatalogueChange
from server.submissions.moderation import PERMISSION, SHORTEST_REASON, NoReason
from server.subscriptions.models import Subscription

Action = CatalogueChange.Action
_Row = TypeVar("_Row", DriveModel, DriveAlias, Vendor)
_KEPT_FIELDS = [
    field.attname for field in DriveModel._meta.concrete_fields if field.attname not in ("updated_at",)
]


class NotPossible(Exception):
    """The change would contradict what is there; the message says what, and what to do."""


@transaction.atomic
def models_merge(*, source: DriveModel, target: DriveModel, by: User, reason: str) -> CatalogueChange:
    """Make one model of two: all of `source` goes to `target`, and its address and its devices' strings lead
    there. Raises NotPossible, NoReason, PermissionDenied."""
    reason = _checked(by, reason)
    source, target = _present(source), _present(target)
    if source.pk == target.pk:
        raise NotPossible("That is one model already. Name another one.")
    if source.simulated != target.simulated:
        raise NotPossible("One of them exists in a simulator alone: measured and simulated never meet.")
    if source.loaded_digest:
        raise NotPossible(
            f"{source.title} stands in the catalogue's files, which would bring it again. Merge the other "
            "way."
        )
    strings = list(device_strings(source)) or [f"{source.vendor.name} {source.number}"]
    details: dict[str, Any] = {
        "source": {name: getattr(source, name) for name in _KEPT_FIELDS},
        "target": target.pk,
        "runs": [str(pk) for pk in source.runs.values_list("pk", flat=True)],
        **{
            name: list(getattr(source, name).values_list("pk", flat=True))
            for name in ("aliases", "claims", "literature_values", "follows", "redirects")
        },
    }
    title = f"{source.title} into {target.title}"
    try:
        with transaction.atomic():
            drive_model_merge(source=source, target=target, reason=reason)
    except IntegrityError as error:
        raise NotPossible(
            f"{title}: both have the same claim or published value. Remove one of the two first."
        ) from error
    details["aliases_made"] = _aliases_make(target, strings)
    _follow(target)
    return _added(Action.MERGED, title, reason, by, details)


@transaction.atomic
def model_split(
    *, source: DriveModel, strings: Collection[str], number: str, by: User, reason: str
) -> CatalogueChange:
    """Move the runs of devices that said one of `strings` to the model of that number by the same vendor,
    which is made where it is not there; such devices are filed there from now on.

    Raises NotPossible, NoReason, PermissionDenied.
    """
    reason = _checked(by, reason)
    source = _present(source)
    there = device_strings(source)
    chosen = [text for text in there if text in strings]
    number = squeeze_spaces(number)[:256]
    normalized = normalize_name(number)[:512]
    if not chosen or len(chosen) == len(there):
        raise NotPossible("Choose some of the strings, not all: what is left stays with the model.")
    if not normalized or normalized == source.normalized:
        raise NotPossible("Give the number of the other model: it can't be the same, nor empty.")
    target, made = DriveModel.objects.get_or_create(
        vendor=source.vendor,
        normalized=normalized,
        defaults={
            "number": number,
            "slug": _free_slug(f"{source.vendor.name} {number}"),
            "family": source.family,
            "simulated": source.simulated,
            # A person says so: makers' tables are not asked again.
            "curated": True,
        },
    )
    if target.simulated != source.simulated:
        raise NotPossible("One of them exists in a simulator alone: measured and simulated never meet.")
    runs = [pk for text in chosen for pk in there[text]]
    keys = {normalize_name(text)[:512] for text in chosen}
    moved = source.aliases.filter(normalized__in=keys)
    details = {
        "source": source.pk,
        "target": target.pk,
        "made": made,
        "runs": [str(pk) for pk in runs],
        "aliases": list(moved.values_list("pk", flat=True)),
    }
    moved.update(drive_model=target)
    runs_move(runs=runs, target=target)
    details["aliases_made"] = _aliases_make(target, chosen)
    _follow(source, target)
    return _added(Action.SPLIT, f"{target.title} out of {source.title}", reason, by, details)


@transaction.atomic
def alias_add(*, model: DriveModel, text: str, by: User, reason: str) -> CatalogueChange:
    """Have a string mean a model from now on. Raises NotPossible, NoReason, PermissionDenied."""
    reason = _checked(by, reason)
    model = _present(model)
    text = squeeze_spaces(text)[:512]
    key = normalize_name(text)[:512]
    other = DriveAlias.objects.select_related("drive_model__vendor").filter(normalized=key).first()
    if not key or other is not None:
        meant = f"It means {other.drive_model.title} already." if other else "It has no letter or digit."
        raise NotPossible(f"“{text}” is no new name. {meant}")
    alias = DriveAlias.objects.create(drive_model=model, text=text, normalized=key)
    _follow(model)
    details = {"model": model.pk, "alias": alias.pk, "text": text}
    return _added(Action.ALIAS_ADDED, f"“{text}” for {model.title}", reason, by, details)


@transaction.atomic
def alias_remove(*, alias: DriveAlias, by: User, reason: str) -> CatalogueChange:
    """Have a string mean a model no more. Raises NotPossible, NoReason, PermissionDenied."""
    reason = _checked(by, reason)
    alias = _present(alias)
    model, text = alias.drive_model, alias.text
    alias.delete()
    _follow(model)
    details = {"model": model.pk, "text": text}
    return _added(Action.ALIAS_REMOVED, f"“{text}” for {model.title}", reason, by, details)


@transaction.atomic
def vendors_merge(*, source: Vendor, target: Vendor, by: User, reason: str) -> CatalogueChange:
    """Make one vendor of two: models and other names go to `target`; models keep their addresses.

    Raises NotPossible, NoReason, PermissionDenied.
    """
    reason = _checked(by, reason)
    source, target = _present(source), _present(target)
    if source.pk == target.pk:
        raise NotPossible("That is one vendor already. Name another one.")
    both = source.drive_models.filter(normalized__in=target.drive_models.values("normalized"))
    if named := sorted(both.values_list("number", flat=True)):
        raise NotPossible(f"Both have a model {', '.join(named[:5])}. Merge those models first.")
    details: dict[str, Any] = {
        "source": source.pk,
        "source_slug": source.slug,
        "target": target.pk,
        "models": list(source.drive_models.values_list("pk", flat=True)),
        "aliases": list(source.aliases.values_list("pk", flat=True)),
    }
    models = list(source.drive_models.all())
    DriveModel.objects.filter(pk__in=details["models"]).update(vendor=target)
    source.aliases.update(vendor=target)
    made, new = VendorAlias.objects.get_or_create(
        normalized=source.normalized, defaults={"vendor": target, "text": source.name}
    )
    details["aliases_made"] = [made.pk] if new else []
    _follow(*DriveModel.objects.filter(pk__in=[model.pk for model in models]))
    return _added(Action.VENDORS_MERGED, f"{source.name} into {target.name}", reason, by, details)


@transaction.atomic
def change_undo(*, change: CatalogueChange, by: User, reason: str) -> CatalogueChange:
    """Take a change back: rows that it moved go where they were, as far as they are still where it put them.

    Raises NotPossible, NoReason, PermissionDenied.
    """
    reason = _checked(by, reason)
    transaction_lock("catalog")
    if change.action not in _UNDO or CatalogueChange.objects.filter(undoes=change).exists():
        raise NotPossible("That was undone already, or is an undoing itself: make the change anew.")
    try:
        with transaction.atomic():
            _UNDO[change.action](change.details)
    except (IntegrityError, DriveModel.DoesNotExist, Vendor.DoesNotExist) as error:
        raise NotPossible(
            "What it changed has changed since: a model or name of it is gone, or taken by another. Undo the "
            "later change first."
        ) from error
    return _added(Action.UNDONE, f"{change.get_action_display()}: {change.title}", reason, by, {}, change)


def device_strings(model: DriveModel) -> dict[str, list[UUID]]:
    """Return what devices of a model's runs said of themselves, vendor and model, each with its runs."""
    found: dict[str, list[UUID]] = defaultdict(list)
    rows = Run.objects.filter(drive_model=model).order_by("created_at", "pk")
    for pk, vendor, number in rows.values_list("pk", "summary__device__vendor", "summary__device__model"):
        found[squeeze_spaces(f"{vendor or ''} {number or ''}")].append(pk)
    return dict(found)


def runs_move(*, runs: Collection[UUID], target: DriveModel) -> None:
    """File runs under a model, with their drives and batches; what is computed of it follows later."""
    moving = Run.objects.filter(pk__in=runs)
    for unit in list(Unit.objects.filter(runs__in=moving).exclude(drive_model=target).distinct()):
        mine, _new = Unit.objects.get_or_create(
            drive_model=target, digest=unit.digest, defaults={"first_seen_at": unit.first_seen_at}
        )
        moving.filter(unit=unit).update(unit=mine)
        if not unit.runs.exists():
            unit.delete()
    for batch in list(Batch.objects.filter(runs__in=moving).exclude(drive_model=target).distinct()):
        same, _new = Batch.objects.get_or_create(
            drive_model=target, year=batch.year, week=batch.week, label=batch.label
        )
        moving.filter(batch=batch).update(batch=same)
        if not Run.objects.filter(batch=batch).exists():
            batch.delete()
    moving.update(drive_model=target)


def _unmerge(details: dict[str, Any]) -> None:
    target = DriveModel.objects.get(pk=details["target"])
    fields = details["source"]
    DriveRedirect.objects.filter(slug=fields["slug"], drive_model=target).delete()
    source = DriveModel.objects.create(**fields)
    DriveAlias.objects.filter(pk__in=details["aliases_made"], drive_model=target).delete()
    for related, name in (
        (DriveAlias.objects, "aliases"),
        (target.claims.model._default_manager, "claims"),
        (target.literature_values.model._default_manager, "literature_values"),
        (Subscription.objects, "follows"),
        (DriveRedirect.objects, "redirects"),
    ):
        related.filter(pk__in=details[name], drive_model=target).update(drive_model=source)
    there = Run.objects.filter(pk__in=details["runs"], drive_model=target)
    runs_move(runs=list(there.values_list("pk", flat=True)), target=source)
    _follow(source, target)


def _unsplit(details: dict[str, Any]) -> None:
    source = DriveModel.objects.get(pk=details["source"])
    target = DriveModel.objects.get(pk=details["target"])
    DriveAlias.objects.filter(pk__in=details["aliases_made"], drive_model=target).delete()
    DriveAlias.objects.filter(pk__in=details["aliases"], drive_model=target).update(drive_model=source)
    there = Run.objects.filter(pk__in=details["runs"], drive_model=target)
    runs_move(runs=list(there.values_list("pk", flat=True)), target=source)
    hanging = (target.runs, target.claims, target.literature_values, target.aliases)
    if details["made"] and not any(one.exists() for one in hanging):
        # Its address was given out: it leads to where its runs are.
        drive_model_merge(source=target, target=source, reason="The split that made it was undone.")
        _follow(source)
    else:
        _follow(source, target)


def _unalias(details: dict[str, Any]) -> None:
    model = DriveModel.objects.get(pk=details["model"])
    DriveAlias.objects.filter(pk=details["alias"], drive_model=model).delete()
    _follow(model)


def _realias(details: dict[str, Any]) -> None:
    model, text = DriveModel.objects.get(pk=details["model"]), details["text"]
    DriveAlias.objects.create(drive_model=model, text=text, normalized=normalize_name(text)[:512])
    _follow(model)


def _vendors_unmerge(details: dict[str, Any]) -> None:
    source, target = (Vendor.objects.get(pk=details[name]) for name in ("source", "target"))
    VendorAlias.objects.filter(pk__in=details["aliases_made"], vendor=target).delete()
    VendorAlias.objects.filter(pk__in=details["aliases"], vendor=target).update(vendor=source)
    DriveModel.objects.filter(pk__in=details["models"], vendor=target).update(vendor=source)
    _follow(*DriveModel.objects.filter(pk__in=details["models"]))


_UNDO: dict[str, Callable[[dict[str, Any]], None]] = {
    Action.MERGED: _unmerge,
    Action.SPLIT: _unsplit,
    Action.ALIAS_ADDED: _unalias,
    Action.ALIAS_REMOVED: _realias,
    Action.VENDORS_MERGED: _vendors_unmerge,
}


def _aliases_make(model: DriveModel, texts: Iterable[str]) -> list[int]:
    """Have strings mean a model, those that mean none yet; return the rows that were made."""
    made = []
    for text in texts:
        if key := normalize_name(text)[:512]:
            alias, new = DriveAlias.objects.get_or_create(
                normalized=key, defaults={"drive_model": model, "text": text[:512]}
            )
            made += [alias.pk] if new else []
    return made


def _free_slug(text: str) -> str:
    """Return an address that neither a model nor a redirect has."""
    base = slugify(text[:180]) or "unnamed"
    slug, number = base, 2
    while DriveModel.objects.filter(slug=slug).exists() or DriveRedirect.objects.filter(slug=slug).exists():
        slug, number = f"{base}-{number}", number + 1
    return slug


def _follow(*models: DriveModel) -> None:
    """Have searched texts, lists and numbers follow."""
    for model in models:
        drive_model_search_text_update(drive_model=DriveModel.objects.get(pk=model.pk))
        purge_on_commit(model_tag(model.pk))
    changed = {model.pk for model in models}
    models_due(changed)
    catalogue_changed.send(sender=DriveModel, drive_model_ids=changed, at_once=False)


def _checked(by: User, reason: str) -> str:
    if not by.is_active or not by.has_perm(PERMISSION):
        raise PermissionDenied(f"Changing names needs the permission '{PERMISSION}'.")
    reason = " ".join(reason.split())[:300]
    if len(reason) < SHORTEST_REASON:
        raise NoReason(
            f"The reason has {len(reason)} characters, of {SHORTEST_REASON} at least: say what shows it."
        )
    return reason


def _present(row: _Row) -> _Row:
    """Return a row as it stands now that no other change of the catalogue is under way, until the transaction
    ends; raises NotPossible where it is gone. What a moderator's page loaded may have changed since."""
    transaction_lock("catalog")
    found = type(row)._default_manager.filter(pk=row.pk).first()
    if found is None:
        raise NotPossible(f"{row} is gone: somebody merged or removed it meanwhile. The log tells.")
    return found


def _added(
    action: CatalogueChange.Action,
    title: str,
    reason: str,
    by: User,
    details: dict[str, Any],
    undoes: CatalogueChange | None = None,
) -> CatalogueChange:
    made = {"action": action, "title": title[:1500], "reason": reason, "by": by, "at": clock.now()}
    return CatalogueChange.objects.create(**made, details=details, undoes=undoes)
