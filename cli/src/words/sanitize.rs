//! The words of `sanitize`.

use recall_kit_sanitizer::Reason;

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
    /// A line of a report, with `{}` for a kind, its replacement and the rule.
    pub(crate) finding: &'static str,
    /// A line of a report, with `{}` for why.
    pub(crate) not_judged_here: &'static str,
    /// Why something could not be judged, as do the next three.
    pub(crate) not_utf8: &'static str,
    pub(crate) long_line: &'static str,
    pub(crate) variables: &'static str,
    pub(crate) too_many_secrets: &'static str,
}

impl SanitizeWords {
    /// Says why something could not be judged.
    pub(crate) fn why(&self, reason: Reason) -> String {
        let said = match reason {
            Reason::NotUtf8 => self.not_utf8,
            Reason::LongLine => self.long_line,
            Reason::Variables => self.variables,
            Reason::TooManySecrets => self.too_many_secrets,
            newer => return newer.to_string(),
        };
        said.to_owned()
    }
}
