//! Declarations of PHP, shell and SQL.

use super::declarations::Names;
use super::lexer::{Kind, Tokens};

/// PHP: names behind `$` that are assigned or bound, and functions and classes.
pub(super) fn php(tokens: &Tokens<'_>, names: &mut Names) {
    const GIVEN: &[&str] = &[
        "this", "_GET", "_POST", "_SERVER", "_ENV", "_COOKIE", "_SESSION", "_REQUEST", "_FILES",
        "GLOBALS",
    ];
    for index in 0..tokens.len() {
        match tokens.text(index) {
            "$" if tokens.is_ident(index + 1) && !tokens.interpolated(index) => {
                let name = tokens.text(index + 1);
                let owned = matches!(tokens.text_before(index), "::" | "->");
                let field = matches!(
                    tokens.text_before(index),
                    "public" | "private" | "protected"
                ) || tokens.text_before(index) == "static"
                    && tokens.before(index).is_some_and(|at| {
                        matches!(
                            tokens.text_before(at),
                            "public" | "private" | "protected" | "final"
                        )
                    });
                let typed_field = tokens.before(index).is_some_and(|at| {
                    matches!(tokens.text_before(at), "public" | "private" | "protected")
                });
                if field || typed_field {
                    names.fix(name);
                } else if !owned && !GIVEN.contains(&name) {
                    names.declare(name);
                }
            }
            "function" | "class" | "interface" | "trait" | "enum"
                if tokens.is_ident(index + 1) && tokens.text_before(index) != "::" =>
            {
                let method = matches!(
                    tokens.text_before(index),
                    "public" | "private" | "protected" | "static"
                );
                if !method && !tokens.text(index + 1).starts_with("__") {
                    names.declare(tokens.text(index + 1));
                }
            }
            _ => {}
        }
    }
}

/// Variables that every shell is given.
const ENVIRONMENT: &[&str] = &[
    "PATH", "HOME", "IFS", "LANG", "LC_ALL", "PS1", "PWD", "USER", "SHELL", "TERM", "EDITOR",
    "TMPDIR",
];

/// Shell: what is assigned, read or looped over, but not what is exported.
pub(super) fn shell(tokens: &Tokens<'_>, names: &mut Names) {
    for index in 0..tokens.len() {
        let name = tokens.text(index);
        if tokens.interpolated(index) || ENVIRONMENT.contains(&name) {
            continue;
        }
        let before = tokens.text_before(index);
        match tokens.kind(index) {
            Some(Kind::Ident) if matches!(before, "export") => names.fix(name),
            Some(Kind::Ident)
                if matches!(name, "local" | "declare" | "typeset" | "readonly")
                    && tokens.leads_line(index) =>
            {
                declared_together(tokens, index, names);
            }
            Some(Kind::Ident)
                if before == "("
                    && matches!(tokens.text(index + 1), "=" | "+=")
                    && index >= 2
                    && tokens.is(index - 2, "(") =>
            {
                names.declare(name);
            }
            Some(Kind::Ident)
                if tokens.is(index + 1, "=")
                    && tokens.touch(index, index + 1)
                    && is_assignment(tokens, index) =>
            {
                names.declare(name);
            }
            Some(Kind::Ident) if name == "read" && !tokens.interpolated(index) => {
                read_names(tokens, index, names)
            }
            Some(Kind::Ident)
                if matches!(before, "for" | "local")
                    && tokens.kind(index - 1) != Some(Kind::Newline) =>
            {
                names.declare(name)
            }
            Some(Kind::Ident)
                if before == "function"
                    || tokens.is(index + 1, "(") && tokens.is(index + 2, ")") =>
            {
                names.declare(name)
            }
            _ => {}
        }
    }
}

/// Whether the name before a `=` is assigned for good, not for one command.
fn is_assignment(tokens: &Tokens<'_>, index: usize) -> bool {
    let starts = tokens.leads_line(index)
        || matches!(
            tokens.text_before(index),
            "local" | "readonly" | "declare" | "then" | "do" | "else" | "&&" | "||" | "{" | ")"
        );
    starts && !command_follows(tokens, index)
}

