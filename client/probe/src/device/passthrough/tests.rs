//! Conversations with disks of each kind, and with some that are not to be trusted.

use super::fake::{Answers, Shared, disk};
use super::*;
use crate::identify::DeviceInfo;
use crate::report::document::CacheSetting;

const ATA: Answers = Answers::Ata { sixteen: true, twelve: true, sct: true };

fn passthrough(answers: Answers, bus: Bus) -> (Shared, Passthrough, DeviceInfo) {
    let (shared, commands) = disk(answers);
    let mut passthrough = Passthrough::over(commands);
    let info = passthrough.ask(bus);
    passthrough.permit(Ok(()));
    (shared, passthrough, info)
}

#[test]
fn an_ata_disk_tells_its_own_words_through_the_pass_through() {
    let (_, _, info) = passthrough(ATA, Bus::Ata);
    assert_eq!(info.model.as_deref(), Some("A MODEL NAME LONGER THAN SIXTEEN"));
    assert_eq!((info.vendor, info.serial.as_deref()), (None, Some("S1234567")));
    assert_eq!((info.pass_through, info.has_wwn, info.temperature_celsius), (Some("ata16"), true, Some(41)));
    assert_eq!(info.caches.look_ahead.current, Some(true));
    assert_eq!(info.notes, Vec::<String>::new());
}

#[test]
fn a_bridge_that_knows_only_the_short_carrier_is_asked_with_it() {
    let (_, _, info) = passthrough(Answers::Ata { sixteen: false, twelve: true, sct: false }, Bus::Usb);
    assert_eq!((info.pass_through, info.serial.as_deref()), (Some("ata12"), Some("S1234567")));
    assert_eq!(info.temperature_celsius, Some(39), "without SCT the attributes tell");
}

#[test]
fn a_bridge_that_passes_nothing_on_says_so_and_keeps_its_mode_page() {
    let (_, mut passthrough, info) = passthrough(Answers::Ata { sixteen: false, twelve: false, sct: false }, Bus::Usb);
    assert_eq!((info.pass_through, info.model.as_deref()), (None, Some("DISK 15K")));
    assert!(info.notes[0].contains("passes no ATA commands on"), "{:?}", info.notes);
    assert_eq!(passthrough.cache(Cache::Write), Some(true));
}

#[test]
fn without_permission_the_translation_tells_identity_and_caches() {
    let (_, mut passthrough, info) = passthrough(Answers::Guarded, Bus::Ata);
    assert_eq!(info.serial.as_deref(), Some("S1234567"));
    assert!(info.notes[0].contains("need root"), "{:?}", info.notes);
    assert_eq!(passthrough.cache(Cache::LookAhead), Some(true));
    assert_eq!(passthrough.temperature_celsius(), None);
}

#[test]
fn a_sas_disk_tells_pages_logs_and_all_four_values_of_its_caches() {
    let (shared, _, info) = passthrough(Answers::Scsi, Bus::Scsi);
    assert_eq!((info.vendor.as_deref(), info.serial.as_deref()), (Some("SAMPLE"), Some("SAS12345")));
    assert_eq!((info.rotation, info.has_wwn), (Some(pages::Rotation::Rpm(15_000)), true));
    assert_eq!(info.manufactured, Some(pages::log::Manufactured { year: 2011, week: 36 }));
    assert_eq!(info.temperature_celsius, Some(34));
    let write = CacheSetting { current: Some(true), changeable: Some(true), default: Some(true), saved: Some(false) };
    assert_eq!(info.caches.write, write);
    assert!(!shared.borrow().commands.contains(&0x85), "a SAS disk is not asked in ATA");
}

#[test]
fn an_nvme_disk_tells_its_names_temperature_and_the_four_values_of_its_cache() {
    let (_, mut passthrough, info) = passthrough(Answers::Nvme, Bus::Nvme);
    assert_eq!((info.serial.as_deref(), info.temperature_celsius), (Some("SN0001"), Some(36)));
    let write = CacheSetting { current: Some(true), changeable: Some(true), default: Some(true), saved: Some(false) };
    assert_eq!(info.caches.write, write);
    assert_eq!(passthrough.cache(Cache::LookAhead), None);
}

#[test]
fn silence_is_met_once_and_nonsense_tells_nothing() {
    for bus in [Bus::Ata, Bus::Scsi, Bus::Usb, Bus::Nvme] {
        let (shared, _, info) = passthrough(Answers::Silence, bus);
        assert_eq!(shared.borrow().commands.len(), 1, "{bus:?}");
        assert!(info.notes[0].contains("did not answer"), "{:?}", info.notes);
        let (_, _, info) = passthrough(Answers::Nonsense, bus);
        assert_eq!((info.model, info.serial, info.temperature_celsius), (None, None, None), "{bus:?}");
    }
}

#[test]
fn each_language_switches_its_caches_and_puts_them_back_when_dropped() {
    for (answers, bus) in [(ATA, Bus::Ata), (Answers::Scsi, Bus::Scsi), (Answers::Nvme, Bus::Nvme)] {
        let (shared, mut passthrough, _) = passthrough(answers, bus);
        passthrough.set_cache(Cache::Write, false).expect("it can be switched");
        assert!(!shared.borrow().write_cache, "{bus:?}");
        assert_eq!(passthrough.cache(Cache::Write), Some(false));
        if bus == Bus::Nvme {
            assert!(passthrough.set_cache(Cache::LookAhead, false).is_err());
        } else {
            passthrough.set_cache(Cache::LookAhead, false).expect("it can be switched");
            assert!(!shared.borrow().look_ahead, "{bus:?}");
        }
        drop(passthrough);
        assert!(shared.borrow().write_cache && shared.borrow().look_ahead, "{bus:?}");
    }
}

