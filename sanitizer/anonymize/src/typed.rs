//! Declarations of Go, Java, C#, C and C++.

use std::collections::BTreeSet;

use super::declarations::{Names, is_keyword};
use super::language::Language;
use super::lexer::{Kind, Tokens};

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
        if tokens.is(open, "[") {
            open = tokens.closing(open) + 1;
        }
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
        .filter(|at| {
            let before = tokens.text_before(*at);
            matches!(before, "." | "?.")
                || before == "->" && language != Language::Java
                || before == "::" && language == Language::Java
        })
        .filter(|at| !(tokens.is(at + 1, ">") && *at >= 3 && tokens.is(at - 3, "<")))
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
            "var" | "auto" | "auto&" if matches!(tokens.text(index + 1), "(" | "[") => {
                bound_together(tokens, index + 1, names);
            }
            "&" | "&&" if tokens.text_before(index) == "auto" && tokens.is(index + 1, "[") => {
                bound_together(tokens, index + 1, names);
            }
            "define" if tokens.text_before(index) == "#" => names.declare(tokens.text(index + 1)),
            "->" | "=>" if language != Language::C => lambda(tokens, index, names),
            "from" | "join" | "into" if language == Language::CSharp => {
                query_variable(tokens, index, names);
            }
            "(" if tokens.is(index + 1, "*") => function_pointer(tokens, index, names),
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
                    further_declarators(tokens, index, names);
                }
            }
            _ => {}
        }
    }
}

/// `var (key, value) in …`, `auto [first, second] = …`.
fn bound_together(tokens: &Tokens<'_>, open: usize, names: &mut Names) {
    let close = tokens.closing(open);
    if !matches!(tokens.text(close + 1), "=" | "in" | ":") {
        return;
    }
    for at in tokens.span(open + 1, close) {
        if tokens.is_ident(at) && matches!(tokens.text_before(at), "(" | "[" | ",") {
            names.declare(tokens.text(at));
        }
    }
}

/// `from row in rows`, `join Type other in others`, `group … into groups`.
fn query_variable(tokens: &Tokens<'_>, keyword: usize, names: &mut Names) {
    let typed = tokens.is_ident(keyword + 2) && !tokens.is(keyword + 2, "in");
    let name = keyword + if typed { 2 } else { 1 };
    let bound = tokens.is(name + 1, "in") || tokens.is(keyword, "into");
    if tokens.is_ident(name) && bound {
        names.declare(tokens.text(if tokens.is(keyword, "into") {
            keyword + 1
        } else {
            name
        }));
    }
}

/// `int (*compare)(const void *, const void *)`, where a call has no type before it.
fn function_pointer(tokens: &Tokens<'_>, open: usize, names: &mut Names) {
    let name = open + 2;
    let close = tokens.closing(open);
    let typed = open.checked_sub(1).is_some_and(|at| {
        tokens.is(at, "*") || tokens.is_ident(at) && !NOT_TYPES.contains(&tokens.text(at))
    });
    let ends = close == name + 1 || tokens.is(name + 1, "[");
    if typed && ends && tokens.is_ident(name) && tokens.is(close + 1, "(") {
        names.declare(tokens.text(name));
    }
}

/// `int i = 0, n = 3;`: the names behind the first, but not those of parameters.
fn further_declarators(tokens: &Tokens<'_>, first: usize, names: &mut Names) {
    let level = tokens.bracket(first);
    let in_loop = level.is_some_and(|open| tokens.text_before(open) == "for");
    if !matches!(tokens.text(first + 1), "=" | "," | "[") || tokens.inside(first) == "(" && !in_loop
    {
        return;
    }
    for at in tokens.span(first + 1, tokens.len()) {
        if tokens.bracket(at) != level {
            continue;
        }
        match tokens.text(at) {
            ";" | ":" => return,
            "}" | ")" if tokens.opening(at).is_none_or(|open| open < first) => return,
            "," => {
                let name = (at + 1..at + 4).find(|name| !matches!(tokens.text(*name), "*" | "&"));
                let Some(name) = name.filter(|name| tokens.is_ident(*name)) else {
                    return;
                };
                if matches!(tokens.text(name + 1), "=" | ";" | "," | "[") {
                    names.declare(tokens.text(name));
                }
            }
            _ => {}
        }
    }
}

