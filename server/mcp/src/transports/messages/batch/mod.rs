//! The number of requests in a body, counted without storing them.

use std::fmt;

use serde::de::{Deserializer as _, IgnoredAny, SeqAccess, Visitor};

/// Returns the number of items of a batch; 1 for anything else, including invalid JSON.
pub(crate) fn items(body: &[u8]) -> u32 {
    let is_batch = body.trim_ascii_start().first() == Some(&b'[');
    if !is_batch {
        return 1;
    }
    let mut json = serde_json::Deserializer::from_slice(body);
    json.deserialize_seq(Count).unwrap_or(1)
}

struct Count;

impl<'de> Visitor<'de> for Count {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a batch")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<u32, A::Error> {
        let mut count = 0;
        while items.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests;
