//! Mode parameters built by SPC-4, clause 7.5, and SBC-3, clause 6.5, table "Caching mode page".

use super::*;

/// The caching page of 20 bytes, PS set, with these values of bytes 2 and 12.
pub fn caching_page(flags: u8, ahead: u8) -> Vec<u8> {
    let mut page = vec![0; 20];
    (page[0], page[1], page[2], page[12]) = (0x88, 18, flags, ahead);
    page
}

/// An answer to MODE SENSE with a short block descriptor before the page.
pub fn answer(form: Form, page: &[u8]) -> Vec<u8> {
    let mut answer = match form {
        Form::Six => vec![u8::try_from(3 + 8 + page.len()).unwrap(), 0, 0x10, 8],
        Form::Ten => vec![0, u8::try_from(6 + 8 + page.len()).unwrap(), 0, 0x10, 0, 0, 0, 8],
    };
    answer.extend([0, 0, 0, 0, 0, 0, 2, 0]);
    answer.extend(page);
    answer
}

#[test]
fn the_page_is_found_behind_the_block_descriptors_of_both_forms() {
    let sent = caching_page(0x04, 0);
    for form in [Form::Six, Form::Ten] {
        assert_eq!(page(&answer(form, &sent), form, CACHING), Some(&sent[..]), "{form:?}");
        assert_eq!(page(&answer(form, &sent), form, 0x0A), None, "another page");
        let cut = answer(form, &sent);
        assert_eq!(page(&cut[..cut.len() - 1], form, CACHING), None, "a cut answer");
    }
}

#[test]
fn bytes_behind_the_stated_length_are_not_part_of_the_answer() {
    let mut short = answer(Form::Six, &caching_page(0x04, 0));
    short[0] = 11;
    assert_eq!(page(&short, Form::Six, CACHING), None);
}

#[test]
fn the_switches_are_wce_and_dra_turned_round() {
    let on = caching(&caching_page(0x04, 0)).unwrap();
    assert_eq!(on, Caching { write: true, look_ahead: Some(true), read: true });
    let off = caching(&caching_page(0x01, 0x20)).unwrap();
    assert_eq!(off, Caching { write: false, look_ahead: Some(false), read: false });
    assert_eq!(caching(&caching_page(0x04, 0)[..12]).unwrap().look_ahead, None, "the page of SCSI-2");
    assert_eq!(caching(&[0x08, 2, 0, 0]), None);
}

#[test]
fn the_four_values_are_those_that_the_disk_gave_and_changeable_is_a_mask() {
    let caches = caches(|values| match values {
        Values::Current => Some(caching_page(0x00, 0x20)),
        Values::Changeable | Values::Default => Some(caching_page(0x04, 0x00)),
        Values::Saved => None,
    });
    let write = CacheSetting { current: Some(false), changeable: Some(true), default: Some(true), saved: None };
    assert_eq!(caches.write, write);
    let ahead = CacheSetting { current: Some(false), changeable: Some(false), default: Some(true), saved: None };
    assert_eq!(caches.look_ahead, ahead);
}

#[test]
fn select_changes_its_switch_alone_and_asks_for_nothing_to_be_saved() {
    let list = select(&caching_page(0x15, 0x2F), Form::Ten, Cache::Write, false).unwrap();
    assert_eq!(list[..8], [0; 8]);
    let mut expected = caching_page(0x11, 0x2F);
    expected[0] = 0x08;
    assert_eq!(list[8..], expected);
    let list = select(&caching_page(0x15, 0x2F), Form::Six, Cache::LookAhead, true).unwrap();
    assert_eq!((list.len(), list[4 + 2], list[4 + 12]), (24, 0x15, 0x0F));
    assert_eq!(select(&caching_page(0, 0)[..12], Form::Six, Cache::LookAhead, true), None);
}
