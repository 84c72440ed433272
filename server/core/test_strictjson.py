"""Strict JSON: the quick way and the exact way say the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.core import strictjson
from server.core.problems import Problem
from server.core.strictjson import strict_loads

DEPTH = 3
LITERALS = st.sampled_from(
    [
        *("0", "-0", "1.0", "-0.0", "1e2", "1e999", "0.5", "9007199254740993", "18446744073709551616", "01"),
        *(
            "NaN",
            "true",
            "null",
            '""',
            '":"',
            '"a:b"',
            '"\\u003a"',
            '"\\u0000"',
            '"\\ud800"',
            '"\x01"',
            "\ufeff1",
        ),
        "9" * 400,
    ]
)
TEXTS = st.recursive(
    LITERALS,
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda found: f"[{','.join(found)}]")
        | st.lists(st.tuples(st.sampled_from(['"a"', '"b:"', '"\\u0061"', '""']), inner), max_size=4).map(
            lambda found: "{" + ", ".join(f"{key}: {value}" for key, value in found) + "}"
        )
    ),
    max_leaves=12,
)


def told(content: bytes, *, exact: bool) -> str:
    """Return what comes of the bytes, types included, or the words of the problem."""
    try:
        way = (
            strictjson._loads_exact(content, DEPTH, "The body")
            if exact
            else strict_loads(content, max_depth=DEPTH)
        )
    except Problem as trouble:
        return trouble.detail
    return repr(way)


@given(TEXTS)
def test_both_ways_agree(text: str) -> None:
    assert told(text.encode(), exact=False) == told(text.encode(), exact=True)


@given(st.binary(max_size=40))
def test_both_ways_agree_on_any_bytes(content: bytes) -> None:
    assert told(content, exact=False) == told(content, exact=True)


@pytest.mark.parametrize(
    "text", ['{"a":1,"a":2}', '{"a":"x:y","a":":"}', '[{"a":{"b":1,"b":1}}]', '{"a":1,"\\u0061":2}']
)
def test_a_repeated_key_is_told(text: str) -> None:
    with pytest.raises(Problem, match="stands twice"):
        strict_loads(text.encode())


def test_what_the_probe_writes_takes_the_quick_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strictjson, "_loads_exact", lambda *_: pytest.fail("the exact way"))
    data = {
        "created_at": "2026-01-02T03:04:05Z",
        "series": [{"latency_ns": [1, 2], "share": 0.25}],
        "none": None,
    }
    assert strict_loads(json.dumps(data).encode()) == data
