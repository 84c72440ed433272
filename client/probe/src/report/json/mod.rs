//! JSON in which every list of whole numbers is a packed [`Column`]: what a document of a million samples is kept as.

mod column;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Index;

use serde::de::{DeserializeOwned, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
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
    /// What `value` serialises to, by way of its text: that of a piece or a series, a few megabytes at most.
    /// Errors: when it holds what JSON can't carry: a map whose keys are no text, or a number beyond 64 bits.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(&serde_json::to_vec(value)?)
    }

    /// The value that serialises to this, as [`Json::of`] goes the other way.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&serde_json::to_vec(self)?)
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

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Scalar(value) => value.serialize(serializer),
            Self::Column(column) => column.serialize(serializer),
            Self::List(list) => list.serialize(serializer),
            Self::Object(members) => members.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Anything)
    }
}

struct Anything;

impl<'de> Visitor<'de> for Anything {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Scalar(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Scalar(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Scalar(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Scalar(value.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Scalar(text.into()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::Scalar(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json, A::Error> {
        let mut list = Packing::default();
        while let Some(element) = elements.next_element()? {
            list.push(element);
        }
        Ok(list.finish())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut members = BTreeMap::new();
        while let Some((name, value)) = entries.next_entry()? {
            members.insert(name, value);
        }
        Ok(Json::Object(members))
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
