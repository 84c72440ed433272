//! What is measured: a device that is open, and what is said about it.

use std::path::Path;

use super::{Request, conditions, simulated};
use crate::device::Writing;
use crate::device::identity::DiskIdentity;
use crate::device::open::{OpenError, resolve};
use crate::device::passthrough::{Bus, CacheRestoreState};
use crate::device::raw::RawDisk;
use crate::device::{Cache, Device};
use crate::identify::pages::log::Manufactured;
use crate::identify::{Disk, Tree};
use crate::report::document::{DeviceReport, Host, Manufacture, Provenance, Rotational};
use crate::safety::confirm::Challenge;
use crate::safety::{self, Refusal, signatures, snapshot};
use crate::sim::{self, SimError};
use crate::terminal::text;

pub struct Target {
    pub device: Box<dyn Device>,
    pub report: DeviceReport,
    pub host: Host,
    pub provenance: Provenance,
    /// `None` for a simulated drive.
    pub kernel_name: Option<String>,
    pub look_ahead: Option<bool>,
    /// What a run that was killed left behind on the disk, as sentences.
    pub left_behind: Vec<String>,
}

/// Why nothing is measured. Nothing was written then.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Simulated(#[from] SimError),
    #[error("there is no device {typed}; did you mean {near}?")]
    Misspelt { typed: String, near: String },
    #[error("{path} is a partition, and positions on a disk only mean something on the whole of it; give {disk}")]
    Partition { path: String, disk: String },
    #[error("{0} is made by the kernel out of memory or other disks; measure the disks themselves (`diskatlas list`)")]
    NotADisk(String),
    #[error("nothing was written to {name}, and nothing will be:{}", list(refusals))]
    Refused { name: String, refusals: Vec<Refusal> },
    #[error("it is another device: {0}")]
    Different(String),
    #[error(
        "{path} is not the disk that was looked at: {difference}; nothing was written. See which disk it is now \
         (`diskatlas list`), and begin anew"
    )]
    Replaced { path: String, difference: String },
    #[error("that is not {asked_for}; nothing was written")]
    NotConfirmed { asked_for: String },
}

fn list(refusals: &[Refusal]) -> String {
    refusals.iter().fold(String::new(), |text, refusal| text + "\n  - " + &refusal.to_string())
}

/// Asks the person to type what the challenge asks for; `None` when there is nobody to ask.
pub type Ask<'a> = &'a mut dyn FnMut(&Disk, &Challenge) -> Option<String>;

/// Opens what was asked for. Before anything is written to it, every guard has passed and the person has confirmed.
pub fn open(request: &Request, tree: &Tree, ask: Ask<'_>) -> Result<Target, TargetError> {
    open_if(request, tree, ask, &|_| None)
}

/// What speaks against a device, as far as its report tells; `None` where nothing does.
pub type Objection<'a> = &'a dyn Fn(&DeviceReport) -> Option<String>;

/// As [`open`], for a device against which nothing speaks. That is settled before anybody is asked and anything is written.
pub fn open_if(request: &Request, tree: &Tree, ask: Ask<'_>, objection: Objection<'_>) -> Result<Target, TargetError> {
    let Some(spec) = request.device.strip_prefix("sim:") else { return open_raw(request, tree, ask, objection) };
    let (device, report) = simulated::open(spec, request)?;
    if let Some(why) = objection(&report) {
        return Err(TargetError::Different(why));
    }
    Ok(Target {
        host: conditions::host(&Tree::machine(), None),
        provenance: Provenance::Simulated,
        kernel_name: None,
        look_ahead: report.look_ahead.current,
        left_behind: Vec::new(),
        report,
        device,
    })
}

