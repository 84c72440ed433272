//! Into [`Json`] from what serialises, and from [`Json`] to text.

use std::collections::BTreeMap;

use serde::ser::{
    self, Error as _, SerializeMap, SerializeSeq, SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
};
use serde::{Serialize, Serializer};
use serde_json::value::Serializer as Scalars;
use serde_json::{Error, Value};

use super::{Json, Packing};

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

/// Makes [`Json`]; what is no list and no object is left to `serde_json`.
pub struct Packer;

macro_rules! scalars {
    ($($method:ident($type:ty),)*) => {
        $(fn $method(self, value: $type) -> Result<Json, Error> {
            Scalars.$method(value).map(Json::Scalar)
        })*
    };
}

impl Serializer for Packer {
    type Ok = Json;
    type Error = Error;
    type SerializeSeq = List;
    type SerializeTuple = List;
    type SerializeTupleStruct = List;
    type SerializeTupleVariant = List;
    type SerializeMap = Members;
    type SerializeStruct = Members;
    type SerializeStructVariant = Members;

    scalars! {
        serialize_bool(bool),
        serialize_i8(i8),
        serialize_i16(i16),
        serialize_i32(i32),
        serialize_i64(i64),
        serialize_i128(i128),
        serialize_u8(u8),
        serialize_u16(u16),
        serialize_u32(u32),
        serialize_u64(u64),
        serialize_u128(u128),
        serialize_f32(f32),
        serialize_f64(f64),
        serialize_char(char),
        serialize_str(&str),
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Json, Error> {
        bytes.serialize(self)
    }

    fn serialize_none(self) -> Result<Json, Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Json, Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Json, Error> {
        Ok(Json::Scalar(Value::Null))
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Json, Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _name: &str, _index: u32, variant: &'static str) -> Result<Json, Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &str, value: &T) -> Result<Json, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Json, Error> {
        value.serialize(self).map(|value| inside(Some(variant), value))
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<List, Error> {
        Ok(List { packing: Packing::default(), variant: None })
    }

    fn serialize_tuple(self, length: usize) -> Result<List, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _name: &str, length: usize) -> Result<List, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _name: &str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<List, Error> {
        Ok(List { packing: Packing::default(), variant: Some(variant) })
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Members, Error> {
        Ok(Members::default())
    }

    fn serialize_struct(self, _name: &str, length: usize) -> Result<Members, Error> {
        self.serialize_map(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _name: &str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Members, Error> {
        Ok(Members { variant: Some(variant), ..Members::default() })
    }
}

/// A variant with something in it is an object with one member, as `serde_json` writes it.
fn inside(variant: Option<&'static str>, value: Json) -> Json {
    match variant {
        Some(name) => Json::Object([(name.to_owned(), value)].into()),
        None => value,
    }
}

/// A list under way.
pub struct List {
    packing: Packing,
    variant: Option<&'static str>,
}

/// The same under each of the names that serde has for it.
macro_rules! elements {
    ($($trait:ident $method:ident,)*) => {
        $(impl $trait for List {
            type Ok = Json;
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.packing.push(value.serialize(Packer)?);
                Ok(())
            }

            fn end(self) -> Result<Json, Error> {
                Ok(inside(self.variant, self.packing.finish()))
            }
        })*
    };
}

elements! {
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field,
}

/// An object under way.
#[derive(Default)]
pub struct Members {
    known: BTreeMap<String, Json>,
    name: Option<String>,
    variant: Option<&'static str>,
}

impl Members {
    fn insert<T: Serialize + ?Sized>(&mut self, name: String, value: &T) -> Result<(), Error> {
        self.known.insert(name, value.serialize(Packer)?);
        Ok(())
    }

    fn finish(self) -> Json {
        inside(self.variant, Json::Object(self.known))
    }
}

impl SerializeMap for Members {
    type Ok = Json;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        match key.serialize(Packer)? {
            Json::Scalar(Value::String(name)) => self.name = Some(name),
            _ => return Err(Error::custom("the name of a member has to be text")),
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let name = self.name.take().unwrap_or_default();
        self.insert(name, value)
    }

    fn end(self) -> Result<Json, Error> {
        Ok(self.finish())
    }
}

macro_rules! fields {
    ($($trait:ident,)*) => {
        $(impl ser::$trait for Members {
            type Ok = Json;
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
                self.insert(name.to_owned(), value)
            }

            fn end(self) -> Result<Json, Error> {
                Ok(self.finish())
            }
        })*
    };
}

fields! {
    SerializeStruct,
    SerializeStructVariant,
}
