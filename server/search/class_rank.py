"""Where a model stands among its class: the measured models of its form factor, rotation and capacity.

Answered by the models' index alone, so that a rank costs no query over numbers; it is as fresh as the index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan

from server.catalog.models import DriveModel
from server.search.facets import FACET_OF_KEY, UNSTATED, capacity_range, form_factor_word
from server.search.model_index import ModelIndex

FEWEST_FACTS = 2
"""A class needs so many facts that the model itself is known to have."""
VARIATION = "variation"
"""What a summary calls, behind a place, by how many per cent units differ there."""


@dataclass(frozen=True, slots=True)
class ModelClass:
    """What models are ranked within."""

    facets: Mapping[str, tuple[str, ...]]
    """The choices of the list that show it."""
    words: str
    """For example `3.5 inch, 7200 rpm, 1 to 4 TB`."""


@dataclass(frozen=True, slots=True)
class ClassRank:
    """A model's place among the measured ones of its class."""

    rank: int
    """1 is the best; models level with it share it."""
    values: tuple[float, ...]
    """Of all of them, its own too, rising."""

    @property
    def of(self) -> int:
        """How many models there are in all."""
        return len(self.values)


def model_class(model: DriveModel) -> ModelClass | None:
    """Return the class of a model; None where fewer than two of its facts are known."""
    stated = {
        "form": form_factor_word(model.form_factor),
        "rpm": f"{model.rated_rpm:.0f}" if model.rated_rpm else UNSTATED,
        "capacity": capacity_range(model.capacity_bytes),
    }
    known = {key: value for key, value in stated.items() if value != UNSTATED}
    if len(known) < FEWEST_FACTS:
        return None
    words = [
        f"{value} rpm" if key == "rpm" else FACET_OF_KEY[key].label(value) for key, value in known.items()
    ]
    return ModelClass({key: (value,) for key, value in known.items()}, ", ".join(words))


def class_rank(
    index: ModelIndex,
    klass: ModelClass,
    *,
    drive_model_id: int,
    key: str,
    value: float,
    higher: bool,
    provenance: str = "probe",
) -> ClassRank:
    """Return where a model's number stands; `value` is its own, which the index need not hold yet.

    `key` is `metric|scope`, `higher` whether more is better. Other provenances' numbers never count.
    """
    members = index.chosen({**klass.facets, "numbers": (provenance,)}, index.listed)
    own = index.numbers.get(drive_model_id)
    column = f"{provenance}|{key}"
    others = [
        found for at in _numbers(members) if at != own and not isnan(found := index.orders.value(column, at))
    ]
    better = sum(other > value if higher else other < value for other in others)
    return ClassRank(1 + better, tuple(sorted((*others, value))))


def _numbers(bits: int) -> Iterator[int]:
    """Give the places of the bits that are set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
