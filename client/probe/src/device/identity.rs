//! Which disk a descriptor leads to, so that a name that changed its owner is noticed.
//!
//! As long as a disk is open its name is not given to another one, but what answers behind the descriptor can change: a
//! card in a reader, a loop device's file, a network disk that was connected anew.

use std::os::fd::AsFd;

use rustix::fs::SeekFrom;

use super::syscalls;
use crate::identify::{DeviceInfo, Disk};

/// What a disk is told by; what is not known tells nothing.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct DiskIdentity {
    /// Major and minor number, as sysfs writes them.
    numbers: Option<String>,
    sequence: Option<u64>,
    capacity_bytes: Option<u64>,
    model: Option<String>,
    serial: Option<String>,
}

impl DiskIdentity {
    /// Of an open disk, as far as the kernel knows it.
    pub fn of(fd: &impl AsFd) -> Self {
        let device = rustix::fs::fstat(fd).map(|stat| stat.st_rdev).ok();
        let numbers = |device| format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
        Self {
            numbers: device.map(numbers),
            sequence: syscalls::disk_sequence(fd),
            capacity_bytes: rustix::fs::seek(fd, SeekFrom::End(0)).ok(),
            ..Self::default()
        }
    }

    /// Of the disk that sysfs describes under a name.
    pub fn of_sysfs(disk: &Disk) -> Self {
        let (numbers, sequence) = (disk.numbers.clone(), disk.sequence);
        Self { numbers, sequence, capacity_bytes: Some(disk.capacity_bytes), ..Self::default() }
    }

    /// With what the disk says itself.
    #[must_use]
    pub fn saying(self, info: &DeviceInfo) -> Self {
        Self { model: info.model.clone(), serial: info.serial.clone(), ..self }
    }

    /// What tells the other one apart, as words; `None` where nothing does. The serial number is not repeated.
    pub fn difference(&self, other: &Self) -> Option<String> {
        fn differ<T: PartialEq>(one: Option<&T>, other: Option<&T>) -> bool {
            one.zip(other).is_some_and(|(one, other)| one != other)
        }
        let words = |value: Option<&String>| value.cloned().unwrap_or_default();
        if differ(self.numbers.as_ref(), other.numbers.as_ref()) {
            let (was, is) = (words(self.numbers.as_ref()), words(other.numbers.as_ref()));
            return Some(format!("its device number was {was} and is {is}"));
        }
        if differ(self.sequence.as_ref(), other.sequence.as_ref()) {
            return Some("the kernel counts it as another disk or medium".to_owned());
        }
        if let Some((was, is)) = self.capacity_bytes.zip(other.capacity_bytes).filter(|(was, is)| was != is) {
            return Some(format!("it had {was} bytes and has {is}"));
        }
        if differ(self.model.as_ref(), other.model.as_ref()) {
            return Some(format!("it says that it is a {}", words(other.model.as_ref())));
        }
        differ(self.serial.as_ref(), other.serial.as_ref()).then(|| "it has another serial number".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(model: &str, serial: Option<&str>, sequence: Option<u64>) -> DiskIdentity {
        let (model, serial) = (Some(model.to_owned()), serial.map(str::to_owned));
        DiskIdentity { numbers: Some("8:0".to_owned()), sequence, capacity_bytes: Some(512), model, serial }
    }

    #[test]
    fn disks_differ_by_what_is_known_of_both() {
        let before = disk("ONE", Some("secret-1"), Some(7));
        assert_eq!(before.difference(&before), None);
        assert_eq!(before.difference(&disk("ONE", None, None)), None, "a disk that keeps silent is not another one");
        assert!(before.difference(&disk("ONE", Some("secret-1"), Some(8))).is_some());
        assert!(before.difference(&disk("TWO", None, None)).is_some_and(|words| words.contains("TWO")));
        let words = before.difference(&disk("ONE", Some("secret-2"), Some(7))).expect("another unit");
        assert!(!words.contains("secret"), "{words}");
    }

    #[test]
    fn a_node_that_leads_elsewhere_than_its_name_says_is_another_disk() {
        let (sysfs, opened) = (disk("ONE", None, None), disk("ONE", None, None));
        let opened = DiskIdentity { numbers: Some("8:16".to_owned()), ..opened };
        assert_eq!(sysfs.difference(&opened).as_deref(), Some("its device number was 8:0 and is 8:16"));
    }
}