#[test]
fn a_panic_puts_the_caches_back_too() {
    let (shared, mut passthrough, _) = passthrough(ATA, Bus::Ata);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
        passthrough.set_cache(Cache::Write, false).expect("it can be switched");
        passthrough.set_cache(Cache::LookAhead, false).expect("it can be switched");
        std::panic::resume_unwind(Box::new("in the middle of a measurement"));
    }));
    assert!(outcome.is_err());
    assert!(shared.borrow().write_cache && shared.borrow().look_ahead);
}

#[test]
fn a_disk_that_was_silent_in_between_is_still_put_back() {
    let (shared, mut passthrough, _) = passthrough(ATA, Bus::Ata);
    passthrough.set_cache(Cache::Write, false).expect("it can be switched");
    shared.borrow_mut().answers = Answers::Silence;
    assert_eq!(passthrough.temperature_celsius(), None);
    shared.borrow_mut().answers = ATA;
    assert_eq!(passthrough.restore(), Vec::<String>::new());
    assert!(shared.borrow().write_cache);
}

#[test]
fn a_disk_that_does_not_follow_is_found_out_and_what_can_not_be_put_back_is_said() {
    let (shared, mut passthrough, _) = passthrough(ATA, Bus::Ata);
    shared.borrow_mut().obeys = false;
    let error = passthrough.set_cache(Cache::Write, false).expect_err("it does not follow");
    assert!(error.0.contains("did not follow"), "{error}");
    shared.borrow_mut().obeys = true;
    passthrough.set_cache(Cache::Write, false).expect("it can be switched");
    shared.borrow_mut().obeys = false;
    assert!(passthrough.restore()[0].contains("was on and could not be put back"));
}

#[test]
fn what_was_settled_is_what_is_put_back() {
    let (shared, mut passthrough, _) = passthrough(ATA, Bus::Ata);
    passthrough.set_cache(Cache::Write, false).expect("it can be switched");
    passthrough.accept_current();
    passthrough.set_cache(Cache::Write, true).expect("it can be switched");
    drop(passthrough);
    assert!(!shared.borrow().write_cache);
}

fn cache_restore(folder: &tempfile::TempDir) -> CacheRestoreState {
    CacheRestoreState::open(folder.path(), "sdb", Some("the digest".to_owned()), Some(7))
}

/// A disk whose write cache was switched off by a process that is gone.
fn left_off(folder: &tempfile::TempDir) -> (Shared, Passthrough) {
    let (shared, mut killed, _) = passthrough(ATA, Bus::Ata);
    assert_eq!(killed.restore_after_kill(cache_restore(folder)), Vec::<String>::new());
    killed.set_cache(Cache::Write, false).expect("it can be switched");
    // Its lock goes with the process, which puts nothing back.
    killed.cache_restore = None;
    killed.before = CacheStates::default();
    drop(killed);
    let (next, mut passthrough, _) = passthrough(ATA, Bus::Ata);
    next.borrow_mut().write_cache = shared.borrow().write_cache;
    passthrough.permission = Err(CacheSwitchError("nobody asked".to_owned()));
    (next, passthrough)
}

#[test]
fn what_a_killed_process_left_switched_is_put_back_by_the_next_that_may() {
    let folder = tempfile::tempdir().expect("a folder");
    let (shared, mut next) = left_off(&folder);
    next.permit(Ok(()));
    let said = next.restore_after_kill(cache_restore(&folder));
    assert_eq!(said, ["a run that was killed left the write cache off; it is on again, as before that run"]);
    assert!(shared.borrow().write_cache);
    assert!(!CacheRestoreState::exists(folder.path(), "sdb"));
    next.set_cache(Cache::Write, false).expect("it can be switched");
    assert!(CacheRestoreState::exists(folder.path(), "sdb"), "this one may be killed too");
    drop(next);
    assert!(!CacheRestoreState::exists(folder.path(), "sdb") && shared.borrow().write_cache);
}

#[test]
fn what_a_killed_process_left_switched_is_said_and_kept_where_nothing_may_be_switched() {
    let folder = tempfile::tempdir().expect("a folder");
    let (shared, mut next) = left_off(&folder);
    let said = next.restore_after_kill(cache_restore(&folder));
    assert!(said[0].starts_with("a run that was killed left the write cache off; it was on before."), "{said:?}");
    drop(next);
    assert!(CacheRestoreState::exists(folder.path(), "sdb") && !shared.borrow().write_cache);
}

#[test]
fn a_disk_that_does_not_go_back_is_remembered_further() {
    let folder = tempfile::tempdir().expect("a folder");
    let (shared, mut next) = left_off(&folder);
    next.permit(Ok(()));
    shared.borrow_mut().obeys = false;
    let said = next.restore_after_kill(cache_restore(&folder));
    assert!(said[0].contains("did not follow"), "{said:?}");
    drop(next);
    assert_eq!(cache_restore(&folder).before(), CacheStates { write: Some(true), look_ahead: None });
}

#[test]
fn nothing_is_sent_without_leave() {
    let (shared, mut passthrough, _) = passthrough(ATA, Bus::Ata);
    passthrough.permit(Err(CacheSwitchError("others use the disk".to_owned())));
    assert_eq!(passthrough.set_cache(Cache::Write, false), Err(CacheSwitchError("others use the disk".to_owned())));
    assert!(shared.borrow().write_cache);
}
