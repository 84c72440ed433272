//! Disks that exist as a few bytes: they answer by the standards, or wrongly in one way.

use std::cell::RefCell;
use std::rc::Rc;

use super::commands::{Admin, CommandError, Commands, Data};
use crate::identify::pages;
use crate::identify::pages::mode::Form;

/// How a fake disk behaves. Shared, so that a test sees what became of it.
#[derive(Clone, Debug)]
pub struct Behaviour {
    pub write_cache: bool,
    pub look_ahead: bool,
    /// Whether it does what it says.
    pub obeys: bool,
    pub answers: Answers,
    /// Commands that it got, by their operation code (SCSI) or opcode (NVMe).
    pub commands: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Answers {
    /// An ATA disk that knows these carriers.
    Ata {
        sixteen: bool,
        twelve: bool,
        sct: bool,
    },
    /// An ATA disk without permission for ATA commands.
    Guarded,
    Scsi,
    Nvme,
    Silence,
    Nonsense,
}

pub type Shared = Rc<RefCell<Behaviour>>;

pub fn disk(answers: Answers) -> (Shared, Box<dyn Commands>) {
    let (obeys, commands) = (true, Vec::new());
    let shared = Rc::new(RefCell::new(Behaviour { write_cache: true, look_ahead: true, obeys, answers, commands }));
    (Rc::clone(&shared), Box::new(Fake(shared)))
}

struct Fake(Shared);

impl Behaviour {
    fn identify(&self, sct: bool) -> Vec<u8> {
        pages::ata::tests::sample(|words| {
            words[206] = u16::from(sct);
            words[85] = 1 | u16::from(self.write_cache) << 5 | u16::from(self.look_ahead) << 6;
        })
    }

    fn mode_page(&self, values: u8) -> Vec<u8> {
        let flags = |write: bool, disabled: bool| (u8::from(write) << 2, u8::from(disabled) << 5);
        let (flags, ahead) = match values {
            0 => flags(self.write_cache, !self.look_ahead),
            1 => flags(true, true),
            2 => flags(true, false),
            _ => flags(false, false),
        };
        pages::mode::tests::caching_page(flags, ahead)
    }

    fn ata(&mut self, cdb: &[u8], sct: bool) -> Result<Vec<u8>, CommandError> {
        let sixteen = cdb[0] == 0x85;
        let (command, features) = if sixteen { (cdb[14], cdb[4]) } else { (cdb[9], cdb[3]) };
        match (command, features) {
            (0xEC, _) => return Ok(self.identify(sct)),
            (0xB0, 0xD5) => return Ok(pages::smart::tests::status(41)),
            (0xB0, 0xD0) => return Ok(pages::smart::tests::attributes(&[(194, [39, 0, 0, 0, 0, 0])])),
            (0xEF, feature) if self.obeys => match feature {
                0x02 | 0x82 => self.write_cache = feature == 0x02,
                0xAA | 0x55 => self.look_ahead = feature == 0xAA,
                _ => return Err(CommandError::Unsupported),
            },
            _ => {}
        }
        Ok(Vec::new())
    }

    fn scsi(&mut self, cdb: &[u8], out: Option<&[u8]>) -> Result<Vec<u8>, CommandError> {
        match cdb[0] {
            0x12 if cdb[1] == 0 => Ok(self.inquiry()),
            0x12 => self.vpd(cdb[2]),
            0x1A | 0x5A => {
                let form = if cdb[0] == 0x1A { Form::Six } else { Form::Ten };
                Ok(pages::mode::tests::answer(form, &self.mode_page(cdb[2] >> 6)))
            }
            0x15 | 0x55 => {
                let page = &out.expect("a parameter list")[if cdb[0] == 0x15 { 4 } else { 8 }..];
                if self.obeys {
                    (self.write_cache, self.look_ahead) = (page[2] & 4 != 0, page[12] & 0x20 == 0);
                }
                Ok(Vec::new())
            }
            0x4D if self.answers == Answers::Scsi => Ok(match cdb[2] & 0x3F {
                0x00 => vec![0, 0, 0, 3, 0x00, 0x0D, 0x0E],
                0x0D => pages::log::tests::page(0x0D, &[(0, &[0, 34])]),
                _ => pages::log::tests::page(0x0E, &[(1, b"201136")]),
            }),
            _ => Err(CommandError::Unsupported),
        }
    }

