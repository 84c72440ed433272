"""What the methods' pages say of each kind."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from server.benchmarks.contract import Kind
from server.benchmarks.registry import KINDS
from server.web.methods import HEADINGS, method_groups, read_about, render_markdown, sections_of
from tests.support.sample_kinds import SAMPLE_KINDS
from tests.web.test_pages import get
from tools.method_figures import drawings

DOCUMENTS = ("Skippy", "Eridano", "OLP", "Platinum", "Maxtor", "Talagala", "Bertasi", "Ahmed")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.slug)
def test_a_kind_says_what_why_how_to_read_it_its_traps_and_its_source(kind: Kind) -> None:
    sections = sections_of(read_about(kind.folder))
    assert [title for title in sections if title in HEADINGS] == list(HEADINGS)
    assert all(len(sections[title]) > 80 for title in HEADINGS[:4])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.slug)
def test_a_kind_names_its_document_with_the_place_in_it(kind: Kind) -> None:
    source = sections_of(read_about(kind.folder))["Source"]
    assert any(name in source for name in DOCUMENTS)
    assert re.search(
        r"(section|sections|table|tables|figure|figures|page|pages|chapter)\s", source, re.IGNORECASE
    ) or re.search(r"\d\.\d", source)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.slug)
def test_a_metric_says_what_it_is_how_it_is_found_and_where_it_stands(kind: Kind) -> None:
    for metric in kind.metrics:
        assert metric.definition and metric.method and metric.source, metric.key


def test_the_list_has_every_kind_once_under_a_topic() -> None:
    listed = [entry.kind.slug for group in method_groups(KINDS) for entry in group.entries]
    assert sorted(listed) == sorted(kind.slug for kind in KINDS)
    assert "Other" not in {group.title for group in method_groups(KINDS)}
    assert all(entry.words.endswith(".") for group in method_groups(KINDS) for entry in group.entries)


@pytest.mark.django_db
def test_the_list_leads_to_each_metric_on_its_page(client: Client) -> None:
    page = get(client, "/methods/")
    detail = get(client, f"/methods/{SAMPLE_KINDS[0].slug}/")
    anchors = re.findall(rf'href="/methods/{SAMPLE_KINDS[0].slug}/#([^"]+)"', page)
    assert anchors
    assert all(f'id="{anchor}"' in detail for anchor in anchors)


def test_a_table_of_a_text_scrolls_in_its_frame_and_heads_its_columns() -> None:
    html = render_markdown("| a | b |\n|---|---|\n| 1 | 2 |\n")
    assert html.startswith('<div class="table-frame" tabindex="0" role="region"')
    assert html.count('<th scope="col">') == 2
    assert html.rstrip().endswith("</table></div>")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.slug)
def test_20_a_method_has_a_picture_beside_its_sentences_as_the_golden_run_gives_it(kind: Kind) -> None:
    drawn = dict(drawings(kind))
    assert drawn and set(drawn) == set((kind.folder / "figures").iterdir())
    for path, drawing in drawn.items():
        assert path.read_text(encoding="utf-8") == drawing, "call `make method-figures`"


def test_20_a_picture_alone_in_its_paragraph_is_a_figure_with_its_words() -> None:
    text = '- a list\n\n  ![What <one> sees](figures/it.svg "chart=x marks=none")\n'
    html = render_markdown(text, figures_url="/methods/it/figures/")
    assert '<img src="/methods/it/figures/it.svg" alt=""' in html and "chart=" not in html
    assert "<figcaption>What &lt;one&gt; sees</figcaption>" in html and "<p><figure" not in html


@pytest.mark.django_db
def test_20_terms_are_explained_once_in_plain_words(client: Client) -> None:
    page = get(client, "/methods/words/")
    for word in ("MTM", "STM", "Unit in the middle", "Zone"):
        assert word.lower() in page.lower()
    assert 'href="/methods/words/"' in get(client, "/methods/")
