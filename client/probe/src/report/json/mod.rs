//! JSON in which every list of whole numbers is a packed [`Column`]: what a document of a million samples is kept as.

mod column;
mod read;
mod write;

use std::collections::BTreeMap;
use std::ops::Index;

use serde::Serialize;
use serde_json::Value;

pub use column::Column;

/// A JSON value. A list whose elements are all whole numbers from 0 on is always a `Column`, any other one a `List`.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// Null, a truth value, a number or a text; never a list or an object.
    Scalar(Value),
    Column(Column),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

/// What a member that is not there reads as.
static NOTHING: Json = Json::Scalar(Value::Null);

impl Json {
    /// What `value` serialises to.
    /// Errors: when it holds what JSON can't carry: a map whose keys are no text, or a number beyond 64 bits.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        value.serialize(write::Packer)
    }

    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.get(name)
    }

    pub const fn as_object(&self) -> Option<&BTreeMap<String, Self>> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    pub const fn as_column(&self) -> Option<&Column> {
        if let Self::Column(column) = self { Some(column) } else { None }
    }

    pub fn as_str(&self) -> Option<&str> {
        if let Self::Scalar(value) = self { value.as_str() } else { None }
    }

    pub fn as_u64(&self) -> Option<u64> {
        if let Self::Scalar(value) = self { value.as_u64() } else { None }
    }

    /// The elements of a list of anything but whole numbers; none where it is something else.
    pub fn items(&self) -> &[Self] {
        if let Self::List(list) = self { list } else { &[] }
    }

    /// How many elements a list has, whatever they are; `None` where it is no list.
    pub const fn list_length(&self) -> Option<usize> {
        match self {
            Self::Column(column) => Some(column.len()),
            Self::List(list) => Some(list.len()),
            Self::Scalar(_) | Self::Object(_) => None,
        }
    }

    /// The list of these: a column if all are whole numbers.
    fn list(elements: Vec<Self>) -> Self {
        let mut list = Packing::default();
        for element in elements {
            list.push(element);
        }
        list.finish()
    }
}

impl Default for Json {
    fn default() -> Self {
        Self::Scalar(Value::Null)
    }
}

/// A member of an object; null where there is none of that name, or no object.
impl Index<&str> for Json {
    type Output = Self;

    fn index(&self, name: &str) -> &Self {
        self.get(name).unwrap_or(&NOTHING)
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        match value {
            Value::Array(list) => Self::list(list.into_iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Object(members.into_iter().map(|(name, value)| (name, Self::from(value))).collect())
            }
            scalar => Self::Scalar(scalar),
        }
    }
}

/// A list of which not all elements are known yet: a column for as long as they are whole numbers.
enum Packing {
    Numbers(Column),
    Mixed(Vec<Json>),
}

impl Default for Packing {
    fn default() -> Self {
        Self::Numbers(Column::new())
    }
}

impl Packing {
    fn push(&mut self, element: Json) {
        match (&mut *self, element.as_u64()) {
            (Self::Numbers(column), Some(number)) => column.push(number),
            (Self::Numbers(column), None) => {
                let numbers = column.iter().map(|number| Json::Scalar(number.into()));
                *self = Self::Mixed(numbers.chain([element]).collect());
            }
            (Self::Mixed(list), _) => list.push(element),
        }
    }

    fn finish(self) -> Json {
        match self {
            Self::Numbers(mut column) => {
                column.shrink();
                Json::Column(column)
            }
            Self::Mixed(list) => Json::List(list),
        }
    }
}

#[cfg(test)]
mod tests;
