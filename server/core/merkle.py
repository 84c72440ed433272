"""Merkle trees over an append-only list, as RFC 6962 section 2.1 defines them. Pure.

A subtree whose 2^level leaves are all there never changes again. Only such subtrees are ever stored, under
their `NodeIndex`; every root and every proof is folded together from a logarithmic number of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence

EMPTY_ROOT = hashlib.sha256().digest()
"""The root of a tree without leaves (RFC 6962, 2.1)."""

NodeIndex = tuple[int, int]
"""Level and index of a complete subtree: the leaves from index * 2^level to (index + 1) * 2^level."""
Range = tuple[int, int]
"""Leaves from the first number up to, and not with, the second."""
Lookup = Callable[[Sequence[NodeIndex]], Mapping[NodeIndex, bytes]]
"""Gives the hashes of complete subtrees; asked once for all that an answer needs."""


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of a leaf's bytes: SHA-256 of 0x00 and the entry (RFC 6962, 2.1)."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node: SHA-256 of 0x01 and both children (RFC 6962, 2.1)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def appended_nodes(index: int, hashed: bytes, lookup: Lookup) -> dict[NodeIndex, bytes]:
    """Return the complete subtrees that leaf number `index` makes, itself among them, from the lowest up."""
    lefts: list[NodeIndex] = []
    level, place = 0, index
    while place & 1:
        lefts.append((level, place - 1))
        level, place = level + 1, place >> 1
    known = lookup(lefts) if lefts else {}
    made = {(0, index): hashed}
    for left in lefts:
        hashed = node_hash(known[left], hashed)
        made[left[0] + 1, left[1] >> 1] = hashed
    return made


def tree_root(size: int, lookup: Lookup) -> bytes:
    """Return the root over the first `size` leaves."""
    return _hashes([(0, size)], lookup)[0] if size else EMPTY_ROOT


def inclusion_proof(index: int, size: int, lookup: Lookup) -> list[bytes]:
    """Return the path of leaf `index` in the tree of `size` leaves (RFC 6962, 2.1.1); raises ValueError."""
    if not 0 <= index < size:
        raise ValueError(f"There is no leaf {index} among {size}.")
    needed: list[Range] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _left_size(end - start)
        if index < middle:
            needed.append((middle, end))
            end = middle
        else:
            needed.append((start, middle))
            start = middle
    return _hashes(needed[::-1], lookup)


def consistency_proof(first: int, second: int, lookup: Lookup) -> list[bytes]:
    """Return the proof that the tree of `first` leaves begins that of `second` (RFC 6962, 2.1.2).

    It is empty for equal sizes, and for a first size of 0: every tree goes on from the empty one.
    """
    if not 0 <= first <= second:
        raise ValueError(f"A tree of {first} leaves can't be the beginning of one of {second}.")
    if first in (0, second):
        return []
    needed: list[Range] = []
    start, end = 0, second
    while first != end:
        middle = start + _left_size(end - start)
        if first <= middle:
            needed.append((middle, end))
            end = middle
        else:
            needed.append((start, middle))
            start = middle
    if start:
        needed.append((start, end))
    return _hashes(needed[::-1], lookup)


def is_consistent(first: int, second: int, roots: tuple[bytes, bytes], proof: Sequence[bytes]) -> bool:
    """Return whether a proof shows that the tree of `first` leaves and the first root begins that of `second`
    and the second root (RFC 9162, 2.1.4.2)."""
    if not 0 <= first <= second:
        return False
    if first == second:
        return roots[0] == roots[1] and not proof
    if first == 0:
        return roots[0] == EMPTY_ROOT and not proof
    path = [roots[0], *proof] if first & (first - 1) == 0 else list(proof)
    if not path:
        return False
    place, last = first - 1, second - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old = new = path[0]
    for one in path[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            old, new = node_hash(one, old), node_hash(one, new)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            new = node_hash(new, one)
        place, last = place >> 1, last >> 1
    return last == 0 and (old, new) == roots


def _left_size(size: int) -> int:
    """Return the largest power of two below `size`: how many leaves the left child holds."""
    return 1 << ((size - 1).bit_length() - 1)


def _complete(wanted: Range) -> list[NodeIndex]:
    """Return the complete subtrees of a range, the largest first. The range begins where the largest may."""
    start, end = wanted
    places = []
    while start < end:
        level = (end - start).bit_length() - 1
        places.append((level, start >> level))
        start += 1 << level
    return places


def _hashes(ranges: Iterable[Range], lookup: Lookup) -> list[bytes]:
    """Return the hash over each range with one lookup for all."""
    parts = [_complete(wanted) for wanted in ranges]
    known = lookup([place for part in parts for place in part]) if parts else {}
    folded = []
    for part in parts:
        hashed = known[part[-1]]
        for place in part[-2::-1]:
            hashed = node_hash(known[place], hashed)
        folded.append(hashed)
    return folded
