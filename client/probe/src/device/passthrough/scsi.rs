//! SCSI commands: SPC-4, clause 6.

use super::commands::{CommandError, Commands, Data};
use crate::identify::pages::log;
use crate::identify::pages::mode::{self, Form, Values};

/// What every device answers; asking for more has confused bridges.
const INQUIRY_BYTES: u8 = 36;
const MODE_BYTES: u8 = 192;
/// Long enough for page 0x89, which has 572 bytes.
const VPD_BYTES: u16 = 1024;
const LOG_BYTES: u16 = 512;

pub fn inquiry(commands: &mut dyn Commands) -> Result<Vec<u8>, CommandError> {
    receive(commands, &[0x12, 0, 0, 0, INQUIRY_BYTES, 0], usize::from(INQUIRY_BYTES))
}

/// A page of vital product data.
pub fn vpd(commands: &mut dyn Commands, page: u8) -> Result<Vec<u8>, CommandError> {
    let [high, low] = VPD_BYTES.to_be_bytes();
    receive(commands, &[0x12, 1, page, high, low, 0], usize::from(VPD_BYTES))
}

/// A log page, its current cumulative values.
pub fn log_page(commands: &mut dyn Commands, page: u8) -> Result<Vec<u8>, CommandError> {
    let [high, low] = LOG_BYTES.to_be_bytes();
    receive(commands, &[0x4D, 0, 0x40 | page, 0, 0, 0, 0, high, low, 0], usize::from(LOG_BYTES))
}

/// Whether log page 0x00 lists the page.
pub fn has_log_page(commands: &mut dyn Commands, page: u8) -> bool {
    log_page(commands, 0).is_ok_and(|answer| log::lists(&answer, page))
}

/// One set of values of a mode page, from its page code on.
pub fn mode_page(commands: &mut dyn Commands, form: Form, page: u8, values: Values) -> Result<Vec<u8>, CommandError> {
    let control = (values as u8) << 6 | page;
    // Bit 3 of byte 1 asks for no block descriptors; disks may send them all the same.
    let cdb: &[u8] = match form {
        Form::Six => &[0x1A, 8, control, 0, MODE_BYTES, 0],
        Form::Ten => &[0x5A, 8, control, 0, 0, 0, 0, 0, MODE_BYTES, 0],
    };
    let answer = receive(commands, cdb, usize::from(MODE_BYTES))?;
    mode::page(&answer, form, page).map(<[u8]>::to_vec).ok_or(CommandError::Unsupported)
}

/// Sends a parameter list that is in page format (PF) and not to be saved (SP = 0).
pub fn mode_select(commands: &mut dyn Commands, form: Form, list: &[u8]) -> Result<(), CommandError> {
    let length = u8::try_from(list.len()).map_err(|_| CommandError::Unsupported)?;
    let cdb: &[u8] = match form {
        Form::Six => &[0x15, 0x10, 0, 0, length, 0],
        Form::Ten => &[0x55, 0x10, 0, 0, 0, 0, 0, 0, length, 0],
    };
    commands.scsi(cdb, Data::Out(list)).map(|_| ())
}

fn receive(commands: &mut dyn Commands, cdb: &[u8], length: usize) -> Result<Vec<u8>, CommandError> {
    let mut bytes = vec![0; length];
    let received = commands.scsi(cdb, Data::In(&mut bytes))?;
    bytes.truncate(received);
    Ok(bytes)
}
