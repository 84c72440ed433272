"""Uploads that hold far more than comes over the wire: one at a time on a machine, and few in a day that are
of no use."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
import zstandard
from django.conf import LazySettings
from django.test import Client, RequestFactory

from server.api import request_body
from server.core import large_bodies
from server.core.large_bodies import LARGE_BYTES, large_turn, places
from server.core.problems import Problem
from server.submissions.models import Submission
from tests.server.submissions.test_bad_input import problem_of
from tests.support.documents import KEY, document, envelope, skippy_part

pytestmark = pytest.mark.django_db
Post = Callable[..., Any]
PACKED = {"gzip": gzip.compress, "zstd": zstandard.compress}
EMPTY = b" " * (LARGE_BYTES + 1)


@pytest.fixture(autouse=True)
def nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_bodies, "WAIT_S", 0.0)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_18_1_a_small_body_that_holds_a_large_one_has_its_turn_before_it_is_unpacked(
    post: Post, encoding: str
) -> None:
    packed = PACKED[encoding](EMPTY)
    assert len(packed) < 5000
    with large_turn():
        answer = post(packed, content_encoding=encoding)
        problem_of(answer, 503, "overloaded")
        assert answer.headers["Retry-After"] == "30"
        assert post(document()).status_code == 202, "small ones come through"
    problem_of(post(packed, content_encoding=encoding), 400, "malformed-json")


def test_18_1_so_has_a_large_body_as_it_is(post: Post, settings: LazySettings) -> None:
    settings.SUBMISSION_MAX_WIRE_BYTES = 2 * LARGE_BYTES
    with large_turn():
        problem_of(post(EMPTY), 503, "overloaded")
    problem_of(post(EMPTY), 400, "malformed-json")


def test_18_1_those_that_wait_leave_half_of_the_threads_to_others(
    post: Post, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEB_THREADS = 4
    waited: list[float] = []

    def never(**_options: Any) -> Any:
        waited.append(0)
        return large_turn()

    monkeypatch.setattr(request_body, "large_turn", never)
    packed = zstandard.compress(EMPTY)
    with places.taken() as first, places.taken() as second:
        assert first and second
        problem_of(post(packed, content_encoding="zstd"), 503, "overloaded")
        assert waited == [], "it waits for nothing"
        assert post(document()).status_code == 202
    problem_of(post(packed, content_encoding="zstd"), 400, "malformed-json")
    assert waited == [0]


def test_18_1_whose_body_is_large_on_the_wire_has_a_place_and_takes_no_second_one(
    client: Client, settings: LazySettings, kinds: Any
) -> None:
    settings.WEB_THREADS, settings.SUBMISSION_MAX_WIRE_BYTES = 2, 2 * LARGE_BYTES
    answer = client.post("/api/v1/submissions/", EMPTY, content_type="application/json")
    problem_of(answer, 400, "malformed-json")


def test_18_1_the_turn_is_the_machines_and_a_killed_process_gives_it_back() -> None:
    """As the processes of the web server take it from each other."""
    holds = (
        "from server.core import large_bodies\n"
        f"large_bodies.LOCK_FILE = {str(large_bodies.LOCK_FILE)!r}\n"
        "with large_bodies.large_turn():\n    print('held', flush=True)\n    input()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", holds], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with other:
        assert other.stdout and other.stdout.readline() == "held\n"
        with pytest.raises(Problem), large_turn():
            pass
        other.kill()
        other.wait()
    with large_turn():
        pass


def test_18_1_threads_of_one_process_take_turns(rf: RequestFactory) -> None:
    met: list[type[BaseException] | None] = []

    def other() -> None:
        try:
            with large_turn(wait_s=0):
                met.append(None)
        except Problem as trouble:
            met.append(type(trouble))

    with large_turn():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert met == [Problem]


def test_18_1_what_is_read_for_nothing_has_a_budget(post: Post, settings: LazySettings) -> None:
    settings.SUBMISSION_MIB_PER_DAY = {**settings.SUBMISSION_MIB_PER_DAY, "block": 8}
    packed = zstandard.compress(EMPTY)
    problem_of(post(packed, content_encoding="zstd"), 400, "malformed-json")
    problem_of(post(packed, content_encoding="zstd"), 400, "malformed-json")
    answer = post(packed, content_encoding="zstd")
    assert "the limit is 8388608 a day" in problem_of(answer, 429, "too-many-requests")["detail"]
    assert int(answer.headers["Retry-After"]) > 0
    assert post(document()).status_code == 202, "small ones are not counted"


def test_18_1_a_large_run_counts_when_it_comes_again_and_not_at_first(
    post: Post, settings: LazySettings
) -> None:
    settings.SUBMISSION_MIB_PER_DAY = {**settings.SUBMISSION_MIB_PER_DAY, "block": 7}
    # Space is not signed, and counts as frame: the payload has it.
    payload = json.dumps(document(skippy_part())).encode()
    packed = zstandard.compress(envelope(payload + b" " * (LARGE_BYTES * 3 // 4), KEY))
    for _time in range(3):
        assert post(packed, content_encoding="zstd").status_code == 202
    problem_of(post(packed, content_encoding="zstd"), 429, "too-many-requests")
    assert Submission.objects.count() == 1
