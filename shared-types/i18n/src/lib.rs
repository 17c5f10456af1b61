//! The languages of the pages and of the terminal, and what their texts share: placeholders, plurals, ages.
//!
//! The texts themselves stand where they are shown: `server/web/src/i18n/words/` and `cli/src/words/`.

mod ages;
mod language;
#[cfg(test)]
mod tests;

use std::fmt::Display;

pub use self::{ages::Ages, language::Language};

/// Replaces each `{}` in a text by a value, from left to right; a placeholder without a value becomes empty.
pub fn filled(text: &str, values: &[&dyn Display]) -> String {
    let mut values = values.iter();
    let mut parts = text.split("{}");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if let Some(value) = values.next() {
            filled.push_str(&value.to_string());
        }
        filled.push_str(part);
    }
    filled
}

/// Returns the singular text for 1, else the plural text with the number filled in.
pub fn counted([one, several]: [&str; 2], number: u64) -> String {
    match number {
        1 => one.to_owned(),
        many => filled(several, &[&many]),
    }
}
