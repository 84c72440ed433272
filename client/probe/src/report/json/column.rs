//! A column of whole numbers in a few bytes each.

use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Seven bits of a number in each byte; the highest bit says that more follow (as LEB128 does).
const GROUP_BITS: u32 = 7;
const MORE: u8 = 1 << GROUP_BITS;

/// Whole numbers in their order, each kept as the difference to the one before it.
///
/// A latency of milliseconds takes four bytes, a step that grows by one takes one: a run of a million samples in several
/// columns stays far below what a list of 64-bit numbers would take. It is read from its start to its end only.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Column {
    bytes: Vec<u8>,
    length: usize,
    last: u64,
}

impl Column {
    pub const fn new() -> Self {
        Self { bytes: Vec::new(), length: 0, last: 0 }
    }

    pub fn push(&mut self, value: u64) {
        let difference = value.wrapping_sub(self.last).cast_signed();
        // Small differences of either sign become small numbers: 0, -1, 1, -2, 2 are 0, 1, 2, 3, 4.
        let mut rest = ((difference << 1) ^ (difference >> 63)).cast_unsigned();
        while rest >= u64::from(MORE) {
            self.bytes.push(low_byte(rest) | MORE);
            rest >>= GROUP_BITS;
        }
        self.bytes.push(low_byte(rest));
        self.last = value;
        self.length += 1;
    }

    pub const fn len(&self) -> usize {
        self.length
    }

    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        let (mut bytes, mut last) = (self.bytes.iter(), 0_u64);
        (0..self.length).map(move |_| {
            let (mut rest, mut shift) = (0, 0);
            for &byte in bytes.by_ref() {
                rest |= u64::from(byte & !MORE) << shift;
                shift += GROUP_BITS;
                if byte & MORE == 0 {
                    break;
                }
            }
            last = last.wrapping_add((rest >> 1) ^ (rest & 1).wrapping_neg());
            last
        })
    }

    pub fn to_vec(&self) -> Vec<u64> {
        self.iter().collect()
    }

    /// Bytes that the numbers take.
    pub const fn packed_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Gives back the room that was kept for more.
    pub fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
    }
}

const fn low_byte(value: u64) -> u8 {
    value.to_le_bytes()[0]
}

impl FromIterator<u64> for Column {
    fn from_iter<T: IntoIterator<Item = u64>>(values: T) -> Self {
        let mut column = Self::new();
        values.into_iter().for_each(|value| column.push(value));
        column
    }
}

impl Serialize for Column {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Column {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Column;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of whole numbers")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Column, A::Error> {
                let mut column = Column::new();
                while let Some(value) = list.next_element()? {
                    column.push(value);
                }
                column.shrink();
                Ok(column)
            }
        }
        deserializer.deserialize_seq(Numbers)
    }
}
