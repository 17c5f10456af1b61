//! Removes what servers would reject (`CONTEXT_NOT_SANITIZED`, for example).
//!
//! Servers check every field separately, with the built-in rules. So a text that an allow list permits is
//! checked the same way before it is sent, and what a server would reject is removed.

#[cfg(test)]
mod tests;

use recall_kit_sanitizer::{Finding, RuleGroup, Sanitizer};

/// The field that servers check with the most rule groups.
const CONTEXT: &str = "context";
/// The note of an outcome, which servers check like a context.
pub(super) const NOTE: &str = "note";
/// The field whose texts servers store in lower case.
pub(super) const KEYWORDS: &str = "keywords";

/// The maximum number of passes over a text; one removal is enough for every known text.
const MAX_PASSES: usize = 3;

/// Something that an allow entry permits but servers reject, so that it was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overruled {
    /// The contract's name of the field that contained it.
    pub field: &'static str,
    /// What it is, in words for people.
    pub kind: String,
    /// The entry's position in `sanitizer.allow`, counted from 1.
    pub entry: usize,
}

/// A field's text as servers accept it.
#[derive(Debug, Default)]
pub(super) struct Accepted {
    /// The text.
    pub(super) text: String,
    /// What had to be removed from it.
    pub(super) findings: Vec<Finding>,
    /// The findings among these that an allow entry permits.
    pub(super) overruled: Vec<Overruled>,
}

/// Returns the rule groups with which a server checks a field.
fn server_groups(field: &str) -> &'static [RuleGroup] {
    match field {
        CONTEXT | NOTE => &RuleGroup::REMOVAL,
        _ => &[RuleGroup::RemoveApiKeys],
    }
}

/// Returns the forms of a text that a server checks: as it is sent, and as it would be stored.
fn checked_forms(field: &str, text: &str) -> Vec<String> {
    let mut forms = vec![text.to_owned()];
    if field == KEYWORDS {
        forms.push(text.trim().to_lowercase());
    }
    forms
}

/// Removes from a sanitized text what a server would reject in this field.
pub(super) fn accepted(field: &'static str, text: String, sanitizer: &Sanitizer) -> Accepted {
    let builtin = Sanitizer::builtin();
    let mut accepted = Accepted {
        text,
        ..Accepted::default()
    };
    for _ in 0..MAX_PASSES {
        let forms = checked_forms(field, &accepted.text).into_iter();
        let mut sanitized = forms.map(|form| {
            let clean = builtin.sanitize(&form, server_groups(field));
            (form, clean)
        });
        let Some((form, clean)) = sanitized.find(|(_, clean)| !clean.findings.is_empty()) else {
            break;
        };
        let overruled = clean.findings.iter().filter_map(|finding| {
            let entry = sanitizer.allow_entry(form.get(finding.span.clone())?)?;
            let kind = finding.kind.clone();
            Some(Overruled { field, kind, entry })
        });
        accepted.overruled.extend(overruled);
        accepted.findings.extend(clean.findings);
        accepted.text = clean.text;
    }
    accepted
}
