"""The colours of drawings: those of the style sheet (frontend/src/styles/tokens.css), light and dark."""

from __future__ import annotations

INK, MUTED, RULE, SURFACE = "ink", "muted", "rule", "surface"
LIGHT = {
    INK: "#12202a",
    MUTED: "#4a5a64",
    RULE: "#d5dddf",
    SURFACE: "#ffffff",
    "s1": "#5a6f7b",
    "s2": "#0067a8",
    "s3": "#c24e00",
    "s4": "#00795f",
    "s5": "#a8418a",
    "s6": "#8a6d00",
    "s7": "#3f3f9e",
    "s8": "#6b2b2b",
}
DARK = {
    INK: "#e2eaec",
    MUTED: "#9fb0b8",
    RULE: "#27343b",
    SURFACE: "#141d22",
    "s1": "#8ba3af",
    "s2": "#5bb8f5",
    "s3": "#ff9552",
    "s4": "#3fcfa8",
    "s5": "#e993cd",
    "s6": "#e0c34a",
    "s7": "#a5a5ff",
    "s8": "#d99b9b",
}
RAMP = ("#2b1b5a", "#2f4a8f", "#1f7d8d", "#38a878", "#9dcb4e", "#f4e542")
"""From little to much, in both themes."""
FONT = "'IBM Plex Sans','Plex Sans','Segoe UI',system-ui,'Liberation Sans',sans-serif"
DARK_STYLE = (
    "<style>@media screen and (prefers-color-scheme:dark){"
    + "".join(f".{name}{{color:{color}}}" for name, color in DARK.items())
    + "}</style>"
)
"""Attributes hold the light colours, which a rule of a style sheet overrides; paper is always light."""


def series_color(index: int) -> str:
    """Return the name of the colour of a series; after the eighth they begin again."""
    return f"s{index % 8 + 1}"


def ink(name: str) -> str:
    """Return the attributes by which what is inside an element is drawn in a colour of the palette."""
    return f'class="{name}" color="{LIGHT[name]}"'


def ramp_color(share: float) -> str:
    """Return the colour of a share between 0 and 1, between the two stops that are nearest."""
    at = min(max(share, 0.0), 1.0) * (len(RAMP) - 1)
    below = min(int(at), len(RAMP) - 2)
    ends = [[int(RAMP[stop][digit : digit + 2], 16) for digit in (1, 3, 5)] for stop in (below, below + 1)]
    parts = (round(a + (b - a) * (at - below)) for a, b in zip(*ends, strict=True))
    return "#" + "".join(f"{part:02x}" for part in parts)
