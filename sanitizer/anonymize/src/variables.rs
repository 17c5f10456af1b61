//! Finds the names that a snippet declares and every place where they stand.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use recall_kit_evidence::secrets::value;

use crate::declarations;
use crate::language::{self, Language};
use crate::lexer::{self, Kind, Tokens};

/// A place where a declared name stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Where it stands, in bytes.
    pub span: Range<usize>,
    /// The name that replaces it: `var_001`.
    pub replacement: String,
}

/// Finds every place where a declared name stands, in order.
pub fn variables(text: &str) -> Vec<Variable> {
    let snippets: Vec<Snippet<'_>> = language::snippets(text)
        .into_iter()
        .filter_map(|(span, language)| Snippet::read(text, span, language))
        .collect();
    let mut declared = BTreeSet::new();
    let mut fixed = BTreeSet::new();
    for snippet in &snippets {
        let names = declarations::declared(&snippet.tokens, snippet.language);
        declared.extend(names.declared);
        fixed.extend(names.fixed);
    }
    declared.retain(|name| !fixed.contains(name) && is_renamable(name));
    let mut places = Places::new(text);
    for snippet in &snippets {
        for index in 0..snippet.tokens.len() {
            let name = snippet.tokens.text(index);
            if snippet.tokens.kind(index) == Some(Kind::Ident)
                && declared.contains(name)
                && declarations::is_use(&snippet.tokens, index, snippet.language, &declared)
            {
                places.add(snippet.at + snippet.tokens.start(index), name);
            }
        }
    }
    places.found
}

struct Snippet<'t> {
    at: usize,
    language: Language,
    tokens: Tokens<'t>,
}

impl<'t> Snippet<'t> {
    fn read(text: &'t str, span: Range<usize>, language: Language) -> Option<Self> {
        let at = span.start;
        let tokens = lexer::tokens(text.get(span)?, language);
        Some(Self {
            at,
            language,
            tokens,
        })
    }
}

/// Names whose meaning lies outside the snippet, and names that are neutral already.
fn is_renamable(name: &str) -> bool {
    const FIXED: &[&str] = &[
        "main",
        "self",
        "this",
        "cls",
        "super",
        "init",
        "constructor",
        "new",
        "_",
        "__init__",
        "default",
        "args",
        "argv",
        "argc",
        "module",
        "exports",
        "require",
        "Main",
        "setUp",
        "tearDown",
        "std",
        "Self",
    ];
    let special = name.starts_with("__") && name.ends_with("__");
    !special && !FIXED.contains(&name) && !value::is_anonymous(name)
}

/// The places so far and the number of each name.
struct Places {
    numbers: BTreeMap<String, usize>,
    next: usize,
    found: Vec<Variable>,
}

impl Places {
    /// Starts after the highest number that stands in the text already.
    fn new(text: &str) -> Self {
        let taken = text
            .match_indices("var_")
            .filter_map(|(at, mark)| {
                let digits = text.get(at + mark.len()..)?;
                let end = digits
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(digits.len());
                digits.get(..end)?.parse::<usize>().ok()
            })
            .filter(|number| *number < 1_000_000)
            .max();
        Self {
            numbers: BTreeMap::new(),
            next: taken.unwrap_or(0) + 1,
            found: Vec::new(),
        }
    }

    fn add(&mut self, at: usize, name: &str) {
        let number = *self.numbers.entry(name.to_owned()).or_insert_with(|| {
            self.next += 1;
            self.next - 1
        });
        self.found.push(Variable {
            span: at..at + name.len(),
            replacement: format!("var_{number:03}"),
        });
    }
}