/// Whether the `>` at `close` ends a type's arguments rather than compares.
fn ends_type_arguments(tokens: &Tokens<'_>, close: usize) -> bool {
    let mut depth = 0_usize;
    for at in (0..=close).rev().take(24) {
        match tokens.text(at) {
            ">" => depth += 1,
            "<" => {
                depth -= 1;
                if depth == 0 {
                    return at
                        .checked_sub(1)
                        .is_some_and(|name| tokens.is_ident(name) && tokens.touch(name, at));
                }
            }
            "," | "::" | "*" | "&" | "?" | "." => {}
            _ if tokens.is_ident(at) => {}
            _ => return false,
        }
    }
    false
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
    // `o is Circle round && …`, `case Integer count ->`
    let pattern = index.checked_sub(2).is_some_and(|at| {
        matches!(tokens.text(at), "is" | "instanceof" | "case" | "{" | ",")
            && (matches!(after, "->" | "=>" | "when")
                || matches!(tokens.text(at), "is" | "instanceof"))
    });
    if pattern && tokens.is_ident(index - 1) && !is_keyword(tokens.text(index), language) {
        return tokens.text(index - 1).starts_with(char::is_uppercase)
            || is_keyword(tokens.text(index - 1), language);
    }
    let ends = matches!(after, "=" | ";" | "," | ")" | ":" | "in" | "[" | "{" | "(")
        && (after == ")" || !tokens.is(index + 2, ":"));
    // `<(string Key, int Length)>`
    let item = language == Language::CSharp
        && tokens
            .bracket(index)
            .is_some_and(|open| tokens.text_before(open) == "<");
    if !ends || item || is_keyword(tokens.text(index), language) {
        return false;
    }
    let Some(mut before) = index.checked_sub(1) else {
        return false;
    };
    if tokens.is(before, "...") && before > 0 {
        before -= 1;
    }
    while matches!(tokens.text(before), "*" | "&" | "&&" | "const") && before > 0 {
        before -= 1;
    }
    if tokens.kind(before) == Some(Kind::Newline) {
        return false;
    }
    let starred = before + 1 != index && !tokens.is(before + 1, "...");
    let kind = tokens.text(before);
    if matches!(kind, ">" | "]" | "?") {
        let generic = kind != "]" || before.checked_sub(1).is_some_and(|at| tokens.is(at, "["));
        return generic
            && (!starred || kind == ">" && ends_type_arguments(tokens, before))
            && match tokens.text(tokens.closing(index + 1) + 1) {
                _ if after != "(" => true,
                "{" => true,
                ";" => kind == ">" && ends_type_arguments(tokens, before),
                _ => false,
            };
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

/// Whether what stands before an arrow is a case of a `switch` expression, no parameter.
fn is_branch(tokens: &Tokens<'_>, at: usize) -> bool {
    let open = tokens.bracket(at).filter(|open| tokens.is(*open, "{"));
    open.and_then(|open| tokens.before(open))
        .is_some_and(|before| tokens.is(before, "switch"))
}

/// `x ->`, `(a, b) =>`.
fn lambda(tokens: &Tokens<'_>, arrow: usize, names: &mut Names) {
    let Some(before) = tokens.before(arrow) else {
        return;
    };
    if tokens.is_ident(before)
        && matches!(
            tokens.text_before(before),
            "(" | "," | "=" | "return" | "?" | ":" | "=>" | "->" | "async" | "{" | "??"
        )
        && !is_branch(tokens, before)
    {
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
