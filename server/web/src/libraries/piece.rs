//! A chunk of documentation as it is rendered, both when a version is read and when it is searched.

use maud::{Markup, html};
use recall_kit_shared_types::libraries::{DocsMode, LibraryDocument};
use recall_kit_store::Chunk;

use crate::layout::{highlight::highlighted, markdown::markdown, plain::visible};

/// The parts of a chunk that are shown.
pub(super) struct Piece<'a> {
    title: &'a str,
    description: Option<&'a str>,
    body: Body<'a>,
    source: String,
    language: Option<&'a str>,
}

enum Body<'a> {
    Code(&'a str),
    Text(&'a str),
}

impl<'a> From<&'a Chunk> for Piece<'a> {
    fn from(chunk: &'a Chunk) -> Self {
        let content = &chunk.content;
        let is_code = content.kind == DocsMode::Code;
        Self {
            title: &content.title,
            // The description of a text would repeat the text.
            description: content.description.as_deref().filter(|_| is_code),
            body: match is_code {
                true => Body::Code(&content.text),
                false => Body::Text(&content.text),
            },
            source: match content.line {
                0 => chunk.path.clone(),
                line => format!("{}#L{line}", chunk.path),
            },
            language: content.language.as_deref().filter(|_| is_code),
        }
    }
}

impl<'a> From<&'a LibraryDocument> for Piece<'a> {
    fn from(found: &'a LibraryDocument) -> Self {
        let text = found.content.as_deref().unwrap_or_default();
        Self {
            title: &found.title,
            description: found.description.as_deref(),
            body: found.code.as_deref().map_or(Body::Text(text), Body::Code),
            source: found.source.clone(),
            language: found.language.as_deref(),
        }
    }
}

impl Piece<'_> {
    pub(super) fn render(&self) -> Markup {
        let language = self.language.filter(|name| !name.is_empty());
        html! {
            article.piece {
                h3 dir="auto" { (visible(self.title)) }
                @if let Some(description) = self.description {
                    p dir="auto" { (visible(description)) }
                }
                @match self.body {
                    Body::Code(code) => {
                        @let code = highlighted(&visible(code), language.unwrap_or_default());
                        pre tabindex="0" { code { (code) } }
                    }
                    Body::Text(text) => { div.text dir="auto" { (markdown(text)) } }
                }
                p.facts {
                    span.label dir="auto" { (visible(&self.source)) }
                    @if let Some(language) = language { span.label { (visible(language)) } }
                }
            }
        }
    }
}
