"""Groups by their keys: what an address names, and what is said of a key that names nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.catalog.loading import catalog_load
from server.core.lifecycle import Provenance, State
from server.measurements.conditions import conditions_of
from server.measurements.group_keys import (
    GroupsError,
    GroupType,
    Key,
    Source,
    batch_key,
    firmware_key,
    key_parse,
    run_key,
    variant_key,
)
from server.measurements.groups import group_get, groups_find, groups_get
from server.measurements.models import Batch, Run
from tests.support.sample_archive import SampleRun, sample_run
from tests.support.sample_units import measured

labels = st.text(min_size=1, max_size=40).filter(lambda text: text.strip() and "\0" not in text)


@settings(deadline=None)
@given(
    labels,
    st.sampled_from([GroupType.BATCH, GroupType.FIRMWARE, GroupType.VARIANT]),
    st.sampled_from([None, Source.SIMULATED]),
)
def test_any_label_comes_back_out_of_its_key(label: str, form: GroupType, asked: Source | None) -> None:
    key = Key(form, "sample-9000", label, asked)
    assert key_parse(str(key)) == key
    assert str(key).isascii() and " " not in str(key)


@pytest.mark.parametrize(
    "text",
    ["", "~batch:1", "a~batch", "a~batch:", "a~lot:1", "a~unit:xyz", "run:1", "a b", "a~fw:1~unit:ab"],
)
def test_what_is_no_key_is_named_with_examples_of_keys(text: str) -> None:
    with pytest.raises(GroupsError, match="Keys look like"):
        key_parse(text)


def test_a_key_without_end_is_refused_before_it_is_read() -> None:
    with pytest.raises(GroupsError, match="The limit is 600"):
        key_parse("a" * 601)


pytestmark = pytest.mark.django_db


def test_each_form_of_key_finds_its_runs_and_no_others() -> None:
    run = measured(1)
    other = measured(2, firmware="S2/b ~ 1")
    batch = Batch.objects.create(drive_model=run.drive_model, year=2026, week=8, label="site A/1")
    Run.objects.filter(pk=other.pk).update(batch=batch)
    slug = run.drive_model.slug
    expected = {
        slug: {run.pk, other.pk},
        batch_key(slug, batch): {other.pk},
        f"{slug}~batch:2026-w07": {run.pk},
        firmware_key(slug, "S2/b ~ 1"): {other.pk},
        run_key(run.pk): {run.pk},
    }
    for key, runs in expected.items():
        group = group_get(key)
        assert {found.pk for found in group.runs()} == runs, key
        assert group.key == key


def variants(*names: str) -> list[Run]:
    """A run of a drive each of these variants of one model; an empty name is the model alone."""
    return [
        sample_run(SampleRun(vendor="ATA", model=f"WDC WD10EZEX-{name}".rstrip("-"), unit=f"{index:064x}"))
        for index, name in enumerate(names)
    ]


def test_a_variant_is_a_group_of_the_runs_whose_drives_name_it() -> None:
    first, other, again, plain = variants("75WN4A0", "21WN4A0", "75WN4A0", "")
    slug = first.drive_model.slug
    assert slug == plain.drive_model.slug
    group = group_get(f"{slug}~variant:75wn4a0")
    assert group.key == variant_key(slug, "75WN4A0") and group.label == "variant 75WN4A0"
    assert {run.pk for run in group.runs()} == {first.pk, again.pk}
    assert [run.pk for run in group_get(variant_key(slug, "21WN4A0")).runs()] == [other.pk]
    with pytest.raises(GroupsError, match=r"no variant “00BN5A0”\. Its units name 21WN4A0, 75WN4A0"):
        group_get(f"{slug}~variant:00BN5A0")


def test_a_variant_that_a_field_of_sixteen_characters_cut_is_none() -> None:
    """SCSI's product field ends after 16: `75W` is what is left of some variant, not one of its own."""
    cut = sample_run(SampleRun(vendor="ATA", model="WDC WD10EZEX-75W", unit="d" * 64))
    whole = variants("75WN4A0")[0]
    assert cut.drive_model == whole.drive_model
    with pytest.raises(GroupsError, match="Its units name 75WN4A0"):
        group_get(variant_key(cut.drive_model.slug, "75W"))
    told = conditions_of(Run.objects.filter(drive_model=cut.drive_model))
    assert [told[run.pk].whole["variant"] for run in (cut, whole)] == ["", "75WN4A0"]
    full = sample_run(SampleRun(vendor="WDC", model="WD10EZEX-21WN4A0", unit="e" * 64))
    assert [run.pk for run in group_get(variant_key(cut.drive_model.slug, "21WN4A0")).runs()] == [full.pk]


def test_what_a_drive_says_of_its_vendor_is_no_other_variant() -> None:
    bridged = sample_run(SampleRun(vendor="WDC", model="WD10EZEX-75WN4A0", unit="e" * 64))
    run = variants("75WN4A0")[0]
    assert bridged.drive_model == run.drive_model
    group = group_get(variant_key(run.drive_model.slug, "75WN4A0"))
    assert {one.pk for one in group.runs()} == {bridged.pk, run.pk}


def test_a_unit_is_found_by_as_many_digits_as_tell_it_from_others() -> None:
    run = sample_run(SampleRun(unit="ab" * 32))
    sample_run(SampleRun(unit="ab" * 10 + "cd" * 22))
    slug = run.drive_model.slug
    with pytest.raises(GroupsError, match="Several units"):
        group_get(f"{slug}~unit:{'ab' * 6}")
    group = group_get(f"{slug}~unit:{'ab' * 12}")
    assert [found.pk for found in group.runs()] == [run.pk]
    with pytest.raises(GroupsError, match="No unit"):
        group_get(f"{slug}~unit:{'0' * 12}")


def test_a_group_holds_one_provenance_and_measured_runs_come_first() -> None:
    simulated = measured(1, provenance=Provenance.SIMULATED)
    slug = simulated.drive_model.slug
    assert group_get(slug).source == Source.SIMULATED
    real = measured(2)
    assert group_get(slug).source == Source.MEASURED
    assert [run.pk for run in group_get(slug).runs()] == [real.pk]
    assert [run.pk for run in group_get(f"{slug}~sim").runs()] == [simulated.pk]


def test_a_model_that_only_documents_speak_of_is_a_group_of_published_values() -> None:
    catalog_load()
    group = group_get("maxtor-2f040l0")
    assert (group.source, group.title) == (Source.LITERATURE, "Maxtor 2F040L0, published values")
    assert not group.runs().exists()


def test_quarantined_runs_are_in_no_group() -> None:
    run = measured(1, state=State.QUARANTINED)
    for key in (run.drive_model.slug, run_key(run.pk)):
        with pytest.raises(GroupsError):
            group_get(key)


def test_every_wrong_key_is_named_at_once() -> None:
    slug = measured(1).drive_model.slug
    with pytest.raises(GroupsError) as caught:
        groups_get([slug, "no-such-drive", f"{slug}~fw:S9", slug])
    text = " ".join(caught.value.errors)
    assert "no-such-drive" in text and "firmware S9" in text and "given twice" in text


def test_one_group_and_nine_are_refused_with_the_limit() -> None:
    runs = [measured(index) for index in range(9)]
    keys = [run_key(run.pk) for run in runs]
    with pytest.raises(GroupsError, match="takes 2 to 8"):
        groups_get(keys[:1])
    with pytest.raises(GroupsError, match="At most 8"):
        groups_get(keys)
    assert len(groups_get(keys[:8])) == 8
    assert len(groups_find(keys[:1])[0]) == 1
