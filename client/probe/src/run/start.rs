//! How a run begins, and how one that was cut off begins again.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::Request;
use super::journal::{FORMAT, Header};
use super::target::{self, Ask, Target, TargetError};
use crate::device::{Cache, CacheStates};
use crate::identify::{Disk, Tree, host};
use crate::report::document::{DeviceReport, Probe, Provenance, timestamp};
use crate::terminal::text::on_off;

/// Where the journal of the run lies whose document goes to `output`.
pub fn journal_path(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".journal");
    PathBuf::from(name)
}

pub fn output_path(journal: &Path) -> PathBuf {
    journal.with_extension("")
}

pub fn header(target: &mut Target, request: &Request, tree: &Tree) -> Header {
    let real = target.provenance == Provenance::Probe;
    Header {
        format: FORMAT,
        probe: Probe::this(),
        run_id: uuid::Uuid::now_v7().to_string(),
        created_at: timestamp(Timestamp::now()),
        asked: request.clone(),
        device: target.report.clone(),
        caches_before: CacheStates {
            write: target.device.cache(Cache::Write).or(target.report.write_cache.current),
            look_ahead: target.device.cache(Cache::LookAhead).or(target.look_ahead),
        },
        load_average_1min: host::load_average(tree).filter(|_| real),
    }
}

/// Why a run is not gone on with. Nothing was written then.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(
        "{device} is not the disk that this run was measuring ({model}): {difference}; name the disk that is, or attach it"
    )]
    OtherDevice { device: String, model: String, difference: String },
    #[error(
        "the disk that this run was measuring ({model}) is not attached; attach it, or name it: diskatlas resume FILE DEVICE"
    )]
    NotFound { model: String },
}

/// Opens the disk of a run that was cut off: `named` where the person names one, else where it was, else wherever a disk
/// with the same identity is now. Its caches are put to where they stood before the run, and a simulated drive's clock is
/// set on to `clock_ns`. What was put back is in the second part of the answer, as sentences.
/// Errors: [`ResumeError`] says what differs and what to do. A disk is compared before anything is written to it.
pub fn reopen(
    request: &mut Request,
    header: &Header,
    named: Option<&str>,
    clock_ns: u64,
    tree: &Tree,
    ask: Ask<'_>,
) -> Result<(Target, Vec<String>), ResumeError> {
    match named {
        Some(device) => device.clone_into(&mut request.device),
        None => request.device = find(&request.device, header, tree)?,
    }
    let same = |report: &DeviceReport| difference(&header.device, report);
    let mut target = target::open_if(request, tree, ask, &same).map_err(|error| match error {
        TargetError::Different(difference) => {
            let (device, model) = (request.device.clone(), header.device.model.clone());
            ResumeError::OtherDevice { device, model, difference }
        }
        other => other.into(),
    })?;
    if target.provenance == Provenance::Simulated {
        target.device.idle(clock_ns.saturating_sub(target.device.now_ns()));
    }
    let said = restore_caches(&mut target, header.caches_before);
    target.device.accept_caches();
    // What was said of the disk before the run stays what the document says of it.
    target.report = header.device.clone();
    Ok((target, said))
}

fn difference(before: &DeviceReport, now: &DeviceReport) -> Option<String> {
    let sizes = |report: &DeviceReport| (report.capacity_bytes, report.block_bytes);
    if before.model != now.model || before.vendor != now.vendor {
        return Some(format!("it says that it is a {}", now.model));
    }
    if sizes(before) != sizes(now) {
        let (capacity, block) = sizes(now);
        return Some(format!("it has {capacity} bytes in blocks of {block}"));
    }
    if before.unit_digest != now.unit_digest {
        return Some("it is another unit of the same model".to_owned());
    }
    (before.interface == "simulated" && now.interface != "simulated").then(|| "it is no simulated drive".to_owned())
}

/// The path that was given, or where a disk of that identity is now.
fn find(path: &str, header: &Header, tree: &Tree) -> Result<String, ResumeError> {
    let device = &header.device;
    if device.interface == "simulated" {
        return Ok(path.to_owned());
    }
    // The digest is slow on purpose: only disks of the right size are asked for theirs.
    let same =
        |disk: &Disk| disk.capacity_bytes == device.capacity_bytes && target::digest_of(disk) == device.unit_digest;
    let mut disks: Vec<Disk> = tree.block_devices().iter().filter_map(|name| Disk::read(tree, name)).collect();
    // Behind a bridge the disk itself is asked, as it was when the run began. One that can't be opened is known by sysfs.
    for disk in disks.iter_mut().filter(|disk| disk.capacity_bytes == device.capacity_bytes) {
        let _ = target::open_and_identify(disk);
    }
    let canonical = std::fs::canonicalize(path).ok();
    let there = disks.iter().find(|disk| canonical.as_deref() == Some(disk.path.as_path()));
    // Without a serial number a size is no identity: only the place, or the person, says which disk it is.
    if there.is_some_and(same) || device.unit_digest.is_none() {
        return Ok(path.to_owned());
    }
    let found = disks.iter().find(|disk| same(disk)).map(|disk| disk.path.display().to_string());
    found.ok_or_else(|| ResumeError::NotFound { model: device.model.clone() })
}

/// A run that was killed could not put the caches back.
fn restore_caches(target: &mut Target, before: CacheStates) -> Vec<String> {
    let mut said = Vec::new();
    for (which, on) in before.known() {
        if target.device.cache(which).is_none_or(|now| now == on) {
            continue;
        }
        let word = on_off(on);
        said.push(match target.device.set_cache(which, on) {
            Ok(()) => format!("the {} was left switched and is {word} again, as before the run", which.label()),
            Err(error) => format!("warning: the {} was {word} before the run and is not now: {error}", which.label()),
        });
    }
    said
}

#[cfg(test)]
mod tests;
