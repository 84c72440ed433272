//! No answer of a disk, however wrong, may end the probe.

use proptest::collection::vec;
use proptest::prelude::*;

use super::mode::{Form, Values};
use super::{ata, inquiry, log, mode, nvme, smart, vpd};

fn parse_all(bytes: &[u8]) {
    let _ = (ata::identify_device(bytes), smart::attribute_celsius(bytes), smart::sct_celsius(bytes));
    let _ = (inquiry::standard(bytes), vpd::supported(bytes), vpd::serial(bytes), vpd::wwn(bytes), vpd::ata(bytes));
    let _ = (vpd::characteristics(bytes), log::celsius(bytes), log::manufactured(bytes), log::lists(bytes, 0x0D));
    let _ = (nvme::controller(bytes), nvme::celsius(bytes));
    for form in [Form::Six, Form::Ten] {
        if let Some(page) = mode::page(bytes, form, bytes.get(12).copied().unwrap_or(mode::CACHING)) {
            let _ = mode::caching(page);
        }
        for switch in [super::Cache::Write, super::Cache::LookAhead] {
            let _ = mode::select(bytes, form, switch, true);
        }
    }
    let _ = mode::caches(|values| (values != Values::Saved).then(|| bytes.to_vec()));
}

/// Bytes that look like an answer for longer: a page code a parser knows, lengths that are often small.
fn answers() -> impl Strategy<Value = Vec<u8>> {
    let start = prop::sample::select(vec![0x00, 0x08, 0x0D, 0x0E, 0x80, 0x83, 0x88, 0x89, 0xB1]);
    let byte = prop_oneof![4 => 0_u8..24, 1 => any::<u8>()];
    (start, vec(byte, 0..700)).prop_map(|(code, mut bytes)| {
        for at in [0, 1, 12] {
            if let Some(place) = bytes.get_mut(at) {
                *place = code;
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_a_parser_panic(bytes in vec(any::<u8>(), 0..700)) {
        parse_all(&bytes);
    }

    #[test]
    fn no_bytes_that_begin_like_an_answer_make_a_parser_panic(bytes in answers()) {
        parse_all(&bytes);
    }
}

#[test]
fn whole_structures_of_zeros_and_ones_are_survived() {
    for byte in [0x00, 0x01, 0x08, 0x55, 0x7F, 0x80, 0xFF] {
        parse_all(&vec![byte; nvme::IDENTIFY_BYTES]);
    }
}
