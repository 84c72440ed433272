//! From text to [`Json`], and from [`Json`] to what deserialises.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};
use serde_json::{Error, Value};

use super::{Json, Packing};

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

impl IntoDeserializer<'_, Error> for Json {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Json {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Scalar(value) => value.deserialize_any(visitor),
            Self::Column(column) => visit_list(SeqDeserializer::new(column.iter()), visitor),
            Self::List(list) => visit_list(SeqDeserializer::new(list.into_iter()), visitor),
            Self::Object(members) => {
                let mut entries = MapDeserializer::new(members.into_iter());
                let value = visitor.visit_map(&mut entries)?;
                entries.end().map(|()| value)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Scalar(Value::Null) => visitor.visit_none(),
            other => visitor.visit_some(other),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _name: &str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    /// A text names a variant without, an object with one member a variant with something in it.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Self::Object(members) => visitor
                .visit_enum(serde::de::value::MapAccessDeserializer::new(MapDeserializer::new(members.into_iter()))),
            Self::Scalar(value) => value.deserialize_enum(name, variants, visitor),
            list => list.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

fn visit_list<'de, V, I, T>(mut list: SeqDeserializer<I, Error>, visitor: V) -> Result<V::Value, Error>
where
    V: Visitor<'de>,
    I: Iterator<Item = T>,
    T: IntoDeserializer<'de, Error>,
{
    let value = visitor.visit_seq(&mut list)?;
    list.end().map(|()| value)
}
