//! What servers take: they judge every field alone and by the built-in rules, so whatever an allow
//! list lets through is judged the same way before it is sent, and removed where they would refuse.
//!
//! Source: seeds contract, `CONTEXT_NOT_SANITIZED`.

#[cfg(test)]
mod tests;

use recall_kit_sanitizer::{Finding, RuleGroup, Sanitizer};

/// The field that servers look at most closely.
const CONTEXT: &str = "context";
/// The field whose texts servers keep in lower case.
pub(super) const KEYWORDS: &str = "keywords";

/// How often a text is looked at; one removal is enough for every text known.
const MAX_PASSES: usize = 3;

/// What an allow entry lets through and servers refuse: it was removed all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overruled {
    /// The field it stood in, as the contract calls it.
    pub field: &'static str,
    /// What it is, in words for people.
    pub kind: String,
    /// The entry's place in `sanitizer.allow`, counted from 1.
    pub entry: usize,
}

/// A field's text as servers take it.
#[derive(Debug, Default)]
pub(super) struct Accepted {
    /// The text.
    pub(super) text: String,
    /// What had to be removed from it for that.
    pub(super) findings: Vec<Finding>,
    /// The same, where an allow entry had let it through.
    pub(super) overruled: Vec<Overruled>,
}

/// Returns what a server judges a field by.
fn demanded(field: &str) -> &'static [RuleGroup] {
    match field {
        CONTEXT => &RuleGroup::REMOVAL,
        _ => &[RuleGroup::RemoveApiKeys],
    }
}

/// Returns the forms of a text that a server judges: as it is sent, and as it would be stored.
fn judged(field: &str, text: &str) -> Vec<String> {
    let mut forms = vec![text.to_owned()];
    if field == KEYWORDS {
        forms.push(text.trim().to_lowercase());
    }
    forms
}

/// Removes from a sanitized text what a server would refuse in this field.
pub(super) fn accepted(field: &'static str, text: String, sanitizer: &Sanitizer) -> Accepted {
    let builtin = Sanitizer::builtin();
    let mut accepted = Accepted {
        text,
        ..Accepted::default()
    };
    for _ in 0..MAX_PASSES {
        let forms = judged(field, &accepted.text).into_iter();
        let mut judged = forms.map(|form| {
            let clean = builtin.sanitize(&form, demanded(field));
            (form, clean)
        });
        let Some((form, clean)) = judged.find(|(_, clean)| !clean.findings.is_empty()) else {
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
