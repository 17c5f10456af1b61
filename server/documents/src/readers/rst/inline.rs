//! Inline markup: roles, references and emphasis become plain text, literals become code.

use crate::readers::navigation::links::{END, START};

/// Converts a text to Markdown without links, in linear time.
pub(super) fn plain(text: &str) -> String {
    if !text.contains(['`', '*', '|', '\\', '_']) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // If a mark is not closed once, it is not closed later either.
    let mut open = Open::default();
    while let Some(at) = rest.find(['`', '*', '|', '\\', '[']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        rest = element(from, &mut out, &mut open);
    }
    out.push_str(rest);
    out
}

/// Marks that have no partner in the rest of the text.
#[derive(Default)]
struct Open {
    literal: bool,
    tick: bool,
    strong: bool,
    star: bool,
    bar: bool,
}

/// Writes the element at the beginning of a text; returns the rest.
fn element<'a>(from: &'a str, out: &mut String, open: &mut Open) -> &'a str {
    let found = if from.starts_with("``") {
        enclosed(from, "``", &mut open.literal).map(|(inner, rest)| {
            out.push('`');
            out.push_str(inner);
            out.push('`');
            rest
        })
    } else if from.starts_with('`') {
        enclosed(from, "`", &mut open.tick).map(|(inner, rest)| linked(inner, rest, out))
    } else if from.starts_with("**") {
        emphasis(from, "**", &mut open.strong, out)
    } else if from.starts_with('*') && !from.starts_with("* ") {
        emphasis(from, "*", &mut open.star, out)
    } else if from.starts_with('|') && !from.starts_with("| ") && !from.starts_with("||") {
        enclosed(from, "|", &mut open.bar)
            .filter(|(inner, _)| inner.len() < 40 && !inner.contains(' '))
            .map(|(inner, rest)| match rest.strip_prefix('_') {
                // A substitution that is a link is a badge.
                Some(rest) => rest.trim_start_matches('_'),
                None => {
                    out.push_str(inner);
                    rest
                }
            })
    } else if let Some(rest) = from.strip_prefix("\\ ") {
        Some(rest)
    } else if let Some(rest) = from.strip_prefix('\\') {
        let mut chars = rest.chars();
        out.extend(chars.next());
        Some(chars.as_str())
    } else {
        let after = footnote(from);
        if after.is_some() {
            out.truncate(out.trim_end().len());
        }
        after
    };
    found.unwrap_or_else(|| {
        let mut chars = from.chars();
        out.extend(chars.next());
        chars.as_str()
    })
}

fn emphasis<'a>(from: &'a str, mark: &str, open: &mut bool, out: &mut String) -> Option<&'a str> {
    let (inner, rest) = enclosed(from, mark, open)?;
    out.push_str(inner);
    Some(rest)
}

fn enclosed<'a>(from: &'a str, mark: &str, open: &mut bool) -> Option<(&'a str, &'a str)> {
    if *open {
        return None;
    }
    let inner = from.get(mark.len()..)?;
    let Some(end) = inner.find(mark) else {
        *open = true;
        return None;
    };
    let text = inner.get(..end).filter(|it| !it.is_empty())?;
    Some((text, inner.get(end + mark.len()..)?))
}

/// Writes a reference, with link markers if it is a link; returns the rest.
fn linked<'a>(inner: &str, rest: &'a str, out: &mut String) -> &'a str {
    let (start, leads) = reference(inner, out);
    let after = rest.strip_prefix("__").or_else(|| rest.strip_prefix('_'));
    if leads || after.is_some() {
        out.insert(start, START);
        out.push(END);
    }
    after.unwrap_or(rest)
}

/// Roles of described objects; they link to the object's description.
const OBJECTS: [&str; 9] = [
    "func", "class", "meth", "mod", "attr", "data", "exc", "obj", "const",
];
/// Other roles that are links.
const LEADING: [&str; 9] = [
    "doc", "ref", "any", "numref", "term", "download", "pep", "rfc", "external",
];

/// Writes the text of a reference or `:role:`, as code if the role is one of code. Returns where the text
/// begins, and whether the role is a link.
fn reference(inner: &str, out: &mut String) -> (usize, bool) {
    let role = taken_role(out);
    let start = out.len();
    let leads = role.as_deref().is_some_and(|it| {
        let name = it.rsplit(':').next().unwrap_or(it);
        LEADING.contains(&name) || OBJECTS.contains(&name)
    });
    let (text, explicit) = match inner.rsplit_once(" <") {
        Some((text, target)) if target.ends_with('>') => (text, true),
        _ => (inner.trim_start_matches(['!', '~']), false),
    };
    let shortened = inner.starts_with('~') && !explicit;
    let text = if shortened {
        text.rsplit('.').next().unwrap_or(text)
    } else {
        text
    };
    let code = role.as_deref().is_some_and(|it| {
        let name = it.rsplit(':').next().unwrap_or(it);
        let is_object = OBJECTS.contains(&name);
        is_object
            || matches!(
                name,
                "file"
                    | "code"
                    | "option"
                    | "envvar"
                    | "program"
                    | "command"
                    | "keyword"
                    | "samp"
                    | "macro"
                    | "type"
                    | "member"
                    | "kbd"
                    | "setting"
            )
    });
    if code && !explicit {
        out.push('`');
        out.push_str(text);
        out.push('`');
    } else {
        out.push_str(text);
    }
    (start, leads)
}

/// Longer roles are treated as text.
const MAX_ROLE: usize = 64;

/// Removes a `:role:` that was just written as text, and returns it.
fn taken_role(out: &mut String) -> Option<String> {
    let body = out.strip_suffix(':')?;
    // A long word must not be scanned again for each reference after it.
    let from = body.ceil_char_boundary(body.len().saturating_sub(MAX_ROLE));
    let start = body
        .get(from..)?
        .rfind(|it: char| !(it.is_ascii_alphanumeric() || matches!(it, ':' | '-' | '_' | '+')))
        .map_or(from, |it| from + it + 1);
    // The character before may be longer than one byte.
    let start = body.ceil_char_boundary(start);
    let role = body.get(start..)?.strip_prefix(':')?.to_owned();
    out.truncate(start);
    (!role.is_empty()).then_some(role)
}

/// Skips `[1]_` and `[#name]_`.
fn footnote(from: &str) -> Option<&str> {
    let inner = from.strip_prefix('[')?;
    let near = inner.get(..inner.floor_char_boundary(32)).unwrap_or(inner);
    let end = near.find(']')?;
    inner.get(end + 1..)?.strip_prefix('_')
}