fn open_raw(request: &Request, tree: &Tree, ask: Ask<'_>, objection: Objection<'_>) -> Result<Target, TargetError> {
    let mut disk = look_up(tree, &request.device)?;
    let path = disk.path.clone();
    // One descriptor from here to the end of the run: a moment later the name may belong to another disk. Who it is and
    // what stands on it is looked at through it, and until somebody has confirmed it nothing is written.
    let (mut device, in_use) = match RawDisk::open(&path, request.writing, disk.max_request_bytes) {
        Err(error @ (OpenError::Busy(_) | OpenError::ReadOnly(_))) => {
            (RawDisk::open(&path, Writing::Nothing, disk.max_request_bytes)?, Some(error))
        }
        opened => (opened?, None),
    };
    device.permit_writing(Writing::Nothing);
    let replaced = |difference| TargetError::Replaced { path: path.display().to_string(), difference };
    if let Some(difference) = DiskIdentity::of_sysfs(&disk).difference(device.identity()) {
        return Err(replaced(difference));
    }
    disk.take(device.ask(Bus::of(&disk.interface)));
    let mut report = device_report(&disk, request, device.geometry());
    if let Some(why) = objection(&report) {
        return Err(TargetError::Different(why));
    }
    if request.writing != Writing::Nothing {
        guard(request, tree, &disk, &mut device, in_use.as_ref())?;
        let challenge = Challenge::new(disk.serial.as_deref(), &disk.name);
        let typed = ask(&disk, &challenge).unwrap_or_default();
        if !challenge.accepts(&typed) {
            return Err(TargetError::NotConfirmed { asked_for: challenge.asked_for });
        }
        // Once more: whatever happened while the question stood on the screen.
        device.check_identity(true).map_err(|error| replaced(error.to_string()))?;
        guard(request, tree, &disk, &mut device, None)?;
        device.permit_writing(request.writing);
    }
    if request.settings.switch_caches {
        device.permit_switching(&path);
    }
    Ok(Target {
        left_behind: restore_after_kill(&mut device, tree, &mut disk, &mut report),
        report,
        host: conditions::host(tree, Some(&disk)),
        provenance: Provenance::Probe,
        kernel_name: Some(disk.name),
        look_ahead: disk.caches.look_ahead.current,
        device: Box::new(device),
    })
}

/// Puts back what a run that was killed left switched; what is said of the disk is how it stands then.
fn restore_after_kill(device: &mut RawDisk, tree: &Tree, disk: &mut Disk, report: &mut DeviceReport) -> Vec<String> {
    let said = device.restore_caches_after_kill(CacheRestoreState::open(
        &tree.run,
        &disk.name,
        report.unit_digest.clone(),
        disk.sequence,
    ));
    if !said.is_empty() {
        let caches = &mut disk.caches;
        for (which, setting) in [(Cache::Write, &mut caches.write), (Cache::LookAhead, &mut caches.look_ahead)] {
            setting.current = device.cache(which).or(setting.current);
        }
        (report.write_cache, report.look_ahead) = (caches.write, caches.look_ahead);
    }
    said
}

/// Opens the disk for reading and lets it say itself who it is.
/// Errors: [`OpenError`] says why it can't be opened; what it does not answer is no error.
pub fn open_and_identify(disk: &mut Disk) -> Result<RawDisk, OpenError> {
    let mut device = RawDisk::open(&disk.path, Writing::Nothing, disk.max_request_bytes)?;
    disk.take(device.ask(Bus::of(&disk.interface)));
    Ok(device)
}

/// The disk that a path names, as far as it can be known without opening it.
/// Errors: [`TargetError`] where it is no disk, or not a whole one.
pub fn look_up(tree: &Tree, device: &str) -> Result<Disk, TargetError> {
    let path = resolve(Path::new(device)).map_err(|error| misspelt(tree, device, error.into()))?;
    let disk = identify(tree, &path).map_err(|error| misspelt(tree, device, error))?;
    Ok(Disk { path, ..disk })
}

/// Where there is no such device, says which one was probably meant.
fn misspelt(tree: &Tree, typed: &str, error: TargetError) -> TargetError {
    if !matches!(error, TargetError::Open(OpenError::NotFound(_))) {
        return error;
    }
    match meant(tree, typed) {
        Some(near) => TargetError::Misspelt { typed: typed.to_owned(), near },
        None => error,
    }
}

