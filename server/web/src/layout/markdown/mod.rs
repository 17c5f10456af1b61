//! Renders Markdown of others as safe HTML: no HTML of its own, no images, no scripts, links only to the
//! web, highlighted code. The output of [`pulldown_cmark`] is sanitized once more by [`ammonia`].

use std::{collections::HashSet, sync::LazyLock};

use ammonia::{Builder, UrlRelative};
use maud::{Markup, PreEscaped};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};

use super::{highlight, plain::visible};

const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = Builder::empty();
    let tags = [
        "a",
        "blockquote",
        "br",
        "code",
        "del",
        "em",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "span",
        "strong",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ];
    cleaner
        .tags(HashSet::from(tags))
        .url_schemes(HashSet::from(["http", "https"]))
        // A relative link would lead to pages of this server, and `//host` to any server.
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("nofollow noopener noreferrer"))
        .add_tag_attributes("a", &["href"])
        .add_tag_attribute_values("pre", "tabindex", &["0"])
        .add_allowed_classes("span", &highlight::CLASSES)
        .add_tag_attributes("ol", &["start"]);
    cleaner
});

/// Renders Markdown as HTML. Line breaks are preserved, since error messages are often not fenced. HTML in
/// the text is shown as text.
pub(crate) fn markdown(text: &str) -> Markup {
    let text = visible(text);
    let events = coloured(Parser::new_ext(&text, OPTIONS).map(harmless));
    let mut rendered = String::with_capacity(text.len() * 2);
    html::push_html(&mut rendered, events);
    PreEscaped(CLEANER.clean(&rendered).to_string())
}

/// Returns the fenced code blocks of Markdown, at most `most`, each as language and code.
pub(crate) fn examples(text: &str, most: usize) -> Vec<(String, String)> {
    let mut examples: Vec<(String, String)> = Vec::new();
    let mut is_code = false;
    for event in Parser::new_ext(text, OPTIONS) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                if examples.len() == most {
                    break;
                }
                is_code = true;
                examples.push((language.into_string(), String::new()));
            }
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Text(piece) if is_code => {
                if let Some((_, code)) = examples.last_mut() {
                    code.push_str(&piece);
                }
            }
            _ => {}
        }
    }
    examples
}

/// Returns the plain text of Markdown, without marks for bold, headings or code. HTML in it is unchanged.
pub(crate) fn plain_text(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for event in Parser::new_ext(text, OPTIONS) {
        match event {
            Event::Text(piece)
            | Event::Code(piece)
            | Event::Html(piece)
            | Event::InlineHtml(piece) => words.push_str(&piece),
            Event::SoftBreak | Event::HardBreak => words.push('\n'),
            Event::End(
                TagEnd::Paragraph
                | TagEnd::Heading(_)
                | TagEnd::CodeBlock
                | TagEnd::Item
                | TagEnd::TableCell,
            ) => words.push('\n'),
            _ => {}
        }
    }
    words
}

/// Joins the lines of each code block and highlights it, until [`highlight::MAX_BYTES`] of the text are
/// highlighted.
fn coloured<'a>(events: impl Iterator<Item = Event<'a>>) -> impl Iterator<Item = Event<'a>> {
    let mut block: Option<(String, String)> = None;
    let mut left = highlight::MAX_BYTES;
    events.filter_map(move |event| match (event, &mut block) {
        (Event::Start(Tag::CodeBlock(kind)), _) => {
            let language = match kind {
                CodeBlockKind::Fenced(language) => language.to_string(),
                CodeBlockKind::Indented => String::new(),
            };
            block = Some((language, String::new()));
            None
        }
        (Event::Text(line), Some((_, code))) => {
            code.push_str(&line);
            None
        }
        (Event::End(TagEnd::CodeBlock), Some((language, code))) => {
            let has_colours = code.len() <= left;
            left = left.saturating_sub(code.len());
            let language = if has_colours { language.as_str() } else { "" };
            let code = highlight::highlighted(code, language);
            let rendered = maud::html! { pre tabindex="0" { code { (code) } } };
            block = None;
            Some(Event::Html(rendered.into_string().into()))
        }
        (other, _) => Some(other),
    })
}

/// Replaces an event that could do harm: HTML becomes text, an image becomes a link.
fn harmless(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        Event::SoftBreak => Event::HardBreak,
        // An image would be fetched from another server; its description becomes a link to it.
        Event::Start(Tag::Image {
            link_type,
            dest_url,
            title,
            id,
        }) => Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }),
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        // Headings rank below those of the page.
        Event::Start(Tag::Heading { level, .. }) => Event::Start(Tag::Heading {
            level: lowered(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        }),
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(lowered(level))),
        Event::InlineMath(text) | Event::DisplayMath(text) => Event::Code(text),
        Event::FootnoteReference(name) => Event::Text(CowStr::from(format!("[^{name}]"))),
        other => other,
    }
}

fn lowered(level: pulldown_cmark::HeadingLevel) -> pulldown_cmark::HeadingLevel {
    use pulldown_cmark::HeadingLevel::{H1, H2, H3, H4, H5, H6};
    match level {
        H1 => H3,
        H2 => H4,
        H3 => H5,
        H4 | H5 | H6 => H6,
    }
}

#[cfg(test)]
mod tests;
