//! What can be shown of a raw device without one.

use std::io::Write;

use super::super::syscalls::Repeated;
use super::*;

#[test]
fn a_read_longer_than_the_buffer_takes_all_its_bytes_and_stops_at_the_end_of_the_file() {
    let mut file = tempfile::tempfile().expect("a file");
    let bytes: Vec<u8> = (0..10_000_u32).map(|index| (index % 251) as u8).collect();
    file.write_all(&bytes).expect("the bytes");
    let mut buffer = vec![0; 1024];
    assert_eq!(Repeated::new(&mut buffer, 5000).pread(&file, 100).expect("a read"), 5000);
    // The last part, 904 bytes, lies over the start of the part before it.
    assert_eq!(buffer[..904], bytes[100 + 4096..100 + 5000]);
    assert_eq!(buffer[904..], bytes[100 + 3072 + 904..100 + 4096]);
    assert_eq!(Repeated::new(&mut buffer, 5000).pread(&file, 9000).expect("a read"), 1000);
}

#[test]
fn the_pattern_of_a_block_names_the_block() {
    let mut bytes = [0; 40];
    fill_pattern(&mut bytes, 77);
    assert_eq!(&bytes[..8], b"DiskAtls");
    assert_eq!(bytes[8..16], 77_u64.to_le_bytes());
    assert_eq!(bytes[16..24], bytes[32..40]);
}
