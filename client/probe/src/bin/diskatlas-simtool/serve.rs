//! One file, `disk`, that takes as long to read and write as the drive it stands for.
//!
//! The kernel hands requests over one by one and unbuffered (`FOPEN_DIRECT_IO`). Each is given to the model with the time of its arrival,
//! and answered when the model says: a host that was late meets the platter where it really is by then.

use std::ffi::OsStr;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::Context;
use diskatlas::run::priority::set_realtime_priority;
use diskatlas::sim::{self, Engine, Noise, NoiseLevel, Operation};
use fuser::{
    Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, LockOwner, MountOption,
    OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite, Request, Session,
    WriteFlags,
};

use crate::MountArgs;
use crate::pacing::{Pacing, set_timer_slack};
use crate::store::Store;

/// Low among the real-time priorities, above everything that is not real-time: who plays the platter can't wait for its turn.
const PRIORITY: i32 = 10;

const FOREVER: Duration = Duration::from_secs(86_400);
const DISK: INodeNo = INodeNo(2);
const DISK_NAME: &str = "disk";

/// Mounts, says so on standard output, and serves until Ctrl-C or unmounting.
pub fn mount(args: &MountArgs) -> anyhow::Result<()> {
    let sane = (0.001..=1000.0).contains(&args.time_scale);
    anyhow::ensure!(sane, "--time-scale {} is outside 0.001 to 1000; choose a factor in between", args.time_scale);
    let quiet = !args.name.contains("noise=");
    let drive = sim::open(&args.name)?;
    let model = drive.model().clone();
    let capacity = model.capacity_bytes();
    let store = Store::open(args.store.as_deref(), capacity)?;
    let noise = if quiet { Noise::new(NoiseLevel::Off, 1) } else { drive.noise().clone() };
    let (stop, unmounted) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).context("can't watch for Ctrl-C")?;
    }
    let lateness = Arc::new(Lateness::default());
    let disk = Disk {
        bad: args.fail_at,
        mechanism: Mutex::new((Engine::new(Arc::new(model)), noise)),
        store,
        capacity,
        pacing: Pacing::start(args.time_scale),
        lateness: Arc::clone(&lateness),
        unmounted: Arc::clone(&unmounted),
    };
    let mut config = Config::default();
    config.mount_options = vec![MountOption::FSName("diskatlas-simtool".into()), MountOption::RW];
    let session = Session::new(disk, &args.mountpoint, &config).with_context(|| {
        format!(
            "can't mount at {}: this needs an empty directory, /dev/fuse and root or fusermount3",
            args.mountpoint.display()
        )
    })?;
    // The thread that serves is started next and inherits it.
    if let Err(error) = set_realtime_priority(PRIORITY) {
        eprintln!("no real-time priority ({error}): latencies will be less even");
    }
    let session = session.spawn().context("can't start serving")?;
    println!("serving {} at {}", args.name, args.mountpoint.join(DISK_NAME).display());
    std::io::stdout().flush()?;
    while !stop.load(Ordering::Relaxed) && !unmounted.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(50));
    }
    eprintln!("{}", lateness.label());
    if unmounted.load(Ordering::Relaxed) {
        return session.join().context("serving ended with an error");
    }
    session.umount_and_join().context("can't unmount: something still uses the file (a loop device?); release it first")
}

/// By how much answers were late, on the whole: what the machine did to the model.
#[derive(Debug, Default)]
struct Lateness {
    requests: AtomicU64,
    over_100_us: AtomicU64,
    total_ns: AtomicU64,
    worst_ns: AtomicU64,
}

impl Lateness {
    fn add(&self, late_ns: u64) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.over_100_us.fetch_add(u64::from(late_ns > 100_000), Ordering::Relaxed);
        self.total_ns.fetch_add(late_ns, Ordering::Relaxed);
        self.worst_ns.fetch_max(late_ns, Ordering::Relaxed);
    }

    fn label(&self) -> String {
        let [requests, over, total, worst] = [&self.requests, &self.over_100_us, &self.total_ns, &self.worst_ns]
            .map(|count| count.load(Ordering::Relaxed));
        let mean = total / requests.max(1);
        format!("{requests} requests; answers late by {mean} ns on average, {worst} ns at worst, {over} by over 100 us")
    }
}

/// Bytes of the drive, for example those of a bad spot.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Span {
    offset: u64,
    length: u64,
}

impl Span {
    fn touches(self, offset: u64, length: u64) -> bool {
        offset < self.offset.saturating_add(self.length) && self.offset < offset.saturating_add(length)
    }
}

/// `OFFSET:LENGTH`, both in bytes.
pub fn parse_span(text: &str) -> Result<Span, String> {
    let parts = text.split_once(':').and_then(|(offset, length)| Some((offset.parse().ok()?, length.parse().ok()?)));
    match parts {
        Some((offset, length)) if length > 0 => Ok(Span { offset, length }),
        _ => Err(format!("'{text}' is not OFFSET:LENGTH in bytes, such as 1048576:4096")),
    }
}

