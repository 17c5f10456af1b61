//! Declarations of Kotlin and Swift, where a name stands before its type.

use std::collections::BTreeSet;

use super::declarations::Names;
use super::lexer::Tokens;

/// Names that stand behind a dot somewhere: members, which keep their spelling.
fn members<'t>(tokens: &Tokens<'t>) -> BTreeSet<&'t str> {
    (1..tokens.len())
        .filter(|at| matches!(tokens.text_before(*at), "." | "?." | "::"))
        .map(|at| tokens.text(at))
        .collect()
}

/// Whether one of the words before the one at `index` says that the name comes from elsewhere.
fn is_overridden(tokens: &Tokens<'_>, index: usize) -> bool {
    let mut before = (0..index).rev().take(6);
    before.any(|at| tokens.is(at, "override"))
}

/// Kotlin.
pub(super) fn kotlin(tokens: &Tokens<'_>, names: &mut Names) {
    let members = members(tokens);
    for index in 0..tokens.len() {
        match tokens.text(index) {
            "val" | "var" if tokens.is_ident(index) => {
                let at = behind_type_parameters(tokens, index + 1);
                bound(tokens, at, names, &members);
            }
            "fun" => kotlin_function(tokens, index, names, &members),
            "class" | "interface" | "object" | "typealias"
                if tokens.is_ident(index + 1) && tokens.text_before(index) != "::" =>
            {
                names.declare(tokens.text(index + 1));
                let open = behind_type_parameters(tokens, index + 2);
                if tokens.is(open, "(") {
                    kotlin_parameters(tokens, open, names);
                }
            }
            "for" | "catch" if tokens.is(index + 1, "(") => {
                let close = tokens.closing(index + 1);
                let end = tokens
                    .span(index + 2, close)
                    .find(|at| matches!(tokens.text(*at), "in" | ":"));
                if let Some(end) = end {
                    each_name(tokens, index + 2, end, names);
                }
            }
            "->" => kotlin_lambda(tokens, index, names),
            _ => {}
        }
    }
    names
        .declared
        .retain(|name| !members.contains(name.as_str()));
}

/// Where a name stands behind `<T, …>`.
fn behind_type_parameters(tokens: &Tokens<'_>, at: usize) -> usize {
    if !tokens.is(at, "<") {
        return at;
    }
    let mut depth = 0_usize;
    for close in tokens.span(at, at + 60) {
        match tokens.text(close) {
            "<" => depth += 1,
            ">" if depth == 1 => return close + 1,
            ">" => depth -= 1,
            _ => {}
        }
    }
    at
}

/// `name`, or `(a, b)`; no member of another type, as in `val String.last`.
fn bound(tokens: &Tokens<'_>, at: usize, names: &mut Names, members: &BTreeSet<&str>) {
    if tokens.is(at, "(") {
        each_name(tokens, at + 1, tokens.closing(at), names);
    } else if tokens.is_ident(at)
        && !matches!(tokens.text(at + 1), "." | "<")
        && !members.contains(tokens.text(at))
    {
        names.declare(tokens.text(at));
    }
}

/// The names between commas and brackets, without their types.
fn each_name(tokens: &Tokens<'_>, from: usize, to: usize, names: &mut Names) {
    for at in tokens.span(from, to) {
        let starts = at == from || matches!(tokens.text_before(at), "(" | ",");
        if tokens.is_ident(at) && starts {
            names.declare(tokens.text(at));
        }
    }
}

fn kotlin_function(tokens: &Tokens<'_>, fun: usize, names: &mut Names, members: &BTreeSet<&str>) {
    let start = behind_type_parameters(tokens, fun + 1);
    let open = tokens
        .span(start, start + 24)
        .find(|at| matches!(tokens.text(*at), "(" | "{" | "=" | "\n"));
    let Some(open) = open.filter(|open| tokens.is(*open, "(")) else {
        return;
    };
    let name = open.saturating_sub(1);
    let extends = name != start;
    if tokens.is_ident(name)
        && name > fun
        && !extends
        && !is_overridden(tokens, fun)
        && !members.contains(tokens.text(name))
    {
        names.declare(tokens.text(name));
    }
    kotlin_parameters(tokens, open, names);
}

/// `a: Int, vararg b: String`; `val` and `var` make a parameter of a class a property.
fn kotlin_parameters(tokens: &Tokens<'_>, open: usize, names: &mut Names) {
    for at in tokens.span(open + 1, tokens.closing(open)) {
        let typed = tokens.is_ident(at) && tokens.is(at + 1, ":");
        if tokens.bracket(at) != Some(open) || !typed {
            continue;
        }
        match tokens.text_before(at) {
            "val" | "var" => names.fix(tokens.text(at)),
            _ => names.declare(tokens.text(at)),
        }
    }
}

