//! One sample: so many blocks in a row took so long.

use serde::{Deserialize, Serialize};

use crate::session::{Session, Stop};

#[derive(Debug, Deserialize, Serialize)]
pub struct Sample {
    pub length_blocks: u64,
    /// From when the first request was handed over to when the last was answered.
    pub elapsed_ns: u64,
    /// 1 where something disturbed too many of its requests.
    #[serde(default)]
    pub disturbed: u8,
}

impl Sample {
    /// Reads from `start` on for `duration_ns`, or to the end of the disk. `None` where the medium failed.
    pub fn take(
        session: &mut Session<'_>,
        start: u64,
        transfer: u32,
        duration_ns: u64,
    ) -> (Option<Self>, Option<Stop>) {
        match read(session, start, transfer, duration_ns) {
            Ok(sample) => {
                let disturbed = u8::from(session.piece_is_disturbed());
                (sample.map(|sample| Self { disturbed, ..sample }), None)
            }
            Err(stop) => (None, Some(stop)),
        }
    }
}

fn read(session: &mut Session<'_>, start: u64, transfer: u32, duration_ns: u64) -> Result<Option<Sample>, Stop> {
    let capacity = session.geometry().capacity_blocks();
    let (mut at, mut started_ns, mut ended_ns) = (start, None, 0);
    while at < capacity {
        let count = u64::from(transfer).min(capacity - at);
        let Some(timing) = session.read(at, u32::try_from(count).unwrap_or(transfer))? else { return Ok(None) };
        let started = *started_ns.get_or_insert(timing.start_ns);
        ended_ns = timing.end_ns();
        at += count;
        if ended_ns.saturating_sub(started) >= duration_ns {
            break;
        }
    }
    Ok(started_ns.map(|started| Sample {
        length_blocks: at - start,
        elapsed_ns: ended_ns.saturating_sub(started),
        disturbed: 0,
    }))
}
