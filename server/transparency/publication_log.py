"""The publication log: leaves are appended with the change they state; heads and proofs are read from it.

Reading costs a number of rows that grows with the logarithm of the log's size, however old the leaf.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from server.core.locks import transaction_lock
from server.core.merkle import (
    NodeIndex,
    appended_nodes,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    tree_root,
)
from server.core.signed_note import Checkpoint, checkpoint_sign, verifier_key
from server.transparency.log_entry import LogEntry, entries_write, nodes_stored, published_missing
from server.transparency.log_key import signing_key
from server.transparency.models import LogLeaf

_BATCH = 5000


class NotInLog(LookupError):
    """The log has no such leaf, or no such size; its words say what it has."""


@dataclass(frozen=True, slots=True)
class LogHead:
    """The log at one size, and the archive's signature under it."""

    size: int
    root: bytes
    origin: str
    checkpoint: str
    """The signed note (C2SP tlog-checkpoint)."""
    verifier_key: str
    """The public key as one line, as tools that verify notes are given it."""
    public_key: bytes


@dataclass(frozen=True, slots=True)
class Inclusion:
    """That a leaf is in the log of one size."""

    leaf: LogLeaf
    size: int
    leaf_hash: bytes
    proof: tuple[bytes, ...]


def log_append(entry: LogEntry) -> LogLeaf:
    """Append a leaf within the present transaction, which holds the log's lock until it ends.

    Call it last: whoever publishes meanwhile waits.
    """
    return LogLeaf.objects.get(pk=log_extend([entry]))


def log_extend(entries: Sequence[LogEntry]) -> int:
    """Append several leaves as `log_append` does one; return the number of the first."""
    size = _locked_size()
    entries_write(size, entries)
    return size


def log_fill() -> int:
    """Append a leaf for every published submission that has none, oldest first; return how many."""
    added = 0
    rows = iter(published_missing())
    with transaction.atomic():
        size = _locked_size()
        while batch := list(islice(rows, _BATCH)):
            entries_write(size + added, batch)
            added += len(batch)
    return added


def log_size() -> int:
    last = LogLeaf.objects.order_by("-index").values_list("index", flat=True).first()
    return 0 if last is None else last + 1


def log_head(*, size: int | None = None) -> LogHead:
    """Return the signed head of the log as it is, or as it was at an earlier size; raises NotInLog."""
    size = _known_size(size)
    checkpoint = Checkpoint(settings.LOG_ORIGIN, size, tree_root(size, _lookup))
    key = signing_key()
    public = key.public_key().public_bytes_raw()
    return LogHead(
        size=size,
        root=checkpoint.root,
        origin=checkpoint.origin,
        checkpoint=checkpoint_sign(checkpoint, key),
        verifier_key=verifier_key(checkpoint.origin, public),
        public_key=public,
    )


def log_inclusion(*, index: int, size: int | None = None) -> Inclusion:
    """Return the proof that leaf `index` is in the log of `size` leaves; raises NotInLog."""
    size = _known_size(size)
    if not 0 <= index < size:
        raise NotInLog(f"There is no leaf {index} among {size}. Leaves are numbered from 0.")
    leaf = LogLeaf.objects.get(pk=index)
    proof = tuple(inclusion_proof(index, size, _lookup))
    return Inclusion(leaf, size, leaf_hash(entry_of(leaf).canonical()), proof)


def log_consistency(*, first: int, second: int | None = None) -> tuple[int, list[bytes]]:
    """Return the later size and the proof that the log of `first` leaves begins it; raises NotInLog."""
    second = _known_size(second)
    if not 0 <= first <= second:
        raise NotInLog(f"A log of {first} leaves does not begin one of {second}. Give the smaller first.")
    return second, consistency_proof(first, second, _lookup)


def leaves_list(*, digest: str | None = None, run_id: UUID | None = None) -> QuerySet[LogLeaf]:
    """Return the leaves in order: all, or what the log says of one submission or run."""
    leaves = LogLeaf.objects.order_by("index")
    if digest is not None:
        leaves = leaves.filter(digest=digest)
    return leaves.filter(run_id=run_id) if run_id is not None else leaves


def entry_of(leaf: LogLeaf) -> LogEntry:
    """Return what a leaf says, from whose bytes its hash is made."""
    return LogEntry(leaf.kind, leaf.digest, leaf.run_id, leaf.at)


def log_check(*, batch: int = _BATCH) -> list[str]:
    """Compute every hash anew from the leaves; return what does not fit, in words. Reads all of the log."""
    wrong: list[str] = []
    known: dict[NodeIndex, bytes] = {}
    for size, leaf in enumerate(LogLeaf.objects.order_by("index").iterator(chunk_size=batch)):
        if leaf.index != size:
            return [*wrong, f"Leaf {size} is missing: leaf {leaf.index} stands in its place."]
        hashed = leaf_hash(entry_of(leaf).canonical())
        made = appended_nodes(size, hashed, lambda nodes: {node: known.pop(node) for node in nodes})
        # Only the largest subtree so far is needed again: as the left one of a larger.
        top = max(made)
        known[top] = made[top]
        stored = nodes_stored(list(made))
        wrong += [
            f"Leaf {size}: the stored hash at level {level}, index {index} is not the one of its leaves."
            for (level, index), value in made.items()
            if stored.get((level, index)) != value
        ]
    return wrong


def _known_size(size: int | None) -> int:
    present = log_size()
    if size is None:
        return present
    if not 0 <= size <= present:
        raise NotInLog(f"The log has {present} leaves, so that there is no head of {size}.")
    return size


def _locked_size() -> int:
    transaction_lock("publication-log")
    return log_size()


def _lookup(nodes: Sequence[NodeIndex]) -> dict[NodeIndex, bytes]:
    found = nodes_stored(nodes)
    return {node: found[node] for node in nodes}
