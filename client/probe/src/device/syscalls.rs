//! System calls that have no safe form.
#![allow(unsafe_code, reason = "an ioctl and mlock take raw arguments; each block says why it is sound")]

use std::ffi::c_int;
use std::marker::PhantomData;
use std::os::fd::{AsFd, AsRawFd};

use rustix::io::{Errno, Result};
use rustix::ioctl::{Getter, ioctl, opcode};

/// `BLKROGET` of linux/fs.h, `_IO(0x12, 94)`.
const BLKROGET: rustix::ioctl::Opcode = opcode::none(0x12, 94);

/// Whether the block device carries the read-only flag, which does not keep anyone from opening it for writing.
/// Errors: what the call said, for example when it is not a block device.
pub fn is_read_only(fd: &impl AsFd) -> Result<bool> {
    // SAFETY: BLKROGET writes one C int to the address it is given, which is what `Getter` hands it.
    let flag = unsafe { ioctl(fd, Getter::<BLKROGET, c_int>::new()) }?;
    Ok(flag != 0)
}

/// `BLKGETDISKSEQ` of linux/fs.h, `_IOR(0x12, 128, __u64)`: since Linux 5.15.
const BLKGETDISKSEQ: rustix::ioctl::Opcode = opcode::read::<u64>(0x12, 128);

/// The number that the kernel gives to a disk when it comes, or its medium, and never to another one; `None` where the
/// kernel is older than that.
pub fn disk_sequence(fd: &impl AsFd) -> Option<u64> {
    // SAFETY: BLKGETDISKSEQ writes one 64-bit number to the address it is given, which is what `Getter` hands it.
    unsafe { ioctl(fd, Getter::<BLKGETDISKSEQ, u64>::new()) }.ok()
}

/// Asks the kernel not to swap the bytes out.
/// Errors: what the call said: usually that the limit on locked memory is lower.
pub fn lock_in_memory(bytes: &mut [u8]) -> Result<()> {
    // SAFETY: the range is a live slice; locking its pages changes no byte, and unmapping them ends the lock.
    unsafe { rustix::mm::mlock(bytes.as_mut_ptr().cast(), bytes.len()) }
}

/// Asks the kernel for large pages where the bytes have not been touched yet. One that has none goes on with small ones.
pub fn ask_for_large_pages(bytes: &mut [u8]) {
    let page = rustix::param::page_size();
    let before = bytes.as_ptr().align_offset(page);
    let Some(whole) = bytes.len().checked_sub(before).map(|length| length / page * page) else { return };
    // SAFETY: the whole pages of a live slice; the advice changes no byte of them.
    let _ =
        unsafe { rustix::mm::madvise(bytes.as_mut_ptr().add(before).cast(), whole, rustix::mm::Advice::LinuxHugepage) };
}

/// One buffer, named as often as a long read needs: the bytes are not looked at, so they may overwrite each other, and a
/// read of a gibibyte takes a mebibyte of memory.
pub struct Repeated<'a> {
    list: Vec<libc::iovec>,
    buffer: PhantomData<&'a mut [u8]>,
}

impl<'a> Repeated<'a> {
    /// For reads of `length` bytes. The kernel takes at most 1024 entries (`IOV_MAX`).
    pub fn new(buffer: &'a mut [u8], length: usize) -> Self {
        let mut list = Vec::with_capacity(length.div_ceil(buffer.len()));
        let mut left = length;
        while left > 0 {
            let part = left.min(buffer.len());
            list.push(libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: part });
            left -= part;
        }
        Self { list, buffer: PhantomData }
    }

    /// Reads as much as the list names from `offset`; answers with the bytes read.
    /// Errors: what the call said.
    pub fn pread(&self, fd: &impl AsFd, offset: u64) -> Result<usize> {
        let count = c_int::try_from(self.list.len()).map_err(|_| Errno::INVAL)?;
        let offset = libc::off_t::try_from(offset).map_err(|_| Errno::INVAL)?;
        // SAFETY: every entry lies within the buffer, which is borrowed mutably for as long as the list lives, and any
        // bytes are valid in it.
        let read = unsafe { libc::preadv(fd.as_fd().as_raw_fd(), self.list.as_ptr(), count, offset) };
        usize::try_from(read).map_err(|_| Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO))
    }
}
