//! What makes two experiences the same: the hash of their normalised texts.
//!
//! Compared are the title, the problem, the root cause, the solution and the context, in Unicode's
//! composed form (NFC) and with every run of white space, line ends among them, as one space. A text
//! left out is an empty one. Keywords are no part of it: they help to find a record and say nothing of
//! their own.

use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization as _;

use crate::ExperienceContent;

/// Records without a hash that a submit hashes before it looks for its like; those of an older
/// program on the same database are few.
pub(crate) const HASHED_WITH_A_SUBMIT: u32 = 64;

/// Returns the SHA-256 of what an experience says.
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

fn normalised(text: &str) -> String {
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
