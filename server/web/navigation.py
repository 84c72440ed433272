"""The site's main places, in the order of its navigation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NavItem:
    """One entry of the navigation."""

    section: str
    """What a page hands to `page(section=...)` to be shown as the present place."""
    title: str
    address: str


NAVIGATION = (
    NavItem("drives", "Drives", "/drives/"),
    NavItem("compare", "Compare", "/compare/"),
    NavItem("claims", "Claims", "/claims/"),
    NavItem("methods", "Methods", "/methods/"),
    NavItem("contribute", "Contribute", "/contribute/"),
    NavItem("datasets", "Datasets", "/datasets/"),
    NavItem("about", "About", "/about/"),
)
