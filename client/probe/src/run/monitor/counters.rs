//! Counters of the machine, from files that are opened once and read again and again without making room for anything.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::detector::Reading;
use crate::device::raw::clock_ns;
use crate::device::traffic::Traffic;
use crate::identify::Tree;

/// Long enough for all of /proc/vmstat.
const BUFFER_BYTES: usize = 16_384;

/// Clocks and throttle counters of so many processors: reading hundreds would disturb what it looks for.
const PROCESSORS_MOST: usize = 16;

/// Where readings come from.
pub trait CounterSource: Send {
    /// `slow` counters cost more to read and change rarely; without it they are those of the last time.
    fn read(&mut self, slow: bool) -> Reading;
}

/// The machine's own files.
pub struct KernelCounters {
    traffic: Arc<Traffic>,
    stat: Option<File>,
    vmstat: Option<File>,
    loadavg: Option<File>,
    clocks: Vec<File>,
    throttles: Vec<File>,
    buffer: Vec<u8>,
    /// The slow ones as they were read last.
    last: Reading,
}

impl KernelCounters {
    pub fn open(tree: &Tree, kernel_name: &str, traffic: Arc<Traffic>) -> Self {
        let cpus = tree.sys.join("devices/system/cpu");
        let of_each = |name: &str| -> Vec<File> {
            (0..PROCESSORS_MOST).filter_map(|cpu| File::open(cpus.join(format!("cpu{cpu}/{name}"))).ok()).collect()
        };
        let mut throttles = of_each("thermal_throttle/core_throttle_count");
        throttles.extend(of_each("thermal_throttle/package_throttle_count"));
        Self {
            traffic,
            stat: File::open(tree.sys.join("block").join(kernel_name).join("stat")).ok(),
            vmstat: File::open(tree.proc.join("vmstat")).ok(),
            loadavg: File::open(tree.proc.join("loadavg")).ok(),
            clocks: of_each("cpufreq/scaling_cur_freq"),
            throttles,
            buffer: vec![0; BUFFER_BYTES],
            last: Reading::default(),
        }
    }
}

impl CounterSource for KernelCounters {
    fn read(&mut self, slow: bool) -> Reading {
        let before_ns = clock_ns();
        let buffer = &mut self.buffer;
        // The device first: what we ask for in between is then counted as ours and not yet as done.
        let completed = self.stat.as_ref().and_then(|file| text(file, buffer)).and_then(completed);
        let ours = self.traffic.counted();
        if slow {
            self.last.swapped_pages = self.vmstat.as_ref().and_then(|file| text(file, buffer)).map(swapped);
            self.last.load = self
                .loadavg
                .as_ref()
                .and_then(|file| text(file, buffer))
                .and_then(|text| text.split(' ').next()?.parse().ok());
            let sum = self.throttles.iter().filter_map(|file| text(file, buffer)?.trim().parse::<u64>().ok()).sum();
            self.last.throttle_events = (!self.throttles.is_empty()).then_some(sum);
            self.last.cpu_khz = None;
            for file in &self.clocks {
                let Some(khz) = text(file, buffer).and_then(|text| text.trim().parse().ok()) else { continue };
                let (low, high) = self.last.cpu_khz.unwrap_or((khz, khz));
                self.last.cpu_khz = Some((low.min(khz), high.max(khz)));
            }
        }
        Reading { before_ns, at_ns: clock_ns(), slow, completed, ours, ..self.last }
    }
}

fn text<'a>(file: &File, buffer: &'a mut [u8]) -> Option<&'a str> {
    let length = file.read_at(buffer, 0).ok()?;
    std::str::from_utf8(&buffer[..length]).ok()
}

/// Requests and sectors: reads, writes and discards (Documentation/block/stat.rst of the kernel).
fn completed(text: &str) -> Option<(u64, u64)> {
    let mut fields = [0; 17];
    let mut count = 0;
    for (place, field) in fields.iter_mut().zip(text.split_whitespace()) {
        *place = field.parse().ok()?;
        count += 1;
    }
    (count >= 11).then(|| (fields[0] + fields[4] + fields[11], fields[2] + fields[6] + fields[13]))
}

/// Pages that went in and out since the machine was started.
fn swapped(text: &str) -> u64 {
    let of = |line: &str| line.strip_prefix("pswpin ").or(line.strip_prefix("pswpout "))?.parse::<u64>().ok();
    text.lines().filter_map(of).sum()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn counters_are_read_from_a_machines_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
            fs::write(path, text).expect("the file");
        };
        put("sys/block/sdb/stat", "  10 0 80 5 20 0 160 9 0 12 14 3 0 24 1 7 2\n");
        put("proc/vmstat", "nr_free_pages 5\npswpin 30\npswpout 12\n");
        put("proc/loadavg", "1.25 0.9 0.7 2/300 4711\n");
        for (cpu, khz) in [(0, "800000\n"), (1, "3400000\n")] {
            put(&format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq"), khz);
            put(&format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count"), "4\n");
        }
        let traffic = Arc::new(Traffic::default());
        traffic.add(3, 4096);
        let mut files = KernelCounters::open(&Tree::below(folder.path()), "sdb", traffic);
        let reading = files.read(true);
        assert_eq!((reading.completed, reading.ours), (Some((33, 264)), Some((3, 8))));
        assert_eq!((reading.swapped_pages, reading.throttle_events), (Some(42), Some(8)));
        assert_eq!((reading.cpu_khz, reading.load), (Some((800_000, 3_400_000)), Some(1.25)));
    }

    #[test]
    fn a_machine_that_tells_nothing_gives_empty_readings() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut files = KernelCounters::open(&Tree::below(folder.path()), "sdb", Arc::default());
        let reading = files.read(true);
        assert_eq!((reading.completed, reading.swapped_pages, reading.throttle_events), (None, None, None));
    }
}
