//! Which names a snippet declares, and where a name stands for that declaration.

mod keywords;

use std::collections::BTreeSet;

use super::language::Language;
use super::lexer::Tokens;
use super::{annotated, rust, scripting, sigils, typed};
use keywords::{
    C_LIKE, CSHARP_ONLY, GO, JAVASCRIPT, KOTLIN, PHP, PYTHON, RUBY, RUST, SHARED, SHELL, SWIFT,
};

/// What a snippet says about names.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) declared: BTreeSet<String>,
    /// Declared, but their spelling is a property's too: `const { data } = …`.
    pub(super) fixed: BTreeSet<String>,
}

impl Names {
    pub(super) fn declare(&mut self, name: &str) {
        self.declared.insert(name.to_owned());
    }

    pub(super) fn fix(&mut self, name: &str) {
        self.fixed.insert(name.to_owned());
    }
}

/// Collects what `tokens` declare.
pub(super) fn declared(tokens: &Tokens<'_>, language: Language) -> Names {
    let mut names = Names::default();
    match language {
        Language::JavaScript => scripting::javascript(tokens, &mut names),
        Language::Python => scripting::python(tokens, &mut names),
        Language::Ruby => scripting::ruby(tokens, &mut names),
        Language::Php => sigils::php(tokens, &mut names),
        Language::Shell => sigils::shell(tokens, &mut names),
        Language::Sql => sigils::sql(tokens, &mut names),
        Language::Rust => rust::names(tokens, &mut names),
        Language::Go => typed::go(tokens, &mut names),
        Language::Kotlin => annotated::kotlin(tokens, &mut names),
        Language::Swift => annotated::swift(tokens, &mut names),
        Language::Java | Language::CSharp | Language::C => {
            typed::c_like(tokens, &mut names, language)
        }
    }
    for imported in imports(tokens, language) {
        names.fix(&imported);
    }
    names.declared.retain(|name| !is_keyword(name, language));
    names
}

/// Whether the name at `index` stands for the declaration, not for a property of the same spelling.
pub(super) fn is_use(
    tokens: &Tokens<'_>,
    index: usize,
    language: Language,
    declared: &BTreeSet<String>,
) -> bool {
    let before = tokens.text_before(index);
    let after = tokens.text(index + 1);
    match language {
        Language::Shell => return shell_use(tokens, index),
        Language::Php => return php_use(tokens, index),
        Language::Rust if tokens.interpolated(index) && !is_format_argument(tokens, index) => {
            return false;
        }
        _ => {}
    }
    if language == Language::Sql {
        return true;
    }
    if matches!(before, "." | "?.")
        || before == "->"
            && !matches!(
                language,
                Language::Java | Language::Kotlin | Language::Swift
            )
        || before == "::" && language != Language::Rust && language != Language::C
    {
        return false;
    }
    if before == "@" || before == "#" && language != Language::C {
        return false;
    }
    match language {
        Language::Python | Language::Kotlin => {
            keyword_argument_is_ours(tokens, index, "=", declared)
        }
        Language::Swift | Language::CSharp => {
            keyword_argument_is_ours(tokens, index, ":", declared)
        }
        Language::Ruby => {
            !(before == ":" && tokens.touch(index - 1, index)
                || after == ":" && tokens.touch(index, index + 1))
        }
        Language::JavaScript => !is_object_key(tokens, index) && !is_attribute(tokens, index),
        Language::Rust | Language::Go => !is_object_key(tokens, index),
        _ => true,
    }
}

/// `{ name: …` and `, name: …` in braces: a property.
fn is_object_key(tokens: &Tokens<'_>, index: usize) -> bool {
    tokens.is(index + 1, ":")
        && tokens.inside(index) == "{"
        && matches!(tokens.text_before(index), "{" | ",")
        && !tokens.interpolated(index)
}

/// `<Input name={…} kind="…">`.
fn is_attribute(tokens: &Tokens<'_>, index: usize) -> bool {
    tokens.is(index + 1, "=")
        && tokens.touch(index, index + 1)
        && tokens.touch(index + 1, index + 2)
        && tokens.text(index + 2).starts_with(['{', '"', '\''])
        && !tokens.leads_line(index)
}

/// `f(name=…)`, `f(name: …)`: a parameter of ours when `f` is ours.
fn keyword_argument_is_ours(
    tokens: &Tokens<'_>,
    index: usize,
    sign: &str,
    declared: &BTreeSet<String>,
) -> bool {
    if !tokens.is(index + 1, sign)
        || tokens.inside(index) != "("
        || !matches!(tokens.text_before(index), "(" | ",")
        || is_lambda_parameter(tokens, index)
    {
        return true;
    }
    let callee = tokens.bracket(index).and_then(|open| tokens.before(open));
    callee.is_none_or(|callee| {
        declared.contains(tokens.text(callee))
            || matches!(tokens.text_before(callee), "def" | "func" | "fun")
            || matches!(tokens.text(callee), "init" | "subscript" | "catch")
            || !tokens.is_ident(callee)
    })
}

/// `f(lambda a, b=1: …)`: no argument of `f`.
fn is_lambda_parameter(tokens: &Tokens<'_>, index: usize) -> bool {
    let level = tokens.bracket(index);
    let mut before = (0..index).rev().take(40);
    let header = before.find(|at| {
        tokens.bracket(*at) == level && matches!(tokens.text(*at), "lambda" | ":" | "(")
    });
    header.is_some_and(|at| tokens.is(at, "lambda"))
}

