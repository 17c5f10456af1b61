//! Checks whether the sanitizer works with the user's settings.

use recall_kit_client::{ConfiguredSanitizer, Draft, SanitizerConfig};

use super::check::{Check, Subject};
use crate::words::{DoctorWords, filled};

/// Sanitizes a made-up key with the settings.
pub(super) fn check(settings: &SanitizerConfig, words: &DoctorWords) -> Check {
    const NAME: Subject = Subject::Sanitizer;
    if !settings.enabled {
        return Check::warn(NAME, words.off, words.off_hint);
    }
    let key = ["sk", "1234567890"].join("-");
    let draft = Draft::new(
        format!("const apiKey = \"{key}\";"),
        "self-check",
        "self-check",
    );
    let sanitizer = match ConfiguredSanitizer::new(settings.clone()) {
        Ok(sanitizer) => sanitizer,
        Err(error) => return Check::failed(NAME, &error.into(), words),
    };
    let shown = draft.sanitize(&sanitizer);
    if shown.request().title.contains(&key) {
        return Check::fail(NAME, words.not_removed, words.report_it);
    }
    let groups = settings.outgoing_groups();
    let names: Vec<&str> = groups.iter().map(|group| group.as_str()).collect();
    let mut detail = filled(words.removes, &[&names.join(", ")]);
    if !settings.custom.is_empty() {
        let count = settings.custom.len();
        detail.push_str(&format!("; {}", filled(words.own_rules, &[&count])));
    }
    if !settings.allow.is_empty() {
        let count = settings.allow.len();
        detail.push_str(&format!("; {}", filled(words.allow_entries, &[&count])));
    }
    match rejected_entry(&sanitizer) {
        None => Check::ok(NAME, detail),
        Some(entry) => Check::warn(NAME, detail, &filled(words.removed_all_the_same, &[&entry])),
    }
}

/// Returns the first allow entry, counted from 1, that servers reject by itself. What a regular expression permits is
/// known only when it matches.
fn rejected_entry(sanitizer: &ConfiguredSanitizer) -> Option<usize> {
    let is_rejected = |entry: &String| {
        let draft = Draft {
            context: Some(entry.clone()),
            ..Draft::new("self-check", "self-check", "self-check")
        };
        !draft.sanitize(sanitizer).overruled().is_empty()
    };
    let entries = &sanitizer.settings().allow;
    let rejected = entries.iter().position(is_rejected);
    rejected.map(|index| index + 1)
}
