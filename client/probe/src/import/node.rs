//! Whether a device's name is that of a whole drive. Only the operating system's own naming schemes are known (Linux' devices.txt and
//! udev's persistent names, FreeBSD's da(4), ada(4), nvd(4) and nda(4), Windows' physical drives); any other name stands for no drive.

use regex_lite::Regex;
use std::sync::LazyLock;

/// Patterns of names, without `/dev/`, and what each is; the first that fits decides. Nothing stands for a whole drive.
const SCHEMES: [(&str, Option<&str>); 18] = [
    (r"(sd[a-z]{1,3}|hd[a-z]|nvme\d+n\d+|mmcblk\d+)", None),
    (r"(da|ada|ad|nvd|nda)\d+", None),
    // devfs of Linux 2.4.
    (r"(ide|scsi)/host\d+/bus\d+/target\d+/lun\d+/disc|discs/disc\d+/disc", None),
    (r"(ide|scsi)/host\d+/bus\d+/target\d+/lun\d+/part\d+|discs/disc\d+/part\d+", Some("a partition")),
    (r"(gpt|gptid|ufs|ufsid|label|msdosfs|ntfs|ext2fs)/.+", Some("a partition or a file system")),
    (r"r?disk\d+", Some("a disk, a container of APFS or an image, which macOS names alike")),
    (r"(sd[a-z]{1,3}|hd[a-z])\d+|(nvme\d+n\d+|mmcblk\d+)p\d+|mmcblk\d+(boot|rpmb)\d*", Some("a partition")),
    (r"(da|ada|ad|nvd|nda)\d+(p\d+|s\d+[a-h]?)|r?disk\d+s\d+", Some("a partition")),
    (r"disk/by-(label|uuid|partuuid|partlabel)/.+|disk/by-[a-z]+/.+-part\d+", Some("a partition or a file system")),
    (r"(dm-\d+|mapper/.+|disk/by-id/(dm|lvm)-.+)", Some("a volume of the device mapper (LVM, encryption, multipath)")),
    (r"(md\d+(p\d+)?|md_d\d+|md/.+|disk/by-id/md-.+|mirror/.+|stripe/.+|raid/.+)", Some("a software RAID")),
    (r"(cciss/.+|ida/.+|i2o/.+|(mfi|aac|mly|ips|twe|twa)d?\d+.*)", Some("a RAID controller's volume")),
    (r"(nbd\d+|rbd\d*.*|drbd\d*.*|etherd/.+)", Some("a device of the network")),
    (
        r"([vu]d[a-z]{1,3}|xvd[a-z]{1,3}|vtbd\d+|disk/by-id/(google|virtio)-.+)\d*(p\d+)?",
        Some("a virtual machine's disk"),
    ),
    (
        r"(loop\d+|ram\d+|zram\d+|zd\d+|zvol/.+|bcache\d+)",
        Some("made by the kernel of a file, of memory or of other devices"),
    ),
    (r"(sr|cd|scd|fd|st|nst)\d+|cdrom|dvd", Some("no hard disk")),
    (r"disk/by-(id|path)/.+", None),
    (r"[^/]+/[^/]+", Some("a volume (LVM or alike)")),
];

static KNOWN: LazyLock<Vec<(Regex, Option<&'static str>)>> = LazyLock::new(|| {
    let whole = |pattern: &str| Regex::new(&format!("^(?:{pattern})$")).expect("a pattern of the table");
    SCHEMES.iter().map(|(pattern, what)| (whole(pattern), *what)).collect()
});

/// A device's name without what people call their volumes, and without the serial numbers of `by-id`: it may go into a document.
pub fn public_name(name: &str) -> String {
    let Some(short) = name.strip_prefix("/dev/") else { return "a file".to_owned() };
    short.split_once('/').map_or_else(|| name.to_owned(), |(folder, _)| format!("/dev/{folder}/..."))
}

/// Whether a refusal is for what was read: then nothing that somebody adds would help.
pub fn decides(why: &str) -> bool {
    ["not a whole drive", "not known to be a whole drive", "not on a device as a whole"]
        .iter()
        .any(|words| why.contains(words))
}

/// Errors: what the name stands for instead, as a clause.
pub fn whole_drive(name: &str) -> Result<(), String> {
    let physical = name.trim_start_matches(['\\', '.']);
    if name.starts_with('\\')
        && physical.strip_prefix("PhysicalDrive").is_some_and(|number| number.parse::<u8>().is_ok())
    {
        return Ok(());
    }
    if name.starts_with('\\') && physical.len() <= 2 && physical.ends_with(':') {
        return Err(format!("{name} is a volume, not a whole drive"));
    }
    let Some(short) = name.strip_prefix("/dev/") else {
        return Err("it ran on a file, not on a device as a whole".to_owned());
    };
    let name = public_name(name);
    match KNOWN.iter().find(|(pattern, _)| pattern.is_match(short)) {
        Some((_, None)) => Ok(()),
        Some((_, Some(what))) => Err(format!("{name} is {what}, not a whole drive")),
        None => Err(format!("{name} is not known to be a whole drive")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_drives_are_known_by_their_names() {
        for name in [
            "/dev/sda",
            "/dev/sdab",
            "/dev/hdb",
            "/dev/nvme0n1",
            "/dev/mmcblk0",
            "/dev/ada0",
            "/dev/ide/host0/bus0/target0/lun0/disc",
            "/dev/disk/by-id/ata-EXAMPLE_DISK-8_SAMPLE0001",
            r"\\.\PhysicalDrive1",
            r"\\.\\PhysicalDrive1",
        ] {
            assert_eq!(whole_drive(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn what_lies_on_a_drive_or_over_several_is_none() {
        for (name, word) in [
            ("/dev/sda1", "partition"),
            ("/dev/nvme0n1p2", "partition"),
            ("/dev/ada0p3", "partition"),
            ("/dev/disk/by-id/ata-EXAMPLE-part1", "partition"),
            ("/dev/md127", "software RAID"),
            ("/dev/mapper/vg-data", "device mapper"),
            ("/dev/disk/by-id/dm-name-vg-data", "device mapper"),
            ("/dev/VG/data", "LVM"),
            ("/dev/cciss/c0d0", "RAID controller"),
            ("/dev/nbd0", "network"),
            ("/dev/vda", "virtual machine"),
            ("/dev/xvda1", "virtual machine"),
            ("/dev/loop0", "a file"),
            ("/dev/sr0", "no hard disk"),
            ("/dev/nvme0", "not known"),
            ("/dev/discs/disc0/part2", "a partition"),
            ("/dev/gpt/data", "a partition or a file system"),
            ("/dev/disk2", "macOS"),
            ("/dev/rdisk0s2", "a partition"),
            (r"\\.\C:", "a volume"),
            ("test.bin", "a file"),
        ] {
            assert!(whole_drive(name).expect_err(name).contains(word), "{name}");
        }
    }
}
