//! A raw block device: `O_DIRECT`, buffers allocated once, `CLOCK_MONOTONIC_RAW` read directly around the call.

mod chain;
mod serve;

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::fs::{Mode, OFlags, SeekFrom};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};

use super::arena::Arena;
use super::identity::DiskIdentity;
use super::open::{OpenError, check_type, open_error};
use super::passthrough::{Bus, CacheRestoreState, Passthrough};
use super::request::{Action, Burst, BurstError, BurstOutcome, Completion, QueueUnavailable};
use super::traffic::Traffic;
use super::uring::Ring;
use super::{AccessError, Cache, CacheSwitchError, Device, Geometry, LONGEST_READ_BYTES, Span, Timing, Writing};
use crate::identify::DeviceInfo;
use crate::identify::processors::Processors;
use crate::identify::{Tree, processors};

/// The largest request, where the kernel does not ask for less.
const MAX_TRANSFER_BYTES: u32 = 1 << 20;

/// Buffers stand on this boundary: no device asks for more.
const ALIGNMENT: usize = 4096;

/// Pauses longer than this sleep first, so that a long one does not keep a core busy.
const SPIN_NS: u64 = 1_500_000;

/// Pauses longer than this only sleep: nobody asks when exactly they end, and a week of them must cost nothing.
const PRECISE_NS: u64 = 100_000_000;

pub struct RawDisk {
    file: File,
    geometry: Geometry,
    writing: Writing,
    max_transfer_blocks: u32,
    buffer: Arena,
    staged: Arena,
    /// Where each kept span belongs, and where its bytes start in `kept`.
    staged_spans: Vec<(Span, usize)>,
    /// One buffer for each request that is under way at once.
    lanes: Arena,
    /// Made when it is first asked for, or why there is none.
    ring: Option<Result<Ring, QueueUnavailable>>,
    traffic: Arc<Traffic>,
    passthrough: Passthrough,
    /// As it was when it was opened, and how it was asked then.
    identity: DiskIdentity,
    bus: Bus,
    /// Held so that nobody else mounts or claims the disk, where it was opened read-only and its caches are switched.
    claim: Option<OwnedFd>,
}

impl RawDisk {
    /// Opens the device, read-only unless `writing` says otherwise; then exclusively.
    ///
    /// `max_request_bytes` is what the kernel passes on in one piece, where it tells.
    pub fn open(path: &Path, writing: Writing, max_request_bytes: Option<u32>) -> Result<Self, OpenError> {
        let name = path.display().to_string();
        check_type(path, &name)?;
        let access = match writing {
            Writing::Nothing => OFlags::RDONLY,
            Writing::Preserve | Writing::Destroy => OFlags::RDWR | OFlags::EXCL,
        };
        let fd = rustix::fs::open(path, access | OFlags::DIRECT | OFlags::CLOEXEC, Mode::empty())
            .map_err(|error| open_error(&name, error, writing))?;
        // A read-only flag on a block device does not make a read-write open fail.
        if writing != Writing::Nothing && super::syscalls::is_read_only(&fd).unwrap_or(true) {
            return Err(OpenError::ReadOnly(name));
        }
        let identity = DiskIdentity::of(&fd);
        let geometry = read_geometry(&fd).map_err(|error| OpenError::Other(name.clone(), error))?;
        if geometry.capacity_blocks() == 0 {
            return Err(OpenError::Empty(name));
        }
        let transfer = max_request_bytes.unwrap_or(MAX_TRANSFER_BYTES).min(MAX_TRANSFER_BYTES);
        let max_transfer_blocks = (transfer / geometry.block_bytes).max(1);
        let bytes = max_transfer_blocks as usize * geometry.block_bytes as usize;
        let talk = fd.try_clone().map_err(|error| OpenError::Other(name, error))?;
        Ok(Self {
            file: File::from(fd),
            geometry,
            writing,
            max_transfer_blocks,
            buffer: Arena::new(bytes, ALIGNMENT),
            staged: Arena::new(0, ALIGNMENT),
            staged_spans: Vec::new(),
            lanes: Arena::new(0, ALIGNMENT),
            ring: None,
            traffic: Arc::default(),
            passthrough: Passthrough::new(talk),
            identity,
            bus: Bus::NoCommands,
            claim: None,
        })
    }

    /// Asks the disk itself what it is, and remembers it.
    pub fn ask(&mut self, bus: Bus) -> DeviceInfo {
        let info = self.passthrough.ask(bus);
        (self.bus, self.identity) = (bus, self.identity.clone().saying(&info));
        info
    }

    /// What it is told by.
    pub fn identity(&self) -> &DiskIdentity {
        &self.identity
    }

    /// What may be written from now on: one opened exclusively may be looked at until somebody has confirmed that it may be
    /// written to, so that nobody else gets hold of it, or of its name, in between.
    pub fn permit_writing(&mut self, writing: Writing) {
        self.writing = writing;
    }

