"""The flag of a model whose name stands for several mechanisms, in sentences."""

from __future__ import annotations

from server.core.numbers import unit_text, write
from server.model_stats.mechanism.groups import Mechanisms, Separation
from server.stats.wording import count_words

_DIGITS = 3


def mechanisms_words(found: Mechanisms) -> str:
    """Say that several mechanisms are sold under one name, and what tells them apart; empty where one is."""
    if not found.several:
        return ""
    number = count_words(len(found.groups), "mechanism").capitalize()
    sizes = _listed([count_words(len(group.units), "unit") for group in found.groups])
    features = _listed([_feature_words(separation) for separation in found.separations])
    text = f"{number} are sold under this name: {sizes} differ in {features}."
    if any(len(group.units) == 1 for group in found.groups):
        text += " A mechanism known from one unit only may be another model under a wrong name."
    return text


def _feature_words(separation: Separation) -> str:
    shown = [
        "unknown" if value is None else f"{value:.{_DIGITS}g}" if value < 100 else write(value, 0)
        for value in separation.values
    ]
    unit = unit_text(separation.feature.unit)
    return f"{separation.feature.title} ({' against '.join(shown)}{f' {unit}' if unit else ''})"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
