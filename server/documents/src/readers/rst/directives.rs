//! Constructs that begin with two dots: directives, targets, footnotes and comments.

use super::{Line, Reader, indented, inline::plain, joined, tables};
use crate::readers::writer::MAX_LANGUAGE_BYTES;

/// A directive with its parts.
struct Directive<'a> {
    line: u32,
    name: &'a str,
    argument: &'a str,
    options: Vec<(&'a str, &'a str)>,
    body: Vec<Line<'a>>,
}

impl<'a> Directive<'a> {
    fn option(&self, name: &str) -> Option<&'a str> {
        let found = self.options.iter().find(|(it, _)| *it == name)?;
        Some(found.1)
    }
}

impl Reader {
    /// Reads a construct that begins with two dots; returns how many lines it has.
    pub(super) fn explicit(&mut self, first: &Line<'_>, lines: &[Line<'_>]) -> usize {
        let (body, taken) = indented(lines.get(1..).unwrap_or_default());
        let text = first.text.trim_start_matches(['.', ' ', '_']);
        if first.text.starts_with(".. _") || first.text.starts_with("__ ") {
            let (name, _) = text.split_once(':').unwrap_or((text, ""));
            self.anchor = Some(name.to_owned());
            return taken + 1;
        }
        if first.text.starts_with(".. [") {
            let note = text.split_once("] ").map_or("", |(_, note)| note);
            let text = format!("{note} {}", joined(&body).replace('\n', " "));
            self.writer.paragraph(first.number, &plain(&text));
            return taken + 1;
        }
        let named = text.split_once("::").filter(|(name, _)| {
            !name.is_empty()
                && !name.contains(|it: char| !(it.is_alphanumeric() || "-_:+.".contains(it)))
        });
        // Everything else is a comment or a substitution.
        if let Some((name, argument)) = named {
            let directive = parts(first.number, name, argument.trim(), body);
            self.directive(&directive);
        }
        taken + 1
    }

    fn directive(&mut self, it: &Directive<'_>) {
        let name = it.name.rsplit(':').next().unwrap_or(it.name);
        match name {
            "code-block" | "code" | "sourcecode" | "code-cell" => self.code(it, Some(it.argument)),
            "doctest" | "testcode" | "ipython" | "plot" | "jupyter-execute" => {
                self.code(it, Some("python"))
            }
            "prompt" => self.code(it, Some("bash")),
            "parsed-literal" => self.code(it, None),
            "testoutput" | "productionlist" | "graphviz" | "mermaid" | "math" => {
                self.code(it, Some("text"))
            }
            "highlight" => {
                let name = Some(it.argument).filter(|it| it.len() <= MAX_LANGUAGE_BYTES);
                self.highlight = name.map(|it| it.to_string());
            }
            "list-table" => self.rows(it, tables::list_table(&it.body)),
            "csv-table" => self.csv(it),
            "note" | "warning" | "tip" | "important" | "caution" | "danger" | "hint"
            | "seealso" | "attention" | "error" | "admonition" | "versionadded"
            | "versionchanged" | "deprecated" | "versionremoved" | "todo" => {
                self.admonition(it, name)
            }
            "rubric" | "topic" | "sidebar" | "tab" | "tab-item" | "dropdown" | "centered"
            | "card" => {
                self.writer.paragraph(it.line, &plain(it.argument));
                self.body(&it.body);
            }
            "toctree" | "contents" | "raw" | "image" | "index" | "include" | "literalinclude"
            | "meta" | "module" | "currentmodule" | "sectionauthor" | "codeauthor"
            | "moduleauthor" | "automodule" | "autosummary" | "autoclass" | "autofunction"
            | "highlightlang" | "testsetup" | "testcleanup" | "tabularcolumns" | "default-role"
            | "role" | "sectnum" => {}
            "function" | "class" | "method" | "attribute" | "data" | "exception" | "describe"
            | "option" | "cmdoption" | "envvar" | "decorator" | "opcode" | "macro" | "type"
            | "member" | "struct" | "enum" | "var" | "staticmethod" | "classmethod"
            | "property" | "confval" | "setting" | "decoratormethod" | "object"
            | "program-option" => self.object(it),
            _ => self.body(&it.body),
        }
    }

    fn code(&mut self, it: &Directive<'_>, language: Option<&str>) {
        let line = it.body.first().map_or(it.line, |it| it.number);
        let language = language
            .filter(|it| !it.is_empty())
            .map(str::to_owned)
            .or_else(|| self.highlight.clone());
        let caption = it.option("caption").map(plain);
        let text = joined(&it.body);
        self.writer
            .code(line, language.as_deref(), &text, caption.as_deref());
    }

    fn rows(&mut self, it: &Directive<'_>, rows: Vec<Vec<String>>) {
        self.writer.paragraph(it.line, &plain(it.argument));
        self.writer.table(it.line, &rows);
    }

    fn csv(&mut self, it: &Directive<'_>) {
        let header = it.option("header").map(tables::csv_row);
        let body = it.body.iter().filter(|it| !it.is_empty());
        let rows = header
            .into_iter()
            .chain(body.map(|it| tables::csv_row(it.text)))
            .collect();
        self.rows(it, rows);
    }

    fn admonition(&mut self, it: &Directive<'_>, name: &str) {
        let label = match name {
            "versionadded" => "Added in version",
            "versionchanged" => "Changed in version",
            "versionremoved" => "Removed in version",
            "deprecated" => "Deprecated since version",
            "seealso" => "See also",
            "admonition" => "",
            _ => name,
        };
        let mut text = label.to_owned();
        if let Some(first) = text.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let titled = label.ends_with("version") || label.is_empty();
        if !it.argument.is_empty() {
            text.push_str(if titled { " " } else { ": " });
            text.push_str(it.argument);
        }
        // The argument of a note is the beginning of its text.
        let goes_on = !titled && !it.argument.is_empty();
        // The first paragraph follows on the same line.
        let end = it
            .body
            .iter()
            .position(Line::is_empty)
            .unwrap_or(it.body.len());
        let (lead, rest) = it.body.split_at(end);
        let simple = !lead
            .iter()
            .any(|it| it.text.starts_with(['-', '*', '.', ' ']) || it.text.ends_with("::"));
        if simple && !lead.is_empty() {
            let between = if goes_on { " " } else { ": " };
            let text = format!("{text}{between}{}", joined(lead).replace('\n', " "));
            self.writer.paragraph(it.line, &plain(&text));
            self.body(rest);
        } else {
            let end = if goes_on || it.body.is_empty() {
                ""
            } else {
                ":"
            };
            self.writer
                .paragraph(it.line, &format!("{}{end}", plain(&text)));
            self.body(&it.body);
        }
    }

    /// Writes a described function, class or option as a section of its own.
    fn object(&mut self, it: &Directive<'_>) {
        let signature = it.argument.replace('\\', "");
        let end = signature.find(['(', ' ', '=', ',']).filter(|at| *at > 0);
        let spaced = it.name.contains("function") && it.name.starts_with("c:");
        let name = match end {
            Some(end) if !spaced => signature.get(..end).unwrap_or(&signature),
            _ => signature.as_str(),
        };
        let level = self.level.saturating_add(self.objects).saturating_add(1);
        self.writer.heading(it.line, level, name, None);
        if !signature.is_empty() {
            self.writer.paragraph(it.line, &format!("`{signature}`"));
        }
        self.objects = self.objects.saturating_add(1);
        self.body(&it.body);
        self.objects = self.objects.saturating_sub(1);
    }
}

/// Separates the options from a directive's body.
fn parts<'a>(line: u32, name: &'a str, argument: &'a str, body: Vec<Line<'a>>) -> Directive<'a> {
    let mut options = Vec::new();
    let mut taken = 0;
    for line in &body {
        let option = line
            .text
            .strip_prefix(':')
            .and_then(|it| it.split_once(':'));
        let Some((name, value)) = option.filter(|(name, _)| !name.contains(' ')) else {
            break;
        };
        options.push((name, value.trim()));
        taken += 1;
    }
    // Described objects begin with fields such as `:param x:`, which are not options.
    let body = body.get(taken..).unwrap_or_default().to_vec();
    Directive {
        line,
        name,
        argument,
        options,
        body,
    }
}
