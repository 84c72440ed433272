//! System calls that have no safe form.
#![allow(unsafe_code, reason = "an ioctl and mlock take raw arguments; each block says why it is sound")]

use std::ffi::c_int;
use std::os::fd::AsFd;

use rustix::io::Result;
use rustix::ioctl::{Getter, ioctl, opcode};

/// `BLKROGET` of linux/fs.h, `_IO(0x12, 94)`.
const BLKROGET: rustix::ioctl::Opcode = opcode::none(0x12, 94);

/// Whether the block device carries the read-only flag, which does not keep anyone from opening it for writing.
///
/// # Errors
/// What the call said, for example when it is not a block device.
pub fn is_read_only(fd: &impl AsFd) -> Result<bool> {
    // SAFETY: BLKROGET writes one C int to the address it is given, which is what `Getter` hands it.
    let flag = unsafe { ioctl(fd, Getter::<BLKROGET, c_int>::new()) }?;
    Ok(flag != 0)
}

/// Asks the kernel not to swap the bytes out.
///
/// # Errors
/// What the call said: usually that the limit on locked memory is lower.
pub fn lock_in_memory(bytes: &mut [u8]) -> Result<()> {
    // SAFETY: the range is a live slice; locking its pages changes no byte, and unmapping them ends the lock.
    unsafe { rustix::mm::mlock(bytes.as_mut_ptr().cast(), bytes.len()) }
}
