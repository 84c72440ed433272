//! NVMe admin commands: NVM Express Base Specification 1.4, clause 5.

use super::commands::{Admin, CommandError, Commands};
use crate::identify::pages::nvme;
use crate::report::document::CacheSetting;

const GET_LOG_PAGE: u8 = 0x02;
const IDENTIFY: u8 = 0x06;
const SET_FEATURES: u8 = 0x09;
const GET_FEATURES: u8 = 0x0A;

const EVERY_NAMESPACE: u32 = 0xFFFF_FFFF;
const SMART_LOG: u32 = 0x02;
const SMART_LOG_BYTES: usize = 512;
const VOLATILE_WRITE_CACHE: u32 = 0x06;

/// The select field of Get Features.
#[derive(Clone, Copy)]
enum Select {
    Current = 0,
    Default = 1,
    Saved = 2,
    Capabilities = 3,
}

/// The Identify Controller data structure.
pub fn controller(commands: &mut dyn Commands) -> Result<Vec<u8>, CommandError> {
    let mut bytes = vec![0; nvme::IDENTIFY_BYTES];
    // Structure 1 is that of the controller.
    commands.nvme(Admin { opcode: IDENTIFY, namespace: 0, cdw10: 1, cdw11: 0 }, &mut bytes)?;
    Ok(bytes)
}

/// The SMART / Health Information log of the controller.
pub fn smart_log(commands: &mut dyn Commands) -> Result<Vec<u8>, CommandError> {
    let mut bytes = vec![0; SMART_LOG_BYTES];
    // The length is in dwords, less one, from bit 16 on: 512 bytes are 128.
    let cdw10 = SMART_LOG | 127 << 16;
    commands.nvme(Admin { opcode: GET_LOG_PAGE, namespace: EVERY_NAMESPACE, cdw10, cdw11: 0 }, &mut bytes)?;
    Ok(bytes)
}

fn feature(commands: &mut dyn Commands, select: Select) -> Result<u32, CommandError> {
    let cdw10 = VOLATILE_WRITE_CACHE | (select as u32) << 8;
    commands.nvme(Admin { opcode: GET_FEATURES, namespace: 0, cdw10, cdw11: 0 }, &mut [])
}

/// Whether the volatile write cache is on now.
pub fn write_cache(commands: &mut dyn Commands) -> Result<bool, CommandError> {
    feature(commands, Select::Current).map(nvme::write_cache)
}

/// All that the controller tells of its volatile write cache.
pub fn write_cache_setting(commands: &mut dyn Commands, controller: &nvme::Controller) -> CacheSetting {
    if !controller.volatile_write_cache {
        return CacheSetting { current: Some(false), changeable: Some(false), ..CacheSetting::default() };
    }
    let current = write_cache(commands).ok();
    if !controller.selects_values {
        return CacheSetting { current, ..CacheSetting::default() };
    }
    let mut ask = |select| feature(commands, select).ok();
    CacheSetting {
        current,
        changeable: ask(Select::Capabilities).map(nvme::changeable),
        default: ask(Select::Default).map(nvme::write_cache),
        saved: ask(Select::Saved).map(nvme::write_cache),
    }
}

/// Switches the volatile write cache. The save bit (31 of dword 10) stays clear.
pub fn set_write_cache(commands: &mut dyn Commands, on: bool) -> Result<(), CommandError> {
    let command = Admin { opcode: SET_FEATURES, namespace: 0, cdw10: VOLATILE_WRITE_CACHE, cdw11: u32::from(on) };
    commands.nvme(command, &mut []).map(|_| ())
}
