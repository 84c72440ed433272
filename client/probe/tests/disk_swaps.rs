//! A disk that was confirmed is the only one that is written to, whatever comes behind its name: on loop devices. Skipped
//! where the machine can't make them.
#![allow(unsafe_code, reason = "the one ioctl that puts another file behind a loop device")]

mod support;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::{Command, Stdio};

use diskatlas::device::{AccessError, Device, Span, Writing, raw::RawDisk};
use support::loops::Loop;

/// Exit code and words of the probe on a terminal of its own, where `meanwhile` happens before the name is typed.
fn at_the_prompt(device: &Loop, options: &str, meanwhile: impl FnOnce()) -> (Option<i32>, String) {
    let line = format!("{} run {} {options} -o run.json", env!("CARGO_BIN_EXE_diskatlas"), device.device.display());
    let mut terminal = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .current_dir(device.folder.path())
        .env("DISKATLAS_KEY", device.folder.path().join("key"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script, of util-linux");
    let (mut typed, mut shown) =
        (terminal.stdin.take().expect("its input"), terminal.stdout.take().expect("its output"));
    let (mut said, mut bytes) = (String::new(), [0; 4096]);
    while !said.contains("to go on:") {
        let count = shown.read(&mut bytes).expect("words");
        assert!(count > 0, "no question: {said}");
        said += &String::from_utf8_lossy(&bytes[..count]);
    }
    meanwhile();
    writeln!(typed, "{}", device.name()).expect("the answer");
    let mut rest = Vec::new();
    shown.read_to_end(&mut rest).expect("words");
    let status = terminal.wait().expect("an end");
    (status.code(), said + &String::from_utf8_lossy(&rest))
}

#[test]
fn another_disk_that_takes_the_name_while_the_question_stands_is_not_written_to() {
    let Some(device) = Loop::new(&[]) else { return };
    let other = device.folder.path().join("other.img");
    let bytes = vec![b'B'; 16 << 20];
    fs::write(&other, &bytes).expect("another disk");
    let swap = || {
        for arguments in [vec![Path::new("--detach"), &device.device], vec![&device.device, &other]] {
            // The probe holds the disk: the name stays with it, and the second of these fails.
            let _ = Command::new("losetup").args(arguments).output();
        }
    };
    let (code, said) = at_the_prompt(&device, "--writes destroy --suite quick --only sync_write", swap);
    assert!(fs::read(&other).expect("the other disk") == bytes, "the other disk was written to: {said}");
    assert_eq!(code, Some(0), "{said}");
    let own = fs::read(device.folder.path().join("disk.img")).expect("the disk");
    assert!(own.windows(8).any(|place| place == b"DiskAtls"), "the confirmed disk was written to: {said}");
}

#[test]
fn nobody_mounts_the_disk_while_the_question_stands() {
    let Some(device) = Loop::new(&[]) else { return };
    let made = Command::new("mkfs.ext4").arg("-q").arg(&device.device).status().expect("mkfs.ext4");
    assert!(made.success());
    let folder = device.folder.path().join("mnt");
    fs::create_dir(&folder).expect("the mount point");
    let mut mounted = false;
    let mount = || mounted = Command::new("mount").args([&device.device, &folder]).status().expect("mount").success();
    let (code, said) = at_the_prompt(&device, "--writes preserve --suite quick --only sync_write", mount);
    if mounted {
        let _ = Command::new("umount").arg(&folder).status();
    }
    assert!(!mounted && code == Some(0), "{said}");
}

#[test]
fn a_node_that_leads_to_another_disk_than_its_name_is_refused() {
    let (Some(named), Some(other)) = (Loop::new(&[]), Loop::new(&[])) else { return };
    let before = other.image();
    // In a mount namespace of its own, so that nobody else sees the other disk's node under this one's name.
    let line = format!(
        "mount --bind {other} {named} && exec {probe} run {named} --writes destroy --wipe --confirm {name} --only sync_write",
        other = other.device.display(),
        named = named.device.display(),
        probe = env!("CARGO_BIN_EXE_diskatlas"),
        name = named.name(),
    );
    let output = Command::new("unshare")
        .args(["--mount", "sh", "-c", &line])
        .current_dir(named.folder.path())
        .env("DISKATLAS_KEY", named.folder.path().join("key"))
        .output()
        .expect("unshare, of util-linux");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && said.contains("is not the disk that was looked at: its device number was"),
        "{said}"
    );
    assert!(said.contains("nothing was written") && said.contains("diskatlas list"), "{said}");
    assert!(other.image() == before, "bytes changed");
}

#[test]
fn another_medium_behind_an_open_disk_is_noticed_and_nothing_is_made_ready_to_be_written() {
    const LOOP_CHANGE_FD: libc::Ioctl = 0x4C06;
    let Some(device) = Loop::new(&["--read-only"]) else { return };
    let mut disk = RawDisk::open(&device.device, Writing::Nothing, None).expect("an open");
    disk.stage(&[Span::single(3)]).expect("the same disk");
    let other = device.folder.path().join("other.img");
    fs::write(&other, vec![b'B'; 16 << 20]).expect("another medium");
    let (node, other) =
        (File::open(&device.device).expect("the device"), File::open(&other).expect("the other medium"));
    // SAFETY: LOOP_CHANGE_FD takes a file descriptor as its argument, which is open.
    let changed = unsafe { libc::ioctl(node.as_raw_fd(), LOOP_CHANGE_FD, other.as_raw_fd()) };
    assert_eq!(changed, 0, "{}", std::io::Error::last_os_error());
    let Err(AccessError::Gone { source }) = disk.stage(&[Span::single(3)]) else { panic!("made ready") };
    let words = source.to_string();
    assert!(words.contains("another disk or medium is there") && words.contains("nothing is written to it"), "{words}");
    assert!(disk.check_identity(true).is_err());
}
