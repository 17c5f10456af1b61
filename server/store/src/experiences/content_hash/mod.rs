//! The content hash: two experiences are the same if the hashes of their normalised texts are equal.
//!
//! The hash covers the title, the problem, the root cause, the solution and the context, in Unicode's
//! composed form (NFC) and with every run of white space, including line breaks, as one space. A missing
//! text counts as an empty one. Keywords are not covered: they only help to find a record.

use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization as _;

use crate::ExperienceContent;

/// Maximum number of records without a hash that a submission hashes before it searches for a duplicate.
/// Only an older version of the program on the same database writes such records, so they are few.
pub(crate) const HASHED_PER_SUBMIT: u32 = 64;

/// Returns the SHA-256 of an experience's normalised texts.
pub(crate) fn content_hash(content: &ExperienceContent) -> [u8; 32] {
    let mut hash = Sha256::new();
    let texts = [
        content.title.as_str(),
        &content.problem_description,
        content.root_cause.as_deref().unwrap_or_default(),
        &content.solution,
        content.context.as_deref().unwrap_or_default(),
    ];
    for text in texts {
        let text = normalised(text);
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().into()
}

/// Returns a text in composed form, with every run of white space as one space.
pub(crate) fn normalised(text: &str) -> String {
    let mut normalised = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !normalised.is_empty() {
            normalised.push(' ');
        }
        normalised.extend(word.nfc());
    }
    normalised
}

#[cfg(test)]
mod tests;
