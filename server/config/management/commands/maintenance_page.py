"""Writes the page that a proxy in front shows while no web process runs: one file that needs nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandParser
from django.template.loader import render_to_string

from server.config.availability import DEFAULT_MESSAGE
from server.web.assets import BUILT, built_assets

_LOADED = re.compile(r"<link\b[^>]*>|<script\b.*?</script>", re.DOTALL)


class Command(BaseCommand):
    """`manage.py maintenance_page FILE`."""

    help = "Write the maintenance page as one HTML file, for a proxy to show while the archive is stopped."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file's name and what it is to say."""
        parser.add_argument("file", type=Path)
        parser.add_argument("--words", default=DEFAULT_MESSAGE, help="a sentence in place of the usual one")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write the file."""
        context = {"title": "Not available just now", "detail": options["words"], "status": 503}
        styles = "\n".join(
            (BUILT.parent / name).read_text(encoding="utf-8") for name in built_assets().styles
        )
        page = _LOADED.sub("", render_to_string("web/error.html", context))
        options["file"].write_text(page.replace("</head>", f"<style>{styles}</style></head>"), "utf-8")
        self.stdout.write(f"{options['file']} is written; tell the proxy to answer 503 with it.")
