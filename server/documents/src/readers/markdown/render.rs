//! Walks the events of a Markdown text and writes its blocks.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

use super::Dialect;
use crate::readers::{
    html,
    lines::Lines,
    navigation::links::{END, START, unmarked},
    writer::{Writer, one_line},
};

/// Writes a text's blocks; `line_offset` is added to every line.
pub(super) fn render(text: &str, line_offset: u32, dialect: Dialect, writer: &mut Writer) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_GFM;
    let mut render = Render {
        writer,
        addresses: dialect.addresses,
        line_offset,
        inline: String::new(),
        line: 0,
        code: None,
        html: None,
        heading: None,
        row: Vec::new(),
        rows: Vec::new(),
        links: Vec::new(),
        quotes: 0,
    };
    let lines = Lines::of(text);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        render.event(event, || lines.line(range.start));
    }
    render.flush();
    render.writer.close_lists(0);
}

/// A code block: its first line, language and text.
type Code = (u32, Option<String>, String);

struct Render<'a> {
    writer: &'a mut Writer,
    addresses: bool,
    line_offset: u32,
    /// The current paragraph, heading or cell.
    inline: String,
    line: u32,
    code: Option<Code>,
    /// The current HTML block with its first line.
    html: Option<(u32, String)>,
    /// The level and anchor of the current heading.
    heading: Option<(u8, Option<String>)>,
    row: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The current links and images: address, and start of their text.
    links: Vec<(String, usize)>,
    quotes: usize,
}