/// `println!("{name}")`: only macros read names from strings.
fn is_format_argument(tokens: &Tokens<'_>, index: usize) -> bool {
    tokens
        .bracket(index)
        .and_then(|open| tokens.before(open))
        .is_some_and(|before| tokens.is(before, "!"))
}

fn shell_use(tokens: &Tokens<'_>, index: usize) -> bool {
    let before = index
        .checked_sub(1)
        .map_or("", |before| tokens.text(before));
    let two_before = index
        .checked_sub(2)
        .map_or("", |before| tokens.text(before));
    let read = before == "$"
        || before == "{" && two_before == "$"
        || two_before == "{" && matches!(before, "#" | "!");
    let written = tokens.is(index + 1, "=")
        && tokens.touch(index, index + 1)
        && before != "."
        && before != "-"
        && before != "--"
        || tokens.is(index + 1, "+=");
    let bound = matches!(before, "for" | "read" | "local" | "unset" | "function")
        || is_read_into(tokens, index)
        || sigils::is_declared_together(tokens, index);
    let called = !tokens.interpolated(index)
        && (tokens.leads_line(index)
            || matches!(
                before,
                "&&" | "||" | "|" | "then" | "do" | "else" | "(" | ";" | "!"
            ));
    read || written || bound || called || is_counted_with(tokens, index)
}

/// `$((i + 1))`: names in arithmetic need no sign.
fn is_counted_with(tokens: &Tokens<'_>, index: usize) -> bool {
    tokens.bracket(index).is_some_and(|open| {
        let outer = open.checked_sub(1).filter(|outer| tokens.is(*outer, "("));
        tokens.is(open, "(") && outer.is_some_and(|outer| tokens.touch(outer, open))
    })
}

/// `read -r name other`: a name that is read into.
fn is_read_into(tokens: &Tokens<'_>, index: usize) -> bool {
    for at in (0..index).rev().take(12) {
        match tokens.text(at) {
            "read" => return !(tokens.is(index - 1, "-") && tokens.touch(index - 1, index)),
            "-" | "--" => {}
            _ if tokens.is_ident(at) => {}
            _ => return false,
        }
    }
    false
}

fn php_use(tokens: &Tokens<'_>, index: usize) -> bool {
    let before = index
        .checked_sub(1)
        .map_or("", |before| tokens.text(before));
    if before == "$" {
        let owner = index
            .checked_sub(2)
            .map_or("", |before| tokens.text(before));
        return owner != "::";
    }
    let language_construct = matches!(
        tokens.text(index),
        "fn" | "list" | "array" | "isset" | "empty" | "match" | "unset"
    );
    !language_construct
        && !matches!(before, "->" | "?" | "::" | "\\")
        && !tokens.interpolated(index)
        && (tokens.is(index + 1, "(")
            || matches!(
                before,
                "function" | "class" | "new" | "extends" | "instanceof"
            ))
}

/// Names that come from elsewhere: they keep their spelling.
fn imports(tokens: &Tokens<'_>, language: Language) -> BTreeSet<String> {
    let mut imported = BTreeSet::new();
    for index in 0..tokens.len() {
        let keyword = tokens.text(index);
        let starts = tokens.leads_line(index);
        let brings = match language {
            Language::Python => starts && matches!(keyword, "import" | "from"),
            Language::JavaScript => starts && keyword == "import",
            Language::Rust | Language::Php => starts && matches!(keyword, "use" | "extern"),
            Language::Go => keyword == "import" && starts,
            Language::Java | Language::Kotlin | Language::Swift => {
                starts && matches!(keyword, "import" | "package")
            }
            Language::CSharp => {
                starts
                    && keyword == "using"
                    && !tokens.is(index + 1, "(")
                    && !tokens.is(index + 1, "var")
                    && !(tokens.is_ident(index + 2) && tokens.is(index + 3, "="))
            }
            Language::C => keyword == "#" && tokens.is(index + 1, "include"),
            Language::Ruby | Language::Shell | Language::Sql => false,
        };
        if !brings {
            continue;
        }
        let mut depth = 0_usize;
        for at in tokens.span(index + 1, tokens.len()) {
            match tokens.text(at) {
                "{" | "(" => depth += 1,
                "}" | ")" => depth = depth.saturating_sub(1),
                ";" | "\n" if depth == 0 => break,
                _ if language == Language::C && tokens.text_before(at) == "." => {}
                name if tokens.is_ident(at) => {
                    imported.insert(name.to_owned());
                }
                _ => {}
            }
        }
    }
    imported
}

/// Words of the language itself and names every reader knows from it.
pub(super) fn is_keyword(name: &str, language: Language) -> bool {
    let own: &[&str] = match language {
        Language::JavaScript => JAVASCRIPT,
        Language::Python => PYTHON,
        Language::Rust => RUST,
        Language::Go => GO,
        Language::Ruby => RUBY,
        Language::Php => PHP,
        Language::Shell => SHELL,
        Language::Sql => &[],
        Language::Kotlin => KOTLIN,
        Language::Swift => SWIFT,
        Language::Java | Language::C if CSHARP_ONLY.contains(&name) => &[],
        Language::Java | Language::CSharp | Language::C => C_LIKE,
    };
    SHARED.contains(&name) || own.contains(&name)
}
