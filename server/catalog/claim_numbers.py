"""Which numbers a claim of each form has. Pure."""

from __future__ import annotations

import math

_NEEDED = {"typical": ("low", "high"), "minimum": ("low",), "maximum": ("high",), "range": ("low", "high")}


def claim_number_errors(*, form: str, low: float | None, high: float | None) -> dict[str, str]:
    """Return what is wrong with the numbers of a claim, by field; each text says fact, limit and remedy."""
    given = {"low": low, "high": high}
    needed = _NEEDED.get(form, ())
    errors = {
        name: f"The form is {form} and {name} is empty. A {form} needs {' and '.join(needed)}. Give {name}."
        for name in needed
        if given[name] is None
    }
    for name, value in given.items():
        if value is None:
            continue
        if not math.isfinite(value):
            errors[name] = f"{name} is {value}. A claim needs finite numbers. Give the number printed."
        elif needed and name not in needed:
            errors[name] = (
                f"The form is {form} and {name} is {value:g}. A {form} has {needed[0]} alone. "
                f"Empty {name}, or choose range."
            )
    if not errors and low is not None and high is not None and low > high:
        errors["low"] = f"low ({low:g}) is above high ({high:g}). low may be at most high. Exchange them."
    return errors
