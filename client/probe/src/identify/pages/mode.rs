//! MODE SENSE: SPC-4, clause 7.5 (headers and page format); the caching mode page 0x08: SBC-3, clause 6.5.

use super::{Cache, Caches, be16};
use crate::report::document::CacheSetting;

pub const CACHING: u8 = 0x08;

/// Bytes of the caching page that hold the two switches, and the bits there.
const WCE: (usize, u8) = (2, 1 << 2);
const RCD: (usize, u8) = (2, 1);
const DRA: (usize, u8) = (12, 1 << 5);
/// The shortest caching page is the one of SCSI-2, which ends before DRA.
const SHORTEST: usize = 12;

/// Which of the two commands gave the answer: their headers differ.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    Six,
    Ten,
}

impl Form {
    pub const fn header_bytes(self) -> usize {
        match self {
            Self::Six => 4,
            Self::Ten => 8,
        }
    }
}

/// Which of its values a disk is asked for: the page control field.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Values {
    Current = 0,
    Changeable = 1,
    Default = 2,
    Saved = 3,
}

/// The bytes of a mode page, from its page code on, as its own length says.
pub fn page(answer: &[u8], form: Form, code: u8) -> Option<&[u8]> {
    let (stated, descriptors) = match form {
        Form::Six => (usize::from(*answer.first()?) + 1, usize::from(*answer.get(3)?)),
        Form::Ten => (usize::from(be16(answer, 0)?) + 2, usize::from(be16(answer, 6)?)),
    };
    let answer = &answer[..stated.min(answer.len())];
    let page = answer.get(form.header_bytes() + descriptors..)?;
    // Bit 6 would make it a sub-page, which has another form.
    if *page.first()? & 0x7F != code {
        return None;
    }
    page.get(..2 + usize::from(*page.get(1)?))
}

/// The caching page's switches: write cache, look-ahead, and the read cache itself.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Caching {
    pub write: bool,
    /// `DRA` turned round; `None` on a page that ends before it.
    pub look_ahead: Option<bool>,
    /// `RCD` turned round.
    pub read: bool,
}

pub fn caching(page: &[u8]) -> Option<Caching> {
    let page = page.get(..).filter(|page| page.len() >= SHORTEST)?;
    let set = |(byte, bit): (usize, u8)| page.get(byte).map(|value| value & bit != 0);
    Some(Caching { write: set(WCE)?, look_ahead: set(DRA).map(|disabled| !disabled), read: !set(RCD)? })
}

/// Both switches out of the four answers, each of which may be missing. Of the changeable values the bits are a mask.
pub fn caches(page_of: impl FnMut(Values) -> Option<Vec<u8>>) -> Caches {
    let told = [Values::Current, Values::Changeable, Values::Default, Values::Saved]
        .map(page_of)
        .map(|page| page.as_deref().and_then(caching));
    let [current, changeable, default, saved] = told.map(|caching| caching.map(|caching| caching.write));
    let write = CacheSetting { current, changeable, default, saved };
    let [current, unset, default, saved] = told.map(|caching| caching.and_then(|caching| caching.look_ahead));
    let look_ahead = CacheSetting { current, changeable: unset.map(|unset| !unset), default, saved };
    Caches { write, look_ahead }
}

/// The parameter list of a MODE SELECT that puts one switch of `page` to `on`, or `None` where the page does not reach it.
/// Saveable (PS) is reserved in MODE SELECT, and the lengths in the header are too, so both are zero.
pub fn select(page: &[u8], form: Form, switch: Cache, on: bool) -> Option<Vec<u8>> {
    let ((byte, bit), set) = match switch {
        Cache::Write => (WCE, on),
        Cache::LookAhead => (DRA, !on),
    };
    let mut page = page.get(..).filter(|page| page.len() >= SHORTEST)?.to_vec();
    page[0] &= 0x3F;
    let value = page.get_mut(byte)?;
    *value = if set { *value | bit } else { *value & !bit };
    let mut list = vec![0; form.header_bytes()];
    list.append(&mut page);
    Some(list)
}

#[cfg(test)]
pub(crate) mod tests;
