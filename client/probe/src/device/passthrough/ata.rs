//! ATA commands inside SCSI's ATA PASS-THROUGH: SAT-3, clause 12.2; the commands themselves are ACS-3, clause 7.

use super::commands::{CommandError, Commands, Data};

const SECTOR_BYTES: usize = 512;

/// Which of the two commands carries it. Bridges often know one of them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CdbLength {
    Sixteen,
    Twelve,
}

/// The registers of a command with 28-bit addresses.
#[derive(Clone, Copy, Default)]
struct Registers {
    command: u8,
    features: u8,
    count: u8,
    lba_low: u8,
    lba_mid: u8,
    lba_high: u8,
}

/// What SMART commands carry in the address, so that nothing else is taken for one.
const SMART: Registers = Registers { command: 0xB0, features: 0, count: 1, lba_low: 0, lba_mid: 0x4F, lba_high: 0xC2 };

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Feature {
    WriteCacheOn = 0x02,
    WriteCacheOff = 0x82,
    LookAheadOn = 0xAA,
    LookAheadOff = 0x55,
}

pub fn identify(commands: &mut dyn Commands, cdb_length: CdbLength) -> Result<Vec<u8>, CommandError> {
    read_sector(commands, cdb_length, Registers { command: 0xEC, count: 1, ..Registers::default() })
}

pub fn smart_data(commands: &mut dyn Commands, cdb_length: CdbLength) -> Result<Vec<u8>, CommandError> {
    read_sector(commands, cdb_length, Registers { features: 0xD0, ..SMART })
}

/// SMART READ LOG of log 0xE0: the SCT status.
pub fn sct_status(commands: &mut dyn Commands, cdb_length: CdbLength) -> Result<Vec<u8>, CommandError> {
    read_sector(commands, cdb_length, Registers { features: 0xD5, lba_low: 0xE0, ..SMART })
}

/// SET FEATURES. The standard keeps the setting until the disk loses power.
pub fn set_features(commands: &mut dyn Commands, cdb_length: CdbLength, feature: Feature) -> Result<(), CommandError> {
    let registers = Registers { command: 0xEF, features: feature as u8, ..Registers::default() };
    // Protocol 3 carries no data.
    commands.scsi(&wrap(cdb_length, registers, 3, 0), Data::None).map(|_| ())
}

fn read_sector(
    commands: &mut dyn Commands,
    cdb_length: CdbLength,
    registers: Registers,
) -> Result<Vec<u8>, CommandError> {
    let mut bytes = vec![0; SECTOR_BYTES];
    // Protocol 4 is PIO data-in; the flags say: from the device, in blocks, as many as the count register says.
    let received = commands.scsi(&wrap(cdb_length, registers, 4, 0x0E), Data::In(&mut bytes))?;
    // Bridges that swallow the command answer with nothing.
    if received < SECTOR_BYTES { Err(CommandError::Unsupported) } else { Ok(bytes) }
}

fn wrap(cdb_length: CdbLength, registers: Registers, protocol: u8, flags: u8) -> Vec<u8> {
    let Registers { command, features, count, lba_low, lba_mid, lba_high } = registers;
    let protocol = protocol << 1;
    match cdb_length {
        CdbLength::Sixteen => {
            vec![0x85, protocol, flags, 0, features, 0, count, 0, lba_low, 0, lba_mid, 0, lba_high, 0, command, 0]
        }
        CdbLength::Twelve => vec![0xA1, protocol, flags, features, count, lba_low, lba_mid, lba_high, 0, command, 0, 0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Recorder(Vec<Vec<u8>>);

    impl Commands for Recorder {
        fn scsi(&mut self, cdb: &[u8], data: Data<'_>) -> Result<usize, CommandError> {
            self.0.push(cdb.to_vec());
            Ok(match data {
                Data::In(bytes) => bytes.len(),
                Data::Out(_) | Data::None => 0,
            })
        }

        fn nvme(&mut self, _: super::super::commands::Admin, _: &mut [u8]) -> Result<u32, CommandError> {
            Err(CommandError::Unsupported)
        }
    }

    #[test]
    fn commands_stand_in_the_carriers_bytes_as_sat_says() {
        let mut recorder = Recorder(Vec::new());
        identify(&mut recorder, CdbLength::Sixteen).expect("a sector");
        sct_status(&mut recorder, CdbLength::Sixteen).expect("a sector");
        smart_data(&mut recorder, CdbLength::Twelve).expect("a sector");
        set_features(&mut recorder, CdbLength::Twelve, Feature::WriteCacheOff).expect("an answer");
        let expected: [&[u8]; 4] = [
            &[0x85, 0x08, 0x0E, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xEC, 0],
            &[0x85, 0x08, 0x0E, 0, 0xD5, 0, 1, 0, 0xE0, 0, 0x4F, 0, 0xC2, 0, 0xB0, 0],
            &[0xA1, 0x08, 0x0E, 0xD0, 1, 0, 0x4F, 0xC2, 0, 0xB0, 0, 0],
            &[0xA1, 0x06, 0x00, 0x82, 0, 0, 0, 0, 0, 0xEF, 0, 0],
        ];
        assert_eq!(recorder.0, expected);
    }
}
