"""What an attacker finds shut, by the points of issue 18."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
import tracemalloc
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import zstandard
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db import connection, transaction

from server.accounts.models import User
from server.core import clock
from server.core.envelope import PAYLOAD_TYPE
from server.core.ids import uuid7
from server.core.rate_limit import address_block
from server.submissions import moderation, pipeline, sweeper, withdrawal
from server.submissions.events import models_due
from server.submissions.models import Submission
from server.transparency.log_entry import LogEntry
from server.transparency.publication_log import log_append
from tests.server.submissions.test_bad_input import changed, problem_of, with_signature
from tests.support.documents import document, envelope, skippy_part

pytestmark = pytest.mark.django_db
Post = Callable[..., Any]
Submit = Callable[[dict[str, Any]], Submission]
MIB = 1024**2


@pytest.mark.parametrize("part", [b"[]", b"{}", b'""', b'{"a":"\\n"}', b"0.5", b'"\\u0041"'])
def test_issue_18_point_1_a_bomb_of_small_parts_is_refused_before_it_is_built(
    post: Post, settings: Any, part: bytes
) -> None:
    settings.SUBMISSION_MAX_BYTES = 48 * MIB
    bomb = b"[" + (part + b",") * (47 * MIB // (len(part) + 1)) + b"0]"
    packed = zstandard.compress(bomb)
    del bomb
    tracemalloc.start()
    try:
        body = problem_of(post(packed, content_encoding="zstd"), 413, "too-large")
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "the limit is" in body["detail"]
    assert peak < 4 * 48 * MIB


def test_issue_18_point_1_a_bomb_within_a_signed_payload_is_refused(post: Post) -> None:
    payload = b"[" + b"[]," * 300_000 + b"0]"
    problem_of(post(envelope(payload)), 413, "too-large")
    assert not Submission.objects.exists()


@pytest.mark.parametrize("payload", [b"{", b"[" * 40 + b"]" * 40, b'{"a": 1, "a": 2}', b"\xff"])
def test_issue_18_point_4_what_cannot_be_parsed_is_not_stored(post: Post, payload: bytes) -> None:
    problem_of(post(envelope(payload)), 400, "malformed-json")
    assert not Submission.objects.exists()


def test_issue_18_point_4_a_taken_run_id_is_not_stored(post: Post) -> None:
    first = document()
    assert post(first).status_code == 202
    body = problem_of(post({**first, "created_at": "2026-01-02T03:04:06Z"}), 409, "run-id-taken")
    assert "status_url" not in body
    assert Submission.objects.count() == 1


def test_issue_18_point_4_padding_that_nobody_signed_is_refused(post: Post) -> None:
    body = problem_of(post(envelope(document()) + b" " * 5000), 400, "not-an-envelope")
    assert "beside its payload" in body["detail"]


def test_issue_18_point_9_an_unknown_member_of_the_envelope_is_refused(post: Post) -> None:
    body = problem_of(post(changed(note="<script>")), 400, "not-an-envelope")
    assert body["errors"][0]["path"] == "/note"
    body = problem_of(post(with_signature(note="x")), 400, "not-an-envelope")
    assert body["errors"][0]["path"] == "/signatures/0/note"


PRIME = 2**255 - 19


def multiplied_by_8(y: int, sign: int) -> tuple[int, int] | None:
    """Return 8 times the point, by RFC 8032's formulas; None where there is no such point."""
    d = -121665 * pow(121666, -1, PRIME) % PRIME
    square = (y * y - 1) * pow(d * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    if (x * x - square) % PRIME:
        return None
    x = PRIME - x if x % 2 != sign else x
    for _double in range(3):
        product = d * x * x * y * y % PRIME
        x, y = (
            2 * x * y * pow(1 + product, -1, PRIME) % PRIME,
            (y * y + x * x) * pow(1 - product, -1, PRIME) % PRIME,
        )
    return x, y


def small_order_keys() -> list[bytes]:
    from server.core.envelope import _SMALL_ORDER_Y

    return [(y | sign << 255).to_bytes(32, "little") for y in sorted(_SMALL_ORDER_Y) for sign in (0, 1)]


@pytest.mark.parametrize("key", small_order_keys(), ids=lambda key: key.hex()[:8])
def test_issue_18_point_9_a_key_of_small_order_is_refused(post: Post, key: bytes) -> None:
    number = int.from_bytes(key, "little")
    assert multiplied_by_8(number % 2**255 % PRIME, number >> 255) == (0, 1)
    raw = json.dumps(document()).encode()
    # R is the neutral element and S zero: it verifies for one message in as many as the key's order.
    entry = {
        "keyid": hashlib.sha256(key).hexdigest(),
        "sig": base64.b64encode((1).to_bytes(32, "little") + bytes(32)).decode(),
        "public_key": "ed25519:" + base64.b64encode(key).decode(),
    }
    body = {"payloadType": PAYLOAD_TYPE, "payload": base64.b64encode(raw).decode(), "signatures": [entry]}
    told = problem_of(post(json.dumps(body).encode()), 422, "bad-signature")
    assert "small order" in told["detail"]


def test_issue_18_point_9_such_a_key_would_verify_what_nobody_signed() -> None:
    key = (1).to_bytes(32, "little")
    Ed25519PublicKey.from_public_bytes(key).verify(key + bytes(32), b"anything")


@pytest.mark.parametrize("change", [{"license": None}, {"license": "all mine"}, {"license": 5}])
def test_issue_18_point_9_an_invalid_document_is_not_kept_without_consent(
    post: Post, change: dict[str, Any]
) -> None:
    bad = {**document(), **change, "conditions": {}}
    body = problem_of(post(bad), 422, "schema-violation")
    assert "status_url" not in body
    assert not Submission.objects.exists()


REASON = "Looked at the evidence in a test."


def curator() -> User:
    return User.objects.get_or_create(username="a-curator", is_superuser=True)[0]


def test_issue_18_point_2_a_persons_rejection_is_final_for_the_same_bytes(post: Post, submit: Submit) -> None:
    run = document(skippy_part(), rotation_rate_rpm=5400)
    body = envelope(run)
    submission = submit(run)
    assert pipeline.submissions_process(submission_id=submission.pk) == ["quarantined"]
    moderation.submission_reject(submission, by=curator(), reason=REASON)
    told = problem_of(post(body), 409, "rejected")
    assert REASON in told["detail"]
    assert told["status_url"].endswith(f"{submission.pk}/")
    submission.refresh_from_db()
    assert submission.state == "rejected"
    # Around the same signed payload other bytes make another digest.
    problem_of(post(body + b" "), 409, "run-id-taken")


def test_issue_18_point_2_copies_meet_in_whatever_order_they_are_assessed(submit: Submit) -> None:
    first, copy = submit(document(skippy_part())), submit(document(skippy_part(), unit_digest="cd" * 32))
    Submission.objects.filter(pk=first.pk).update(attempts=1)  # so that it goes alone
    assert pipeline.submissions_process(submission_id=copy.pk) == ["published"]
    pipeline.submissions_process(submission_id=first.pk)
    first.refresh_from_db()
    assert first.state == "quarantined"
    assert first.run.check_results.get(outcome="held").figures["runs"] == [str(copy.run.pk)]


def test_issue_18_point_2_a_copy_of_a_withdrawn_run_is_held(
    publish: Callable[..., Submission], submit: Submit
) -> None:
    part = skippy_part()
    original = publish(part)
    withdrawal.run_withdraw(run=original.run, by=curator(), reason=REASON)
    copy = submit(document(part, unit_digest="cd" * 32, rotation_rate_rpm=None))
    assert pipeline.submissions_process(submission_id=copy.pk) == ["quarantined"]
    assert copy.run.check_results.get(outcome="held").figures["runs"] == [str(original.run.pk)]


@pytest.mark.parametrize("budget", ["key", "block", "all"])
def test_issue_18_point_4_storage_has_a_budget(post: Post, settings: Any, budget: str) -> None:
    settings.SUBMISSION_MIB_PER_DAY = {**settings.SUBMISSION_MIB_PER_DAY, budget: 1}
    for number in range(4):
        body = problem_of(post({**document(), "junk": "x" * 300_000}), 422, "schema-violation")
        assert ("status_url" in body) == (number < 2)
    told = problem_of(post(document()), 429, "too-many-requests")
    assert "the limit is 1048576 a day" in told["detail"]


def test_issue_18_point_4_one_network_shares_a_budget() -> None:
    assert address_block("192.0.2.7") == address_block("192.0.2.200") != address_block("192.0.3.7")
    assert (
        address_block("2001:db8:1::1")
        == address_block("2001:db8:1:ffff::2")
        != address_block("2001:db8:2::1")
    )
    assert address_block("") == address_block("a.b") == "unknown"


def test_issue_18_point_4_purging_goes_on_until_it_is_done(settings: Any, submit: Submit) -> None:
    key = submit(document()).probe_key
    long_ago = clock.now() - timedelta(days=settings.REJECTED_KEEP_DAYS + 1)
    Submission.objects.bulk_create(
        Submission(
            digest=f"{number:064x}",
            size_bytes=1,
            storage_name=f"{number}",
            probe_key=key,
            state="rejected",
            received_at=long_ago,
            next_sweep_at=long_ago,
        )
        for number in range(450)
    )
    assert sweeper.rejected_envelopes_expire() == 450
    assert not Submission.objects.filter(state="rejected").exclude(storage_name="").exists()


@pytest.mark.django_db(transaction=True)
def test_issue_18_point_9_publishing_and_withdrawing_do_not_wait_for_each_other(
    publish: Callable[..., Submission],
) -> None:
    run = publish().run
    troubles: list[Exception] = []

    def withdraw() -> None:
        try:
            withdrawal.run_withdraw(run=run, by=keeper, reason=REASON)
        except Exception as error:
            troubles.append(error)
        finally:
            connection.close()

    keeper = curator()
    other = threading.Thread(target=withdraw)
    with transaction.atomic():
        models_due([run.drive_model_id])
        other.start()
        deadline = time.monotonic() + 20
        while not _somebody_waits() and time.monotonic() < deadline:
            time.sleep(0.05)
        # As a publication does, which comes to the log last.
        log_append(LogEntry("published", "ab" * 32, uuid7(), clock.now()))
    other.join()
    assert troubles == []
    run.submission.refresh_from_db()
    assert run.submission.state == "withdrawn"


def _somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])
