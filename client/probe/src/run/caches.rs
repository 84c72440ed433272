//! The device's caches around a kind: put where it wants them, and back afterwards.
//!
//! A device that was switched puts itself back as well when it is closed on any other way, a panic included.

use crate::device::{Cache, CacheStates, Device};
use crate::report::document::CachesUsed;
use crate::terminal::text::on_off;

/// Where each cache stood before a kind, of those that were switched for it.
#[derive(Debug, Default)]
pub struct SwitchedCaches(Vec<(Cache, bool)>);

/// Switches what can be switched, and says how the caches stand then and what was wanted instead.
pub fn prepare(device: &mut dyn Device, required: CacheStates, allowed: bool) -> (CachesUsed, SwitchedCaches) {
    let mut switched = SwitchedCaches::default();
    let mut instead = Vec::new();
    for (which, on) in required.known() {
        let before = device.cache(which);
        if before == Some(on) {
            continue;
        }
        let why = if allowed {
            match device.set_cache(which, on) {
                Ok(()) => {
                    switched.0.extend(before.map(|before| (which, before)));
                    continue;
                }
                Err(error) => error.to_string(),
            }
        } else {
            "this run was not to switch caches".to_owned()
        };
        instead.push(format!("the {} was wanted {}: {why}", which.label(), on_off(on)));
    }
    let used = CachesUsed {
        write: device.cache(Cache::Write),
        look_ahead: device.cache(Cache::LookAhead),
        instead: (!instead.is_empty()).then(|| instead.join("; ")),
    };
    (used, switched)
}

/// A cache that the kind switched itself was in no one state: the kind's samples say which was when.
pub fn in_between(used: &mut CachesUsed, switched: &[Cache]) {
    for which in switched {
        match which {
            Cache::Write => used.write = None,
            Cache::LookAhead => used.look_ahead = None,
        }
    }
}

/// Answers with what could not be put back, as sentences.
pub fn restore(device: &mut dyn Device, switched: SwitchedCaches) -> Vec<String> {
    let mut problems = Vec::new();
    for (which, was) in switched.0 {
        if let Err(error) = device.set_cache(which, was) {
            let word = on_off(was);
            problems.push(format!("the {} was {word} before and could not be put back: {error}", which.label()));
        }
    }
    problems
}

/// What a whole run is said to have been measured with: the one state of all its parts, or none.
pub fn in_common(states: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut states = states.peekable();
    let first = (*states.peek()?)?;
    states.all(|state| state == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim;

    const OFF: CacheStates = CacheStates { write: Some(false), look_ahead: Some(false) };

    fn states(device: &mut dyn Device) -> [Option<bool>; 2] {
        Cache::ALL.map(|which| device.cache(which))
    }

    #[test]
    fn caches_stand_as_wished_in_between_and_as_before_afterwards() {
        let mut drive = sim::open("modern-20tb").expect("a drive");
        let before = states(&mut drive);
        assert_eq!(before, [Some(true), Some(true)]);
        let (used, switched) = prepare(&mut drive, OFF, true);
        assert_eq!(used, CachesUsed { write: Some(false), look_ahead: Some(false), instead: None });
        assert_eq!(states(&mut drive), [Some(false), Some(false)]);
        assert_eq!(restore(&mut drive, switched), Vec::<String>::new());
        assert_eq!(states(&mut drive), before);
    }

    #[test]
    fn a_cache_that_stays_is_named_with_what_was_wanted() {
        let mut drive = sim::open("modern-20tb").expect("a drive");
        let (used, switched) = prepare(&mut drive, OFF, false);
        assert_eq!((used.write, used.look_ahead), (Some(true), Some(true)));
        let instead = used.instead.expect("a sentence");
        assert!(instead.starts_with("the write cache was wanted off: this run was not to"), "{instead}");
        assert!(switched.0.is_empty());
    }

    #[test]
    fn a_wish_that_holds_already_switches_nothing() {
        let mut drive = sim::open("modern-20tb").expect("a drive");
        let required = CacheStates { write: Some(true), look_ahead: None };
        let (used, switched) = prepare(&mut drive, required, true);
        assert_eq!((used.write, used.instead), (Some(true), None));
        assert!(switched.0.is_empty());
    }

    #[test]
    fn a_cache_that_the_kind_switched_itself_has_no_one_state() {
        let mut used = CachesUsed { write: Some(true), look_ahead: Some(true), instead: None };
        in_between(&mut used, &[Cache::Write, Cache::Write]);
        assert_eq!((used.write, used.look_ahead), (None, Some(true)));
    }

    #[test]
    fn a_run_has_one_state_only_where_all_its_parts_have() {
        assert_eq!(in_common([Some(true), Some(true)].into_iter()), Some(true));
        assert_eq!(in_common([Some(true), Some(false)].into_iter()), None);
        assert_eq!(in_common([Some(true), None].into_iter()), None);
        assert_eq!(in_common([].into_iter()), None);
    }
}
