//! A draft without a model: the last error, what changed then, what worked.

use super::signs::is_error;
use crate::{ActionKind, Conversation, Draft, Role};

/// The most characters of a title.
const TITLE_CHARS: usize = 120;

/// Puts a draft together from the words of a sanitized conversation.
pub(super) fn draft(conversation: &Conversation) -> Draft {
    let turns = conversation.turns();
    let said = |role: Role| {
        turns
            .iter()
            .filter(move |turn| turn.role == role && !turn.text.is_empty())
    };
    let problem = said(Role::User)
        .next()
        .map(|turn| turn.text.clone())
        .unwrap_or_default();
    let outputs = turns
        .iter()
        .flat_map(|turn| &turn.actions)
        .filter_map(|call| call.output.as_deref());
    let errors = outputs.flat_map(str::lines).filter(|line| is_error(line));
    let error = errors.last().map(str::trim).unwrap_or_default();
    let solution = said(Role::Assistant)
        .next_back()
        .map(|turn| turn.text.clone())
        .unwrap_or_default();
    let changes = turns
        .iter()
        .flat_map(|turn| &turn.actions)
        .filter(|call| call.kind == ActionKind::Edit);
    let context: Vec<&str> = changes.map(|call| call.input.as_str()).collect();
    let first = match error.is_empty() {
        true => problem.lines().next().unwrap_or_default(),
        false => error,
    };
    Draft {
        context: (!context.is_empty()).then(|| context.join("\n\n")),
        ..Draft::new(
            first.chars().take(TITLE_CHARS).collect::<String>(),
            problem.clone(),
            solution,
        )
    }
}