/// A disk of this machine, or a simulated drive whose `sim:` was left out.
fn meant(tree: &Tree, typed: &str) -> Option<String> {
    let disks = tree.block_devices().into_iter().filter(|name| Disk::is_measurable_kind(tree, name));
    let disks: Vec<String> = disks.collect();
    let name = typed.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let disk = text::nearest(name, disks.iter().map(String::as_str));
    let drive = sim::names().into_iter().find(|known| typed.split(',').next() == Some(*known));
    drive.map(|_| format!("sim:{typed}")).or_else(|| disk.map(|disk| tree.dev.join(disk).display().to_string()))
}

fn identify(tree: &Tree, path: &Path) -> Result<Disk, TargetError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if let Some(disk) = parent_of_partition(tree, &name) {
        let disk = tree.dev.join(disk).display().to_string();
        return Err(TargetError::Partition { path: path.display().to_string(), disk });
    }
    let shown = path.display().to_string();
    let disk = Disk::read(tree, &name).ok_or_else(|| OpenError::NotFound(shown.clone()))?;
    if disk.capacity_bytes == 0 {
        return Err(OpenError::Empty(shown).into());
    }
    if !Disk::is_measurable_kind(tree, &name) {
        return Err(TargetError::NotADisk(shown));
    }
    Ok(disk)
}

fn parent_of_partition(tree: &Tree, name: &str) -> Option<String> {
    tree.block_devices()
        .into_iter()
        .find(|disk| tree.sys.join("block").join(disk).join(name).join("partition").exists())
}

/// Takes the snapshot, with what only an open can tell, and refuses. `in_use` is why the disk can't be opened exclusively.
fn guard(
    request: &Request,
    tree: &Tree,
    disk: &Disk,
    device: &mut RawDisk,
    in_use: Option<&OpenError>,
) -> Result<(), TargetError> {
    let mut snapshot = snapshot::take(tree, &disk.name);
    match in_use {
        None => snapshot.signatures = signatures::look(device),
        Some(OpenError::ReadOnly(_)) => snapshot.read_only = true,
        Some(_) => snapshot.exclusive = false,
    }
    let refusals = safety::refusals(&snapshot, request.writing, request.wipe);
    if refusals.is_empty() { Ok(()) } else { Err(TargetError::Refused { name: disk.name.clone(), refusals }) }
}

fn model_of(disk: &Disk) -> String {
    disk.model.clone().unwrap_or_else(|| format!("unknown {} device", disk.interface))
}

pub fn digest_of(disk: &Disk) -> Option<String> {
    let serial = disk.serial.as_deref().unwrap_or_default();
    crate::report::digest::unit_digest(&model_of(disk), serial)
}

