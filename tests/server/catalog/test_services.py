"""Matching what devices say to the catalogue, and finding models."""

from __future__ import annotations

import pytest

from server.catalog.identities import identities
from server.catalog.services import (
    UNKNOWN_VENDOR,
    drive_alias_add,
    drive_model_resolve,
    vendor_resolve,
)

pytestmark = pytest.mark.django_db


def test_an_unknown_model_becomes_an_uncurated_entry() -> None:
    model = drive_model_resolve(vendor_name="ACME ", model_name="  AC   1234 ", simulated=False)
    assert (model.vendor.name, model.number, model.curated) == ("ACME", "AC 1234", False)


def test_the_same_strings_with_other_spaces_mean_the_same_model() -> None:
    first = drive_model_resolve(vendor_name="ACME", model_name="AC-1234", simulated=False)
    second = drive_model_resolve(vendor_name="acme  ", model_name="AC 1234", simulated=False)
    assert first == second


def test_a_model_string_that_begins_with_a_known_maker_is_split() -> None:
    samsung = vendor_resolve(name="Samsung")
    model = drive_model_resolve(vendor_name="ATA", model_name="SAMSUNG HD103SJ", simulated=False)
    assert (model.vendor, model.number) == (samsung, "HD103SJ")


def test_drives_that_do_not_name_their_maker_are_filed_under_it_by_model() -> None:
    first = drive_model_resolve(vendor_name="ATA", model_name="ST4000DM000-1F2168", simulated=False)
    second = drive_model_resolve(vendor_name=None, model_name="ST4000DM000-2AE166", simulated=False)
    assert first == second
    assert (first.vendor.name, first.number, first.family) == ("Seagate", "ST4000DM000", "Desktop HDD.15")


def test_a_number_keeps_its_model_through_a_merger_and_a_reseller() -> None:
    strings = ["Hitachi HUS724040ALE640", "HGST HUS724040ALE640", "HUS724040ALE640 00Y2430          LEN"]
    models = {drive_model_resolve(vendor_name=None, model_name=text, simulated=False) for text in strings}
    assert [model.title for model in models] == ["HGST HUS724040ALE640"]


def test_no_real_drive_is_filed_under_nobody() -> None:
    for one in identities()[::12]:
        model = drive_model_resolve(vendor_name=None, model_name=one.model_string, simulated=False)
        assert model.vendor.name != UNKNOWN_VENDOR, one.model_string


def test_an_alias_leads_to_its_model_whatever_the_vendor_field_says() -> None:
    model = drive_model_resolve(vendor_name="Seagate", model_name="ST32430W", simulated=False)
    drive_alias_add(drive_model=model, text="ST32430W SUN2.1G")
    assert drive_model_resolve(vendor_name=None, model_name="st32430w sun2.1g", simulated=False) == model


def test_two_models_that_slugify_alike_get_different_addresses() -> None:
    first = drive_model_resolve(vendor_name="ACME", model_name="日本", simulated=False)
    second = drive_model_resolve(vendor_name="ACME", model_name="中国", simulated=False)
    assert first.slug != second.slug


def test_markup_in_a_model_name_stays_text_and_out_of_the_address() -> None:
    model = drive_model_resolve(vendor_name=None, model_name="<script>alert(1)</script>", simulated=False)
    assert model.number == "<script>alert(1)</script>"
    assert "<" not in model.slug


DEVICES = [
    ("IBM", "UltraStar XP", "ibm-ultrastar-xp"),
    ("Seagate", "ST32430W", "seagate-st32430w"),
    ("ATA", "WDC WD1600AAJS", "western-digital-wd1600aajs"),
    (None, "Maxtor 6L040J2", "maxtor-6l040j2"),
    ("DiskAtlas", "Modern 20 TB sample", "diskatlas-modern-20-tb-sample"),
    ("SEAGATE ", "ST2000NM0001", "seagate-st2000nm0001"),
    (None, "SAMSUNG HD103SJ", "samsung-hd103sj"),
    ("ATA", "SAMSUNG HD103SJ", "samsung-hd103sj"),
]


def test_device_strings_lead_to_the_loaded_models() -> None:
    from server.catalog.loading import catalog_load

    catalog_load()
    for vendor, model, slug in DEVICES:
        assert drive_model_resolve(vendor_name=vendor, model_name=model, simulated=True).slug == slug
