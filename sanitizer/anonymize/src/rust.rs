//! Declarations of Rust: patterns, functions, closures, match arms and items.

use super::declarations::{Names, is_keyword};
use super::language::Language;
use super::lexer::{Kind, Tokens};

/// Rust.
pub(super) fn names(tokens: &Tokens<'_>, names: &mut Names) {
    for index in 0..tokens.len() {
        if tokens.interpolated(index) {
            continue;
        }
        match tokens.text(index) {
            "let" | "for" => {
                let end = tokens.span(index + 1, tokens.len()).find(|at| {
                    tokens.bracket(*at) == tokens.bracket(index)
                        && matches!(tokens.text(*at), "=" | ":" | ";" | "in")
                });
                rust_pattern(tokens, index + 1, end.unwrap_or(index), names);
            }
            "fn" if tokens.is_ident(index + 1) => rust_function(tokens, index, names),
            "struct" | "enum" | "trait" | "union" | "const" | "static" | "type"
                if tokens.is_ident(index + 1) =>
            {
                let name = if tokens.is(index + 1, "mut") {
                    index + 2
                } else {
                    index + 1
                };
                if !tokens.is(name, "fn") && !tokens.is(name, "_") {
                    names.declare(tokens.text(name));
                }
            }
            "macro_rules" => names.declare(tokens.text(index + 2)),
            "|" if matches!(
                tokens.text_before(index),
                "(" | "," | "=" | "move" | "{" | ";" | "return" | "=>"
            ) =>
            {
                let end = tokens
                    .span(index + 1, tokens.len())
                    .find(|at| tokens.is(*at, "|") || tokens.kind(*at) == Some(Kind::Newline));
                rust_parameters(tokens, index + 1, end.unwrap_or(index), names);
            }
            "=>" => {
                let start = arm_start(tokens, index);
                let level = tokens.bracket(index);
                let guard =
                    (start..index).find(|at| tokens.bracket(*at) == level && tokens.is(*at, "if"));
                rust_pattern(tokens, start, guard.unwrap_or(index), names);
            }
            _ => {}
        }
    }
}

/// Where the pattern of the arm whose arrow stands at `arrow` begins.
fn arm_start(tokens: &Tokens<'_>, arrow: usize) -> usize {
    let level = tokens.bracket(arrow);
    let mut start = arrow;
    for _ in 0..40 {
        let Some(before) = start.checked_sub(1).filter(|before| Some(*before) != level) else {
            break;
        };
        let direct = tokens.bracket(before) == level;
        if direct && matches!(tokens.text(before), "," | ";") {
            break;
        }
        start = match tokens.opening(before) {
            Some(open) if tokens.is(before, "}") => {
                let names_a_type = open
                    .checked_sub(1)
                    .is_some_and(|name| tokens.text(name).starts_with(char::is_uppercase));
                if !names_a_type {
                    break;
                }
                open
            }
            Some(open) if matches!(tokens.text(before), ")" | "]") => open,
            _ => before,
        };
    }
    start
}

/// Lower-case names in a pattern bind; the rest are types, paths and fields.
fn rust_pattern(tokens: &Tokens<'_>, from: usize, to: usize, names: &mut Names) {
    for at in tokens.span(from, to) {
        let name = tokens.text(at);
        let lower = name.starts_with(|c: char| c.is_lowercase() || c == '_');
        let path = matches!(tokens.text(at + 1), "::" | "(" | "!" | "{")
            || matches!(tokens.text_before(at), "::" | ".");
        // `$n:expr`
        let kind = at >= 3 && tokens.is(at - 1, ":") && tokens.is(at - 3, "$");
        if !tokens.is_ident(at) || !lower || path || kind || is_keyword(name, Language::Rust) {
            continue;
        }
        let in_struct =
            tokens.inside(at) == "{" && tokens.bracket(at).is_some_and(|open| open >= from);
        match (in_struct, tokens.text(at + 1)) {
            (true, ":") => {}
            (true, _) if tokens.text_before(at) != ":" => names.fix(name),
            _ => names.declare(name),
        }
    }
}

fn rust_function(tokens: &Tokens<'_>, function: usize, names: &mut Names) {
    let mut angles = 0_i32;
    let Some(open) = (function + 2..(function + 80).min(tokens.len())).find(|at| {
        angles += match tokens.text(*at) {
            "<" => 1,
            ">" => -1,
            _ => 0,
        };
        angles <= 0 && tokens.is(*at, "(")
    }) else {
        return;
    };
    let close = tokens.closing(open);
    let method = (open + 1..close.min(open + 5)).any(|at| tokens.is(at, "self"));
    let associated = tokens.bracket(function).and_then(|open| {
        (0..open)
            .rev()
            .take(12)
            .find(|at| tokens.is(*at, "impl") || tokens.is(*at, "}"))
    });
    if !method && !associated.is_some_and(|at| tokens.is(at, "impl")) {
        names.declare(tokens.text(function + 1));
    }
    rust_parameters(tokens, open + 1, close, names);
}

/// `a: A, (b, c): D`: names before the colon of each parameter.
fn rust_parameters(tokens: &Tokens<'_>, from: usize, to: usize, names: &mut Names) {
    let level = tokens.bracket(from);
    let mut start = from;
    let mut angles = 0_i32;
    for at in tokens.span(from, to + 1) {
        let direct = tokens.bracket(at) == level;
        match tokens.text(at) {
            "<" => angles += 1,
            ">" => angles -= 1,
            _ => {}
        }
        if at == to || direct && angles <= 0 && tokens.is(at, ",") {
            let colon =
                (start..at).find(|colon| tokens.is(*colon, ":") && tokens.bracket(*colon) == level);
            rust_pattern(tokens, start, colon.unwrap_or(at), names);
            start = at + 1;
        }
    }
}
