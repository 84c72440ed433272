"""Samples of a kind that are right by its schema and like none that a disk gave: columns emptied, cut, made
equal, huge, put into another order or marked as disturbed, series left out, and parameters of any value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

Json = dict[str, Any]


def samples_mutated(part: Json, schema: Mapping[str, Any], random: Random) -> None:
    """Change an entry of a document's benchmarks in a few places. It need not be right afterwards."""
    samples = _resolved(schema["properties"]["samples"], schema)["properties"]
    lists = [name for name, value in part["samples"].items() if value and isinstance(value[0], dict)]
    for _ in range(random.choice([1, 1, 2, 3, 6])):
        name = random.choice(lists)
        series = part["samples"][name]
        item = _resolved(samples[name]["items"], schema)["properties"]
        choice = random.randrange(8)
        if choice == 0:
            part["samples"][name] = random.sample(series, random.choice([1, (len(series) + 1) // 2]))
        elif choice == 1:
            known = _resolved(schema["properties"]["params"], schema)["properties"]
            _value_changed(part["params"], known, schema, random)
        elif choice == 2:
            # The same change in each: a whole run without a column, or whose times are all alike.
            seed = random.random()
            for one in series:
                _series_mutated(one, item, schema, Random(seed))
        else:
            _series_mutated(random.choice(series), item, schema, random)


def _series_mutated(one: Json, known: Json, schema: Mapping[str, Any], random: Random) -> None:
    columns = {name: value for name, value in one.items() if _is_column(value)}
    length = max(map(len, columns.values()), default=0)
    if not length:
        return
    change = random.choice([_cut, _some, _one_value, _any_values, _another_order, _again, _disturbed])
    if random.random() < 0.2:
        _value_changed(one, known, schema, random)
    elif change is not _disturbed or "disturbed" in known:
        values = {name: _drawer(known.get(name, {}), schema, random) for name in columns}
        change(one, columns, length, random, values)


Drawers = dict[str, Callable[[], Any]]


def _cut(one: Json, columns: Json, length: int, random: Random, _values: Drawers) -> None:
    left = random.choice([0, 1, 2, 3, 5, length // 2])
    one.update({name: column[:left] for name, column in columns.items()})


def _some(one: Json, columns: Json, length: int, random: Random, _values: Drawers) -> None:
    kept = sorted(random.sample(range(length), random.choice([1, min(2, length), (length + 2) // 3])))
    one.update({name: [column[k] for k in kept] for name, column in columns.items() if len(column) == length})


def _one_value(one: Json, columns: Json, _length: int, random: Random, values: Drawers) -> None:
    name = random.choice(list(columns))
    value = random.choice([columns[name][0], columns[name][-1], values[name]()])
    one[name] = [value] * len(columns[name])


def _any_values(one: Json, columns: Json, _length: int, random: Random, values: Drawers) -> None:
    name, share = random.choice(list(columns)), random.choice([0.05, 0.3, 1.0])
    one[name] = [values[name]() if random.random() < share else value for value in columns[name]]


def _another_order(one: Json, columns: Json, _length: int, random: Random, _values: Drawers) -> None:
    name = random.choice(list(columns))
    one[name] = random.sample(columns[name], len(columns[name]))


def _again(one: Json, columns: Json, _length: int, random: Random, _values: Drawers) -> None:
    times = random.choice([2, 3])
    one.update({name: column * times for name, column in columns.items()})


def _disturbed(one: Json, _columns: Json, length: int, random: Random, _values: Drawers) -> None:
    some = [random.randint(0, 1) for _ in range(length)]
    one["disturbed"] = random.choice([[1] * length, [1] * (length - 1) + [0], some])


def _value_changed(of: Json, known: Json, schema: Mapping[str, Any], random: Random) -> None:
    names = [name for name in of if name in known and not isinstance(of[name], dict | list)]
    if names:
        name = random.choice(names)
        of[name] = _drawer(known[name], schema, random)()


def _drawer(known: Mapping[str, Any], schema: Mapping[str, Any], random: Random) -> Callable[[], Any]:
    """Return what draws values that the schema allows in a field, or in a column."""
    field = _resolved(known, schema)
    field = _resolved(field["items"], schema) if "items" in field else field
    choices = list(_choices(field, random))
    return lambda: random.choice(choices) if choices else None


def _choices(field: Mapping[str, Any], random: Random) -> Iterator[Any]:
    types = field.get("type", ())
    types = types if isinstance(types, list) else [types]
    yield from field.get("enum", [])
    yield from [field["const"]] if "const" in field else []
    yield from [None] if "null" in types else []
    yield from [True, False] if "boolean" in types else []
    if "integer" in types or "number" in types:
        low, high = field.get("minimum", 0), field.get("maximum", 2**53)
        yield from (low, low + 1, high, random.randint(low, high), low + int((high - low) ** random.random()))


def _resolved(found: Mapping[str, Any], schema: Mapping[str, Any]) -> Json:
    while "$ref" in found:
        found = schema["$defs"][found["$ref"].rpartition("/")[2]]
    return dict(found)


def _is_column(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and not isinstance(value[0], dict | list)
