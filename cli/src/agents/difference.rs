//! Shows a change as removed and added lines.
//!
//! The lines around it are other settings: keys and passwords in them are not shown.

use recall_kit_sanitizer::{RuleGroup, Sanitizer};
use similar::{ChangeTag, TextDiff};

use super::change::Change;
use crate::terminal::{
    controls::visible,
    printer::{BOLD, DIM, GREEN, RED, styled},
};

/// The number of unchanged lines around a change.
const CONTEXT: usize = 2;

/// Formats a change: the file's name, then its lines.
pub(crate) fn show(change: &Change) -> String {
    let before = change.before.as_deref().unwrap_or_default();
    let after = change.after.as_deref().unwrap_or_default();
    let mut shown = vec![styled(BOLD, visible(&change.path.display().to_string()))];
    let difference = TextDiff::from_lines(before, after);
    for (nth, hunk) in difference.grouped_ops(CONTEXT).iter().enumerate() {
        if nth > 0 {
            shown.push(styled(DIM, "  ⋯"));
        }
        let changes = hunk.iter().flat_map(|op| difference.iter_changes(op));
        let (tags, lines): (Vec<_>, Vec<_>) = changes
            .map(|line| (line.tag(), line.value().trim_end_matches(['\r', '\n'])))
            .unzip();
        for (tag, line) in tags.into_iter().zip(clean(&lines)) {
            let line = visible(&line);
            shown.push(match tag {
                ChangeTag::Delete => styled(RED, format!("- {line}")),
                ChangeTag::Insert => styled(GREEN, format!("+ {line}")),
                ChangeTag::Equal => styled(DIM, format!("  {line}")),
            });
        }
    }
    shown.join("\n")
}

/// Removes secrets from lines that belong together.
fn clean(lines: &[&str]) -> Vec<String> {
    let groups = [RuleGroup::RemoveApiKeys];
    let sanitize = |text: &str| Sanitizer::builtin().sanitize(text, &groups).text;
    let together = sanitize(&lines.join("\n"));
    let split: Vec<String> = together.split('\n').map(str::to_owned).collect();
    match split.len() == lines.len() {
        true => split,
        // A secret of several lines was replaced by fewer lines.
        false => lines.iter().map(|line| sanitize(line)).collect(),
    }
}
