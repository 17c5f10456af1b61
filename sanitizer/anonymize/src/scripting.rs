//! Declarations of JavaScript and TypeScript, Python and Ruby.

use std::collections::BTreeSet;

use super::declarations::Names;
use super::lexer::{Kind, Tokens};

/// JavaScript and TypeScript.
pub(super) fn javascript(tokens: &Tokens<'_>, names: &mut Names) {
    for index in 0..tokens.len() {
        match tokens.text(index) {
            "let" | "const" | "var" if tokens.is_ident(index) => {
                declarators(tokens, index + 1, names)
            }
            "function" => {
                let name = if tokens.is(index + 1, "*") {
                    index + 2
                } else {
                    index + 1
                };
                if tokens.is_ident(name) {
                    names.declare(tokens.text(name));
                }
            }
            "class" | "interface" | "enum" | "type"
                if tokens.is_ident(index + 1)
                    && !matches!(tokens.text_before(index), "." | "," | "{" | "(") =>
            {
                let named =
                    !tokens.is(index, "type") || matches!(tokens.text(index + 2), "=" | "<");
                if named && !tokens.is(index + 1, "extends") {
                    names.declare(tokens.text(index + 1));
                }
            }
            "=>" => arrow_parameters(tokens, index, names),
            "catch" if tokens.is(index + 1, "(") => pattern(tokens, index + 2, names, 0),
            "(" if opens_parameters(tokens, index) => parameters(tokens, index, names),
            _ => {}
        }
    }
}

/// `a = 1, { b: c } = x, [d] = y` after `let`, `const` or `var`.
fn declarators(tokens: &Tokens<'_>, from: usize, names: &mut Names) {
    let imported = (from..(from + 24).min(tokens.len()))
        .take_while(|at| !matches!(tokens.text(*at), ";" | "\n"))
        .any(|at| tokens.is(at, "require") && tokens.is(at + 1, "("));
    if imported {
        for at in from..(from + 24).min(tokens.len()) {
            if matches!(tokens.text(at), "=" | ";") {
                break;
            }
            if tokens.is_ident(at) {
                names.fix(tokens.text(at));
            }
        }
        return;
    }
    pattern(tokens, from, names, 0);
    let mut at = from;
    for _ in tokens.span(from, tokens.len()) {
        match tokens.text(at) {
            "(" | "[" | "{" => at = tokens.closing(at),
            "," => {
                at += usize::from(tokens.kind(at + 1) == Some(Kind::Newline));
                pattern(tokens, at + 1, names, 0);
            }
            ")" | "]" | "}" | ";" | "in" | "of" | "" => return,
            "\n" if !matches!(tokens.text_before(at), "," | "=" | "=>") => return,
            _ => {}
        }
        at += 1;
    }
}

/// A binding: a name, `{ a, b: c, ...d }` or `[a, b]`.
fn pattern(tokens: &Tokens<'_>, at: usize, names: &mut Names, depth: usize) {
    match tokens.text(at) {
        "{" | "[" if depth < 8 => {
            for inner in tokens.span(at + 1, tokens.closing(at)) {
                let direct = tokens.bracket(inner) == Some(at);
                let before = tokens.text_before(inner);
                let nested = matches!(tokens.text(inner), "{" | "[")
                    && direct
                    && matches!(before, "{" | "[" | "," | ":");
                if nested {
                    pattern(tokens, inner, names, depth + 1);
                }
                if !tokens.is_ident(inner)
                    || !direct
                    || !matches!(before, "{" | "[" | "," | ":" | "...")
                {
                    continue;
                }
                match (tokens.text(at), before, tokens.text(inner + 1)) {
                    (_, _, ":") => {}
                    ("{", "{" | ",", _) => names.fix(tokens.text(inner)),
                    _ => names.declare(tokens.text(inner)),
                }
            }
        }
        name if tokens.is_ident(at) => names.declare(name),
        _ => {}
    }
}

/// `x =>` and `(a, b) =>`.
fn arrow_parameters(tokens: &Tokens<'_>, arrow: usize, names: &mut Names) {
    let Some(before) = tokens.before(arrow) else {
        return;
    };
    if tokens.is_ident(before) && !matches!(tokens.text_before(before), ":" | "|" | ">" | ".") {
        names.declare(tokens.text(before));
        return;
    }
    let close = (0..=before).rev().take(24).find(|at| tokens.is(*at, ")"));
    if let Some(open) = close.and_then(|close| tokens.opening(close)) {
        parameters(tokens, open, names);
    }
}

