//! The texts of `sanitize`.

use recall_kit_sanitizer::Reason;

/// The texts of `sanitize` besides its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SanitizeWords {
    pub(crate) type_a_text: &'static str,
    pub(crate) found_nothing: &'static str,
    /// With `{}` for the kinds and their numbers.
    pub(crate) found: &'static str,
    pub(crate) warning: &'static str,
    /// With `{}` for the number and the reason.
    pub(crate) not_judged: &'static str,
    /// A line of a report, with `{}` for a kind, its replacement and the rule.
    pub(crate) finding: &'static str,
    /// A line of a report, with `{}` for the reason.
    pub(crate) not_judged_here: &'static str,
    /// This and the next three say why something could not be checked.
    pub(crate) not_utf8: &'static str,
    pub(crate) long_line: &'static str,
    pub(crate) variables: &'static str,
    pub(crate) too_many_secrets: &'static str,
}

impl SanitizeWords {
    /// Returns why something could not be checked.
    pub(crate) fn why(&self, reason: Reason) -> String {
        let text = match reason {
            Reason::NotUtf8 => self.not_utf8,
            Reason::LongLine => self.long_line,
            Reason::Variables => self.variables,
            Reason::TooManySecrets => self.too_many_secrets,
            newer => return newer.to_string(),
        };
        text.to_owned()
    }
}