/// `local a=1 b`, `declare -a list=(…)`.
fn declared_together(tokens: &Tokens<'_>, keyword: usize, names: &mut Names) {
    let level = tokens.bracket(keyword);
    for at in tokens.span(keyword + 1, tokens.len()) {
        if tokens.bracket(at) != level || tokens.interpolated(at) {
            continue;
        }
        match tokens.text(at) {
            "\n" | ";" | "&&" | "||" | "|" => return,
            name if is_word_alone(tokens, at) => names.declare(name),
            _ => {}
        }
    }
}

/// Whether a name begins a word of a command and is all of it, or all before a `=`.
fn is_word_alone(tokens: &Tokens<'_>, at: usize) -> bool {
    let whole = matches!(tokens.text(at + 1), "=" | ";" | "\n") || !tokens.touch(at, at + 1);
    tokens.is_ident(at) && !tokens.touch(at - 1, at) && whole
}

/// Whether `local` or its like stands before a name that it declares.
pub(super) fn is_declared_together(tokens: &Tokens<'_>, index: usize) -> bool {
    let level = tokens.bracket(index);
    let same = |at: &usize| tokens.bracket(*at) == level && !tokens.interpolated(*at);
    let keyword = (0..index).rev().take(60).filter(same).find(|at| {
        let starts = [
            "\n", ";", "&&", "||", "|", "local", "declare", "typeset", "readonly",
        ];
        starts.contains(&tokens.text(*at))
    });
    keyword.is_some_and(|at| tokens.is_ident(at) && tokens.leads_line(at))
        && !tokens.interpolated(index)
        && is_word_alone(tokens, index)
}

/// `read -r name other`.
fn read_names(tokens: &Tokens<'_>, read: usize, names: &mut Names) {
    for at in tokens.span(read + 1, tokens.len()) {
        match tokens.text(at) {
            name if tokens.is_ident(at) && !matches!(tokens.text(at - 1), "-" | "--") => {
                names.declare(name)
            }
            "-" | "--" => {}
            _ if tokens.is_ident(at) => {}
            _ => return,
        }
    }
}

/// `NAME=value command`: an environment for one command, whose name is the command's.
fn command_follows(tokens: &Tokens<'_>, index: usize) -> bool {
    let mut at = index + 2;
    let mut depth = 0_usize;
    while tokens.span(index, tokens.len()).contains(&at) {
        match tokens.text(at) {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => depth = depth.saturating_sub(1),
            "\n" | ";" | "&&" | "||" if depth == 0 => return false,
            _ if depth == 0
                && !tokens.interpolated(at)
                && !tokens.touch(at - 1, at)
                && !tokens.interpolated(at - 1) =>
            {
                return true;
            }
            _ => {}
        }
        at += 1;
    }
    false
}

/// SQL: tables, views, common table expressions, aliases and declared variables.
pub(super) fn sql(tokens: &Tokens<'_>, names: &mut Names) {
    for index in 0..tokens.len() {
        let word = tokens.text(index).to_ascii_lowercase();
        let next = tokens.text(index + 1);
        match word.as_str() {
            "table" | "view" if tokens.is_ident(index + 1) => {
                created(tokens, index, names);
            }
            "procedure" | "function" if tokens.is_ident(index + 1) => {
                created(tokens, index, names);
                arguments(tokens, index + 2, names);
            }
            "with"
                if tokens.is_ident(index + 1)
                    && tokens.text(index + 2).eq_ignore_ascii_case("as") =>
            {
                names.declare(next)
            }
            "as" if tokens.is_ident(index + 1) => names.declare(next),
            "as" if tokens.is(index + 1, "(") => {
                if let Some(at) = tokens
                    .before(index)
                    .filter(|at| tokens.is_ident(*at) && matches!(tokens.text_before(*at), ","))
                {
                    names.declare(tokens.text(at));
                }
            }
            "declare" => {
                let at = if tokens.is(index + 1, "@") {
                    index + 2
                } else {
                    index + 1
                };
                if tokens.is_ident(at) {
                    names.declare(tokens.text(at));
                }
                block_variables(tokens, index, names);
            }
            word => table_alias(tokens, index, word, names),
        }
    }
    names.declared.retain(|name| !is_sql_word(name));
}

