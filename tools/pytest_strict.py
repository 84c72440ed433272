"""A pytest plugin: with `--strict-skips` a skipped test fails, and its reason is the failure.

`make test STRICT=1` asks for it, so that CI can't grow quiet about what it no longer runs.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--strict-skips", action="store_true", help="a skipped test fails with its reason")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    return str(report.longrepr)


def _fail(report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = _reason(report)
    report.outcome = "failed"
    report.longrepr = f"skipped, and STRICT=1 allows no skip: {reason}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # An expected failure is reported as a skip too, but it did run.
    if report.skipped and not hasattr(report, "wasxfail") and item.config.getoption("--strict-skips"):
        _fail(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.skipped and collector.config.getoption("--strict-skips"):
        _fail(report)
    return report
