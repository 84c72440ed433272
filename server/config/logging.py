"""Structured logs: one JSON object per line, or coloured lines for a person at a terminal."""

from __future__ import annotations

import logging.config
import re
import sys
from typing import Any

import structlog

_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]

_TOKEN = re.compile(r"(/follow/(?:confirm|stop)/)[^/\s\"']+")


def redact_tokens(_logger: Any, _name: str, event: dict[str, Any]) -> dict[str, Any]:
    """Cut the tokens of mails' links out of a line: who reads logs is not given the right to end a follow."""
    return {
        key: _TOKEN.sub(r"\1...", value) if isinstance(value, str) else value for key, value in event.items()
    }


def configure(options: dict[str, Any]) -> None:
    """Set up `logging` and structlog. `options` is `settings.LOGGING`: `level` and `json`."""
    renderer: Any = (
        structlog.processors.JSONRenderer()
        if options["json"]
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": _SHARED,
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info if options["json"] else _unchanged,
            redact_tokens,
            renderer,
        ],
    }
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"structured": formatter},
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
            "root": {"handlers": ["stderr"], "level": options["level"]},
        }
    )
    structlog.configure(
        # First: what is below the level costs next to nothing.
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _unchanged(_logger: Any, _name: str, event: dict[str, Any]) -> dict[str, Any]:
    return event
