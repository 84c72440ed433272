"""The commands of the page for contributors are commands of the probe."""

from __future__ import annotations

import html
import re
import shlex
import subprocess
from functools import lru_cache

import pytest
from django.test import Client

from tests.web.test_pages import get, text_of
from tools.release.native import built_probe

pytestmark = pytest.mark.django_db


def commands_of(page: str) -> list[list[str]]:
    """Return the words of each call of the probe in the page's blocks of commands."""
    blocks = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", page, flags=re.DOTALL)
    calls = []
    for line in html.unescape("\n".join(blocks)).replace(";", "\n").splitlines():
        words = shlex.split(line, comments=True)
        if "./diskatlas" in words:
            calls.append(words[words.index("./diskatlas") + 1 :])
    return calls


@lru_cache
def help_of(*command: str) -> str:
    probe = built_probe()
    if probe is None:
        pytest.skip("the probe is not built: call `make probe`")
    done = subprocess.run([str(probe), *command, "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"diskatlas {' '.join(command)}: {done.stderr}"
    return done.stdout


def test_every_command_and_option_of_the_page_exists(client: Client) -> None:
    calls = commands_of(get(client, "/contribute/"))
    assert {call[0] for call in calls} >= {"list", "plan", "run", "resume", "submit", "show", "verify"}
    for call in calls:
        if call[0].startswith("--"):
            continue
        told = help_of(call[0])
        for word in call[1:]:
            if word.startswith("-"):
                assert re.search(rf"(^|[\s,]){re.escape(word)}\b", told), f"diskatlas {' '.join(call)}"


@pytest.mark.parametrize("option", ["--suite", "--manufactured", "--writes"])
def test_options_named_in_the_text_exist(client: Client, option: str) -> None:
    assert f"<code>{option}" in get(client, "/contribute/")
    assert option in help_of("run")


def test_there_is_a_way_for_each_situation(client: Client) -> None:
    page = get(client, "/contribute/")
    for anchor in ("run-title", "many-title", "offline-title", "later-title"):
        assert f'href="#{anchor}"' in page and f'id="{anchor}"' in page
    assert page.index("Safety first") < page.index("./diskatlas run")


def test_20_the_page_says_first_for_which_system_it_is_and_names_the_risks(client: Client) -> None:
    words = text_of(get(client, "/contribute/"))
    assert words.index("For Linux, on x86_64 and aarch64") < words.index("Safety first")
    for said in ("The disk that your system runs from", "Your key", "may fail sooner", "can lose a block"):
        assert words.index("Safety first") < words.index(said) < words.index("Get the probe")
