//! What a journal holds, record by record.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::device::CacheStates;
use crate::report::document::{Benchmark, DeviceReport, Probe, timestamp};
use crate::run::Request;
use crate::session::Piece;

/// Version of the journal's own form. A probe goes on with journals of its own form only.
pub const FORMAT: u32 = 1;

/// The first record: which run this is, of which device, as it was asked for.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Header {
    pub format: u32,
    pub probe: Probe,
    pub run_id: String,
    /// RFC 3339, UTC, whole seconds, `Z`.
    pub created_at: String,
    pub asked: Request,
    /// As the device was before the run. Its unit digest tells it again; its serial number is not written down.
    pub device: DeviceReport,
    /// How the caches stood before the run touched them.
    pub caches_before: CacheStates,
    pub load_average_1min: Option<f64>,
}

/// A moment, by the wall clock and by the clock of the run, which goes on over a reboot.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Moment {
    /// RFC 3339, UTC, whole seconds, `Z`.
    pub at: String,
    pub clock_ns: u64,
}

impl Moment {
    /// Now, where the run's clock says so.
    pub fn now(clock_ns: u64) -> Self {
        Self { at: timestamp(Timestamp::now()), clock_ns }
    }
}

/// Everything after the header.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Record<'a> {
    /// A process begins to measure; each after the first one goes on with a run that was cut off.
    Began { moment: Moment, boot_id: Option<String> },
    /// A piece is finished.
    Piece { moment: Moment, kind: String, name: String, piece: Cow<'a, Piece> },
    /// A kind is finished, and this is its entry in the document.
    Finished { moment: Moment, entry: Cow<'a, Benchmark> },
    /// The process ends before the run is through, and has time to say so.
    Stopped { moment: Moment },
}

impl Record<'_> {
    pub const fn moment(&self) -> &Moment {
        match self {
            Self::Began { moment, .. }
            | Self::Piece { moment, .. }
            | Self::Finished { moment, .. }
            | Self::Stopped { moment } => moment,
        }
    }
}
