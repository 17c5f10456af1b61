//! Values of parameters.

use std::borrow::Cow;

use jiff::Timestamp;
use ulid::Ulid;
use uuid::Uuid;

use crate::database::columns::integer_of;

/// The value of a parameter.
#[derive(Debug)]
pub(crate) enum Value<'q> {
    Text(Option<Cow<'q, str>>),
    /// A list.
    Texts(Option<Vec<String>>),
    Integer(Option<i64>),
    /// A list.
    Integers(Vec<i64>),
    Boolean(bool),
    Real(Option<f64>),
    Bytes(Option<Cow<'q, [u8]>>),
}

impl<'q> From<&'q str> for Value<'q> {
    fn from(text: &'q str) -> Self {
        Self::Text(Some(text.into()))
    }
}

impl<'q> From<Option<&'q str>> for Value<'q> {
    fn from(text: Option<&'q str>) -> Self {
        Self::Text(text.map(Cow::Borrowed))
    }
}

impl<'q> From<&'q String> for Value<'q> {
    fn from(text: &'q String) -> Self {
        text.as_str().into()
    }
}

impl<'q> From<&'q Option<String>> for Value<'q> {
    fn from(text: &'q Option<String>) -> Self {
        text.as_deref().into()
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Some(text.into()))
    }
}

impl From<Option<String>> for Value<'_> {
    fn from(text: Option<String>) -> Self {
        Self::Text(text.map(Cow::Owned))
    }
}

impl From<Ulid> for Value<'_> {
    fn from(id: Ulid) -> Self {
        id.to_string().into()
    }
}

impl From<Uuid> for Value<'_> {
    fn from(id: Uuid) -> Self {
        id.to_string().into()
    }
}

impl From<&[Ulid]> for Value<'_> {
    fn from(ids: &[Ulid]) -> Self {
        Self::Texts(Some(ids.iter().map(Ulid::to_string).collect()))
    }
}

impl From<&[Uuid]> for Value<'_> {
    fn from(ids: &[Uuid]) -> Self {
        Self::Texts(Some(ids.iter().map(Uuid::to_string).collect()))
    }
}

impl From<Vec<String>> for Value<'_> {
    fn from(texts: Vec<String>) -> Self {
        Self::Texts(Some(texts))
    }
}

impl From<Option<&[String]>> for Value<'_> {
    fn from(texts: Option<&[String]>) -> Self {
        Self::Texts(texts.map(<[String]>::to_vec))
    }
}

impl From<&[u64]> for Value<'_> {
    fn from(numbers: &[u64]) -> Self {
        Self::Integers(numbers.iter().copied().map(integer_of).collect())
    }
}

impl From<&[i64]> for Value<'_> {
    fn from(integers: &[i64]) -> Self {
        Self::Integers(integers.to_vec())
    }
}

impl From<Vec<i64>> for Value<'_> {
    fn from(integers: Vec<i64>) -> Self {
        Self::Integers(integers)
    }
}

impl From<i64> for Value<'_> {
    fn from(integer: i64) -> Self {
        Self::Integer(Some(integer))
    }
}

impl From<Option<i64>> for Value<'_> {
    fn from(integer: Option<i64>) -> Self {
        Self::Integer(integer)
    }
}

impl From<u32> for Value<'_> {
    fn from(integer: u32) -> Self {
        i64::from(integer).into()
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(time: Timestamp) -> Self {
        time.as_microsecond().into()
    }
}

impl From<Option<Timestamp>> for Value<'_> {
    fn from(time: Option<Timestamp>) -> Self {
        time.map(Timestamp::as_microsecond).into()
    }
}

impl From<bool> for Value<'_> {
    fn from(boolean: bool) -> Self {
        Self::Boolean(boolean)
    }
}

impl From<Option<f64>> for Value<'_> {
    fn from(real: Option<f64>) -> Self {
        Self::Real(real)
    }
}

impl From<f64> for Value<'_> {
    fn from(real: f64) -> Self {
        Self::Real(Some(real))
    }
}

impl<'q> From<&'q [u8; 32]> for Value<'q> {
    fn from(hash: &'q [u8; 32]) -> Self {
        hash.as_slice().into()
    }
}

impl<'q> From<&'q [u8]> for Value<'q> {
    fn from(bytes: &'q [u8]) -> Self {
        Self::Bytes(Some(bytes.into()))
    }
}

impl<'q> From<Option<&'q [u8]>> for Value<'q> {
    fn from(bytes: Option<&'q [u8]>) -> Self {
        Self::Bytes(bytes.map(Cow::Borrowed))
    }
}
