//! Sanitizes a conversation as a whole, so that a secret found in one turn is removed from all turns.

use recall_kit_sanitizer::RuleGroup;

use crate::{Conversation, sanitizer::ConfiguredSanitizer};

/// The groups that always apply, even if the sanitizer is switched off: no person sees the question to a model
/// before it is sent.
const ALWAYS: [RuleGroup; 2] = [RuleGroup::RemoveApiKeys, RuleGroup::RemovePersonalInfo];

/// Returns the conversation as it may leave this machine.
pub(super) fn sanitized(
    conversation: &Conversation,
    sanitizer: &ConfiguredSanitizer,
) -> Conversation {
    let groups = groups(sanitizer);
    let mut clean = conversation.clone();
    let texts: Vec<&str> = conversation.turns().iter().flat_map(texts_of).collect();
    let mut sanitized = sanitizer.sanitize_outgoing(&groups, &texts).into_iter();
    for turn in &mut clean.turns {
        let mut next = |text: &mut String| *text = sanitized.next().unwrap_or_default();
        next(&mut turn.text);
        for call in &mut turn.actions {
            next(&mut call.tool);
            next(&mut call.input);
            call.output.iter_mut().for_each(&mut next);
        }
    }
    clean
}

/// Returns a line without what has to stay on this machine.
pub(super) fn line(text: &str, sanitizer: &ConfiguredSanitizer) -> String {
    sanitizer.sanitize_outgoing_text(&groups(sanitizer), text)
}

fn groups(sanitizer: &ConfiguredSanitizer) -> Vec<RuleGroup> {
    let mut groups = sanitizer.settings().outgoing_groups();
    let missing: Vec<RuleGroup> = ALWAYS
        .into_iter()
        .filter(|group| !groups.contains(group))
        .collect();
    groups.extend(missing);
    groups
}

/// Returns the texts of a turn, in the order in which [`sanitized`] puts them back.
fn texts_of(turn: &crate::Turn) -> Vec<&str> {
    let mut texts = vec![turn.text.as_str()];
    for call in &turn.actions {
        texts.extend([call.tool.as_str(), call.input.as_str()]);
        texts.extend(call.output.as_deref());
    }
    texts
}
