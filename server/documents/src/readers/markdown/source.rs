//! Rewrites the dialects of documentation generators into plain Markdown, line by line.
//!
//! This handles admonitions and tabs of MkDocs and Docusaurus, Liquid tags, and imports, tags and comments of
//! MDX. Each line becomes one line, so that line numbers do not change.

use std::borrow::Cow;

/// Rewrites a text; most texts are not changed.
pub(super) fn plain_markdown(text: &str, jsx: bool) -> Cow<'_, str> {
    let special = jsx
        || ["!!! ", "??? ", "???+ ", "=== \"", ":::", "{% "]
            .iter()
            .any(|it| memchr::memmem::find(text.as_bytes(), it.as_bytes()).is_some());
    if !special {
        return Cow::Borrowed(text);
    }
    let mut rewrite = Rewrite {
        out: String::with_capacity(text.len()),
        jsx,
        ..Rewrite::default()
    };
    for line in text.lines() {
        rewrite.line(line);
        rewrite.out.push('\n');
    }
    Cow::Owned(rewrite.out)
}

/// A string that no text contains.
const NEVER: &str = "\u{0}";

#[derive(Default)]
struct Rewrite {
    out: String,
    jsx: bool,
    /// The open fence, if the line is in a code block.
    fence: Option<String>,
    /// The indents of the admonitions around the line.
    boxes: Vec<usize>,
    /// The end of the JSX tag, comment or import of several lines that the line is in.
    until: Option<&'static str>,
}

impl Rewrite {
    fn line(&mut self, line: &str) {
        let line = self.unboxed(line);
        let trimmed = line.trim_start();
        if let Some(fence) = &self.fence {
            if trimmed.trim_end().starts_with(fence.as_str()) {
                self.fence = None;
            }
            self.out.push_str(line);
            return;
        }
        if let Some(end) = self.until {
            // Whatever is wrong with a tag, the next paragraph is kept.
            if trimmed.is_empty() {
                self.until = None;
            } else if let Some(at) = line.find(end) {
                self.until = None;
                if end != "from " {
                    let rest = line.get(at + end.len()..).unwrap_or_default();
                    self.out.push_str(rest);
                }
            }
            return;
        }
        if let Some(fence) = fence(trimmed) {
            self.fence = Some(fence.to_owned());
            self.out.push_str(line);
        } else if !(self.generator(trimmed) || self.jsx && self.module_line(trimmed)) {
            if self.jsx {
                self.without_tags(line);
            } else {
                self.out.push_str(line);
            }
        }
    }

    /// Returns the line without the indentation of its admonition.
    fn unboxed<'a>(&mut self, line: &'a str) -> &'a str {
        if line.trim().is_empty() {
            return line;
        }
        let indent = line.len() - line.trim_start_matches(' ').len();
        if self.fence.is_none() {
            self.boxes.retain(|it| *it <= indent);
        }
        let removed = self.boxes.last().copied().unwrap_or(0).min(indent);
        line.get(removed..).unwrap_or(line)
    }

    /// Handles a line of generator syntax; returns whether it was one.
    fn generator(&mut self, trimmed: &str) -> bool {
        if let Some(rest) = ["!!! ", "???+ ", "??? ", "=== \"", "===! \""]
            .iter()
            .find_map(|it| trimmed.strip_prefix(it))
        {
            let outer = self.boxes.last().copied().unwrap_or(0);
            self.boxes.push(outer + 4);
            self.admonition(rest);
            return true;
        }
        if let Some(rest) = trimmed.strip_prefix(":::") {
            let rest = rest.trim_start_matches(':');
            self.admonition(rest.trim_matches(['{', '}', ' ', '`']));
            return true;
        }
        if trimmed.starts_with("{%") && trimmed.trim_end().ends_with("%}") {
            let mut words = trimmed.split_whitespace().skip(1);
            match (words.next(), words.next()) {
                (Some("highlight"), language) => {
                    self.out.push_str("```");
                    self.out.push_str(language.unwrap_or_default());
                }
                (Some("endhighlight"), _) => self.out.push_str("```"),
                _ => {}
            }
            return true;
        }
        false
    }

    fn admonition(&mut self, rest: &str) {
        let title = rest.split('"').nth(1).unwrap_or(rest).trim();
        let mut letters = title.trim_matches(['[', ']']).chars();
        if let Some(first) = letters.next() {
            self.out.extend(first.to_uppercase());
            self.out.push_str(letters.as_str());
            self.out.push(':');
        }
    }

    fn module_line(&mut self, trimmed: &str) -> bool {
        let import = trimmed.starts_with("import ")
            && (trimmed.contains(['\'', '"']) || trimmed.trim_end().ends_with('{'));
        let export = [
            "export const ",
            "export default ",
            "export function ",
            "export let ",
        ]
        .iter()
        .any(|it| trimmed.starts_with(it));
        if import && trimmed.trim_end().ends_with('{') {
            self.until = Some("from ");
        } else if export {
            // An export ends at the next empty line, like every skipped piece.
            self.until = Some(NEVER);
        }
        import || export
    }

    /// Writes a line without JSX tags, but with their titles, and without `{/* comments */}`.
    fn without_tags(&mut self, line: &str) {
        let mut rest = line;
        while let Some(at) = rest.find(['<', '{', '`']) {
            let (before, from) = rest.split_at(at);
            self.out.push_str(before);
            if let Some(after) = from.strip_prefix('`') {
                let end = after.find('`').map_or(after.len(), |it| it + 1);
                self.out.push_str(from.get(..=end).unwrap_or(from));
                rest = after.get(end..).unwrap_or_default();
                continue;
            }
            let (open, close) = if from.starts_with("{/*") {
                (true, "*/}")
            } else {
                let after = from.get(1..).unwrap_or_default();
                let named = after
                    .trim_start_matches('/')
                    .starts_with(|it: char| it.is_ascii_uppercase());
                (
                    from.starts_with('<') && (named || after.starts_with(['>', '/'])),
                    ">",
                )
            };
            if !open {
                self.out.push_str(from.get(..1).unwrap_or_default());
                rest = from.get(1..).unwrap_or_default();
                continue;
            }
            let end = from.find(close);
            let tag = end.map_or(from, |it| from.get(..it).unwrap_or(from));
            self.attribute_text(tag);
            match end {
                Some(end) => rest = from.get(end + close.len()..).unwrap_or_default(),
                None => {
                    self.until = Some(close);
                    return;
                }
            }
        }
        // Text in a tag is indented like code, but is not code.
        self.out.push_str(rest);
    }

    /// Writes the part of a tag that is displayed to readers.
    fn attribute_text(&mut self, tag: &str) {
        for name in ["title=\"", "label=\"", "title='", "label='"] {
            let Some(at) = tag.find(name) else {
                continue;
            };
            let value = tag.get(at + name.len()..).unwrap_or_default();
            let value = value.split(['"', '\'']).next().unwrap_or_default();
            self.out.push_str(value);
            self.out.push_str(": ");
            return;
        }
    }
}

/// Returns the fence that opens a code block on this line.
fn fence(trimmed: &str) -> Option<&str> {
    let mark = trimmed
        .chars()
        .next()
        .filter(|it| matches!(it, '`' | '~'))?;
    let length = trimmed.len() - trimmed.trim_start_matches(mark).len();
    let rest = trimmed.get(length..).unwrap_or_default();
    (length >= 3 && !(mark == '`' && rest.contains('`'))).then(|| trimmed.get(..length))?
}
