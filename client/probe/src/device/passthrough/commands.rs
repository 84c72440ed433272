//! Commands other than reads and writes, and what comes of them.

pub enum Data<'a> {
    None,
    In(&'a mut [u8]),
    Out(&'a [u8]),
}

/// An NVMe admin command without data, or with data from the device (NVM Express Base Specification, clause 5).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Admin {
    pub opcode: u8,
    pub namespace: u32,
    pub cdw10: u32,
    pub cdw11: u32,
}

#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// The kernel lets only a process with `CAP_SYS_RAWIO` (SCSI, ATA) or `CAP_SYS_ADMIN` (NVMe) ask.
    #[error("the kernel lets only root ask")]
    Permission,
    /// The driver, the bridge or the disk has no such command.
    #[error("it has no such command")]
    Unsupported,
    #[error("it refused: {0}")]
    Refused(String),
    /// The time ran out or the transport failed. It is not asked again: each try may cost the kernel a bus reset.
    #[error("it did not answer in time, or lost the connection")]
    Silent,
}

pub trait Commands {
    /// Answers with the number of bytes that came in.
    fn scsi(&mut self, cdb: &[u8], data: Data<'_>) -> Result<usize, CommandError>;

    /// Answers with dword 0 of the completion.
    fn nvme(&mut self, command: Admin, data: &mut [u8]) -> Result<u32, CommandError>;
}

/// Asks nothing any more once a command was met with silence.
pub struct CircuitBreaker {
    inner: Box<dyn Commands>,
    silent: bool,
}

impl CircuitBreaker {
    pub fn new(inner: Box<dyn Commands>) -> Self {
        Self { inner, silent: false }
    }

    pub fn is_silent(&self) -> bool {
        self.silent
    }

    /// Lets it be asked again: a setting has to be put back, however often the disk was silent.
    pub fn try_again(&mut self) {
        self.silent = false;
    }

    fn once<T>(&mut self, send: impl FnOnce(&mut dyn Commands) -> Result<T, CommandError>) -> Result<T, CommandError> {
        if self.silent {
            return Err(CommandError::Silent);
        }
        let answer = send(self.inner.as_mut());
        self.silent = matches!(answer, Err(CommandError::Silent));
        answer
    }
}

impl Commands for CircuitBreaker {
    fn scsi(&mut self, cdb: &[u8], data: Data<'_>) -> Result<usize, CommandError> {
        self.once(|inner| inner.scsi(cdb, data))
    }

    fn nvme(&mut self, command: Admin, data: &mut [u8]) -> Result<u32, CommandError> {
        self.once(|inner| inner.nvme(command, data))
    }
}

/// What a SCSI command's sense data mean (SPC-4, clause 4.5): fixed format 0x70 and 0x71, descriptor format 0x72 and 0x73.
/// Errors: the sense key as a [`CommandError`]; no sense and a recovered error are a success.
pub fn sense(data: &[u8]) -> Result<(), CommandError> {
    let at = |index: usize| data.get(index).copied().unwrap_or(0);
    let (key, code) = match at(0) & 0x7F {
        0x70 | 0x71 => (at(2) & 0xF, (at(12), at(13))),
        0x72 | 0x73 => (at(1) & 0xF, (at(2), at(3))),
        _ => return Err(CommandError::Refused("without saying why".to_owned())),
    };
    match key {
        0 | 1 => Ok(()),
        5 => Err(CommandError::Unsupported),
        key => Err(CommandError::Refused(format!("sense key {key:#x}, code {:#04x} {:#04x}", code.0, code.1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sense_keys_are_read_in_both_formats() {
        assert_eq!(sense(&[0x70, 0, 5, 0]), Err(CommandError::Unsupported));
        assert_eq!(sense(&[0x72, 5, 0x20, 0]), Err(CommandError::Unsupported));
        assert_eq!(sense(&[0x72, 1, 0, 0x1D]), Ok(()));
        let refused = Err(CommandError::Refused("sense key 0x2, code 0x04 0x01".to_owned()));
        assert_eq!(sense(&[0xF0, 0, 2, 0, 0, 0, 0, 10, 0, 0, 0, 0, 4, 1]), refused);
        assert!(sense(&[]).is_err());
    }

    #[test]
    fn whoever_was_silent_once_is_not_asked_again() {
        struct NoCommands(std::rc::Rc<std::cell::Cell<u32>>);
        impl Commands for NoCommands {
            fn scsi(&mut self, _cdb: &[u8], _data: Data<'_>) -> Result<usize, CommandError> {
                self.0.set(self.0.get() + 1);
                Err(CommandError::Silent)
            }

            fn nvme(&mut self, _command: Admin, _data: &mut [u8]) -> Result<u32, CommandError> {
                Err(CommandError::Unsupported)
            }
        }
        let asked = std::rc::Rc::default();
        let mut patient = CircuitBreaker::new(Box::new(NoCommands(std::rc::Rc::clone(&asked))));
        for _ in 0..3 {
            assert_eq!(patient.scsi(&[0; 6], Data::None), Err(CommandError::Silent));
        }
        assert_eq!(asked.get(), 1);
        assert!(patient.is_silent());
    }
}