    /// Lets the caches be switched, on a disk that nobody else uses: with the write cache on behind the kernel's back, a
    /// file system's flushes would stay in the kernel.
    pub fn permit_switching(&mut self, path: &Path) {
        if self.writing == Writing::Nothing {
            let exclusive = OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC;
            let claim = rustix::fs::open(path, exclusive, Mode::empty()).ok();
            // The name may belong to another disk by now: holding that one would say nothing of this one.
            self.claim = claim.filter(|claim| self.identity.difference(&DiskIdentity::of(claim)).is_none());
        }
        let alone = self.writing != Writing::Nothing || self.claim.is_some();
        let others = || CacheSwitchError("others use the disk (it is mounted, or part of another device)".to_owned());
        self.passthrough.permit(if alone { Ok(()) } else { Err(others()) });
    }

    /// As [`Passthrough::mend`].
    pub fn restore_caches_after_kill(&mut self, cache_restore: CacheRestoreState) -> Vec<String> {
        self.passthrough.restore_after_kill(cache_restore)
    }

    /// Reads up to `length` bytes from `offset_bytes`, untimed: what guards look at before anything is written.
    /// Errors: what the read said.
    pub fn peek(&mut self, offset_bytes: u64, length: usize) -> io::Result<Vec<u8>> {
        let block = u64::from(self.geometry.block_bytes);
        let mut bytes = Vec::with_capacity(length);
        while bytes.len() < length {
            let chunk = (length - bytes.len()).min(self.buffer.bytes().len());
            let start = offset_bytes + bytes.len() as u64;
            debug_assert_eq!(start % block, 0);
            let read = rustix::io::pread(&self.file, &mut self.buffer.bytes_mut()[..chunk], start)?;
            if read == 0 {
                break;
            }
            bytes.extend_from_slice(&self.buffer.bytes()[..read]);
        }
        Ok(bytes)
    }

    /// So many blocks are about to be asked for in one call.
    fn count(&self, blocks: u32) {
        let bytes = u64::from(blocks) * u64::from(self.geometry.block_bytes);
        self.traffic.add(u64::from(blocks.div_ceil(self.max_transfer_blocks)), bytes);
    }

    fn offset(&self, block: u64) -> u64 {
        block * u64::from(self.geometry.block_bytes)
    }

    /// Puts the bytes for the span into `kept` from `at` on.
    fn stage_one(&mut self, span: Span, at: usize) -> Result<(), AccessError> {
        let size = self.geometry.block_bytes as usize;
        let place = at..at + span.count as usize * size;
        let offset = self.offset(span.block);
        self.count(span.count);
        // Read in `destroy` mode as well: where a disk can't read, the probe does not write.
        match rustix::io::pread(&self.file, &mut self.staged.bytes_mut()[place.clone()], offset) {
            Ok(read) if read == place.len() => {}
            Ok(read) => return Err(self.fail(span.block + (read / size) as u64, Errno::IO)),
            Err(error) => return Err(self.fail(span.block, error)),
        }
        if self.writing == Writing::Destroy {
            for (block, bytes) in (span.block..).zip(self.staged.bytes_mut()[place].chunks_mut(size)) {
                fill_pattern(bytes, block);
            }
        }
        Ok(())
    }

    fn fail(&self, block: u64, error: Errno) -> AccessError {
        let source = io::Error::from(error);
        if is_gone(&self.file, error) { AccessError::Gone { source } } else { AccessError::Medium { block, source } }
    }
}

impl Device for RawDisk {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn max_transfer_blocks(&self) -> u32 {
        self.max_transfer_blocks
    }

    fn now_ns(&self) -> u64 {
        clock_ns()
    }

    fn idle(&mut self, duration_ns: u64) {
        let end = clock_ns() + duration_ns;
        if duration_ns > SPIN_NS {
            let spin_ns = if duration_ns > PRECISE_NS { 0 } else { SPIN_NS };
            std::thread::sleep(std::time::Duration::from_nanos(duration_ns - spin_ns));
        }
        while clock_ns() < end {
            std::hint::spin_loop();
        }
    }

    fn read_timed(&mut self, block: u64, count: u32) -> Result<Timing, AccessError> {
        let offset = self.offset(block);
        let length = count as usize * self.geometry.block_bytes as usize;
        debug_assert!(length as u64 <= LONGEST_READ_BYTES);
        self.count(count);
        let (timing, result) = if length <= self.buffer.bytes().len() {
            let buffer = &mut self.buffer.bytes_mut()[..length];
            let start_ns = clock_ns();
            let result = rustix::io::pread(&self.file, buffer, offset);
            (Timing { start_ns, latency_ns: clock_ns() - start_ns }, result)
        } else {
            let list = super::syscalls::Repeated::new(self.buffer.bytes_mut(), length);
            let start_ns = clock_ns();
            let result = list.pread(&self.file, offset);
            (Timing { start_ns, latency_ns: clock_ns() - start_ns }, result)
        };
        match result {
            Ok(read) if read == length => Ok(timing),
            Ok(read) => Err(self.fail(block + read as u64 / u64::from(self.geometry.block_bytes), Errno::IO)),
            Err(error) => Err(self.fail(block, error)),
        }
    }

