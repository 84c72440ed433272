"""Proofs of the publication log, verified by a program that knows RFC 9162 and not the archive."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.test import Client

from server.transparency.log_entry import LogEntry
from server.transparency.publication_log import log_append
from tests.integrations.conftest import Node

pytestmark = pytest.mark.django_db
LEAVES = 21
AT = datetime(2026, 1, 2, tzinfo=UTC)


def leaf_hash(leaf: dict[str, Any]) -> str:
    """Return a leaf's hash as docs/reference/publication-log.md says that its bytes are made."""
    lines = (leaf["version"], leaf["kind"], leaf["digest"], leaf["run_id"], leaf["at"])
    content = "".join(f"{line}\n" for line in lines).encode()
    return base64.b64encode(hashlib.sha256(b"\0" + content).digest()).decode()


def test_20_another_verifier_takes_every_proof_and_no_other(
    client: Client,
    node: Node,
    settings: LazySettings,
    tool_count: Callable[[str, int, str], None],
) -> None:
    settings.API_LIMITS = dict.fromkeys(settings.API_LIMITS, (10**9, 60))
    for number in range(LEAVES):
        log_append(LogEntry("published", f"{number:064x}", UUID(int=number), AT))

    def get(path: str, **query: int) -> dict[str, Any]:
        answer = client.get(f"/api/v1/log/{path}", query)
        assert answer.status_code == 200, answer.content
        return dict(json.loads(answer.content))

    roots = {size: get("", size=size)["root_hash"] for size in range(1, LEAVES + 1)}
    proofs = [
        {
            "root": roots[size],
            "leaf_hash": leaf_hash(found["leaf"]),
            "size": size,
            "index": index,
            "path": found["proof"],
        }
        for size in range(2, LEAVES + 1, 3)
        for index in range(size)
        for found in [get("proofs/inclusion", leaf=index, size=size)]
    ]
    proofs += [
        {
            "first": first,
            "first_root": roots[first],
            "second": second,
            "second_root": roots[second],
            "path": get("proofs/consistency", first=first, second=second)["proof"],
        }
        for second in range(2, LEAVES + 1, 3)
        for first in range(1, second)
    ]
    assert node("node", "log_proofs.cjs", given=proofs) == [True] * len(proofs)
    forged = [
        {**one, "root": roots[1]} if "root" in one else {**one, "first_root": roots[LEAVES]} for one in proofs
    ]
    assert node("node", "log_proofs.cjs", given=forged) == [False] * len(proofs)
    tool_count("@transmute/rfc9162", len(proofs), "proofs")
