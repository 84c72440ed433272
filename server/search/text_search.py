"""Finding drive models by what a person typed, mistakes and partial numbers included; makers and runs too.

First come models that have every word as the beginning of one, or the whole as a part of a name. Where those
are few, models follow whose names share most three-letter pieces with what was typed, by how many mistakes
are between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from heapq import nsmallest
from uuid import UUID

from django.db import connection
from django.db.models import Q

from server.catalog.models import DriveModel, Vendor, VendorAlias
from server.catalog.names import drive_name
from server.core.lifecycle import State
from server.core.text import normalize_name
from server.measurements.models import Run
from server.search.model_index import STOP, ModelIndex, model_index, words_of
from server.search.models import DriveSummary

ENOUGH = 5
"""So many literal matches, and nothing is looked for that is only spelled alike."""
SHORTEST_PART = 3
"""So many letters are looked for within a name; fewer would be in almost any."""
SHORTEST_FUZZY = 4
"""Three letters with one wrong are like almost anything."""
_LONGEST = 80
"""Letters that are compared: longer names are device strings padded with something else."""
_CANDIDATES = 60
_FUZZY = 20
_WORDS = 8
_HEX = re.compile(r"^[0-9a-f]{12,64}$")
_SIMILAR = """
    SELECT drive_model_id FROM search_drivesummary
    WHERE listed AND %s <%% names ORDER BY %s <<-> names, drive_model_id LIMIT %s
"""
_SHORT_RUN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}$")


@dataclass(frozen=True, slots=True)
class Matches:
    """Places of the models that a text means, each the best match first."""

    literal: tuple[int, ...] = ()
    fuzzy: tuple[int, ...] = ()
    """Those that are only spelled alike."""


def models_find(index: ModelIndex, text: str) -> Matches:
    """Return which listed models `text` means."""
    squeezed, words = normalize_name(text), words_of(text)[:_WORDS]
    if not squeezed or not words:
        return Matches()
    # `2 TB` stands within the words of a disk of 12 TB: a size is a size first, and a part of a name after.
    literal = _by_facts(index, text) if _SIZE.search(text) or _RATE.search(text) else []
    literal = literal or _literal(index, words, squeezed) or _by_facts(index, text) or _by_number(index, text)
    fuzzy: list[int] = []
    if len(literal) < ENOUGH and len(squeezed) >= SHORTEST_FUZZY:
        fuzzy = _fuzzy(index, squeezed, literal)
    number, beginning = f" {squeezed} ", f" {squeezed}"

    def rank(model: int) -> int:
        names = index.names[model]
        return 0 if names.startswith(number) else 1 if names.startswith(beginning) else 2

    return Matches(tuple(sorted(literal, key=rank)), tuple(fuzzy))


_SIZE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s?(?:([mgt])b|(meg|gig|ter)abytes?)(?!\w)", re.IGNORECASE)
_RATE = re.compile(r"(?<![\w.])(\d{1,2}[.,]?\d{3})\s?(?:rpm|/min|u/min)(?!\w)", re.IGNORECASE)
_BARE_RATE = re.compile(r"(?<![\w.])(4200|5400|5900|7200|10000|15000)(?![\w.])")
"""Said of a disk beside its size, as in `2tb 7200`; alone it may be a part of a number."""
_TRAITS = {
    "sata": "interface:SATA",
    "sas": "interface:SAS",
    "scsi": "interface:SCSI",
    "smr": "recording:SMR",
    "cmr": "recording:CMR",
}
"""What labels and shops say beside a size."""
_FORM = re.compile(r"(?<![\w.])([23][.,]5)\s?(?:inch|in|\"|''|zoll)?(?![\w.])", re.IGNORECASE)
_BYTES = {"m": 1e6, "g": 1e9, "t": 1e12}
_SIZE_WITHIN, _RATE_WITHIN = 0.05, 0.02
"""Shares by which a size or a rate may be off: boxes round them."""
_SHORTEST_MAKER = 5


def _by_facts(index: ModelIndex, text: str) -> list[int]:
    """Return the models that fit the sizes and rates in a text, and its other words with makers' names set
    right: `maxtor 40gb`, `7200 rpm 2 tb`, `seagte 500 GB`."""
    wanted: list[tuple[str, float, float]] = []
    for number, letter, word in _SIZE.findall(text):
        wanted.append(("capacity", float(number) * _BYTES[(letter or word)[0].lower()], _SIZE_WITHIN))
    wanted += [("rpm", float(re.sub("[.,]", "", rate)), _RATE_WITHIN) for rate in _RATE.findall(text)]
    rest, among = _RATE.sub(" ", _SIZE.sub(" ", text)), index.listed
    if wanted:
        wanted += [("rpm", float(rate), _RATE_WITHIN) for rate in _BARE_RATE.findall(rest)]
        rest, among = _traits(index, _BARE_RATE.sub(" ", rest), among)
    words = words_of(rest)[:_WORDS]
    mended = [_maker(index, word) for word in words]
    if not wanted and mended == words:
        return []
    found_at = (
        _literal(index, mended, normalize_name("".join(mended))) if mended else range(len(index.models))
    )
    return [
        at
        for at in found_at
        if among >> at & 1
        and all(
            abs(index.orders.value(column, at) / value - 1) <= within
            for column, value, within in wanted
            if value
        )
    ]


def _traits(index: ModelIndex, text: str, among: int) -> tuple[str, int]:
    """Return a text without the interface, way of recording and form factor that it names, and which of
    some models have them."""
    traits = [f"form:{form.replace(',', '.')} inch" for form in _FORM.findall(text)]
    rest = []
    for word in _FORM.sub(" ", text).split():
        if trait := _TRAITS.get(word.casefold()):
            traits.append(trait)
        else:
            rest.append(word)
    for trait in traits:
        among &= index.values.get(trait, 0)
    return " ".join(rest), among


def _maker(index: ModelIndex, word: str) -> str:
    """Return the maker's name that a word means with two letters wrong at most, or the word itself."""
    if len(word) < _SHORTEST_MAKER or any(f"{STOP}{word}" in text for text in index.texts):
        return word
    allowed = 1 if len(word) < _SHORTEST_MAKER + 1 else 2
    makers = [
        part
        for name in index.values
        if name.startswith("vendor:")
        for part in name.partition(":")[2].split("-")
        if len(part) >= _SHORTEST_MAKER
    ]
    near = [
        (wrong, maker)
        for maker in makers
        if abs(len(maker) - len(word)) <= allowed
        and (wrong := mistakes(word, maker, most=allowed)) <= allowed
    ]
    return min(near)[1] if near else word