    fn inquiry(&self) -> Vec<u8> {
        let mut answer = pages::inquiry::tests::sample();
        if self.answers != Answers::Scsi {
            answer[8..16].copy_from_slice(b"ATA     ");
        }
        answer
    }

    fn vpd(&self, page: u8) -> Result<Vec<u8>, CommandError> {
        let listed: &[u8] = if self.answers == Answers::Scsi { &[0, 0x80, 0x83, 0xB1] } else { &[0, 0x89] };
        let naa = [0x01, 0x03, 0, 8, 0x50, 0, 0xC5, 0, 1, 2, 3, 4];
        match page {
            0x00 => Ok(pages::vpd::tests::page(0, listed)),
            0x80 => Ok(pages::vpd::tests::page(0x80, b"SAS12345")),
            0x83 => Ok(pages::vpd::tests::page(0x83, &naa)),
            0x89 => Ok(pages::vpd::tests::ata_information(&self.identify(true))),
            0xB1 => Ok(pages::vpd::tests::page(0xB1, &[0x3A, 0x98, 0, 2])),
            _ => Err(CommandError::Unsupported),
        }
    }

    fn nvme(&mut self, command: Admin, data: &mut [u8]) -> u32 {
        match (command.opcode, command.cdw10 >> 8 & 7) {
            (0x06, _) => data.copy_from_slice(&pages::nvme::tests::controller_data()),
            (0x02, _) => data[1..3].copy_from_slice(&309_u16.to_le_bytes()),
            (0x0A, 0) => return u32::from(self.write_cache),
            (0x0A, 3) => return 4,
            (0x0A, select) => return u32::from(select == 1),
            (0x09, _) if self.obeys => self.write_cache = command.cdw11 & 1 != 0,
            _ => {}
        }
        0
    }
}

impl Commands for Fake {
    fn scsi(&mut self, cdb: &[u8], data: Data<'_>) -> Result<usize, CommandError> {
        let mut disk = self.0.borrow_mut();
        disk.commands.push(cdb[0]);
        let (place, out) = match data {
            Data::In(bytes) => (Some(bytes), None),
            Data::Out(bytes) => (None, Some(bytes)),
            Data::None => (None, None),
        };
        let pass_through = matches!(cdb[0], 0x85 | 0xA1);
        let answer = match disk.answers {
            Answers::Silence => return Err(CommandError::Silent),
            Answers::Nonsense => vec![0x5A; 4096],
            Answers::Ata { sixteen, twelve, sct } if pass_through => {
                let knows = if cdb[0] == 0x85 { sixteen } else { twelve };
                if !knows {
                    return Err(CommandError::Unsupported);
                }
                disk.ata(cdb, sct)?
            }
            Answers::Guarded if pass_through => return Err(CommandError::Permission),
            Answers::Nvme => return Err(CommandError::Unsupported),
            _ => disk.scsi(cdb, out)?,
        };
        let Some(place) = place else { return Ok(0) };
        let length = answer.len().min(place.len());
        place[..length].copy_from_slice(&answer[..length]);
        Ok(length)
    }

    fn nvme(&mut self, command: Admin, data: &mut [u8]) -> Result<u32, CommandError> {
        let mut disk = self.0.borrow_mut();
        disk.commands.push(command.opcode);
        match disk.answers {
            Answers::Nvme => Ok(disk.nvme(command, data)),
            Answers::Silence => Err(CommandError::Silent),
            _ => Err(CommandError::Unsupported),
        }
    }
}
