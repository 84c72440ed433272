"""What the kinds' folders say stands in the documentation, word for word."""

from __future__ import annotations

import pytest

from tools.kinds.docs import PAGES, written
from tools.kinds.layout import ROOT


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_what_the_kinds_folders_say(page: str) -> None:
    assert (ROOT / page).read_text(encoding="utf-8") == written(page), "Call `make kind-docs`."