def models_nearest(text: str, *, limit: int = 5) -> list[tuple[str, str]]:
    """Return slug and title of listed models whose names share most three-letter pieces with a text that
    nothing matches; none where they share next to nothing."""
    squeezed = normalize_name(text)[:_LONGEST]
    if len(squeezed) < SHORTEST_PART:
        return []
    index, pieces = model_index(), trigrams(squeezed)
    found_at = _alike_in_memory(index, squeezed, pieces, max(2, len(pieces) // 4))[:limit]
    rows = DriveModel.objects.select_related("vendor").only("slug", "number", "name", "vendor__name")
    found = rows.in_bulk([index.models[at] for at in found_at])
    return [(found[pk].slug, found[pk].title) for at in found_at if (pk := index.models[at]) in found]


def _by_number(index: ModelIndex, text: str) -> list[int]:
    """Return the models whose number a text holds beside what no name here has: a variant that nobody sent
    yet, a reseller's part number, the maker's name before a merger."""
    name = drive_name(None, text)
    number = normalize_name(name.model)
    if not name.rule or len(number) < SHORTEST_PART:
        return []
    return [at for at in _literal(index, [number], number) if f" {number}" in index.names[at]]


def _literal(index: ModelIndex, words: list[str], squeezed: str) -> list[int]:
    first, *others = (STOP + word for word in words)
    whole = squeezed if len(squeezed) >= SHORTEST_PART else STOP * 2
    return [
        at
        for at, text in enumerate(index.texts)
        if (whole in text or (first in text and all(start in text for start in others)))
        and index.listed >> at & 1
    ]


def _fuzzy(index: ModelIndex, squeezed: str, literal: list[int]) -> list[int]:
    """Return the models spelled alike, by the number of mistakes between, then by name."""
    allowed = 1 if len(squeezed) < 8 else 2 if len(squeezed) < 14 else 3
    alike = _alike_in_database if index.trigram_index else _alike_in_memory
    pieces = trigrams(squeezed[:_LONGEST])
    # One mistake spoils three pieces at most, and a text that is not a whole name lacks the piece of its end.
    least = max(1, len(pieces) - 3 * allowed - 1)
    found = []
    for at in alike(index, squeezed[:_LONGEST], pieces, least):
        names = index.names[at].split()
        fewest = min((mistakes(squeezed, name, most=allowed) for name in names), default=allowed + 1)
        if fewest <= allowed and at not in literal:
            found.append((fewest, at))
    return [at for _fewest, at in sorted(found)[:_FUZZY]]


def _alike_in_database(index: ModelIndex, squeezed: str, pieces: frozenset[str], least: int) -> list[int]:
    """Return models whose names are most similar, by an index of their trigrams."""
    # Where a piece is missing in the name, another one stands instead.
    similarity = least / (2 * len(pieces) - least)
    with connection.cursor() as cursor:
        # For the session: nothing else goes by it.
        cursor.execute(
            "SELECT set_config('pg_trgm.word_similarity_threshold', %s, false)", [f"{similarity:f}"]
        )
        cursor.execute(_SIMILAR, [squeezed, squeezed, _CANDIDATES])
        return [index.numbers[model] for (model,) in cursor.fetchall() if model in index.numbers]


def _alike_in_memory(index: ModelIndex, _squeezed: str, pieces: frozenset[str], least: int) -> list[int]:
    """Return models whose names share most trigrams: for servers without `pg_trgm`."""
    shared = (
        (-count, at)
        for at, names in enumerate(index.names)
        if (count := sum([piece in names for piece in pieces])) >= least and index.listed >> at & 1
    )
    return [at for _count, at in nsmallest(_CANDIDATES, shared)]


def trigrams(squeezed: str) -> frozenset[str]:
    """Return the pieces of a normalised name; its beginning, of one letter and of two, and its end count as
    such."""
    padded = f" {squeezed} "
    return frozenset({padded[:2], *(padded[index : index + 3] for index in range(len(padded) - 2))})


def mistakes(query: str, name: str, *, most: int = _LONGEST) -> int:
    """Return how many letters of `query` have to be changed, added, dropped or swapped with their neighbour
    to make a beginning of `name` of it; `most` + 1 where they are more. Both are normalised."""
    name = name[: len(query) + most]
    before: list[int] = []
    row = list(range(len(name) + 1))
    for index, letter in enumerate(query, start=1):
        after = [index]
        for other, there in enumerate(name, start=1):
            cost = min(row[other] + 1, after[other - 1] + 1, row[other - 1] + (letter != there))
            if index > 1 and other > 1 and letter == name[other - 2] and query[index - 2] == there:
                cost = min(cost, before[other - 2] + 1)
            after.append(cost)
        before, row = row, after
        # No row holds less than the lesser of the two before it.
        if most < min(row) and most < min(before):
            return most + 1
    return min(*row, most + 1)


def vendors_find(text: str, *, limit: int) -> list[Vendor]:
    """Return makers whose name, or another spelling of it, begins with `text`, and that have listed
    models."""
    squeezed = normalize_name(text)
    if len(squeezed) < 2:
        return []
    aliases = VendorAlias.objects.filter(normalized__startswith=squeezed).values("vendor")
    listed = DriveSummary.objects.filter(listed=True).values("vendor")
    vendors = Vendor.objects.filter(Q(normalized__startswith=squeezed) | Q(pk__in=aliases), pk__in=listed)
    return list(vendors.order_by("name")[:limit])


def runs_find(text: str, *, limit: int = 5) -> list[Run]:
    """Return runs that a pasted identifier means: a run's or a submission's (in any state, as a contributor
    waits for it), a run's as lists shorten it, or, of published ones, the digest of an envelope, of a key
    or of a drive (whole, or its first twelve digits or more). The latest first."""
    text = text.strip().casefold()
    condition = _run_condition(text)
    if condition is None:
        return []
    runs = Run.objects.filter(condition)
    if text.count("-") != 4:
        runs = runs.filter(submission__state=State.PUBLISHED)
    return list(
        runs.select_related("drive_model__vendor", "submission", "unit").order_by(
            "-submission__published_at"
        )[:limit]
    )


def _run_condition(text: str) -> Q | None:
    if text.count("-") == 4:
        try:
            return Q(run_id=UUID(text)) | Q(submission_id=UUID(text))
        except ValueError:
            return None
    if _SHORT_RUN.match(text):
        first, last = (text.replace("-", "") + 20 * digit for digit in "0f")
        return Q(run_id__range=(UUID(first), UUID(last)))
    if not _HEX.match(text):
        return None
    if len(text) == 64:
        return Q(submission__digest=text) | Q(submission__probe_key__keyid=text) | Q(unit__digest=text)
    return Q(unit__digest__startswith=text) | Q(submission__probe_key__keyid__startswith=text)
