//! Declarations of Rust, Go, Java, C#, C and C++.

use std::collections::BTreeSet;

use super::declarations::{Names, is_keyword};
use super::language::Language;
use super::lexer::{Kind, Tokens};

/// Rust.
pub(super) fn rust(tokens: &Tokens<'_>, names: &mut Names) {
    for index in 0..tokens.len() {
        if tokens.interpolated(index) {
            continue;
        }
        match tokens.text(index) {
            "let" | "for" => {
                let end = tokens.span(index + 1, tokens.len()).find(|at| {
                    tokens.bracket(*at) == tokens.bracket(index)
                        && matches!(tokens.text(*at), "=" | ":" | ";" | "in" | "{")
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
                let arm = (0..index).rev().take(40).take_while(|at| {
                    let direct = tokens.bracket(*at) == tokens.bracket(index);
                    Some(*at) != tokens.bracket(index)
                        && !(direct && matches!(tokens.text(*at), "," | "}" | "if" | ";"))
                });
                let start = arm.last().unwrap_or(index);
                rust_pattern(tokens, start, index, names);
            }
            _ => {}
        }
    }
}

/// Lower-case names in a pattern bind; the rest are types, paths and fields.
fn rust_pattern(tokens: &Tokens<'_>, from: usize, to: usize, names: &mut Names) {
    for at in tokens.span(from, to) {
        let name = tokens.text(at);
        let lower = name.starts_with(|c: char| c.is_lowercase() || c == '_');
        let path = matches!(tokens.text(at + 1), "::" | "(" | "!" | "{")
            || matches!(tokens.text_before(at), "::" | ".");
        if !tokens.is_ident(at) || !lower || path || is_keyword(name, Language::Rust) {
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
    let Some(open) =
        (function + 2..(function + 60).min(tokens.len())).find(|at| tokens.is(*at, "("))
    else {
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

/// Go.
pub(super) fn go(tokens: &Tokens<'_>, names: &mut Names) {
    for index in 0..tokens.len() {
        match tokens.text(index) {
            ":=" => {
                let mut at = index;
                while let Some(before) = at
                    .checked_sub(1)
                    .filter(|before| tokens.is_ident(*before) || tokens.is(*before, ","))
                {
                    if tokens.is_ident(before) && !is_keyword(tokens.text(before), Language::Go) {
                        names.declare(tokens.text(before));
                    }
                    at = before;
                }
            }
            "var" | "const" if tokens.is(index + 1, "(") => {
                for at in tokens.span(index + 2, tokens.closing(index + 1)) {
                    if tokens.leads_line(at)
                        && tokens.is_ident(at)
                        && tokens.bracket(at) == Some(index + 1)
                    {
                        names.declare(tokens.text(at));
                    }
                }
            }
            "var" | "const" | "type" if tokens.is_ident(index + 1) => {
                let mut at = index + 1;
                names.declare(tokens.text(at));
                while tokens.is(at + 1, ",") && tokens.is_ident(at + 2) {
                    at += 2;
                    names.declare(tokens.text(at));
                }
            }
            "func" => go_function(tokens, index, names),
            _ => {}
        }
    }
}

fn go_function(tokens: &Tokens<'_>, function: usize, names: &mut Names) {
    let mut open = function + 1;
    if tokens.is_ident(open) {
        names.declare(tokens.text(open));
        open += 1;
    } else if tokens.is(open, "(") && tokens.is_ident(tokens.closing(open) + 1) {
        go_parameters(tokens, open, names);
        open = tokens.closing(open) + 2;
    }
    if tokens.is(open, "(") {
        go_parameters(tokens, open, names);
        let results = tokens.closing(open) + 1;
        if tokens.is(results, "(") {
            go_parameters(tokens, results, names);
        }
    }
}

/// `a, b int, c string`: a name stands before its type; a list of types names nothing.
fn go_parameters(tokens: &Tokens<'_>, open: usize, names: &mut Names) {
    let close = tokens.closing(open);
    let mut starts = vec![open + 1];
    starts.extend(
        (open + 1..close)
            .filter(|at| tokens.is(*at, ",") && tokens.bracket(*at) == Some(open))
            .map(|at| at + 1),
    );
    let named = |start: usize| {
        let next = tokens.text(start + 1);
        tokens.is_ident(start) && !matches!(next, "," | ")" | ".")
    };
    if !starts.iter().any(|start| named(*start)) {
        return;
    }
    for start in starts {
        if tokens.is_ident(start)
            && !tokens.is(start + 1, ".")
            && !is_keyword(tokens.text(start), Language::Go)
        {
            names.declare(tokens.text(start));
        }
    }
}

/// Java, C#, C and C++: `Type name` and what follows tells a declaration.
pub(super) fn c_like(tokens: &Tokens<'_>, names: &mut Names, language: Language) {
    let properties: BTreeSet<&str> = (1..tokens.len())
        .filter(|at| matches!(tokens.text_before(*at), "." | "->" | "?."))
        .map(|at| tokens.text(at))
        .collect();
    for index in 0..tokens.len() {
        let text = tokens.text(index);
        match text {
            "class" | "interface" | "enum" | "struct" | "record" | "union"
                if tokens.is_ident(index + 1)
                    && matches!(
                        tokens.text(index + 2),
                        "{" | ":" | "(" | "<" | "extends" | "implements" | ";" | "\n"
                    ) =>
            {
                names.declare(tokens.text(index + 1));
            }
            "define" if tokens.text_before(index) == "#" => names.declare(tokens.text(index + 1)),
            "->" | "=>" if language != Language::C => lambda(tokens, index, names),
            _ if tokens.is_ident(index) && is_declared(tokens, index, language) => {
                let overridden = (0..index)
                    .rev()
                    .take(8)
                    .any(|at| matches!(tokens.text(at), "Override" | "override"));
                let function = tokens.is(index + 1, "(");
                let member = properties.contains(text);
                let foreign = member || function && overridden;
                if !foreign {
                    names.declare(text);
                }
            }
            _ => {}
        }
    }
}

/// Words that stand before a name without being its type.
const NOT_TYPES: &[&str] = &[
    "return",
    "new",
    "throw",
    "else",
    "case",
    "goto",
    "await",
    "instanceof",
    "is",
    "as",
    "in",
    "typeof",
    "extends",
    "implements",
    "namespace",
    "package",
    "import",
    "using",
    "delete",
    "sizeof",
    "class",
    "struct",
    "enum",
    "interface",
    "union",
    "define",
    "include",
    "public",
    "private",
    "protected",
    "static",
    "final",
    "not",
    "and",
    "or",
    "yield",
    "async",
    "override",
    "virtual",
    "ref",
    "out",
    "this",
    "base",
    "from",
    "where",
    "select",
    "ifdef",
    "ifndef",
    "if",
    "while",
    "do",
    "abstract",
    "readonly",
    "internal",
    "throws",
    "default",
    "super",
    "operator",
    "typename",
];

/// Whether a type stands before the name and something that ends a declarator behind it.
fn is_declared(tokens: &Tokens<'_>, index: usize, language: Language) -> bool {
    let after = tokens.text(index + 1);
    let ends = matches!(after, "=" | ";" | "," | ")" | ":" | "in" | "[" | "{" | "(")
        && !tokens.is(index + 2, ":");
    if !ends || is_keyword(tokens.text(index), language) {
        return false;
    }
    let Some(mut before) = index.checked_sub(1) else {
        return false;
    };
    while matches!(tokens.text(before), "*" | "&" | "&&" | "const") && before > 0 {
        before -= 1;
    }
    if tokens.kind(before) == Some(Kind::Newline) {
        return false;
    }
    let starred = before + 1 != index;
    let kind = tokens.text(before);
    if matches!(kind, ">" | "]" | "?") {
        let generic = kind != "]" || before.checked_sub(1).is_some_and(|at| tokens.is(at, "["));
        return generic
            && !starred
            && (after != "(" || tokens.is(tokens.closing(index + 1) + 1, "{"));
    }
    if !tokens.is_ident(before) || NOT_TYPES.contains(&kind) {
        return false;
    }
    if starred && !type_leads(tokens, before, language) {
        return false;
    }
    let named_type = before.checked_sub(1).is_none_or(|at| {
        !matches!(tokens.text(at), "." | "->")
            || tokens.text(before).starts_with(char::is_uppercase)
    });
    let function = after != "("
        || matches!(
            tokens.text(tokens.closing(index + 1) + 1),
            "{" | ";" | "throws" | "const" | "=>" | "\n"
        );
    named_type && function
}

/// `int *a` declares where `x * a` multiplies: the type begins the statement or the parameter.
fn type_leads(tokens: &Tokens<'_>, at: usize, language: Language) -> bool {
    let before = tokens.text_before(at);
    tokens.leads_line(at)
        || matches!(
            before,
            "(" | ","
                | "{"
                | ";"
                | "}"
                | "const"
                | "static"
                | "struct"
                | "unsigned"
                | "::"
                | "extern"
                | "inline"
        ) && (before != "(" && before != ","
            || is_keyword(tokens.text(at), language)
            || tokens.text(at).starts_with(char::is_uppercase)
            || tokens.text(at).ends_with("_t")
            || before == "::")
}

/// `x ->`, `(a, b) =>`.
fn lambda(tokens: &Tokens<'_>, arrow: usize, names: &mut Names) {
    let Some(before) = tokens.before(arrow) else {
        return;
    };
    if tokens.is_ident(before) && matches!(tokens.text_before(before), "(" | "," | "=" | "return") {
        names.declare(tokens.text(before));
    }
    if !tokens.is(before, ")") {
        return;
    }
    let Some(open) = tokens.opening(before) else {
        return;
    };
    let plain = tokens
        .span(open + 1, before)
        .all(|at| tokens.is_ident(at) || tokens.is(at, ","));
    for at in tokens.span(open + 1, before) {
        if plain && tokens.is_ident(at) && matches!(tokens.text(at + 1), "," | ")") {
            names.declare(tokens.text(at));
        }
    }
}