fn device_report(disk: &Disk, request: &Request, geometry: crate::device::Geometry) -> DeviceReport {
    let physical = geometry.block_bytes == geometry.physical_block_bytes;
    DeviceReport {
        unit_digest: digest_of(disk),
        vendor: disk.vendor.clone(),
        model: model_of(disk),
        firmware: disk.firmware.clone(),
        capacity_bytes: geometry.capacity_bytes,
        logical_block_bytes: geometry.logical_block_bytes,
        physical_block_bytes: geometry.physical_block_bytes,
        block_bytes: geometry.block_bytes,
        block_bytes_source: if physical { "physical" } else { "logical" }.to_owned(),
        rotational: Rotational {
            value: disk.kernel_says_rotational.unwrap_or(false),
            source: "kernel".to_owned(),
            kernel_says: disk.kernel_says_rotational,
        },
        rotation_rate_rpm: disk.rotation_rate_rpm,
        form_factor: disk.form_factor.clone(),
        shingled: disk.shingled.clone(),
        access_ranges: disk.access_ranges.clone(),
        interface: disk.interface.clone(),
        link_speed_bits_per_s: disk.link_speed_bits_per_s,
        link_speed_supported_bits_per_s: disk.link_speed_supported_bits_per_s,
        bridge: disk.bridge.clone(),
        write_cache: disk.caches.write,
        look_ahead: disk.caches.look_ahead,
        manufacture: request.manufacture.clone().or_else(|| {
            let Manufactured { year, week } = disk.manufactured?;
            Some(Manufacture { year, week, source: "log_page_0x0e".to_owned() })
        }),
        batch_label: request.batch_label.clone(),
        temperature_celsius: disk.temperature_celsius,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn machine() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
            fs::write(path, text).expect("the file");
        };
        put("sys/block/sdb/size", "2048");
        put("sys/block/sdb/sdb1/partition", "1");
        put("sys/block/sdc/size", "0");
        put("sys/block/dm-0/size", "2048");
        put("sys/block/md0/size", "2048");
        put("sys/block/md0/slaves/sdb/x", "");
        folder
    }

    fn identified(name: &str) -> Result<Disk, TargetError> {
        let folder = machine();
        identify(&Tree::below(folder.path()), &Path::new("/dev").join(name))
    }

    #[test]
    fn a_partition_is_not_measured_and_its_disk_is_named() {
        let error = identified("sdb1").expect_err("a partition");
        assert!(matches!(&error, TargetError::Partition { disk, .. } if disk.ends_with("/sdb")), "{error}");
    }

    /// What is suggested for a name on a machine with `sdb`, and with what is made of disks.
    fn suggestion(typed: &str) -> Option<String> {
        let folder = machine();
        let near = meant(&Tree::below(folder.path()), typed)?;
        Some(near.replace(folder.path().to_str().expect("a path that is text"), ""))
    }

    #[test]
    fn a_misspelt_disk_is_answered_with_the_one_that_was_meant() {
        for typed in ["/dev/sdbb", "sdb", "dev/sdb", "/dev/SDB", "/dev/sd", "/dev/sbd/"] {
            assert_eq!(suggestion(typed).as_deref(), Some("/dev/sdb"), "{typed}");
        }
    }

    #[test]
    fn nothing_is_suggested_where_nothing_is_near_or_may_be_measured() {
        for typed in ["/dev/nvme0n1", "", "/dev/md0", "/dev/mmcblk0"] {
            assert_eq!(suggestion(typed), None, "{typed}");
        }
    }

    #[test]
    fn a_simulated_drive_without_its_prefix_is_recognised() {
        assert_eq!(suggestion("seagate-hawk,seed=2").as_deref(), Some("sim:seagate-hawk,seed=2"));
    }

    #[test]
    fn only_a_device_that_is_not_there_is_taken_for_misspelt() {
        let folder = machine();
        let tree = Tree::below(folder.path());
        let missing = || TargetError::from(OpenError::NotFound("sdbb".to_owned()));
        assert!(matches!(misspelt(&tree, "sdbb", missing()), TargetError::Misspelt { .. }));
        assert!(matches!(misspelt(&tree, "other", missing()), TargetError::Open(OpenError::NotFound(_))));
        let other = TargetError::NotADisk("sdbb".to_owned());
        assert!(matches!(misspelt(&tree, "sdbb", other), TargetError::NotADisk(_)));
    }

    #[test]
    fn a_disk_is_found_by_its_name() {
        assert_eq!(identified("sdb").expect("a disk").capacity_bytes, 2048 * 512);
    }

    #[test]
    fn devices_made_of_disks_and_empty_drives_are_not_measured() {
        assert!(matches!(identified("dm-0"), Err(TargetError::NotADisk(_))));
        assert!(matches!(identified("md0"), Err(TargetError::NotADisk(_))));
        assert!(matches!(identified("sdc"), Err(TargetError::Open(OpenError::Empty(_)))));
        assert!(matches!(identified("sdz"), Err(TargetError::Open(OpenError::NotFound(_)))));
    }
}
