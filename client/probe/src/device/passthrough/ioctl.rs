//! The two calls that hand a disk a command: `SG_IO` (`scsi/sg.h`) and `NVME_IOCTL_ADMIN_CMD` (`linux/nvme_ioctl.h`).
#![allow(unsafe_code, reason = "both ioctls take a structure with addresses in it; each block says why it is sound")]

use std::ffi::{c_int, c_void};
use std::os::fd::OwnedFd;
use std::ptr;

use rustix::io::Errno;
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl, opcode};

use super::commands::{Admin, CommandError, Commands, Data, sense};

/// Long enough for a disk that is spinning up to answer, short enough for a person who waits.
const TIMEOUT_MS: u32 = 10_000;
const SENSE_BYTES: usize = 64;

const SG_IO: Opcode = 0x2285;
const NVME_ADMIN: Opcode = opcode::read_write::<NvmePassthru>(b'N', 0x41);

const CHECK_CONDITION: u8 = 2;

/// `sg_io_hdr` of scsi/sg.h.
#[repr(C)]
#[derive(Default)]
struct SgHeader {
    interface_id: c_int,
    dxfer_direction: c_int,
    cmd_len: u8,
    mx_sb_len: u8,
    iovec_count: u16,
    dxfer_len: u32,
    dxferp: *mut c_void,
    cmdp: *const u8,
    sbp: *mut u8,
    timeout: u32,
    flags: u32,
    pack_id: c_int,
    usr_ptr: *mut c_void,
    status: u8,
    masked_status: u8,
    msg_status: u8,
    sb_len_wr: u8,
    host_status: u16,
    driver_status: u16,
    resid: c_int,
    duration: u32,
    info: u32,
}

/// `nvme_passthru_cmd` of `linux/nvme_ioctl.h`.
#[repr(C)]
#[derive(Default)]
struct NvmePassthru {
    opcode: u8,
    flags: u8,
    rsvd1: u16,
    nsid: u32,
    cdw2: u32,
    cdw3: u32,
    metadata: u64,
    addr: u64,
    metadata_len: u32,
    data_len: u32,
    cdw10: u32,
    cdw11: u32,
    cdw12: u32,
    cdw13: u32,
    cdw14: u32,
    cdw15: u32,
    timeout_ms: u32,
    result: u32,
}

/// A structure that the kernel reads and fills, and the call's own answer.
struct Exchange<'a, T, const OPCODE: Opcode>(&'a mut T);

// SAFETY: the pointer is to a live structure of the opcode's type, which the kernel may change; the answer is a plain number.
unsafe impl<T, const OPCODE: Opcode> Ioctl for Exchange<'_, T, OPCODE> {
    type Output = IoctlOutput;
    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        OPCODE
    }

    fn as_ptr(&mut self) -> *mut rustix::ffi::c_void {
        ptr::from_mut(self.0).cast()
    }

    unsafe fn output_from_ptr(out: IoctlOutput, _: *mut rustix::ffi::c_void) -> rustix::io::Result<IoctlOutput> {
        Ok(out)
    }
}

pub struct Channel(pub OwnedFd);

impl Commands for Channel {
    fn scsi(&mut self, cdb: &[u8], data: Data<'_>) -> Result<usize, CommandError> {
        let mut sense_bytes = [0_u8; SENSE_BYTES];
        let (direction, pointer, length) = match data {
            Data::None => (-1, ptr::null_mut(), 0),
            // The kernel only reads what goes to the device.
            Data::Out(bytes) => (-2, bytes.as_ptr().cast_mut().cast(), bytes.len()),
            Data::In(bytes) => (-3, bytes.as_mut_ptr().cast(), bytes.len()),
        };
        let mut header = SgHeader {
            interface_id: c_int::from(b'S'),
            dxfer_direction: direction,
            cmd_len: u8::try_from(cdb.len()).map_err(|_| CommandError::Unsupported)?,
            mx_sb_len: 64,
            dxfer_len: u32::try_from(length).map_err(|_| CommandError::Unsupported)?,
            dxferp: pointer,
            cmdp: cdb.as_ptr(),
            sbp: sense_bytes.as_mut_ptr(),
            timeout: TIMEOUT_MS,
            ..SgHeader::default()
        };
        // SAFETY: every address in the header is that of a live buffer with the length beside it, the kernel writes to
        // `sense_bytes` and to data that came in as mutable only, and all of it outlives the call, which waits for the end.
        unsafe { ioctl(&self.0, Exchange::<_, SG_IO>(&mut header)) }.map_err(errno)?;
        if header.host_status != 0 {
            return Err(CommandError::Silent);
        }
        match header.status & 0x3E {
            0 => {}
            CHECK_CONDITION => sense(&sense_bytes[..usize::from(header.sb_len_wr).min(SENSE_BYTES)])?,
            other => return Err(CommandError::Refused(format!("SCSI status {other:#x}"))),
        }
        let missing = usize::try_from(header.resid).unwrap_or(0);
        Ok(length.saturating_sub(missing))
    }

    fn nvme(&mut self, command: Admin, data: &mut [u8]) -> Result<u32, CommandError> {
        let mut passthru = NvmePassthru {
            opcode: command.opcode,
            nsid: command.namespace,
            addr: if data.is_empty() { 0 } else { data.as_mut_ptr().expose_provenance() as u64 },
            data_len: u32::try_from(data.len()).map_err(|_| CommandError::Unsupported)?,
            cdw10: command.cdw10,
            cdw11: command.cdw11,
            timeout_ms: TIMEOUT_MS,
            ..NvmePassthru::default()
        };
        // SAFETY: the address is that of `data`, which is mutable, as long as stated and outlives the call.
        let status = unsafe { ioctl(&self.0, Exchange::<_, NVME_ADMIN>(&mut passthru)) }.map_err(errno)?;
        match status {
            0 => Ok(passthru.result),
            // Generic command status: invalid opcode, invalid field; invalid log page of the command specific ones.
            status if matches!(status & 0x7FF, 0x01 | 0x02 | 0x109) => Err(CommandError::Unsupported),
            status => Err(CommandError::Refused(format!("NVMe status {:#x}", status & 0x7FF))),
        }
    }
}

fn errno(error: Errno) -> CommandError {
    match error {
        Errno::PERM | Errno::ACCESS => CommandError::Permission,
        Errno::NOTTY | Errno::INVAL | Errno::OPNOTSUPP | Errno::NOSYS => CommandError::Unsupported,
        Errno::TIMEDOUT | Errno::NODEV | Errno::NXIO | Errno::IO | Errno::INTR => CommandError::Silent,
        other => CommandError::Refused(std::io::Error::from(other).to_string()),
    }
}

// The kernel's own sizes on 64-bit machines, by which a wrong field would be noticed.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<SgHeader>() == 88 && size_of::<NvmePassthru>() == 72);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_disk_has_no_commands() {
        let file = tempfile::tempfile().expect("a file");
        let mut channel = Channel(file.into());
        assert_eq!(channel.scsi(&[0; 6], Data::None), Err(CommandError::Unsupported));
        assert_eq!(channel.nvme(Admin::default(), &mut []), Err(CommandError::Unsupported));
    }
}
