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
    pub suite: Option<SuiteName>,

    /// Measure only these kinds (comma-separated); all of the suite otherwise
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = slugs())]
    pub only: Vec<String>,

    /// What may be written to the disk
    #[arg(long, value_enum, default_value_t = Writes::None)]
    pub writes: Writes,

    /// Whether the disk's write cache and look-ahead are put where a measurement needs them, and back afterwards
    ///
    /// Switching is a command to the disk and no write of data; the disk forgets it when it loses power, and the probe puts it back on every way out. `auto` switches where --writes lets the probe write, and keeps where it only reads.
    #[arg(long, value_enum, default_value_t = CachePolicy::Auto)]
    pub caches: CachePolicy,

    /// How the bandwidth over the disk is measured: at chosen positions (minutes), or everywhere (hours)
    #[arg(long, value_enum, default_value_t = Zoned::Sampled)]
    pub zoned: Zoned,

    /// How often each series is measured [default: what suits each kind, 3 for most; in the quick suite 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub repeats: Option<u32>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum SuiteName {
    /// Under three minutes: what kind of disk it is
    Quick,
    /// Under twenty minutes, also on a disk of 20 TB
    Standard,
    /// Everything as the published methods did it, but what takes a day or a week
    Full,
    /// Fluctuations over a day
    Day,
    /// Temperature over a week
    Week,
}

impl SuiteName {
    const fn suite(self) -> Suite {
        match self {
            Self::Quick => Suite::Quick,
            Self::Standard => Suite::Standard,
            Self::Full => Suite::Full,
            Self::Day => Suite::Day,
            Self::Week => Suite::Week,
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Writes {
    /// Nothing: the disk is opened read-only
    None,
    /// The bytes that stand there: its content stays as it is
    Preserve,
    /// The probe's own pattern: content is lost
    Destroy,
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

impl Writes {
    pub const fn writing(self) -> Writing {
        match self {
            Self::None => Writing::Nothing,
            Self::Preserve => Writing::Preserve,
            Self::Destroy => Writing::Destroy,
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Zoned {
    Sampled,
    Streaming,
}

/// What clap compares a kind with, and suggests from where none of them was typed.
fn slugs() -> PossibleValuesParser {
    KINDS.iter().map(|kind| kind.slug()).into()
}

impl Choice {
    /// The suite that was named. A kind that was asked for by name goes as far as it can, unless a suite was named too.
    pub fn suite(&self) -> Suite {
        let by_name = if self.only.is_empty() { Suite::Standard } else { Suite::Full };
        self.suite.map_or(by_name, SuiteName::suite)
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
            zoned: match self.zoned {
                Zoned::Sampled => ZonedMode::Sampled,
                Zoned::Streaming => ZonedMode::Streaming,
            },
            writes: self.writes != Writes::None,
            switch_caches: match self.caches {
                CachePolicy::Auto => self.writes != Writes::None,
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

    fn choice(suite: Option<SuiteName>, only: &[&str]) -> Choice {
        let only = only.iter().map(|&slug| slug.to_owned()).collect();
        let (writes, caches) = (Writes::None, CachePolicy::Auto);
        Choice { suite, only, writes, caches, zoned: Zoned::Sampled, repeats: None }
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
        assert_eq!(choice(Some(SuiteName::Quick), &["zoned"]).settings().suite, Suite::Quick);
    }

    #[test]
    fn caches_are_switched_where_the_probe_may_write_or_was_told_to() {
        let switches = |writes, caches| Choice { writes, caches, ..choice(None, &[]) }.settings().switch_caches;
        assert!(!switches(Writes::None, CachePolicy::Auto) && switches(Writes::Preserve, CachePolicy::Auto));
        assert!(switches(Writes::None, CachePolicy::Switch) && !switches(Writes::Destroy, CachePolicy::Keep));
    }

    #[test]
    fn the_quick_suite_measures_once_unless_told_otherwise() {
        let mut quick = choice(Some(SuiteName::Quick), &[]);
        assert_eq!(quick.settings().repeats, 1);
        quick.repeats = Some(5);
        assert_eq!(quick.settings().repeats, 5);
    }

    #[test]
    fn every_suite_up_to_full_holds_what_the_smaller_one_holds() {
        let of = |suite| slugs(&choice(Some(suite), &[]));
        let (quick, standard, full) = (of(SuiteName::Quick), of(SuiteName::Standard), of(SuiteName::Full));
        assert!(quick.iter().all(|slug| standard.contains(slug)) && standard.iter().all(|slug| full.contains(slug)));
        assert!(!quick.is_empty());
    }
}
