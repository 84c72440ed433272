"""Verdicts from rows: which runs and published values enter one, and which never do."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from django.db import connection

from server.accounts.models import ProbeKey
from server.benchmarks.heads import ONE_HEAD
from server.catalog.loading import catalog_load
from server.catalog.models import Citation, Claim, DriveModel, LiteratureValue
from server.claims.assessment import claims_judge
from server.claims.models import ClaimVerdict
from server.claims.selectors import ClaimRow, claim_rows, verdicts_update
from server.claims.verdicts import Outcome
from server.core import clock
from server.core.lifecycle import Provenance
from server.measurements.models import AggregateDue, Benchmark, Measurement
from tests.support.sample_archive import DAY, SampleRun, sample_run

pytestmark = pytest.mark.django_db


def run_with(value: float, **fields: Any) -> DriveModel:
    """Publish a run whose outer bandwidth is `value`, between a fifth below and above."""
    quality = fields.pop("quality", "good")
    run = sample_run(SampleRun(**fields))
    rows = Measurement.objects.filter(benchmark__run=run, metric="zoned.outer_bandwidth")
    rows.update(value=value, low=value - 0.2, high=value + 0.2, quality=quality)
    return run.drive_model


def claim(model: DriveModel, **changes: Any) -> Claim:
    citation, _made = Citation.objects.get_or_create(
        key="sample-sheet", defaults={"authors": "Sample vendor", "title": "A sample sheet"}
    )
    fields = {
        "metric": "zoned.outer_bandwidth",
        "form": "minimum",
        "low": 100.0,
        "unit": "MB/s",
        "locator": "p. 1",
    }
    return Claim.objects.create(drive_model=model, citation=citation, **(fields | changes))


def only(model: DriveModel) -> ClaimRow:
    (row,) = claim_rows(drive_model=model)
    return row


def loaded(slug: str, metric: str, form: str) -> ClaimRow:
    catalog_load()
    rows = claim_rows(drive_model=DriveModel.objects.get(slug=slug))
    (row,) = [row for row in rows if (row.claim.metric, row.claim.form) == (metric, form)]
    return row


def test_verdicts_in_words_of_before_are_found_anew() -> None:
    migration = import_module("server.claims.migrations.0002_words_of_verdicts")
    models = [run_with(150), run_with(150, model="Sample 9001")]
    for model in models:
        claim(model)
        verdicts_update(drive_model_id=model.pk)
    of_before = "Of 3 drives all reach it."
    ClaimVerdict.objects.filter(drive_model=models[0]).update(words=of_before)
    AggregateDue.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute(migration.DUE)
    [due] = AggregateDue.objects.all()
    assert due.drive_model_id == models[0].pk
    assert due.not_before is not None and due.not_before > clock.now()


def test_runs_since_a_revocation_never_enter_a_verdict() -> None:
    model = run_with(150)
    claim(model)
    assert only(model).measured.verdict.outcome != Outcome.INCONCLUSIVE
    ProbeKey.objects.update(status="revoked", revoked_from=DAY)
    verdicts_update(drive_model_id=model.pk)
    assert (only(model).measured.verdict.outcome, only(model).measured.key) == (Outcome.INCONCLUSIVE, None)


def test_simulated_runs_never_enter_a_verdict() -> None:
    model = run_with(150, provenance=Provenance.SIMULATED)
    claim(model)
    row = only(model)
    assert (row.measured.verdict.outcome, row.measured.key) == (Outcome.INCONCLUSIVE, None)


def test_values_measured_on_a_simulator_or_quoted_from_a_sheet_never_enter_a_verdict() -> None:
    model = run_with(150, provenance=Provenance.SIMULATED)
    stated = claim(model)
    for basis in ("simulated", "specification", "stated", "derived"):
        LiteratureValue.objects.create(
            drive_model=model,
            citation=stated.citation,
            locator=basis,
            metric=stated.metric,
            value=150,
            unit="MB/s",
            basis=basis,
        )
    assert only(model).published is None


def test_runs_of_one_drive_are_averaged_before_drives_are_compared() -> None:
    for value in (103, 104, 105):
        run_with(value, unit="aa" * 32)
    model = run_with(98, unit="bb" * 32)
    claim(model)
    row = only(model)
    assert row.measured.verdict.outcome == Outcome.INCONCLUSIVE
    assert "101.0" in row.measured.verdict.words or row.measured.verdict.words.startswith("101 ")


def test_runs_that_do_not_say_of_which_drive_they_are_count_as_one_drives() -> None:
    for value in (110, 111, 112):
        model = run_with(value, unit=None)
    claim(model)
    assert "one unit" in only(model).measured.verdict.words


def test_poor_values_do_not_count() -> None:
    run_with(50, unit="aa" * 32, quality="poor")
    model = run_with(110, unit="bb" * 32)
    claim(model)
    assert only(model).measured.verdict.outcome == Outcome.EXCEEDED


def test_runs_with_the_write_cache_in_another_state_are_left_out() -> None:
    model = run_with(110)
    claim(model, write_cache="off")
    claim(model, write_cache="on", conditions="cache on")
    off, on = (row.measured for row in claim_rows(drive_model=model))
    assert (off.verdict.outcome, off.left_out) == (Outcome.EXCEEDED, 0)
    assert (on.verdict.outcome, on.left_out) == (Outcome.NOT_COMPARABLE, 1)


BRIDGE = {"vendor": "Sampledata", "product": "Sample bridge", "usb_vendor_id": "1234"}


def test_runs_behind_a_bridge_are_left_out_of_a_bandwidth_verdict_and_counted() -> None:
    run_with(40, unit="aa" * 32, device={"bridge": BRIDGE})
    run_with(41, unit="bb" * 32, device={"interface": "usb"})
    model = run_with(110, unit="cc" * 32)
    claim(model)
    measured = only(model).measured
    assert (measured.verdict.outcome, measured.left_out) == (Outcome.EXCEEDED, 2)
    assert measured.verdict.words.endswith(" Left out: 2 runs behind a USB bridge.")


def test_a_bandwidth_claim_that_only_bridged_runs_could_judge_is_not_comparable() -> None:
    model = run_with(40, device={"bridge": BRIDGE})
    claim(model)
    measured = only(model).measured
    assert (measured.verdict.outcome, measured.left_out, measured.evidence) == (
        Outcome.NOT_COMPARABLE,
        1,
        None,
    )
    assert "1 run behind a USB bridge" in measured.verdict.words


def test_a_run_over_a_link_slower_than_the_claim_does_not_judge_it() -> None:
    model = run_with(110, device={"link_speed_bits_per_s": 1_500_000_000})
    claim(model, low=151.0)
    claim(model, low=150.0, conditions="as fast as the link")
    slower, equal = (row.measured for row in claim_rows(drive_model=model))
    assert (slower.verdict.outcome, slower.left_out) == (Outcome.NOT_COMPARABLE, 1)
    assert "over a link of 150 MB/s, slower than what is claimed" in slower.verdict.words
    assert (equal.verdict.outcome, equal.left_out) == (Outcome.MISSED, 0)


def test_a_bridge_does_not_keep_a_run_from_judging_what_it_does_not_limit() -> None:
    model = run_with(110, device={"bridge": BRIDGE})
    claim(model, metric="skippy.rotation_time", form="maximum", low=None, high=9.0, unit="ms")
    assert only(model).measured.left_out == 0


def test_what_a_command_takes_is_not_judged_through_a_bridge() -> None:
    run_with(110, unit="aa" * 32, device={"bridge": BRIDGE})
    model = run_with(110, unit="bb" * 32)
    Measurement.objects.filter(metric="skippy.rotation_time").update(metric="skippy.mtm")
    claim(model, metric="skippy.mtm", form="maximum", low=None, high=9.0, unit="ms")
    measured = only(model).measured
    assert (measured.verdict.outcome, measured.left_out) == (Outcome.EXCEEDED, 1)
    assert "1 run behind a USB bridge, which adds to the time of each command" in measured.verdict.words


def test_the_write_cache_is_that_of_the_benchmark_and_not_of_the_run() -> None:
    model = run_with(110)
    Benchmark.objects.filter(kind="zoned").update(caches={"write": True, "look_ahead": None})
    claim(model, write_cache="off")
    measured = only(model).measured
    assert (measured.verdict.outcome, measured.left_out) == (Outcome.NOT_COMPARABLE, 1)


def test_a_claim_for_another_place_or_size_is_not_compared_with_this_one() -> None:
    model = run_with(110)
    claim(model, metric="skippy.sectors_per_track", scope="middle", low=100.0, unit="blocks")
    row = only(model)
    assert row.measured.verdict.outcome == Outcome.NOT_COMPARABLE
    assert "inner, outer" in row.measured.verdict.words


@pytest.mark.parametrize(
    ("reason", "place"), [("", ("positional.mean_bandwidth", "outer")), (ONE_HEAD, None)]
)
def test_a_stretch_that_one_head_read_does_not_stand_in_for_a_zone(
    reason: str, place: tuple[str, str] | None
) -> None:
    model = run_with(150)
    rows = Measurement.objects.filter(metric="zoned.outer_bandwidth")
    rows.update(metric="positional.mean_bandwidth", scope="outer", reason=reason, quality="fair")
    claim(model)
    assert only(model).measured.key == place


def test_a_hidden_claim_is_not_judged() -> None:
    model = run_with(110)
    claim(model, hidden=True)
    assert claim_rows(drive_model=model) == ()


def test_four_queries_judge_however_many_claims(django_assert_num_queries: Any) -> None:
    catalog_load()
    for slug in ("seagate-st2000nm0001", "ibm-ultrastar-xp"):
        model = DriveModel.objects.get(slug=slug)
        with django_assert_num_queries(4):
            claims_judge(drive_model=model)


def test_st2000nm0001_by_published_values() -> None:
    outer = loaded("seagate-st2000nm0001", "zoned.outer_bandwidth", "maximum")
    inner = loaded("seagate-st2000nm0001", "zoned.inner_bandwidth", "minimum")
    assert outer.measured.verdict.outcome == Outcome.INCONCLUSIVE
    assert outer.published and outer.published.verdict.outcome == Outcome.MET
    assert outer.published.key == ("positional.mean_bandwidth", "outer")
    assert inner.published and inner.published.verdict.outcome == Outcome.EXCEEDED
    assert "2^20" in outer.claim.note


def test_hd103sj_by_published_values() -> None:
    media = loaded("samsung-hd103sj", "zoned.outer_bandwidth", "maximum")
    link = loaded("samsung-hd103sj", "buffer.peak_bandwidth", "maximum")
    assert media.published and media.published.verdict.outcome == Outcome.NOT_COMPARABLE
    assert "143" in media.published.verdict.words
    assert link.published and "275 MB/s is 92 % of it" in link.published.verdict.words


def test_claims_that_nothing_measures_are_not_comparable() -> None:
    row = loaded("samsung-hd103sj", "published.ready_time", "typical")
    assert row.measured.verdict.outcome == Outcome.NOT_COMPARABLE


def test_the_ultrastars_specification_agrees_with_what_was_published() -> None:
    catalog_load()
    rows = claim_rows(drive_model=DriveModel.objects.get(slug="ibm-ultrastar-xp"))
    outcomes = {(row.claim.metric, row.claim.scope): row.published for row in rows}
    surfaces = outcomes["skippy.surfaces", ""]
    assert surfaces and surfaces.verdict.outcome == Outcome.MET
    switch = outcomes["skippy.head_switch_gap", "outer"]
    assert switch and switch.verdict.outcome == Outcome.MET
    assert outcomes["skippy.sectors_per_track", "inner"] is None


def test_a_kept_verdict_is_the_one_that_was_found() -> None:
    catalog_load()
    for slug in ("seagate-st2000nm0001", "samsung-hd103sj", "ibm-ultrastar-xp"):
        model = DriveModel.objects.get(slug=slug)
        found = claims_judge(drive_model=model)
        assert verdicts_update(drive_model_id=model.pk) == len(found)
        for kept, live in zip(claim_rows(drive_model=model), found, strict=True):
            assert (kept.claim, kept.metric) == (live.claim, live.metric)
            for one, other in ((kept.measured, live.measured), (kept.published, live.published)):
                assert (one is None) == (other is None)
                if one is not None and other is not None:
                    assert (one.verdict, one.key, one.literature) == (
                        other.verdict,
                        other.key,
                        other.literature,
                    )


def test_kept_verdicts_are_read_in_one_query(django_assert_num_queries: Any) -> None:
    catalog_load()
    model = DriveModel.objects.get(slug="seagate-st2000nm0001")
    verdicts_update(drive_model_id=model.pk)
    with django_assert_num_queries(1):
        rows = claim_rows(drive_model=model)
        assert [row.published.literature.citation.title for row in rows if row.published]  # type: ignore[union-attr]


def test_a_claim_that_was_changed_is_not_shown_with_the_verdict_on_its_old_terms() -> None:
    model = run_with(110)
    stated = claim(model)
    verdicts_update(drive_model_id=model.pk)
    assert only(model).measured.verdict.outcome == Outcome.EXCEEDED
    Claim.objects.filter(pk=stated.pk).update(low=120.0)
    assert only(model).measured.verdict.outcome == Outcome.MISSED


def test_judging_twice_keeps_one_verdict_and_none_of_a_claim_that_was_hidden() -> None:
    model = run_with(110)
    stated = claim(model)
    for _round in range(2):
        verdicts_update(drive_model_id=model.pk)
    kept = ClaimVerdict.objects.get()
    assert (kept.effective_verdict, kept.evidence, kept.runs, kept.units) == ("exceeded", "measured", 1, 1)
    Claim.objects.filter(pk=stated.pk).update(hidden=True)
    verdicts_update(drive_model_id=model.pk)
    assert not ClaimVerdict.objects.exists()


def test_what_stands_is_the_verdict_of_documents_where_nobody_has_measured() -> None:
    catalog_load()
    model = DriveModel.objects.get(slug="seagate-st2000nm0001")
    verdicts_update(drive_model_id=model.pk)
    inner = ClaimVerdict.objects.get(claim__metric="zoned.inner_bandwidth", claim__form="minimum")
    assert (inner.outcome, inner.published_outcome) == ("inconclusive", "exceeded")
    assert (inner.effective_verdict, inner.evidence) == ("exceeded", "published")


def test_a_verdict_tells_the_variants_of_a_model_apart() -> None:
    for place, (variant, value) in enumerate([("00BN5A0", 150), ("75WN4A0", 60)] * 4):
        device = {"vendor": "WDC", "model": f"WD10EZEX-{variant}"}
        model = run_with(value + place / 10, unit=f"{place:02x}" * 32, device=device)
    claim(model, form="typical", low=150.0, high=150.0)
    words = only(model).measured.verdict.words
    assert words.endswith(" By variant: 00BN5A0 met (four units), 75WN4A0 missed (four units).")


def test_a_verdict_of_drives_of_one_variant_tells_none() -> None:
    for place in range(4):
        device = {"vendor": "WDC", "model": "WD10EZEX-00BN5A0" if place else "WD10EZEX"}
        model = run_with(150 + place, unit=f"{place:02x}" * 32, device=device)
    claim(model)
    assert "variant" not in only(model).measured.verdict.words
