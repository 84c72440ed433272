"""The site's main places, in the order of its navigation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of the navigation."""

    section: str
    """What a page hands to `page(section=...)` to be shown as the present place."""
    title: str
    address: str


NAVIGATION = (
    Place("drives", "Drives", "/drives/"),
    Place("compare", "Compare", "/compare/"),
    Place("claims", "Claims", "/claims/"),
    Place("methods", "Methods", "/methods/"),
    Place("contribute", "Contribute", "/contribute/"),
    Place("datasets", "Datasets", "/datasets/"),
    Place("about", "About", "/about/"),
)
