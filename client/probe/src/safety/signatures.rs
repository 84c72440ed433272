//! What stands on a disk, told from its first and last bytes: partition tables, file systems and members of volumes.
//!
//! Each signature is a fact of the format's own definition (UEFI 5.3 for GPT, the superblock structures of the Linux
//! kernel and of `OpenZFS` for the others). Finding too much only asks for `--wipe`; finding too little would destroy.

use crate::device::Device;
use crate::device::raw::RawDisk;

/// How much of the start `find` wants to see: the first ZFS label with its uberblocks.
pub const HEAD_BYTES: usize = 256 << 10;

/// How much of the end: MD's old superblock, GPT's copy and the last ZFS label.
pub const TAIL_BYTES: usize = 512 << 10;

/// A signature at a fixed place from the start.
struct AtStart {
    what: &'static str,
    offset: usize,
    magic: &'static [u8],
}

const fn at(what: &'static str, offset: usize, magic: &'static [u8]) -> AtStart {
    AtStart { what, offset, magic }
}

const AT_START: &[AtStart] = &[
    at("a GPT partition table", 512, b"EFI PART"),
    at("a GPT partition table", 4096, b"EFI PART"),
    at("an ext2, ext3 or ext4 file system", 0x438, &[0x53, 0xEF]),
    at("an XFS file system", 0, b"XFSB"),
    at("a btrfs file system", 0x1_0040, b"_BHRfS_M"),
    at("an F2FS file system", 1024, &[0x10, 0x20, 0xF5, 0xF2]),
    at("an NTFS file system", 3, b"NTFS    "),
    at("an exFAT file system", 3, b"EXFAT   "),
    at("a FAT file system", 54, b"FAT1"),
    at("a FAT file system", 82, b"FAT32   "),
    at("an ISO 9660 file system", 32_769, b"CD001"),
    at("a UDF file system", 32_769, b"BEA01"),
    at("a LUKS encrypted volume", 0, b"LUKS\xba\xbe"),
    at("an LVM physical volume", 0x218, b"LVM2 001"),
    at("an LVM physical volume", 0x18, b"LVM2 001"),
    at("an MD RAID member", 0, &MD_MAGIC),
    at("an MD RAID member", 4096, &MD_MAGIC),
    at("swap space", 4086, b"SWAPSPACE2"),
    at("swap space", 4086, b"SWAP-SPACE"),
    at("a bcache device", 4120, &[0xC6, 0x85, 0x73, 0xF6, 0x4E, 0x1A, 0x45, 0xCA]),
    at("a ReiserFS file system", 0x1_0034, b"ReIsEr"),
    at("a JFS file system", 32_768, b"JFS1"),
    at("a SquashFS file system", 0, b"hsqs"),
    at("a Ceph BlueStore device", 0, b"bluestore block device"),
];

const MD_MAGIC: [u8; 4] = 0xA92B_4EFC_u32.to_le_bytes();
const ZFS_UBERBLOCK_MAGIC: [u8; 8] = 0x00BA_B10C_u64.to_le_bytes();

/// Reads both ends of the disk and says what stands there; `None` where that can't be read.
pub fn look(device: &mut RawDisk) -> Option<Vec<&'static str>> {
    let geometry = device.geometry();
    let block = u64::from(geometry.block_bytes);
    let tail_start = geometry.capacity_bytes.saturating_sub(TAIL_BYTES as u64) / block * block;
    let head = device.peek(0, HEAD_BYTES).ok()?;
    let tail = device.peek(tail_start, TAIL_BYTES).ok()?;
    Some(find(&head, &tail))
}

/// What is found, each thing once. `head` starts at byte 0, `tail` ends at the disk's last byte.
pub fn find(head: &[u8], tail: &[u8]) -> Vec<&'static str> {
    let starts = AT_START.iter().filter(|one| head.get(one.offset..).is_some_and(|rest| rest.starts_with(one.magic)));
    let mut found: Vec<&'static str> = starts.map(|one| one.what).collect();
    if has_mbr(head) {
        found.push("an MBR partition table or boot sector");
    }
    if contains_aligned(tail, b"EFI PART", 512) {
        found.push("the backup of a GPT partition table");
    }
    if contains_aligned(tail, &MD_MAGIC, 4096) {
        found.push("an MD RAID member");
    }
    let label = head.get(128 << 10..).unwrap_or_default();
    if contains_aligned(label, &ZFS_UBERBLOCK_MAGIC, 1024) || contains_aligned(tail, &ZFS_UBERBLOCK_MAGIC, 1024) {
        found.push("a ZFS pool member");
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn has_mbr(head: &[u8]) -> bool {
    head.get(510..512) == Some(&[0x55, 0xAA])
}

fn contains_aligned(bytes: &[u8], magic: &[u8], alignment: usize) -> bool {
    bytes.chunks(alignment).any(|chunk| chunk.starts_with(magic))
}
