//! A conversation without secrets: whole, so that what one turn gives away goes from all of them.

use recall_kit_sanitizer::RuleGroup;

use crate::{Conversation, sanitizer::ConfiguredSanitizer};

/// What goes in any case, even where the sanitizer is switched off: nobody looks at what a model is
/// asked before it is sent.
const ALWAYS: [RuleGroup; 2] = [RuleGroup::RemoveApiKeys, RuleGroup::RemovePersonalInfo];

/// Returns the conversation as it may leave this machine.
pub(super) fn sanitized(
    conversation: &Conversation,
    sanitizer: &ConfiguredSanitizer,
) -> Conversation {
    let mut groups = sanitizer.settings().outgoing_groups();
    groups.extend(
        ALWAYS
            .into_iter()
            .filter(|group| !groups.contains(group))
            .collect::<Vec<_>>(),
    );
    let mut clean = conversation.clone();
    let texts: Vec<&str> = conversation.turns().iter().flat_map(texts_of).collect();
    let mut sanitized = sanitizer.leaving(&groups, &texts).into_iter();
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

/// Returns the texts of a turn, in the order in which [`sanitized`] puts them back.
fn texts_of(turn: &crate::Turn) -> Vec<&str> {
    let mut texts = vec![turn.text.as_str()];
    for call in &turn.actions {
        texts.extend([call.tool.as_str(), call.input.as_str()]);
        texts.extend(call.output.as_deref());
    }
    texts
}