/// Whether the parenthesis opens the parameters of a function or method.
fn opens_parameters(tokens: &Tokens<'_>, open: usize) -> bool {
    let name = tokens.text_before(open);
    if name == "function" || name == "*" {
        return true;
    }
    let Some(at) = tokens.before(open).filter(|at| tokens.is_ident(*at)) else {
        return false;
    };
    if tokens.text_before(at) == "function" || tokens.text_before(at) == "*" {
        return true;
    }
    let close = tokens.closing(open);
    let controls = [
        "if", "for", "while", "switch", "catch", "with", "return", "await", "typeof",
    ];
    let method = tokens.inside(at) == "{"
        && !matches!(
            tokens.text_before(at),
            "." | "new" | "=" | "return" | "await"
        );
    let typed = tokens.is(close + 1, ":")
        && (close + 2..close + 24)
            .take_while(|at| !matches!(tokens.text(*at), ";" | "\n" | "=" | ")" | ""))
            .any(|at| tokens.is(at, "{"));
    let body = tokens.is(close + 1, "{") || typed;
    method && body && !controls.contains(&name)
}

fn parameters(tokens: &Tokens<'_>, open: usize, names: &mut Names) {
    for at in tokens.span(open + 1, tokens.closing(open)) {
        if tokens.bracket(at) != Some(open) {
            continue;
        }
        let before = tokens.text_before(at);
        let modifier = matches!(before, "readonly" | "private" | "public" | "protected");
        if modifier && tokens.is_ident(at) {
            names.fix(tokens.text(at));
        } else if matches!(before, "(" | "," | "...") {
            pattern(tokens, at, names, 0);
        }
    }
}

/// Python.
pub(super) fn python(tokens: &Tokens<'_>, names: &mut Names) {
    for index in 0..tokens.len() {
        match tokens.text(index) {
            "def" => python_function(tokens, index, names),
            "class" if tokens.leads_line(index) && tokens.is_ident(index + 1) => {
                names.declare(tokens.text(index + 1))
            }
            "lambda" => {
                for at in tokens.span(index + 1, tokens.len()) {
                    match tokens.text(at) {
                        ":" => break,
                        name if tokens.is_ident(at)
                            && matches!(tokens.text_before(at), "lambda" | "," | "*") =>
                        {
                            names.declare(name)
                        }
                        _ => {}
                    }
                }
            }
            "for" => {
                let end = tokens
                    .span(index + 1, tokens.len())
                    .find(|at| matches!(tokens.text(*at), "in" | "\n" | ""));
                targets(tokens, index + 1, end.unwrap_or(index), names);
            }
            "as" if tokens.is_ident(index + 1) => names.declare(tokens.text(index + 1)),
            "as" if tokens.is(index + 1, "(") => {
                targets(tokens, index + 2, tokens.closing(index + 1), names);
            }
            ":=" => {
                if let Some(at) = tokens.before(index).filter(|at| tokens.is_ident(*at)) {
                    names.declare(tokens.text(at));
                }
            }
            "case" if tokens.leads_line(index) => case_pattern(tokens, index, names),
            _ if tokens.leads_line(index) && tokens.bracket(index).is_none() => {
                assignment(tokens, index, names)
            }
            _ => {}
        }
    }
}

/// `case {"kind": name, "size": size} if …:`, `case [first, *rest]:`, `case Point(x=left):`.
fn case_pattern(tokens: &Tokens<'_>, case: usize, names: &mut Names) {
    let level = tokens.bracket(case);
    for at in tokens.span(case + 1, tokens.len()) {
        let direct = tokens.bracket(at) == level;
        match tokens.text(at) {
            "if" | "\n" if direct => return,
            ":" if direct => return,
            name if tokens.is_ident(at) => {
                let binds = !matches!(tokens.text(at + 1), "(" | "." | "=")
                    && tokens.text_before(at) != "."
                    && name.starts_with(|c: char| c.is_lowercase() || c == '_');
                if binds {
                    names.declare(name);
                }
            }
            _ => {}
        }
    }
}

fn python_function(tokens: &Tokens<'_>, def: usize, names: &mut Names) {
    let open = def + 2;
    if !tokens.is_ident(def + 1) || !tokens.is(open, "(") {
        return;
    }
    let method = matches!(tokens.text(open + 1), "self" | "cls");
    if !method {
        names.declare(tokens.text(def + 1));
    }
    for at in tokens.span(open + 1, tokens.closing(open)) {
        let starts = matches!(tokens.text_before(at), "(" | "," | "*" | "**");
        if tokens.is_ident(at) && starts && tokens.bracket(at) == Some(open) {
            names.declare(tokens.text(at));
        }
    }
}

