//! What the processors did, from `/proc/stat` (`proc_stat(5)`): all of them together since the machine started.

use serde::{Deserialize, Serialize};

use super::Tree;

/// Time of all processors together since the machine started.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[allow(clippy::struct_field_names, reason = "the names are the document's, which has units in them")]
pub struct Processors {
    pub idle_ns: u64,
    /// Programs, whatever their priority.
    pub user_ns: u64,
    /// The kernel, interrupts included.
    pub system_ns: u64,
    /// Idle while a request to a disk was under way.
    pub iowait_ns: u64,
}

impl Processors {
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            idle_ns: self.idle_ns.saturating_sub(earlier.idle_ns),
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
            iowait_ns: self.iowait_ns.saturating_sub(earlier.iowait_ns),
        }
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            idle_ns: self.idle_ns + other.idle_ns,
            user_ns: self.user_ns + other.user_ns,
            system_ns: self.system_ns + other.system_ns,
            iowait_ns: self.iowait_ns + other.iowait_ns,
        }
    }
}

/// As the machine says now; `None` where it does not.
pub fn read(tree: &Tree) -> Option<Processors> {
    let ticks_per_second = rustix::param::clock_ticks_per_second();
    parse(&std::fs::read(tree.proc.join("stat")).ok()?, ticks_per_second)
}

/// Reads the first line, `cpu` with the sums: user, nice, system, idle, iowait, irq, softirq, steal, and two that are
/// part of user and nice. Time that a hypervisor gave to others is nobody's here.
pub fn parse(bytes: &[u8], ticks_per_second: u64) -> Option<Processors> {
    let line = bytes.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"cpu "))?;
    let text = std::str::from_utf8(line).ok()?;
    let ticks: Vec<u64> = text.split_ascii_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let [user, nice, system, idle, iowait, rest @ ..] = ticks.as_slice() else { return None };
    let interrupts: u64 = rest.iter().take(2).sum();
    let ns = |ticks: u64| ticks.checked_mul(1_000_000_000)?.checked_div(ticks_per_second);
    Some(Processors {
        idle_ns: ns(*idle)?,
        user_ns: ns(user + nice)?,
        system_ns: ns(system + interrupts)?,
        iowait_ns: ns(*iowait)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sums_of_all_processors_are_read_and_interrupts_count_as_system() {
        let text = b"cpu  100 20 30 4000 500 6 7 800 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 1 2\n";
        let found = parse(text, 100).expect("a first line");
        assert_eq!(found.user_ns, 1_200_000_000);
        assert_eq!(found.system_ns, 430_000_000);
        assert_eq!([found.idle_ns, found.iowait_ns], [40_000_000_000, 5_000_000_000]);
    }

    #[test]
    fn what_is_not_such_a_file_gives_nothing() {
        for text in [&b""[..], b"cpu0 1 2 3 4 5\n", b"cpu  1 2 3\n", b"cpu  1 2 x 4 5\n", b"cpu \xff 1 2 3 4 5\n"] {
            assert_eq!(parse(text, 100), None);
        }
        assert_eq!(parse(b"cpu  1 2 3 4 5\n", 0), None);
        assert_eq!(parse(b"cpu  18446744073709551615 0 3 4 5\n", 100), None);
    }
}
