//! The text in a paragraph, heading or cell, as Markdown on one line.

use super::{
    page::is_noise,
    tree::{NodeId, Tree},
};
use crate::readers::navigation::links::{END, START};

/// A text in which runs of white space become single spaces.
#[derive(Default)]
pub(super) struct Inline {
    out: String,
    space: bool,
    link: Link,
}

/// Whether the text is inside a link.
#[derive(Default, PartialEq, Eq)]
enum Link {
    /// Outside of links.
    #[default]
    None,
    /// In a link that has no words yet.
    Begun,
    /// In a link whose first words are written.
    Open,
}

impl Inline {
    /// Adds running text.
    pub(super) fn text(&mut self, text: &str) {
        for (at, word) in text.split(is_space).enumerate() {
            self.space |= at > 0;
            if !word.is_empty() {
                self.word(word);
            }
        }
    }

    /// Adds a piece of code.
    pub(super) fn code(&mut self, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let fence = if text.contains('`') { "``" } else { "`" };
        let code = format!("{fence}{}{fence}", crate::readers::writer::one_line(text));
        self.word(&code);
    }

    /// Separates the following text with a space.
    pub(super) fn space(&mut self) {
        self.space = true;
    }

    /// Begins a link.
    pub(super) fn open_link(&mut self) {
        self.link = Link::Begun;
    }

    /// Ends a link.
    pub(super) fn close_link(&mut self) {
        if std::mem::take(&mut self.link) == Link::Open {
            self.out.push(END);
        }
    }

    /// Whether there is no text yet.
    pub(super) fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Returns the text and leaves it empty.
    pub(super) fn take(&mut self) -> String {
        self.space = false;
        if self.link == Link::Open {
            // The link continues in the next paragraph.
            self.out.push(END);
            self.link = Link::Begun;
        }
        std::mem::take(&mut self.out)
    }

    fn word(&mut self, word: &str) {
        if self.space && !self.out.is_empty() {
            self.out.push(' ');
        }
        self.space = false;
        if self.link == Link::Begun {
            self.out.push(START);
            self.link = Link::Open;
        }
        self.out.push_str(word);
    }
}

fn is_space(it: char) -> bool {
    it.is_whitespace() || it == '\u{200b}'
}

/// Returns all text under a node.
pub(super) fn text_of(tree: &Tree, id: NodeId) -> String {
    let mut inline = Inline::default();
    write(tree, id, &mut inline);
    inline.take()
}

/// Writes one inline node.
pub(super) fn write(tree: &Tree, id: NodeId, inline: &mut Inline) {
    let Some(node) = tree.node(id) else {
        return;
    };
    match node.name() {
        "" => inline.text(tree.own_text(node)),
        _ if is_noise(node) => {}
        "code" | "kbd" | "samp" | "tt" => inline.code(&visible(tree, id)),
        "br" => inline.space(),
        "a" if node.attribute("href").is_some() => {
            inline.open_link();
            for child in tree.children(id) {
                write(tree, child, inline);
            }
            inline.close_link();
        }
        "img" => {
            // A picture in a link is a badge or a logo.
            let linked = tree.parent(id).is_some_and(|it| it.name() == "a");
            if let Some(alt) = node.attribute("alt").filter(|_| !linked) {
                inline.text(alt);
            }
        }
        name => {
            let apart = super::tree::is_block(name);
            if apart {
                inline.space();
            }
            for child in tree.children(id) {
                write(tree, child, inline);
            }
            if apart {
                inline.space();
            }
        }
    }
}

/// Returns the text under a node without hidden parts; line breaks are kept.
pub(super) fn visible(tree: &Tree, id: NodeId) -> String {
    let mut out = String::new();
    push_visible(tree, id, &mut out);
    out
}

fn push_visible(tree: &Tree, id: NodeId, out: &mut String) {
    for child in tree.children(id) {
        let Some(node) = tree.node(child) else {
            continue;
        };
        if node.name() == "br" {
            out.push('\n');
        } else if node.name().is_empty() {
            out.push_str(&tree.own_text(node).replace('\u{a0}', " "));
        } else if !is_noise(node) {
            push_visible(tree, child, out);
        }
    }
}
