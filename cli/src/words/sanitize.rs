//! The words of `sanitize`.

/// What `sanitize` says beside its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SanitizeWords {
    pub(crate) type_a_text: &'static str,
    pub(crate) found_nothing: &'static str,
    /// With `{}` for what.
    pub(crate) found: &'static str,
    pub(crate) warning: &'static str,
    /// With `{}` for how often and why.
    pub(crate) not_judged: &'static str,
}