struct Disk {
    bad: Option<Span>,
    mechanism: Mutex<(Engine, Noise)>,
    store: Store,
    capacity: u64,
    pacing: Pacing,
    lateness: Arc<Lateness>,
    unmounted: Arc<AtomicBool>,
}

impl Disk {
    /// Holds the answer back until the drive would have given it. `work` moves the bytes meanwhile.
    fn serve<T>(&self, operation: Operation, offset: u64, length: u64, work: impl FnOnce() -> T) -> Result<T, Errno> {
        let arrived = self.pacing.now_ns();
        if length == 0 || offset.checked_add(length).is_none_or(|end| end > self.capacity) {
            return Err(Errno::EINVAL);
        }
        let Ok(mut mechanism) = self.mechanism.lock() else { return Err(Errno::EIO) };
        let (engine, noise) = &mut *mechanism;
        let logical = u64::from(engine.model().logical_block_bytes);
        let block = offset / logical;
        let count = (offset + length).div_ceil(logical) - block;
        let end = engine.serve(arrived, sim::Request { operation, block, count }) + noise.delay_ns();
        if self.bad.is_some_and(|bad| bad.touches(offset, length)) {
            self.pacing.wait_until(end);
            return Err(Errno::EIO);
        }
        let result = work();
        self.lateness.add(self.pacing.wait_until(end));
        Ok(result)
    }

    fn attributes(&self, inode: INodeNo) -> Option<FileAttr> {
        let (kind, perm, nlink, size) = match inode {
            INodeNo::ROOT => (FileType::Directory, 0o755, 2, 0),
            DISK => (FileType::RegularFile, 0o600, 1, self.capacity),
            _ => return None,
        };
        Some(FileAttr {
            ino: inode,
            size,
            blocks: size / 512,
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind,
            perm,
            nlink,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 512,
            flags: 0,
        })
    }
}

impl Filesystem for Disk {
    fn destroy(&mut self) {
        self.unmounted.store(true, Ordering::Relaxed);
    }

    fn lookup(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        match self.attributes(DISK).filter(|_| parent == INodeNo::ROOT && name == DISK_NAME) {
            Some(attributes) => reply.entry(&FOREVER, &attributes, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _request: &Request, inode: INodeNo, _handle: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(inode) {
            Some(attributes) => reply.attr(&FOREVER, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn readdir(&self, _: &Request, inode: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        if inode != INodeNo::ROOT {
            reply.error(Errno::ENOTDIR);
            return;
        }
        let entries = [
            (INodeNo::ROOT, FileType::Directory, "."),
            (INodeNo::ROOT, FileType::Directory, ".."),
            (DISK, FileType::RegularFile, DISK_NAME),
        ];
        for (next, (inode, kind, name)) in (1..).zip(entries).skip(usize::try_from(offset).unwrap_or(usize::MAX)) {
            if reply.add(inode, next, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn open(&self, _request: &Request, _inode: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        set_timer_slack();
        reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        // Past the end a file has no bytes: a short answer, as `read` gives it.
        let length = u64::from(size).min(self.capacity.saturating_sub(offset));
        if length == 0 {
            reply.data(&[]);
            return;
        }
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        match self.serve(Operation::Read, offset, length, || self.store.read(offset, &mut bytes)) {
            Ok(Ok(())) => reply.data(&bytes),
            Ok(Err(_)) => reply.error(Errno::EIO),
            Err(errno) => reply.error(errno),
        }
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let done = self.serve(Operation::Write, offset, data.len() as u64, || self.store.write(offset, data));
        match done {
            Ok(Ok(())) => reply.written(u32::try_from(data.len()).unwrap_or(u32::MAX)),
            Ok(Err(_)) => reply.error(Errno::EIO),
            Err(errno) => reply.error(errno),
        }
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let Ok(mut mechanism) = self.mechanism.lock() else { return reply.error(Errno::EIO) };
        let end = mechanism.0.flush(self.pacing.now_ns());
        self.pacing.wait_until(end);
        reply.ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_spot_is_touched_by_any_request_that_shares_a_byte_with_it() {
        let bad = parse_span("1000:24").expect("it is a span");
        assert!(bad.touches(0, 1001) && bad.touches(1023, 1) && bad.touches(0, 5000));
        assert!(!bad.touches(0, 1000) && !bad.touches(1024, 512));
    }

    #[test]
    fn a_span_without_a_length_is_refused_with_an_example() {
        for text in ["1000", "1000:0", ":5", "a:b"] {
            assert!(parse_span(text).expect_err(text).contains("1048576:4096"));
        }
    }
}