impl Render<'_> {
    fn event(&mut self, event: Event<'_>, line: impl Fn() -> u32) {
        let line = || line().saturating_add(self.line_offset);
        match event {
            Event::Start(tag) => {
                let line = line();
                self.start(tag, line);
            }
            Event::End(tag) => self.end(tag),
            Event::Text(text) => {
                let line = line();
                self.text(&text, line);
            }
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                let fence = if text.contains('`') { "``" } else { "`" };
                let line = line();
                // MyST's {role}`text`.
                if self.inline.ends_with('}')
                    && let Some(at) = self.inline.rfind('{')
                    && self
                        .inline
                        .get(at + 1..)
                        .is_some_and(|it| it.len() < 20 && !it.contains(' '))
                {
                    self.inline.truncate(at);
                }
                self.text(fence, line);
                self.inline.push_str(&text);
                self.inline.push_str(fence);
            }
            Event::Html(text) => {
                let line = line();
                let html = self.html.get_or_insert_with(|| (line, String::new()));
                html.1.push_str(&text);
            }
            Event::InlineHtml(tag) => self.inline_html(&tag),
            Event::SoftBreak => self.inline.push(' '),
            Event::HardBreak => self.inline.push('\n'),
            Event::Rule => self.flush(),
            Event::TaskListMarker(done) => {
                self.inline.push_str(if done { "[x] " } else { "[ ] " });
            }
            Event::FootnoteReference(_) => {}
        }
    }

    fn text(&mut self, text: &str, line: u32) {
        if let Some((_, _, code)) = &mut self.code {
            code.push_str(text);
            return;
        }
        if self.line == 0 {
            self.line = line;
        }
        self.inline.push_str(text);
    }

    fn inline_html(&mut self, tag: &CowStr<'_>) {
        let name = tag.trim_start_matches(['<', '/']).to_ascii_lowercase();
        if name.starts_with("br") || name.starts_with("p>") {
            self.inline.push('\n');
        }
    }

    fn start(&mut self, tag: Tag<'_>, line: u32) {
        match tag {
            Tag::Heading { level, id, .. } => {
                self.flush();
                self.line = line;
                self.heading = Some((level as u8, id.map(CowStr::into_string)));
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => Some(info.into_string()),
                    CodeBlockKind::Indented => None,
                };
                self.code = Some((line, language, String::new()));
            }
            Tag::List(first) => {
                self.flush();
                self.writer.begin_list(first);
            }
            Tag::Item => {
                self.flush();
                self.writer.begin_item();
            }
            Tag::BlockQuote(kind) => {
                self.flush();
                self.quotes += 1;
                if let Some(kind) = kind {
                    self.inline = format!("{kind:?}: ");
                }
            }
            Tag::Table(_) => {
                self.flush();
                self.line = line;
            }
            Tag::Link { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.inline.len()));
                self.inline.push(START);
            }
            Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.inline.len()));
            }
            Tag::Paragraph | Tag::FootnoteDefinition(_) => {
                if self.inline.is_empty() || !self.inline.ends_with(": ") {
                    self.flush();
                }
                self.line = line;
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => self.end_heading(),
            TagEnd::CodeBlock => {
                if let Some((line, language, text)) = self.code.take() {
                    self.end_code(line, language.as_deref(), &text);
                }
            }
            TagEnd::HtmlBlock => {
                if let Some((line, html)) = self.html.take() {
                    self.flush();
                    html::fragment(&html, line, self.writer);
                }
            }
            TagEnd::List(_) => {
                self.flush();
                self.writer.end_list();
            }
            TagEnd::Paragraph | TagEnd::Item | TagEnd::FootnoteDefinition => self.flush(),
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::TableCell => self.row.push(std::mem::take(&mut self.inline)),
            TagEnd::TableHead | TagEnd::TableRow => self.rows.push(std::mem::take(&mut self.row)),
            TagEnd::Table => {
                self.writer
                    .table(self.line, &std::mem::take(&mut self.rows));
                self.line = 0;
            }
            TagEnd::Link => self.end_link(),
            TagEnd::Image => self.end_image(),
            _ => {}
        }
    }

    /// Ends a code block; MyST writes notes and tables of contents as fences, too.
    fn end_code(&mut self, line: u32, language: Option<&str>, text: &str) {
        let directive = language
            .and_then(|it| it.strip_prefix('{'))
            .and_then(|it| it.split_once('}'));
        match directive {
            Some((
                "note" | "warning" | "tip" | "important" | "caution" | "hint" | "danger"
                | "seealso" | "admonition" | "attention" | "versionadded" | "versionchanged"
                | "deprecated" | "tab" | "tab-item" | "dropdown",
                argument,
            )) => {
                self.writer.paragraph(line, argument);
                let options = |it: &&str| {
                    it.starts_with(':') && it.get(1..).is_some_and(|it| it.contains(':'))
                };
                let body: Vec<&str> = text.lines().skip_while(options).collect();
                self.writer.paragraph(line, &body.join("\n"));
            }
            Some((
                "toctree" | "contents" | "image" | "figure" | "include" | "literalinclude"
                | "eval-rst",
                _,
            )) => {}
            _ => self.writer.code(line, language, text, None),
        }
    }

    fn end_heading(&mut self) {
        let text = one_line(&std::mem::take(&mut self.inline));
        if let Some((level, anchor)) = self.heading.take() {
            if level == 1 {
                self.writer.title(&text);
            }
            self.writer.heading(self.line, level, &text, anchor);
        }
        self.line = 0;
    }

    fn end_link(&mut self) {
        let Some((address, start)) = self.links.pop() else {
            return;
        };
        let words = self.inline.get(start..).unwrap_or_default();
        if unmarked(words).trim().is_empty() {
            self.inline.truncate(start);
            return;
        }
        if self.addresses && !address.is_empty() {
            self.inline.push_str(&format!(" ({address})"));
        }
        self.inline.push(END);
    }

    /// Writes a picture's description, unless it is a badge or in a link.
    fn end_image(&mut self) {
        let Some((address, start)) = self.links.pop() else {
            return;
        };
        let badge = ["badge", "shields.io", "/workflows/", "codecov", ".svg?"]
            .iter()
            .any(|it| address.contains(it));
        if badge || !self.links.is_empty() {
            self.inline.truncate(start);
        }
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.inline);
        // In a list, a quotation is written like the list's other text.
        if self.quotes > 0 && self.writer.depth() == 0 && !text.trim().is_empty() {
            let quoted: Vec<String> = text.trim().lines().map(|it| format!("> {it}")).collect();
            self.writer.paragraph(self.line, &quoted.join("\n"));
        } else {
            self.writer.paragraph(self.line, &text);
        }
        self.line = 0;
    }
}