/// `from orders o`, `update orders o set`, `(select …) o`.
fn table_alias(tokens: &Tokens<'_>, index: usize, word: &str, names: &mut Names) {
    let alias = match word {
        ")" => tokens
            .opening(index)
            .filter(|open| tokens.text(open + 1).eq_ignore_ascii_case("select"))
            .map(|_| index + 1),
        "update" if tokens.text(index + 3).eq_ignore_ascii_case("set") => Some(index + 2),
        "from" | "join" if tokens.is_ident(index + 1) => Some(index + 2),
        _ => None,
    };
    if let Some(alias) = alias.filter(|alias| tokens.is_ident(*alias))
        && !is_sql_word(tokens.text(alias))
    {
        names.declare(tokens.text(alias));
    }
}

/// `create function name(a integer, out b text)`.
fn arguments(tokens: &Tokens<'_>, open: usize, names: &mut Names) {
    if !tokens.is(open, "(") {
        return;
    }
    for at in tokens.span(open + 1, tokens.closing(open)) {
        let direct = tokens.bracket(at) == Some(open);
        let mode = |at: usize| {
            ["in", "out", "inout", "variadic"]
                .iter()
                .any(|mode| tokens.text(at).eq_ignore_ascii_case(mode))
        };
        let starts =
            matches!(tokens.text_before(at), "(" | ",") || tokens.before(at).is_some_and(mode);
        if direct && starts && tokens.is_ident(at) && tokens.is_ident(at + 1) && !mode(at) {
            names.declare(tokens.text(at));
        }
    }
}

/// `declare a integer; b text := '';` up to `begin`.
fn block_variables(tokens: &Tokens<'_>, declare: usize, names: &mut Names) {
    let begin = tokens
        .span(declare + 1, tokens.len())
        .find(|at| tokens.text(*at).eq_ignore_ascii_case("begin"));
    let Some(begin) = begin else {
        return;
    };
    for at in declare + 1..begin {
        let starts = tokens.text_before(at) == ";" || tokens.before(at) == Some(declare);
        if starts && tokens.is_ident(at) && tokens.is_ident(at + 1) {
            names.declare(tokens.text(at));
        }
    }
}

/// `create table if not exists name`.
fn created(tokens: &Tokens<'_>, kind: usize, names: &mut Names) {
    let conditional = tokens.text(kind + 1).eq_ignore_ascii_case("if");
    let name = kind + if conditional { 4 } else { 1 };
    let creates = tokens_before(tokens, kind).any(|word| word.eq_ignore_ascii_case("create"));
    if creates && tokens.is_ident(name) {
        names.declare(tokens.text(name));
    }
}

fn tokens_before<'t>(tokens: &Tokens<'t>, index: usize) -> impl Iterator<Item = &'t str> {
    (0..index).rev().take(4).map(|at| tokens.text(at))
}

fn is_sql_word(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "where",
        "on",
        "join",
        "left",
        "right",
        "inner",
        "outer",
        "full",
        "cross",
        "group",
        "order",
        "limit",
        "having",
        "union",
        "set",
        "as",
        "using",
        "natural",
        "select",
        "from",
        "values",
        "returning",
        "offset",
        "fetch",
        "for",
        "window",
        "integer",
        "text",
        "varchar",
        "int",
        "bigint",
        "numeric",
        "decimal",
        "date",
        "timestamp",
        "boolean",
        "char",
        "float",
        "real",
        "begin",
        "end",
        "if",
        "not",
        "exists",
        "materialized",
    ];
    WORDS.contains(&word.to_ascii_lowercase().as_str())
}