/// `a = …`, `a, b = …`, `a: int = …` at the start of a line.
fn assignment(tokens: &Tokens<'_>, from: usize, names: &mut Names) {
    let mut typed = false;
    for at in from..(from + 40).min(tokens.len()) {
        match tokens.text(at) {
            // `f(name=1)`
            "=" if tokens.bracket(at) != tokens.bracket(from) => return,
            "=" => {
                let end = if typed { from + 1 } else { at };
                if !python_class_body(tokens, from) {
                    targets(tokens, from, end, names);
                    let mut next = at + 1;
                    while tokens.is_ident(next) && tokens.is(next + 1, "=") {
                        names.declare(tokens.text(next));
                        next += 2;
                    }
                }
                return;
            }
            ":" if at == from + 1 => typed = true,
            "," | "(" | ")" | "*" | "[" | "]" | "." | "|" => {}
            _ if tokens.is_ident(at) || typed => {}
            _ => return,
        }
        if tokens.kind(at) == Some(Kind::Newline) {
            return;
        }
    }
}

/// Whether the line at `index` is a field of a class: its name is a property.
fn python_class_body(tokens: &Tokens<'_>, index: usize) -> bool {
    let indent = tokens.indent(index);
    if indent == 0 {
        return false;
    }
    (0..index)
        .rev()
        .take(2000)
        .find(|at| {
            tokens.leads_line(*at)
                && tokens.kind(*at) != Some(Kind::Newline)
                && tokens.indent(*at) < indent
        })
        .is_some_and(|at| tokens.is(at, "class"))
}

fn targets(tokens: &Tokens<'_>, from: usize, to: usize, names: &mut Names) {
    for at in from..to {
        let property =
            tokens.text_before(at) == "." || matches!(tokens.text(at + 1), "." | "[" | "(");
        let indexed = tokens.inside(at) == "["
            && tokens
                .bracket(at)
                .is_some_and(|open| open > from && tokens.is_ident(open - 1));
        if tokens.is_ident(at) && !property && !indexed {
            names.declare(tokens.text(at));
        }
    }
}

/// Ruby.
pub(super) fn ruby(tokens: &Tokens<'_>, names: &mut Names) {
    let called: BTreeSet<&str> = (1..tokens.len())
        .filter(|at| tokens.is(*at - 1, "."))
        .map(|at| tokens.text(at))
        .collect();
    for index in 0..tokens.len() {
        match tokens.text(index) {
            "def" if tokens.is_ident(index + 1) && !tokens.is(index + 2, ".") => {
                let member = called.contains(tokens.text(index + 1));
                ruby_method(tokens, index, names, member);
            }
            "def" if tokens.is(index + 2, ".") => ruby_parameters(tokens, index + 4, names),
            "class" | "module" if tokens.is_ident(index + 1) && tokens.leads_line(index) => {
                names.declare(tokens.text(index + 1))
            }
            "|" if matches!(tokens.text_before(index), "do" | "{") => {
                for at in tokens.span(index + 1, tokens.len()) {
                    if tokens.is(at, "|") {
                        break;
                    }
                    if tokens.is_ident(at) {
                        names.declare(tokens.text(at));
                    }
                }
            }
            "=>" if rescues(tokens, index) => names.declare(tokens.text(index + 1)),
            "for" => names.declare(tokens.text(index + 1)),
            "->" if tokens.is(index + 1, "(") => {
                for at in tokens.span(index + 2, tokens.closing(index + 1)) {
                    if tokens.is_ident(at)
                        && matches!(tokens.text_before(at), "(" | "," | "*" | "&")
                    {
                        names.declare(tokens.text(at));
                    }
                }
            }
            _ if tokens.leads_line(index) && tokens.is_ident(index) => {
                assignment(tokens, index, names)
            }
            _ => {}
        }
    }
}

/// `rescue => e`, `rescue IOError, Errno::ENOENT => e`.
fn rescues(tokens: &Tokens<'_>, arrow: usize) -> bool {
    let behind = (0..arrow).rev().take(24);
    let classes = |at: &usize| {
        let text = tokens.text(*at);
        text != "rescue" && (tokens.is_ident(*at) || matches!(text, "::" | ":" | ","))
    };
    let mut before = behind.skip_while(classes);
    before.next().is_some_and(|at| tokens.is(at, "rescue"))
}

/// `def name(a, b)`; a method that is called on an object keeps its name.
fn ruby_method(tokens: &Tokens<'_>, def: usize, names: &mut Names, member: bool) {
    let name = tokens.text(def + 1);
    let asks = matches!(tokens.text(def + 2), "?" | "!");
    if !member && !asks && name != "initialize" {
        names.declare(name);
    }
    ruby_parameters(tokens, def + 2, names);
}

/// The names behind a method's, up to the end of the line.
fn ruby_parameters(tokens: &Tokens<'_>, from: usize, names: &mut Names) {
    let end = tokens
        .span(from, tokens.len())
        .find(|at| tokens.kind(*at) == Some(Kind::Newline));
    for at in from..end.unwrap_or(from) {
        let starts = matches!(tokens.text_before(at), "(" | "," | "*" | "&" | "**") || at == from;
        if tokens.is_ident(at) && starts && !tokens.is(at + 1, ":") {
            names.declare(tokens.text(at));
        }
    }
}
