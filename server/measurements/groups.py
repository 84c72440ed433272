"""What can be compared: drive models, batches, firmware revisions, variants, units and single runs.

A group is named by its key (`keys.py`) and holds numbers of one provenance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote
from uuid import UUID

from django.db.models import QuerySet

from server.accounts.holders import not_revoked_at
from server.catalog.models import DriveModel
from server.core.lifecycle import State
from server.measurements.group_keys import (
    DIGITS,
    GroupsError,
    GroupType,
    Key,
    Source,
    batch_part,
    encoded,
    key_parse,
)
from server.measurements.literature_values import has_published_numbers
from server.measurements.model_measurements import counting_runs
from server.measurements.models import Run, Unit
from server.measurements.selectors import drive_models_public
from server.measurements.variants import variant_runs, variants_of

FEWEST = 2
MOST = 8


@dataclass(frozen=True, slots=True)
class Group:
    """Runs of one provenance that are compared as one, or what documents say of a model."""

    key: str
    type: GroupType
    drive_model: DriveModel
    source: Source
    label: str
    """What it is beside the model: `batch 2012-W31`; empty for a whole model."""
    part: str = ""
    """Batch, firmware revision, variant, digest or run in the form that keys have."""
    batch_id: int = 0
    unit_id: int = 0

    @property
    def title(self) -> str:
        """The model with the part of it."""
        return f"{self.drive_model.title}, {self.label}" if self.label else self.drive_model.title

    @property
    def url(self) -> str:
        """The page that tells most of it."""
        base = f"/drives/{self.drive_model.slug}/"
        if self.type == GroupType.RUN:
            return f"/runs/{self.part}/"
        if self.type == GroupType.BATCH:
            return f"{base}batches/{quote(encoded(self.part))}/"
        if self.type == GroupType.FIRMWARE:
            return f"{base}firmware/{quote(encoded(self.part))}/"
        if self.type == GroupType.VARIANT:
            return f"{base}variants/{quote(encoded(self.part))}/"
        return f"{base}#runs-title" if self.type == GroupType.UNIT else base

    def runs(self) -> QuerySet[Run]:
        """Return its published runs; none for published values."""
        if self.source == Source.LITERATURE:
            return Run.objects.none()
        # A unit or run that somebody names is that one, whoever else measured the model.
        named = self.type in (GroupType.UNIT, GroupType.RUN)
        counting = not_revoked_at("submission") if named else counting_runs()
        return _runs_of(self).filter(counting, in_browser=False, provenance=self.source.value)


def groups_get(keys: Sequence[str]) -> tuple[Group, ...]:
    """Return the groups of two to eight keys in their order; raises GroupsError that names what is wrong."""
    given = [key.strip() for key in keys if key.strip()]
    found, errors = groups_find(given)
    if len(given) > MOST:
        more = len(given) - MOST
        errors += (f"{len(given)} groups were given. At most {MOST} are compared. Take {more} away.",)
    elif len(given) < FEWEST:
        what = "No group was given." if not given else "One group was given."
        errors += (f"{what} A comparison takes {FEWEST} to {MOST}. Name another with d=KEY.",)
    if errors:
        raise GroupsError(errors)
    return found


def groups_find(keys: Sequence[str]) -> tuple[tuple[Group, ...], tuple[str, ...]]:
    """Return the groups that exist, in the order of their keys, and what is wrong with the other keys."""
    found: dict[str, Group] = {}
    errors: list[str] = []
    for text in keys[: 2 * MOST]:
        try:
            group = group_get(text)
        except GroupsError as error:
            errors += error.errors
            continue
        if group.key in found:
            errors.append(f"{group.title} was given twice. It can't differ from itself. Take one away.")
        found.setdefault(group.key, group)
    return tuple(found.values()), tuple(errors)


def group_get(text: str) -> Group:
    """Return the group of a key; raises GroupsError where there is none."""
    key = key_parse(text)
    if key.type == GroupType.RUN:
        return _run(key)
    models = DriveModel.objects.select_related("vendor").defer("search_text").filter(drive_models_public())
    model = models.filter(slug=key.slug).first()
    if model is None:
        raise GroupsError([f"There is no model “{key.slug}”. /drives/ lists those that are here."])
    if key.type == GroupType.BATCH:
        return _batch(key, model)
    if key.type == GroupType.UNIT:
        return _unit(key, model)
    if key.type == GroupType.VARIANT:
        return _variant(key, model)
    label = f"firmware {key.part}" if key.type == GroupType.FIRMWARE else ""
    group = Group(str(key), key.type, model, Source.MEASURED, label, key.part)
    return _with_source(group, key)


def _run(key: Key) -> Group:
    run = (
        Run.objects.select_related("drive_model__vendor")
        .filter(pk=UUID(key.part), submission__state=State.PUBLISHED)
        .first()
    )
    if run is None:
        raise GroupsError([f"There is no published run {key.part}. Only those are compared. Check its id."])
    label, source = f"run {key.part[:13]}", Source(run.provenance)
    return Group(str(key), GroupType.RUN, run.drive_model, source, label, key.part)


def _batch(key: Key, model: DriveModel) -> Group:
    wanted = key.part.casefold()
    batch = next((one for one in model.batches.all() if batch_part(one).casefold() == wanted), None)
    if batch is None:
        where = f"/drives/{model.slug}/batches/ lists those that it has."
        raise GroupsError([f"{model.title} has no batch “{key.part}”. {where}"])
    part = batch_part(batch)
    group = Group(
        str(Key(GroupType.BATCH, key.slug, part, key.asked)),
        GroupType.BATCH,
        model,
        Source.MEASURED,
        f"batch {batch}",
        part,
        batch_id=batch.pk,
    )
    return _with_source(group, key)


def _variant(key: Key, model: DriveModel) -> Group:
    known = variants_of(model)
    wanted = key.part.casefold()
    variant = next((one for one in known if one.casefold() == wanted), None)
    if variant is None:
        named = f"Its units name {', '.join(sorted(known)[:MOST])}." if known else "Its units name none."
        raise GroupsError([f"{model.title} has no variant “{key.part}”. {named} Choose another group."])
    name = str(Key(GroupType.VARIANT, key.slug, variant, key.asked))
    group = Group(name, GroupType.VARIANT, model, Source.MEASURED, f"variant {variant}", variant)
    return _with_source(group, key)


def _unit(key: Key, model: DriveModel) -> Group:
    units = list(Unit.objects.filter(drive_model=model, digest__startswith=key.part)[:2])
    if len(units) != 1:
        many = "Several units of {} have" if units else "No unit of {} has"
        remedy = "Give more of its digits." if units else "Check its digits."
        known = f"{many.format(model.title)} a digest that begins with {key.part}."
        raise GroupsError([f"{known} {remedy}"])
    digest = units[0].digest
    group = Group(
        str(
            Key(GroupType.UNIT, key.slug, digest[:DIGITS] if len(key.part) <= DIGITS else key.part, key.asked)
        ),
        GroupType.UNIT,
        model,
        Source.MEASURED,
        f"unit {digest[:DIGITS]}",
        digest,
        unit_id=units[0].pk,
    )
    return _with_source(group, key)


def _with_source(group: Group, key: Key) -> Group:
    """Return the group with the provenance that was asked for, or the first that it has anything of."""
    wanted = [key.asked] if key.asked else list(Source)
    for source in wanted:
        if source == Source.LITERATURE:
            there = group.type == GroupType.MODEL and has_published_numbers(group.drive_model)
        else:
            there = _runs_of(group).filter(provenance=source.value).exists()
        if there:
            return replace(group, source=source, label=_label(group.label, source))
    what = f"no {wanted[0].words} numbers" if key.asked else "neither a published run nor a published value"
    raise GroupsError([f"{group.title} has {what}. A comparison needs numbers. Choose another group."])


def _label(label: str, source: Source) -> str:
    words = {
        Source.IMPORTED: "imported",
        Source.SIMULATED: "simulated",
        Source.LITERATURE: "published values",
    }.get(source, "")
    return ", ".join(text for text in (label, words) if text)


def _runs_of(group: Group) -> QuerySet[Run]:
    runs = Run.objects.filter(drive_model=group.drive_model, submission__state=State.PUBLISHED)
    if group.type == GroupType.BATCH:
        return runs.filter(batch_id=group.batch_id)
    if group.type == GroupType.FIRMWARE:
        return runs.filter(firmware=group.part)
    if group.type == GroupType.VARIANT:
        return variant_runs(runs, group.drive_model, group.part)
    if group.type == GroupType.UNIT:
        return runs.filter(unit_id=group.unit_id)
    return runs.filter(pk=UUID(group.part)) if group.type == GroupType.RUN else runs
