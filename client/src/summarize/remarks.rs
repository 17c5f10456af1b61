//! What a person should know about a summary before confirming it.

use std::fmt;

/// Something about a summary that a person should look at; `Display` says it in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// No model wrote it: it was put together from the conversation's own words.
    Extracted,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Extracted => f.write_str(
                "no AI wrote this: it was extracted from the conversation (last error, what changed, \
                 what worked); look it over",
            ),
        }
    }
}
