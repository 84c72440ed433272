"""Finding drive models by what a person typed, mistakes and partial numbers included.

First come models that have every word as the beginning of one, or the whole as a part of a name. Where
those are few, models follow whose names share most three-letter pieces with what was typed, by how many
mistakes are between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.db import connection
from django.db.models import Case, IntegerField, Q, QuerySet, Value, When

from server.catalog.models import DriveModel, Vendor, VendorAlias
from server.core.lifecycle import State
from server.core.text import normalize_name
from server.measurements.models import Run
from server.search.bitmap_index import SHORTEST_PART, FacetBits
from server.search.models import DriveSummary
from server.search.trigrams import mistakes, trigrams

ENOUGH = 5
"""So many literal matches, and nothing is looked for that is only spelled alike."""
SHORTEST_NEAR = 4
"""Three letters with one wrong are like almost anything."""
MANY = 200
"""From so many matches on, names are looked through in memory."""
_PLAIN = re.compile(r"[a-z]+[0-9]*$|[0-9]+$", re.ASCII)
_CANDIDATES = 60
_NEAR = 20
_WORD = re.compile(r"\w+")
_WORDS = 8
_HEX = re.compile(r"^[0-9a-f]{12,64}$")
_SHORT_RUN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}$")
_SHARED = """
    SELECT summary.drive_model_id
    FROM search_drivesummary AS summary,
        LATERAL (
            SELECT count(*) AS pieces FROM unnest(summary.trigrams) AS piece WHERE piece = ANY(%s::integer[])
        ) AS shared
    WHERE summary.listed AND summary.trigrams && %s::integer[] AND shared.pieces >= %s
    ORDER BY shared.pieces DESC, summary.drive_model_id
    LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Found:
    """Which models a text means."""

    condition: Q
    """On `DriveSummary`."""
    near: tuple[int, ...] = ()
    """Ids of those that are only spelled alike, the likeliest first."""
    squeezed: str = ""
    """The text in normalised form."""
    ids: tuple[int, ...] | None = None
    """All of them, in no order; None where they are too many to be named."""

    def ordered(self, rows: QuerySet[DriveSummary]) -> QuerySet[DriveSummary]:
        """Return `rows` narrowed to these, the best match first."""
        whens = [
            When(names__0=self.squeezed, then=Value(-3)),
            When(names__0__startswith=self.squeezed, then=Value(-2)),
        ]
        whens += [When(pk=pk, then=Value(place)) for place, pk in enumerate(self.near)]
        rank = Case(*whens, default=Value(-1), output_field=IntegerField())
        return rows.filter(self.condition).order_by(rank, "sort_name", "pk")


def models_find(text: str, *, common: frozenset[int] = frozenset()) -> Found:
    """Return which models `text` means; an empty text means all of them.

    `common` are the pieces that so many models have that looking for them by an index costs more than it
    leaves out; what is found is the same without them.
    """
    squeezed = normalize_name(text)
    words = _WORD.findall(text.casefold())[:_WORDS]
    if not text.strip():
        return Found(Q())
    if not squeezed or not words:
        return Found(Q(pk__in=[]))
    condition = _literal(words, squeezed)
    rows = DriveSummary.objects.filter(condition, listed=True).order_by()
    literal = list(rows.values_list("pk", flat=True)[:MANY])
    if len(literal) == MANY:
        return Found(condition, squeezed=squeezed)
    near: tuple[int, ...] = ()
    if len(literal) < ENOUGH and len(squeezed) >= SHORTEST_NEAR:
        near = tuple(pk for pk in _near(squeezed, common) if pk not in literal)
    ids = (*literal, *near)
    return Found(Q(pk__in=ids), near, squeezed, ids)


def many_find(bits: FacetBits, text: str) -> list[int] | None:
    """Return the places of the models that `text` means, the best match first, where they are many.

    For a word that most models have the database reads all of them, three times a page; their names are held
    here. None for few, which the database finds through its indexes, and for words that it may take apart.
    """
    squeezed = normalize_name(text)
    words = _WORD.findall(text.casefold())[:_WORDS]
    if not squeezed or not words or not all(_PLAIN.match(word) for word in words):
        return None
    found = bits.literal(words, squeezed)
    if len(found) < MANY:
        return None

    def rank(place: int) -> int:
        first = bits.firsts[place]
        return -3 if first == squeezed else -2 if first.startswith(squeezed) else -1

    return sorted(found, key=rank)


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


def _literal(words: list[str], squeezed: str) -> Q:
    prefixes = SearchQuery(" & ".join(f"{word}:*" for word in words), config="simple", search_type="raw")
    ids = DriveModel.objects.order_by().filter(search=prefixes).values("pk")
    if len(squeezed) >= SHORTEST_PART:
        # The pieces come from an index; that they follow each other is looked at in the few rows they leave.
        pieces = sorted(trigrams(squeezed, within=True))
        parts = DriveSummary.objects.filter(
            trigrams__contains=pieces, drive_model__search_text__contains=squeezed
        )
        ids = ids.union(parts.order_by().values("pk"))
    return Q(pk__in=ids)


def _near(squeezed: str, common: frozenset[int]) -> list[int]:
    """Return the ids of models spelled alike, by the number of mistakes between, then by name."""
    pieces, allowed = sorted(trigrams(squeezed)), _allowed(squeezed)
    # One mistake spoils three pieces at most, and a text that is not a whole name lacks the piece of its end.
    least = max(1, len(pieces) - 3 * allowed - 1)
    # Who shares `least` pieces has one of any that remain when fewer than `least` are taken away.
    spared = set(sorted(common.intersection(pieces))[: least - 1])
    with connection.cursor() as cursor:
        looked_for = [piece for piece in pieces if piece not in spared]
        cursor.execute(_SHARED, [pieces, looked_for, least, _CANDIDATES])
        candidates = [pk for (pk,) in cursor.fetchall()]
    found = []
    rows = DriveSummary.objects.filter(pk__in=candidates).values_list("pk", "names", "sort_name")
    for pk, names, sort_name in rows:
        fewest = min((mistakes(squeezed, name, most=allowed) for name in names), default=allowed + 1)
        if fewest <= allowed:
            found.append((fewest, sort_name, pk))
    return [pk for _fewest, _name, pk in sorted(found)[:_NEAR]]


def _allowed(squeezed: str) -> int:
    """Return how many mistakes a text of that length may have."""
    return 1 if len(squeezed) < 8 else 2 if len(squeezed) < 14 else 3
