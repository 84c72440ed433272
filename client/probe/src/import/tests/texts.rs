//! Outputs as people paste them, written for these tests in the form of each tool: sample data of no drive. They are also what
//! `tests/fuzz` begins with.

pub const SMARTCTL_ATA: &str = include_str!("../../../../../tests/data/fuzz/import/smartctl-ata.txt");
pub const SMARTCTL_SAS: &str = include_str!("../../../../../tests/data/fuzz/import/smartctl-sas.txt");
pub const SMARTCTL_NVME: &str = include_str!("../../../../../tests/data/fuzz/import/smartctl-nvme.txt");
pub const HDPARM_PASTE: &str = include_str!("../../../../../tests/data/fuzz/import/hdparm-paste.txt");
pub const ZCAV_1_03: &str = include_str!("../../../../../tests/data/fuzz/import/zcav-1-03.txt");
pub const HDTUNE_PRO: &str = include_str!("../../../../../tests/data/fuzz/import/hdtune-pro.txt");
pub const HDTUNE_GERMAN: &str = include_str!("../../../../../tests/data/fuzz/import/hdtune-german.txt");
pub const DISKINFO: &str = include_str!("../../../../../tests/data/fuzz/import/diskinfo.txt");
pub const DD: &str = include_str!("../../../../../tests/data/fuzz/import/dd.txt");
pub const IOPING: &str = include_str!("../../../../../tests/data/fuzz/import/ioping.txt");
pub const FIO_3_1: &str = include_str!("../../../../../tests/data/fuzz/import/fio-3-1.txt");
pub const FIO_2: &str = include_str!("../../../../../tests/data/fuzz/import/fio-2.txt");