    fn check_identity(&mut self, thorough: bool) -> io::Result<()> {
        let mut now = DiskIdentity::of(&self.file);
        if thorough && self.bus != Bus::NoCommands {
            now = now.saying(&self.passthrough.ask(self.bus));
        }
        let Some(difference) = self.identity.difference(&now) else { return Ok(()) };
        // The caches that are put back when it is closed are not this one's.
        self.passthrough.forget();
        Err(io::Error::other(format!(
            "another disk or medium is there ({difference}), and nothing is written to it; attach the one that was confirmed"
        )))
    }

    fn stage(&mut self, spans: &[Span]) -> Result<(), AccessError> {
        let size = self.geometry.block_bytes as usize;
        // Emptied first: after a failure `write_timed` has nothing to write.
        self.staged_spans.clear();
        // Nothing is written that was not made ready here.
        self.check_identity(false).map_err(|source| AccessError::Gone { source })?;
        self.staged.ensure(spans.iter().map(|span| span.count as usize * size).sum());
        let mut at = 0;
        let mut staged = Vec::with_capacity(spans.len());
        for &span in spans {
            self.stage_one(span, at)?;
            staged.push((span, at));
            at += span.count as usize * size;
        }
        self.staged_spans = staged;
        Ok(())
    }

    fn write_timed(&mut self, index: usize) -> Result<Timing, AccessError> {
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        let Some(&(span, at)) = self.staged_spans.get(index).filter(|_| self.writing != Writing::Nothing) else {
            return Err(AccessError::Gone { source: denied() });
        };
        let offset = self.offset(span.block);
        let length = span.count as usize * self.geometry.block_bytes as usize;
        self.count(span.count);
        let bytes = &self.staged.bytes()[at..at + length];
        let start_ns = clock_ns();
        let result = rustix::io::pwrite(&self.file, bytes, offset);
        let end_ns = clock_ns();
        match result {
            Ok(written) if written == length => Ok(Timing { start_ns, latency_ns: end_ns - start_ns }),
            Ok(_) => Err(self.fail(span.block, Errno::IO)),
            Err(error) => Err(self.fail(span.block, error)),
        }
    }

    fn chain(
        &mut self,
        actions: &[Action],
        interrupt: &AtomicBool,
        timings: &mut Vec<Timing>,
    ) -> Result<(), AccessError> {
        self.serve_chain(actions, interrupt, timings)
    }

    fn burst(&mut self, burst: &Burst<'_>, done: &mut Vec<Completion>) -> Result<BurstOutcome, BurstError> {
        self.serve_burst(burst, done)
    }

    fn flush(&mut self) {
        // A drive that refuses has nothing to write, or tells of it at the next request.
        let _ = rustix::fs::fdatasync(&self.file);
    }

    fn queue(&mut self, depth: u32) -> Result<(), QueueUnavailable> {
        self.open_queue(depth)
    }

    fn processors(&self) -> Option<Processors> {
        processors::read(&Tree::machine())
    }

    fn cache(&mut self, which: Cache) -> Option<bool> {
        self.passthrough.cache(which)
    }

    fn set_cache(&mut self, which: Cache, on: bool) -> Result<(), CacheSwitchError> {
        self.passthrough.set_cache(which, on)
    }

    fn accept_caches(&mut self) {
        self.passthrough.accept_current();
    }

    fn temperature_celsius(&mut self) -> Option<i32> {
        self.passthrough.temperature_celsius()
    }

    fn writable(&self) -> bool {
        self.writing != Writing::Nothing
    }

    fn requests(&self) -> Option<u64> {
        Some(self.traffic.requests())
    }

    fn traffic(&self) -> Option<Arc<Traffic>> {
        Some(self.traffic.clone())
    }
}

impl Drop for RawDisk {
    fn drop(&mut self) {
        // What is put back when it is closed is put back to this disk alone.
        let _ = self.check_identity(false);
    }
}

/// Whether the error means that there is no device any longer.
fn is_gone(file: &File, error: Errno) -> bool {
    matches!(error, Errno::NODEV | Errno::NXIO | Errno::NOMEDIUM | Errno::SHUTDOWN | Errno::BADF)
        || rustix::fs::seek(file, SeekFrom::End(0)).is_ok_and(|size| size == 0)
}

fn read_geometry(fd: &impl AsFd) -> io::Result<Geometry> {
    let capacity_bytes = rustix::fs::seek(fd, SeekFrom::End(0))?;
    let logical = rustix::fs::ioctl_blksszget(fd)?;
    let physical = rustix::fs::ioctl_blkpbszget(fd)?;
    Ok(Geometry::new(capacity_bytes, logical, physical))
}

/// A pattern that says whose it is and where it belongs.
fn fill_pattern(place: &mut [u8], block: u64) {
    for chunk in place.chunks_mut(16) {
        let mut text = *b"DiskAtls........";
        text[8..].copy_from_slice(&block.to_le_bytes());
        chunk.copy_from_slice(&text[..chunk.len()]);
    }
}

/// `CLOCK_MONOTONIC_RAW`.
pub(crate) fn clock_ns() -> u64 {
    let now = clock_gettime(ClockId::MonotonicRaw);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

#[cfg(test)]
mod tests;
