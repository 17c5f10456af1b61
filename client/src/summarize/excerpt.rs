//! Cuts a conversation to the window of a model. Errors, the last turns, commands and changes have the largest
//! weights.

use super::signs::is_error;
use crate::{Action, ActionKind, Conversation, Role, Turn};

/// One text gets at most this fraction of the budget (one fifth): a long output must not displace the rest.
const LARGEST_SHARE: usize = 5;
/// The number of turns at the end that have a larger weight.
const LAST_TURNS: usize = 6;
/// The mark for omitted text.
const GAP: &str = "[…]\n";

/// The text for a model.
pub(super) struct Excerpt {
    pub(super) text: String,
    /// How much of the conversation it contains. *Unit*: percent.
    pub(super) shown: u8,
}

/// A text of a conversation, with its weight.
struct Piece {
    text: String,
    tokens: usize,
    weight: u32,
}

/// Estimates the number of tokens of a text, rather too high than too low.
pub(super) fn tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().filter(|c| !c.is_ascii()).count();
    ascii.div_ceil(3) + others
}

/// Returns the part of a conversation that fits into a budget of tokens.
pub(super) fn of(conversation: &Conversation, budget: usize) -> Excerpt {
    let pieces = pieces_of(conversation);
    let all: usize = pieces.iter().map(|piece| piece.tokens).sum();
    if all <= budget {
        let text = pieces.into_iter().map(|piece| piece.text).collect();
        return Excerpt { text, shown: 100 };
    }
    let largest = (budget / LARGEST_SHARE).max(40);
    let pieces: Vec<Piece> = pieces
        .into_iter()
        .map(|piece| shortened(piece, largest))
        .collect();
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    // Of two pieces with the same weight the later one comes first.
    order.sort_by_key(|at| {
        let weight = pieces.get(*at).map_or(0, |piece| piece.weight);
        std::cmp::Reverse((weight, *at))
    });
    let mut chosen = vec![false; pieces.len()];
    let mut used = 0;
    for at in order {
        let cost = pieces.get(at).map_or(0, |piece| piece.tokens + 2);
        if let Some(chosen) = chosen.get_mut(at).filter(|_| used + cost <= budget) {
            *chosen = true;
            used += cost;
        }
    }
    Excerpt {
        text: joined(&pieces, &chosen),
        shown: u8::try_from(used * 100 / all.max(1))
            .unwrap_or(100)
            .clamp(1, 99),
    }
}

fn joined(pieces: &[Piece], chosen: &[bool]) -> String {
    let mut text = String::new();
    let mut gap = false;
    for (piece, chosen) in pieces.iter().zip(chosen) {
        if *chosen {
            text.push_str(&piece.text);
        } else if !gap {
            text.push_str(GAP);
        }
        gap = !*chosen;
    }
    text
}

fn pieces_of(conversation: &Conversation) -> Vec<Piece> {
    let turns = conversation.turns();
    let first_user = turns.iter().position(|turn| turn.role == Role::User);
    let last = |role: Role| {
        let has_text = |turn: &Turn| turn.role == role && !turn.text.is_empty();
        turns.iter().rposition(has_text)
    };
    let (last_user, last_agent) = (last(Role::User), last(Role::Assistant));
    let last_error = turns
        .iter()
        .rposition(|turn| turn.actions.iter().any(failed));
    let mut pieces = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let is_late = at + LAST_TURNS >= turns.len();
        let after_error = last_error.is_none_or(|error| at >= error);
        let bonus = if is_late { 20 } else { 0 } + if after_error { 15 } else { 0 };
        if !turn.text.is_empty() {
            let (name, weight) = match turn.role {
                _ if Some(at) == first_user => ("Person", 100),
                Role::User if Some(at) == last_user => ("Person", 85),
                Role::Assistant if Some(at) == last_agent => ("Agent", 95),
                Role::User => ("Person", 45),
                Role::Assistant => ("Agent", 25),
            };
            let weight = weight
                + if turn.text.lines().any(is_error) {
                    10
                } else {
                    0
                };
            pieces.push(piece(format!("{name}: {}\n", turn.text), weight + bonus));
        }
        for action in &turn.actions {
            pieces.push(piece(text_of(action), weight_of(action) + bonus));
        }
    }
    pieces
}

fn piece(text: String, weight: u32) -> Piece {
    Piece {
        tokens: tokens(&text),
        text,
        weight,
    }
}

fn failed(action: &Action) -> bool {
    let shows_error = |output: &String| output.lines().any(is_error);
    action.failed
        || (action.kind == ActionKind::Command && action.output.as_ref().is_some_and(shows_error))
}

fn weight_of(action: &Action) -> u32 {
    match action.kind {
        ActionKind::Command if failed(action) => 70,
        ActionKind::Command => 40,
        ActionKind::Edit => 55,
        ActionKind::Other if action.failed => 20,
        ActionKind::Other => 2,
    }
}

fn text_of(action: &Action) -> String {
    let head = match action.kind {
        ActionKind::Command => format!("$ {}\n", action.input),
        ActionKind::Edit => format!("Changed {}\n", action.input),
        ActionKind::Other => format!("Used {} {}\n", action.tool, action.input),
    };
    match &action.output {
        // An editor's output about a change is not useful.
        Some(output) if action.kind != ActionKind::Edit || action.failed => {
            format!("{head}{output}\n")
        }
        _ => head,
    }
}

/// Removes the middle of a long text, except for lines that read like errors.
fn shortened(piece: Piece, largest: usize) -> Piece {
    if piece.tokens <= largest {
        return piece;
    }
    let lines: Vec<&str> = piece.text.lines().collect();
    let count = lines.len();
    // Errors first, then from both ends inwards.
    let mut order: Vec<(usize, &str)> = lines.into_iter().enumerate().collect();
    order.sort_by_cached_key(|(at, line)| {
        let from_end = (*at).min(count - 1 - at);
        (*at != 0, !is_error(line), from_end)
    });
    let mut chosen: Vec<(usize, String)> = Vec::new();
    let mut left = largest;
    for (at, line) in order {
        let line = super::shortened(line, left * 2);
        let cost = tokens(&line) + 1;
        if cost > left {
            break;
        }
        left -= cost;
        chosen.push((at, line));
    }
    chosen.sort_by_key(|(at, _)| *at);
    let mut text = String::new();
    let mut next = 0;
    for (at, line) in chosen {
        if at != next {
            text.push_str(GAP);
        }
        text.push_str(&line);
        text.push('\n');
        next = at + 1;
    }
    if next != count {
        text.push_str(GAP);
    }
    self::piece(text, piece.weight)
}
