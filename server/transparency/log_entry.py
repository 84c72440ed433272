"""The bytes of a leaf of the publication log, and how its rows are written. docs/reference/publication-log.md
states both for other programs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import Exists, OuterRef

from server.core import clock
from server.core.bulk import rows_copy
from server.core.lifecycle import State
from server.core.merkle import NodeIndex, appended_nodes, leaf_hash
from server.measurements.models import Run
from server.transparency.models import LogLeaf, LogNode

VERSION = "diskatlas-log/v1"
LEVEL_BITS = 48
"""A node's number is its level times 2^48 plus its index: room for 2.8e14 leaves."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """What one leaf says."""

    kind: str
    """`published`, `withdrawn` or `released`."""
    digest: str
    """Lower-case hex SHA-256 of the submission's envelope, or of a file SHA256SUMS that was released."""
    run_id: UUID
    """All zeros for what is no run."""
    at: datetime

    def canonical(self) -> bytes:
        """Return the bytes that are hashed: five lines, each with its line feed."""
        return f"{VERSION}\n{self.kind}\n{self.digest}\n{self.run_id}\n{time_text(self.at)}\n".encode()


def sums_entry(sums: bytes) -> LogEntry:
    """Return the leaf that states the bytes of a file SHA256SUMS."""
    return LogEntry("released", hashlib.sha256(sums).hexdigest(), UUID(int=0), clock.now())


def time_text(at: datetime) -> str:
    """Return an instant as leaves write it: UTC with six decimals of the second and a Z."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def nodes_stored(nodes: Sequence[NodeIndex]) -> dict[NodeIndex, bytes]:
    """Return the hashes of the nodes that are stored, with one query."""
    rows = LogNode.objects.filter(position__in=[_position(node) for node in nodes]) if nodes else ()
    return {
        (row.position >> LEVEL_BITS, row.position & (1 << LEVEL_BITS) - 1): bytes(row.hash) for row in rows
    }


def _position(node: NodeIndex) -> int:
    """Return the number under which a node is stored."""
    return node[0] << LEVEL_BITS | node[1]


def entries_write(size: int, entries: Sequence[LogEntry]) -> None:
    """Append `entries` to a log of `size` leaves, in one statement per table. The caller holds the log's
    lock."""
    made: dict[NodeIndex, bytes] = {}

    def known(nodes: Sequence[NodeIndex]) -> dict[NodeIndex, bytes]:
        stored = nodes_stored([node for node in nodes if node not in made])
        return {node: made[node] if node in made else stored[node] for node in nodes}

    for index, entry in enumerate(entries, start=size):
        made.update(appended_nodes(index, leaf_hash(entry.canonical()), known))
    rows_copy(
        LogLeaf,
        ("index", "kind", "digest", "run_id", "at"),
        (
            (index, entry.kind, entry.digest, entry.run_id, entry.at)
            for index, entry in enumerate(entries, start=size)
        ),
    )
    rows_copy(LogNode, ("position", "hash"), ((_position(node), hashed) for node, hashed in made.items()))


def published_missing() -> Iterable[LogEntry]:
    """Return published runs that have no leaf, in the order in which they were published."""
    # Not `digest NOT IN`, which the database answers by reading all leaves once for every submission.
    leaf = LogLeaf.objects.filter(kind="published", digest=OuterRef("submission__digest"))
    rows = Run.objects.filter(~Exists(leaf), submission__state=State.PUBLISHED)
    known = (
        rows.order_by("submission__published_at", "submission__digest")
        .values_list("submission__digest", "run_id", "submission__published_at")
        .iterator(chunk_size=5000)
    )
    for digest, run_id, at in known:
        if at is not None:  # for the type checker: a constraint of the table holds it
            yield LogEntry("published", digest, run_id, at)
