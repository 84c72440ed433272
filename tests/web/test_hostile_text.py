"""Point 9 of what attackers found: markup, formulas and characters that mislead the eye, in every string that
a document may carry, reach no page, feed, table or mail."""

from __future__ import annotations

import copy
import csv
import io
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import feedparser
import nh3
import pytest
from django.core import mail
from django.test import Client

from server.core import clock
from server.core.text import printable
from server.submissions.validation import document_validate
from tests.server.conftest import *  # noqa: F403 -- the fixtures that publish
from tests.server.subscriptions.conftest import sent, work  # noqa: F401 -- fixtures
from tests.support.documents import document, skippy_part, zoned_part

pytestmark = pytest.mark.django_db
MISLEADING = "\u202e\u2066\u200b\uffff\ufeff\ufdd0\U000e0041"
HOSTILE = f"=HYPERLINK(1)<script>alert(1)</script>{MISLEADING}\"'&x"
MISLEADING_PATTERN = re.compile(
    r"[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\uffff\ufffe\ufdd0-\ufdef\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\U000e0041]"
)
FORMULA = re.compile(r"^[=+@\t\r]|^-(?!\d|\.\d|$)")


def strings_of(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the path of every string, and of every null that may be one."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from strings_of(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node[:3]):
            yield from strings_of(value, (*path, index))
    elif node is None or isinstance(node, str):
        yield path


def with_value(node: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(node)
    at = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return changed


def valid(run: dict[str, Any]) -> bool:
    try:
        document_validate(run, now=clock.now(), tolerance=timedelta(hours=1))
    except Exception:
        return False
    return True


@pytest.fixture
def hostile_run(kinds: Any) -> dict[str, Any]:
    """A document whose every free string is hostile."""
    run = document(skippy_part(), zoned_part(), rotation_rate_rpm=None)
    free = [path for path in strings_of(run) if valid(with_value(run, path, HOSTILE))]
    assert ("device", "model") in free and ("device", "firmware") in free
    for path in free:
        run = with_value(run, path, HOSTILE + str(path[-1]))
    assert valid(run)
    return run


@pytest.fixture
def site(
    hostile_run: dict[str, Any],
    submit: Callable[[dict[str, Any]], Any],
    run_jobs: Callable[[], None],
    django_capture_on_commit_callbacks: Any,
) -> Any:
    """The archive with such a run published."""
    with django_capture_on_commit_callbacks(execute=True):
        submission = submit(hostile_run)
    run_jobs()
    submission.refresh_from_db()
    assert submission.state == "published", list(submission.events.values_list("reason", flat=True))
    return submission.run


def addresses(run: Any) -> list[str]:
    drive = f"/drives/{run.drive_model.slug}/"
    pages = ["/", "/drives/", "/drives/?q=script", "/claims/", "/feed.atom", "/drives/suggest/?q=script"]
    pages += [drive, f"{drive}batches/", f"{drive}follow/", f"{drive}feed.atom", f"{drive}badge.svg"]
    pages += [f"{drive}numbers/skippy/", f"/runs/{run.pk}/", f"/runs/{run.pk}/status/"]
    pages += [f"/compare/?d={run.drive_model.slug}&d=run:{run.pk}", "/compare/suggest/?q=script"]
    return pages


def tables(run: Any) -> list[str]:
    groups = f"d={run.drive_model.slug}&d=run:{run.pk}"
    lists = ["runs", "drives", "vendors", "units", "batches", "measurements", "firmware"]
    return [
        "/drives/?format=csv",
        "/claims/claims.csv",
        f"/compare/comparison.csv?{groups}",
        f"/runs/{run.pk}/charts/skippy/sawtooth.csv",
        *(f"/api/v1/{name}.csv" for name in lists),
    ]


def body(client: Client, address: str, *, marked_up: bool = False) -> str:
    """Return an answer's text; empty where only markup is looked for and it is JSON."""
    answer = client.get(address)
    if marked_up and answer.headers["Content-Type"].startswith("application/json"):
        return ""
    return (b"".join(answer) if answer.streaming else answer.content).decode()


def test_18_9_no_page_or_feed_shows_what_misleads_or_runs(client: Client, site: Any) -> None:
    seen = 0
    for address in addresses(site):
        text = body(client, address)
        assert "<script>alert" not in body(client, address, marked_up=True), address
        assert MISLEADING_PATTERN.search(text) is None, address
        seen += "HYPERLINK" in text
    assert seen >= 8  # The name itself is shown.


class Markup(HTMLParser):
    """What a reader's HTML parser makes of a text: elements, and the words between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.mark.parametrize("address", ["/feed.atom", "/drives/{slug}/feed.atom"])
def test_20_a_feed_reader_shows_what_a_device_says_and_runs_none_of_it(
    client: Client, site: Any, address: str, tool_count: Callable[[str, int, str], None]
) -> None:
    """Parsed as feed readers do, without the sanitiser that some of them lack."""
    read = feedparser.parse(
        client.get(address.format(slug=site.drive_model.slug)).content, sanitize_html=False
    )
    assert not read.bozo
    texts = [
        value
        for part in (read.feed, *read.entries)
        for name, value in part.items()
        if name.endswith("_detail") and "value" in value
    ]
    html = [Markup(text.value) for text in texts if text.type != "text/plain"]
    assert [markup.tags for markup in html if markup.tags] == []
    # A sanitiser that allows no element takes no word out.
    cleaned = [nh3.clean(text.value, tags=set()) for text in texts if text.type != "text/plain"]
    assert [Markup(text).words for text in cleaned] == [markup.words for markup in html]
    tool_count("feedparser and nh3", len(texts), "texts of feeds")
    summary = Markup(read.entries[0].summary).words
    assert summary.count("<script>alert(1)</script>") == 2, summary  # The batch's label and the firmware.


def test_18_9_no_cell_of_a_table_is_a_formula(client: Client, site: Any) -> None:
    seen = 0
    for address in tables(site):
        for row in csv.reader(io.StringIO(body(client, address))):
            for cell in row:
                assert FORMULA.match(cell) is None, (address, cell)
                assert MISLEADING_PATTERN.search(cell) is None, (address, cell)
                seen += "HYPERLINK" in cell
    assert seen >= 4


def test_18_9_no_mail_carries_control_characters(
    client: Client,
    site: Any,
    work: Callable[[], None],  # noqa: F811 -- a fixture
) -> None:
    client.post(f"/drives/{site.drive_model.slug}/follow/", {"mail": "reader@example.org"})
    work()
    [asked] = mail.outbox
    assert MISLEADING_PATTERN.search(f"{asked.subject}{asked.body}") is None


@pytest.mark.parametrize("text", ["Größe 3.5″ ±1", "日本製 10 TB", "a\tb\nc", "é (e\u0301)"])
def test_what_people_write_stays(text: str) -> None:
    assert printable(text) == text