/// `{ a, (b, c) -> …`: what stands between the brace and the arrow, but not a branch of `when`.
fn kotlin_lambda(tokens: &Tokens<'_>, arrow: usize, names: &mut Names) {
    let Some(open) = tokens.bracket(arrow).filter(|open| tokens.is(*open, "{")) else {
        return;
    };
    let head = match tokens.before(open) {
        Some(close) if tokens.is(close, ")") => tokens
            .opening(close)
            .map_or("", |outer| tokens.text_before(outer)),
        Some(before) => tokens.text(before),
        None => "",
    };
    let plain = arrow - open < 40
        && (open + 1..arrow).all(|at| {
            tokens.is_ident(at)
                && !matches!(tokens.text(at), "is" | "in" | "else" | "val" | "return")
                || matches!(
                    tokens.text(at),
                    "," | "(" | ")" | ":" | "<" | ">" | "?" | "." | "\n" | "*"
                )
        });
    if plain && head != "when" {
        each_name(tokens, open + 1, arrow, names);
    }
}

/// Swift.
pub(super) fn swift(tokens: &Tokens<'_>, names: &mut Names) {
    let members = members(tokens);
    for index in 0..tokens.len() {
        match tokens.text(index) {
            "let" | "var" if tokens.is_ident(index) => {
                // `case let .success(record)`
                let at = match tokens.text(index + 1) {
                    "." if tokens.is(index + 3, "(") => index + 3,
                    _ => index + 1,
                };
                bound(tokens, at, names, &members);
            }
            "func" if tokens.is_ident(index + 1) => {
                let own = !is_overridden(tokens, index);
                if own && !members.contains(tokens.text(index + 1)) {
                    names.declare(tokens.text(index + 1));
                }
                swift_parameters(tokens, behind_type_parameters(tokens, index + 2), names);
            }
            "init" | "subscript" if tokens.text_before(index) != "." => {
                let optional = usize::from(matches!(tokens.text(index + 1), "?" | "!"));
                let open = behind_type_parameters(tokens, index + 1 + optional);
                swift_parameters(tokens, open, names);
            }
            "class" | "struct" | "enum" | "protocol" | "actor" | "typealias"
                if tokens.is_ident(index + 1)
                    && !matches!(tokens.text(index + 1), "func" | "var" | "let")
                    && tokens.text_before(index) != ":" =>
            {
                names.declare(tokens.text(index + 1));
            }
            "for" => {
                let end = tokens
                    .span(index + 1, index + 24)
                    .find(|at| matches!(tokens.text(*at), "in" | "{" | "\n"));
                if let Some(end) = end.filter(|end| tokens.is(*end, "in")) {
                    let pattern = matches!(tokens.text(index + 1), "case" | "try" | "await");
                    each_name(tokens, index + 1 + usize::from(pattern), end, names);
                }
            }
            "in" => swift_closure(tokens, index, names),
            _ => {}
        }
    }
    names
        .declared
        .retain(|name| !members.contains(name.as_str()));
}

/// `name: T`, `label name: T`, `_ name: T`: the name is the last before the colon.
fn swift_parameters(tokens: &Tokens<'_>, open: usize, names: &mut Names) {
    if !tokens.is(open, "(") {
        return;
    }
    for at in tokens.span(open + 1, tokens.closing(open)) {
        let starts = matches!(tokens.text_before(at), "(" | ",");
        if tokens.bracket(at) != Some(open) || !starts || !tokens.is_ident(at) {
            continue;
        }
        let name = if tokens.is_ident(at + 1) { at + 1 } else { at };
        if tokens.is(name + 1, ":") {
            names.declare(tokens.text(name));
        }
    }
}

/// `{ a, b in`, `{ [weak self] (a: Int) -> Int in`.
fn swift_closure(tokens: &Tokens<'_>, end: usize, names: &mut Names) {
    let Some(open) = tokens.bracket(end).filter(|open| tokens.is(*open, "{")) else {
        return;
    };
    let plain = end - open < 40
        && (open + 1..end).all(|at| {
            tokens.is_ident(at) && !matches!(tokens.text(at), "for" | "let" | "var" | "case")
                || matches!(
                    tokens.text(at),
                    "," | "(" | ")" | ":" | "[" | "]" | "->" | "?" | "<" | ">" | "." | "@" | "\n"
                )
        });
    if !plain {
        return;
    }
    let result = (open + 1..end).find(|at| tokens.is(*at, "->"));
    for at in open + 1..result.unwrap_or(end) {
        let starts = at == open + 1 || matches!(tokens.text_before(at), "(" | "," | "]" | "{");
        let captured = tokens.inside(at) == "[";
        if tokens.is_ident(at) && starts && !captured {
            names.declare(tokens.text(at));
        }
    }
}
