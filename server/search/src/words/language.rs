//! Languages of texts, as far as ranking distinguishes them.

/// The language of a text: a number that the caller assigns, or unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Language(pub(crate) u8);

impl Language {
    /// Creates it from the caller's number; `None` is unknown, as is the largest number.
    pub fn of(number: Option<u8>) -> Self {
        Self(number.and_then(|number| number.checked_add(1)).unwrap_or(0))
    }

    /// Whether it is known.
    pub(crate) fn is_known(self) -> bool {
        self.0 != 0
    }
}
