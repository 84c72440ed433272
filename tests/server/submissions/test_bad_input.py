"""Bad input: a clear problem document every time, and nothing is lost."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
import zstandard
from django.core.files.storage import InMemoryStorage
from django.test import Client, override_settings

from server.core.lifecycle import State
from server.core.problems import MEDIA_TYPE
from server.measurements.models import Run
from server.submissions.models import Submission
from tests.support.documents import KEY, OTHER_KEY, document, envelope, skippy_part

pytestmark = pytest.mark.django_db
Post = Callable[..., Any]


def problem_of(response: Any, status: int, slug: str) -> dict[str, Any]:
    """Return the problem document, whose shape is the same everywhere."""
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == MEDIA_TYPE
    body: dict[str, Any] = json.loads(response.content)
    assert body["type"] == f"http://testserver/problems/{slug}/"
    assert body["status"] == status
    assert set(body) - {"status_url"} == {"type", "title", "status", "detail", "errors"}
    assert len(body["detail"]) > 20
    return body


def changed(**fields: Any) -> bytes:
    """Return a good envelope with some of its fields replaced."""
    return json.dumps({**json.loads(envelope(document())), **fields}).encode()


def with_signature(**fields: Any) -> bytes:
    good = json.loads(envelope(document()))
    return json.dumps({**good, "signatures": [{**good["signatures"][0], **fields}]}).encode()


def test_truncated_json_says_where_it_breaks(post: Post) -> None:
    body = problem_of(post(envelope(document())[:-40]), 400, "malformed-json")
    assert "line 1" in body["detail"]


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"{}", b'{"payload": "", "payloadType": ""}', b"null"])
def test_what_is_not_an_envelope_is_called_so(post: Post, body: bytes) -> None:
    problem_of(post(body), 400, "not-an-envelope")


@pytest.mark.parametrize("signatures", [[], [{}, {}], {}, "x", [1], [{"keyid": 5}]])
def test_an_envelope_has_exactly_one_signature(post: Post, signatures: Any) -> None:
    problem_of(post(changed(signatures=signatures)), 400, "not-an-envelope")


def test_an_unknown_payload_type_is_named(post: Post) -> None:
    body = problem_of(post(changed(payloadType="application/x-other")), 415, "unknown-payload-type")
    assert "application/x-other" in body["detail"]


@pytest.mark.parametrize("payload", ["!!!!", "AAA", "AA-_", " AAAA", "AAAA\n"])
def test_bad_base64_is_refused(post: Post, payload: str) -> None:
    body = problem_of(post(changed(payload=payload)), 400, "bad-base64")
    assert body["errors"][0]["path"] == "/payload"


def test_a_wrong_signature_is_refused_and_not_kept(post: Post) -> None:
    signature = json.loads(envelope(document(), OTHER_KEY))["signatures"][0]["sig"]
    problem_of(post(with_signature(sig=signature)), 422, "bad-signature")
    assert not Submission.objects.exists()


def test_a_keyid_of_another_key_is_refused(post: Post) -> None:
    problem_of(post(with_signature(keyid="0" * 64)), 422, "bad-signature")


def test_an_unknown_key_algorithm_is_named(post: Post) -> None:
    body = problem_of(post(with_signature(public_key="rsa:AAAA")), 422, "unknown-key-algorithm")
    assert "rsa" in body["detail"]


def test_a_key_of_the_wrong_length_is_refused(post: Post) -> None:
    short = "ed25519:" + base64.b64encode(b"x" * 31).decode()
    problem_of(post(with_signature(public_key=short)), 400, "not-an-envelope")


def test_an_unknown_key_without_its_public_part_is_refused(post: Post) -> None:
    problem_of(post(envelope(document(), with_key=False)), 422, "unknown-key")


def test_a_known_key_need_not_send_its_public_part(post: Post) -> None:
    assert post(envelope(document(), KEY)).status_code == 202
    assert post(envelope(document(), KEY, with_key=False)).status_code == 202


def test_a_body_over_the_limit_on_the_wire_is_refused(post: Post, settings: Any) -> None:
    body = problem_of(post(b"x" * (settings.SUBMISSION_MAX_WIRE_BYTES + 1)), 413, "too-large")
    assert str(settings.SUBMISSION_MAX_WIRE_BYTES) in body["detail"]


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_decompression_bomb_is_refused(post: Post, settings: Any, encoding: str) -> None:
    zeros = b" " * (settings.SUBMISSION_MAX_BYTES * 8)
    bomb = gzip.compress(zeros) if encoding == "gzip" else zstandard.compress(zeros)
    assert len(bomb) < settings.SUBMISSION_MAX_WIRE_BYTES
    body = problem_of(post(bomb, content_encoding=encoding), 413, "too-large")
    assert "after decompression" in body["detail"]


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
@pytest.mark.parametrize("body", [b"not compressed", b"\x1f\x8b"])
def test_a_body_that_does_not_decompress_is_refused(post: Post, encoding: str, body: bytes) -> None:
    assert post(body, content_encoding=encoding).status_code == 400


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_truncated_compressed_body_is_refused(post: Post, encoding: str) -> None:
    whole = envelope(document())
    packed = gzip.compress(whole) if encoding == "gzip" else zstandard.compress(whole)
    assert post(packed[:-20], content_encoding=encoding).status_code == 400
    assert not Submission.objects.exists()


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_compressed_envelope_is_the_same_submission_as_the_plain_one(post: Post, encoding: str) -> None:
    whole = envelope(document())
    packed = gzip.compress(whole) if encoding == "gzip" else zstandard.compress(whole)
    first, second = post(packed, content_encoding=encoding), post(whole)
    assert first.json()["id"] == second.json()["id"]


def test_an_unknown_encoding_is_named(post: Post) -> None:
    problem_of(post(b"x", content_encoding="br"), 415, "unsupported-encoding")


def test_an_unknown_media_type_is_refused(client: Client, kinds: Any) -> None:
    response = client.post("/api/v1/submissions/", data=b"x", content_type="text/plain")
    problem_of(response, 415, "unsupported-media-type")


def test_a_schema_violation_carries_the_path(post: Post) -> None:
    bad = document()
    bad["device"]["capacity_bytes"] = "many"
    body = problem_of(post(bad), 422, "schema-violation")
    assert body["errors"][0]["path"] == "/device/capacity_bytes"


def test_a_kinds_schema_violation_carries_the_path_in_the_whole_document(post: Post) -> None:
    bad = document()
    bad["benchmarks"][0]["samples"]["series"][0]["latency_ns"][7] = "slow"
    body = problem_of(post(bad), 422, "schema-violation")
    assert body["errors"][0]["path"] == "/benchmarks/0/samples/series/0/latency_ns/7"


def test_an_unknown_kind_is_named(post: Post) -> None:
    bad = document({**skippy_part(), "kind": "telepathy"})
    body = problem_of(post(bad), 422, "unknown-kind")
    assert body["errors"][0]["path"] == "/benchmarks/0/kind"


def test_an_unknown_version_of_a_kind_is_named(post: Post) -> None:
    problem_of(post(document({**skippy_part(), "version": 99})), 422, "unknown-kind")


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_numbers_that_are_not_finite_are_refused(post: Post, word: str) -> None:
    raw = json.dumps(document()).replace('"load_average_1min": null', f'"load_average_1min": {word}')
    problem_of(post(envelope(raw.encode())), 400, "malformed-json")


def test_a_latency_column_shorter_than_its_step_column_is_refused(post: Post) -> None:
    bad = document()
    bad["benchmarks"][0]["samples"]["series"][0]["latency_ns"].pop()
    body = problem_of(post(bad), 422, "implausible-document")
    assert body["errors"][0]["path"] == "/benchmarks/0/samples/series/0/latency_ns"


def test_negative_times_are_refused(post: Post) -> None:
    bad = document()
    bad["benchmarks"][0]["samples"]["series"][0]["latency_ns"][3] = -1
    body = problem_of(post(bad), 422, "schema-violation")
    assert body["errors"][0]["path"].endswith("/latency_ns/3")


def test_an_address_beyond_the_device_is_refused(post: Post) -> None:
    bad = document()
    bad["benchmarks"][1]["samples"]["series"][0]["offset_blocks"][-1] += 1
    problem_of(post(bad), 422, "implausible-document")


def test_a_write_in_a_run_that_wrote_nothing_is_refused(post: Post) -> None:
    bad = document()
    bad["conditions"]["writes"] = "none"
    body = problem_of(post(bad), 422, "implausible-document")
    assert body["errors"][0]["path"] == "/benchmarks/0/samples/series/0/variant"


def test_a_kind_may_not_stand_twice(post: Post) -> None:
    problem_of(post(document(skippy_part(), skippy_part())), 422, "implausible-document")


def test_a_run_without_any_measurement_is_refused(post: Post) -> None:
    problem_of(post(document({"kind": "skippy", "skipped": "No turn."})), 422, "implausible-document")


def test_a_run_without_a_licence_is_refused_and_nothing_of_it_is_kept(post: Post) -> None:
    body = problem_of(post({**document(), "license": None}), 422, "no-licence")
    assert body["errors"][0]["path"] == "/license"
    assert "--license CC0-1.0" in body["detail"]
    assert not Submission.objects.exists()


def test_a_run_dated_in_the_future_is_refused(post: Post) -> None:
    body = problem_of(post({**document(), "created_at": "2999-01-01T00:00:00Z"}), 422, "future-date")
    assert body["errors"][0]["path"] == "/created_at"


def test_a_day_that_the_calendar_lacks_is_refused(post: Post) -> None:
    problem_of(post({**document(), "created_at": "2026-02-30T00:00:00Z"}), 422, "schema-violation")


def test_the_same_run_again_is_the_same_submission(post: Post) -> None:
    body = envelope(document())
    first, second = post(body), post(body)
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json()["id"] == second.json()["id"]
    assert Submission.objects.count() == Run.objects.count() == 1


def test_the_same_run_id_with_other_bytes_is_a_conflict(post: Post) -> None:
    first = document()
    assert post(first).status_code == 202
    body = problem_of(post({**first, "created_at": "2026-01-02T03:04:06Z"}), 409, "run-id-taken")
    assert body["errors"][0]["path"] == "/run_id"
    assert Run.objects.count() == 1


def test_a_model_name_with_markup_is_taken_as_text(post: Post, client: Client) -> None:
    response = post(document(model="<script>alert(1)</script>"))
    assert response.status_code == 202
    run = Run.objects.select_related("drive_model").get()
    assert run.drive_model.number == "<script>alert(1)</script>"


@pytest.mark.parametrize("text", ["a\x00b", "\ud800"])
def test_text_that_cannot_be_stored_is_refused(post: Post, text: str) -> None:
    raw = json.dumps(document(firmware=text)).encode()
    problem_of(post(envelope(raw)), 400, "malformed-json")


def test_a_repeated_key_is_refused(post: Post) -> None:
    raw = json.dumps(document()).replace('"license"', '"license": "CC0-1.0", "license"', 1)
    problem_of(post(envelope(raw.encode())), 400, "malformed-json")


@pytest.mark.parametrize("depth", [40, 100_000])
def test_deep_nesting_is_refused(post: Post, depth: int) -> None:
    problem_of(post(b"[" * depth + b"]" * depth), 400, "malformed-json")


def test_a_number_of_thousands_of_digits_is_refused(post: Post) -> None:
    problem_of(post(b"9" * 5000), 400, "malformed-json")


def test_a_rejected_document_that_was_signed_is_kept_with_its_reason(post: Post, client: Client) -> None:
    bad = document()
    bad["benchmarks"][0]["samples"]["series"][0]["latency_ns"].pop()
    body = problem_of(post(bad), 422, "implausible-document")
    status = client.get(body["status_url"]).json()
    assert status["state"] == State.REJECTED
    assert status["run_url"] is None
    assert status["events"][-1]["reason"] == body["detail"]


def test_a_rejected_document_is_judged_anew_when_it_comes_again(
    post: Post, kinds: dict[str, Any], client: Client
) -> None:
    body = envelope(document())
    removed = kinds.pop("zoned")
    refused = problem_of(post(body), 422, "unknown-kind")
    kinds["zoned"] = removed
    accepted = post(body)
    assert accepted.status_code == 202
    assert accepted.json()["status_url"] == refused["status_url"]
    states = [event["state"] for event in client.get(refused["status_url"]).json()["events"]]
    assert states == ["rejected", "received"]


def test_a_revoked_key_is_refused(post: Post) -> None:
    from server.accounts.models import ProbeKey

    assert post(document()).status_code == 202
    ProbeKey.objects.update(status="revoked")
    problem_of(post(document()), 403, "revoked-key")


@pytest.mark.parametrize(
    ("method", "path", "status", "slug"),
    [
        ("get", "/api/v1/submissions/", 405, "method-not-allowed"),
        ("delete", "/api/v1/submissions/", 405, "method-not-allowed"),
        ("get", "/api/v1/nothing/here/", 404, "not-found"),
        ("get", "/api/v1/submissions/not-a-uuid/", 404, "not-found"),
        ("get", "/api/v1/submissions/00000000-0000-7000-8000-000000000000/", 404, "not-found"),
        ("get", "/api/v1/runs/00000000-0000-7000-8000-000000000000/envelope/", 404, "not-found"),
    ],
)
def test_every_error_has_the_one_shape(
    client: Client, method: str, path: str, status: int, slug: str
) -> None:
    problem_of(getattr(client, method)(path), status, slug)


def test_an_unforeseen_failure_has_the_one_shape(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.api.views.submission_receive", lambda **_: 1 / 0)
    problem_of(post(document()), 500, "server-error")


@override_settings(SUBMISSION_RATE="1/min")
def test_too_many_requests_have_the_one_shape(post: Post) -> None:
    post(b"{}")
    response = post(b"{}")
    problem_of(response, 429, "too-many-requests")
    assert int(response.headers["Retry-After"]) > 0


def test_an_envelope_that_the_storage_keeps_back_is_not_gone(
    publish: Callable[..., Submission], client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise ConnectionRefusedError(111, "secret-host refused")

    run = publish().run
    monkeypatch.setattr(InMemoryStorage, "open", refused)
    for part in ("envelope", "document"):
        response = client.get(f"/api/v1/runs/{run.pk}/{part}/")
        problem_of(response, 503, "storage-unavailable")
        assert response.headers["Retry-After"] == "30" and b"secret-host" not in response.content


def test_storage_that_fails_accepts_nothing(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("server.submissions.intake.envelope_store", full)
    response = post(document())
    problem_of(response, 503, "storage-unavailable")
    assert response.headers["Retry-After"]
    assert not Submission.objects.exists()
