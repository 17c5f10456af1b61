//! Sizes in cl100k tokens, the unit of the clients' context budgets.

/// Counts a text's cl100k tokens.
///
/// *Source*: OpenAI's `cl100k_base` encoding; special tokens are counted as plain text.
#[must_use]
pub fn count(text: &str) -> u32 {
    u32::try_from(bpe_openai::cl100k_base().count(text)).unwrap_or(u32::MAX)
}

/// Loads the encoding, which takes a while, so that the first count is fast.
pub fn prepare() {
    bpe_openai::cl100k_base();
}

/// Whether a text has at most `limit` tokens. Short texts are not counted, since a token has at least one byte.
#[must_use]
pub fn fits(text: &str, limit: u32) -> bool {
    text.len() <= limit as usize || count(text) <= limit
}
