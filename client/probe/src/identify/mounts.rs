//! What is mounted and what is swapped to: `/proc/self/mountinfo` and `/proc/swaps`, parsed from their text.

/// A line of mountinfo (`proc_pid_mountinfo(5)`).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Mount {
    pub major: u32,
    pub minor: u32,
    pub mount_point: String,
    /// Usually a device's path. Of a btrfs file system it is the only hint, as its numbers are made up.
    pub source: String,
}

/// All lines that can be read; a line of another form is left out.
pub fn mountinfo(text: &str) -> Vec<Mount> {
    text.lines().filter_map(mount).collect()
}

fn mount(line: &str) -> Option<Mount> {
    // ID PARENT MAJOR:MINOR ROOT MOUNT-POINT OPTIONS [OPTIONAL...] - TYPE SOURCE SUPER-OPTIONS
    let (before, after) = line.split_once(" - ")?;
    let mut fields = before.split(' ').skip(2);
    let (major, minor) = fields.next()?.split_once(':')?;
    let mount_point = fields.nth(1)?;
    let source = after.split(' ').nth(1)?;
    Some(Mount {
        major: major.parse().ok()?,
        minor: minor.parse().ok()?,
        mount_point: unescape(mount_point),
        source: unescape(source),
    })
}

/// The paths in `/proc/swaps`, deleted ones included.
pub fn swaps(text: &str) -> Vec<String> {
    text.lines().skip(1).filter_map(|line| line.split_whitespace().next()).map(unescape).collect()
}

/// Blanks in paths stand as `\040` and the like.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let octal = tail.get(..3).filter(|_| first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            bytes.push(byte);
            rest = &tail[3..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_with_optional_fields_and_a_blank_in_its_path_is_read() {
        let text = "36 35 8:17 / /mnt/my\\040disk rw,noatime shared:1 master:2 - ext4 /dev/sdb1 rw\nnonsense\n";
        let expected = Mount { major: 8, minor: 17, mount_point: "/mnt/my disk".into(), source: "/dev/sdb1".into() };
        assert_eq!(mountinfo(text), [expected]);
    }

    #[test]
    fn swap_devices_and_files_are_listed_without_the_header() {
        let text =
            "Filename\tType\tSize\tUsed\tPriority\n/dev/sda2   partition\t1\t0\t-2\n/swap\\040file file 1 0 -3\n";
        assert_eq!(swaps(text), ["/dev/sda2", "/swap file"]);
    }
}
