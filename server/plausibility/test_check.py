"""What a check tells where it has found much."""

from __future__ import annotations

from server.plausibility.check import FINDINGS_SAID, listed


def test_a_check_tells_few_findings_one_by_one_and_counts_the_rest() -> None:
    findings = [f"Finding {number}." for number in range(FINDINGS_SAID + 2)]
    said = listed(findings)
    assert "Finding 0." in said and f"Finding {FINDINGS_SAID}." not in said
    assert said.endswith("And 2 more findings of this check.")


def test_no_finding_is_left_out_where_there_are_few() -> None:
    findings = [f"Finding {number}." for number in range(FINDINGS_SAID)]
    assert listed(findings) == " ".join(findings)


def test_a_single_one_that_is_left_is_one_finding() -> None:
    assert listed(["It is so."] * (FINDINGS_SAID + 1)).endswith("And 1 more finding of this check.")
