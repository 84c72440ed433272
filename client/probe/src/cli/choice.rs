//! What is measured and how far: the options that `run` and `plan` share.

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;

use crate::device::Writing;
use crate::kinds::{KINDS, Kind};
use crate::session::{Settings, Suite, ZonedMode};

#[derive(Clone, Debug, clap::Args)]
pub struct Choice {
    /// How much is measured [default: standard, or for kinds named with --only: all of them, in full]
    #[arg(long, value_enum)]
    pub suite: Option<Suite>,

    /// Measure only these kinds (comma-separated); all of the suite otherwise
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = slugs())]
    pub only: Vec<String>,

    /// What may be written to the disk
    #[arg(long, value_enum, default_value_t = Writing::Nothing)]
    pub writes: Writing,

    /// Whether the disk's write cache and look-ahead are put where a measurement needs them, and back afterwards
    ///
    /// Switching is a command to the disk and no write of data; the disk forgets it when it loses power, and the probe puts it back on every way out. `auto` switches where --writes lets the probe write, and keeps where it only reads.
    #[arg(long, value_enum, default_value_t = CachePolicy::Auto)]
    pub caches: CachePolicy,

    /// How the bandwidth over the disk is measured: at chosen positions (minutes), or everywhere (hours)
    #[arg(long, value_enum, default_value_t = ZonedMode::Sampled)]
    pub zoned: ZonedMode,

    /// How often each series is measured [default: what suits each kind, 3 for most; in the quick suite 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub repeats: Option<u32>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum CachePolicy {
    /// Switch where something may be written, keep otherwise
    Auto,
    /// Switch, also where nothing is written
    Switch,
    /// Leave them as they stand; the result says how they stood
    Keep,
}

/// What clap compares a kind with, and suggests from where none of them was typed.
fn slugs() -> PossibleValuesParser {
    KINDS.iter().map(|kind| kind.slug()).into()
}

impl Choice {
    /// The suite that was named. A kind that was asked for by name goes as far as it can, unless a suite was named too.
    pub fn suite(&self) -> Suite {
        let by_name = if self.only.is_empty() { Suite::Standard } else { Suite::Full };
        self.suite.unwrap_or(by_name)
    }

    /// In the registry's order, whatever order they were named in.
    pub fn kinds(&self) -> Vec<&'static dyn Kind> {
        let suite = self.suite();
        let chosen = |kind: &&dyn Kind| {
            if self.only.is_empty() { kind.part_of(suite) } else { self.only.iter().any(|slug| slug == kind.slug()) }
        };
        KINDS.iter().copied().filter(chosen).collect()
    }

    pub fn settings(&self) -> Settings {
        let suite = self.suite();
        let repeats = if suite == Suite::Quick { 1 } else { Settings::default().repeats };
        Settings {
            suite,
            repeats: self.repeats.unwrap_or(repeats),
            repeats_asked: self.repeats.is_some(),
            zoned: self.zoned,
            writes: self.writes != Writing::Nothing,
            switch_caches: match self.caches {
                CachePolicy::Auto => self.writes != Writing::Nothing,
                CachePolicy::Switch => true,
                CachePolicy::Keep => false,
            },
            ..Settings::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(suite: Option<Suite>, only: &[&str]) -> Choice {
        let only = only.iter().map(|&slug| slug.to_owned()).collect();
        let (writes, caches) = (Writing::Nothing, CachePolicy::Auto);
        Choice { suite, only, writes, caches, zoned: ZonedMode::Sampled, repeats: None }
    }

    fn slugs(choice: &Choice) -> Vec<&'static str> {
        choice.kinds().iter().map(|kind| kind.slug()).collect()
    }

    #[test]
    fn kinds_come_in_the_registrys_order_whatever_order_they_were_named_in() {
        assert_eq!(slugs(&choice(None, &["zoned", "skippy"])), ["skippy", "zoned"]);
    }

    #[test]
    fn a_kind_asked_for_by_name_goes_as_far_as_it_can_unless_a_suite_was_named() {
        assert_eq!(choice(None, &[]).suite(), Suite::Standard);
        assert_eq!(choice(None, &["zoned"]).suite(), Suite::Full);
        assert_eq!(choice(Some(Suite::Quick), &["zoned"]).settings().suite, Suite::Quick);
    }

    #[test]
    fn caches_are_switched_where_the_probe_may_write_or_was_told_to() {
        let switches = |writes, caches| Choice { writes, caches, ..choice(None, &[]) }.settings().switch_caches;
        assert!(!switches(Writing::Nothing, CachePolicy::Auto) && switches(Writing::Preserve, CachePolicy::Auto));
        assert!(switches(Writing::Nothing, CachePolicy::Switch) && !switches(Writing::Destroy, CachePolicy::Keep));
    }

    #[test]
    fn the_quick_suite_measures_once_unless_told_otherwise() {
        let mut quick = choice(Some(Suite::Quick), &[]);
        assert_eq!(quick.settings().repeats, 1);
        quick.repeats = Some(5);
        assert_eq!(quick.settings().repeats, 5);
    }

    #[test]
    fn every_suite_up_to_full_holds_what_the_smaller_one_holds() {
        let of = |suite| slugs(&choice(Some(suite), &[]));
        let (quick, standard, full) = (of(Suite::Quick), of(Suite::Standard), of(Suite::Full));
        assert!(quick.iter().all(|slug| standard.contains(slug)) && standard.iter().all(|slug| full.contains(slug)));
        assert!(!quick.is_empty());
    }
}
