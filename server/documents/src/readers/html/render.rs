//! Walks the content of a page and writes its blocks.

use super::{
    inline::{self, Inline},
    page::is_noise,
    table,
    tree::{Node, NodeId, Tree, is_block},
};
use crate::readers::writer::Writer;

/// Longer fragments are left out: the fragment of an element may be used for every heading in it.
const MAX_ANCHOR_BYTES: usize = 256;

/// Writes everything under a node; `line_offset` is added to every line.
pub(super) fn render(tree: &Tree, root: NodeId, line_offset: u32, writer: &mut Writer) {
    let mut render = Render {
        tree,
        writer,
        line_offset,
        inline: Inline::default(),
        line: 0,
        level: 0,
        definitions: 0,
        highlight: None,
        caption: None,
    };
    render.children(root);
    render.flush();
}

struct Render<'a> {
    tree: &'a Tree,
    writer: &'a mut Writer,
    line_offset: u32,
    /// The current paragraph.
    inline: Inline,
    /// The first line of the current paragraph.
    line: u32,
    /// The level of the last heading.
    level: u8,
    /// The number of described objects (Sphinx) around the current node.
    definitions: u8,
    /// The language that the element around a `pre` specifies.
    highlight: Option<String>,
    caption: Option<String>,
}

impl Render<'_> {
    fn children(&mut self, id: NodeId) {
        let tree = self.tree;
        for child in tree.children(id) {
            if let Some(node) = tree.node(child) {
                self.node(child, node);
            }
        }
    }

    fn node(&mut self, id: NodeId, node: &Node) {
        let name = node.name();
        if !name.is_empty() && is_noise(node) {
            return;
        }
        match name {
            "" => self.running(id, node),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.heading(id, node),
            "pre" => self.code(id, node),
            "table" => self.table(id, node),
            "ul" | "ol" | "menu" => self.list(id, node),
            "li" => self.item(id),
            "dt" => self.term(id, node),
            "dd" => self.definition(id),
            "hr" => self.flush(),
            "br" => self.inline.space(),
            "a" if node.attribute("href").is_some() => {
                self.inline.open_link();
                self.children(id);
                self.inline.close_link();
            }
            "div" | "figure" => self.division(id, node),
            "caption" | "figcaption" => self.division(id, node),
            _ if is_block(name) => {
                self.flush();
                self.children(id);
                self.flush();
            }
            "code" | "kbd" | "samp" | "tt" | "img" => self.running(id, node),
            _ => self.children(id),
        }
    }

    fn at(&self, node: &Node) -> u32 {
        node.line.saturating_add(self.line_offset)
    }

    fn running(&mut self, id: NodeId, node: &Node) {
        inline::write(self.tree, id, &mut self.inline);
        if self.line == 0 && !self.inline.is_empty() {
            self.line = self.at(node);
        }
    }

    fn flush(&mut self) {
        let text = self.inline.take();
        self.writer.paragraph(self.line, &text);
        self.line = 0;
    }

    fn heading(&mut self, id: NodeId, node: &Node) {
        self.flush();
        let text = inline::text_of(self.tree, id);
        let level = node.name().as_bytes().get(1).map_or(1, |it| it - b'0');
        let around = self.tree.parent(id);
        let anchor = node
            .attribute("id")
            .or_else(|| around.and_then(|it| it.attribute("id")))
            .or_else(|| self.anchor_inside(id))
            .filter(|it| it.len() <= MAX_ANCHOR_BYTES)
            .map(str::to_owned);
        self.level = level;
        let line = self.at(node);
        if level == 1 {
            self.writer.title(&text);
        }
        // rustdoc uses a method's whole signature as the heading: its name is the better one.
        let name = anchor.as_deref().filter(|_| node.has_class("code-header"));
        match name.and_then(member_name) {
            Some(name) => {
                self.writer.heading(line, level, name, anchor.clone());
                self.writer.paragraph(line, &format!("`{text}`"));
            }
            None => {
                // Bounds make titles long, and the documentation's own page has them.
                let short = text
                    .split(" where ")
                    .next()
                    .filter(|_| node.has_class("code-header"));
                self.writer
                    .heading(line, level, short.unwrap_or(&text), anchor);
            }
        }
    }

    fn anchor_inside(&self, id: NodeId) -> Option<&str> {
        let (_, link) = self.tree.descendants(id).find(|(_, it)| it.name() == "a")?;
        let target = link.attribute("href").and_then(|it| it.strip_prefix('#'));
        target.or_else(|| link.attribute("id").or_else(|| link.attribute("name")))
    }

    fn code(&mut self, id: NodeId, node: &Node) {
        self.flush();
        let inner = self
            .tree
            .descendants(id)
            .find(|(_, it)| it.name() == "code");
        let language = inner
            .and_then(|(_, it)| language(it))
            .or_else(|| language(node))
            .or_else(|| self.tree.parent(id).and_then(language))
            .or(self.highlight.as_deref())
            .map(str::to_owned);
        let text = inline::visible(self.tree, id);
        let caption = self.caption.take();
        let line = self.at(node);
        self.writer
            .code(line, language.as_deref(), &text, caption.as_deref());
    }

    fn table(&mut self, id: NodeId, node: &Node) {
        self.flush();
        let Some(rows) = table::rows(self.tree, id) else {
            self.children(id);
            self.flush();
            return;
        };
        if let Some(caption) = self
            .tree
            .children(id)
            .find(|it| self.tree.node(*it).is_some_and(|it| it.name() == "caption"))
        {
            let text = inline::text_of(self.tree, caption);
            self.writer.paragraph(self.at(node), &text);
        }
        self.writer.table(self.at(node), &rows);
    }

    fn list(&mut self, id: NodeId, node: &Node) {
        self.flush();
        let first = node.attribute("start").and_then(|it| it.parse().ok());
        let first = (node.name() == "ol").then(|| first.unwrap_or(1));
        self.writer.begin_list(first);
        let depth = self.writer.depth();
        self.children(id);
        self.flush();
        self.writer.close_lists(depth - 1);
    }

    fn item(&mut self, id: NodeId) {
        self.flush();
        self.writer.begin_item();
        self.children(id);
        self.flush();
    }

    /// Writes a term: of a glossary, or a described object of Sphinx, which is a section of its own.
    fn term(&mut self, id: NodeId, node: &Node) {
        self.flush();
        let text = inline::text_of(self.tree, id);
        if !node.has_class("sig") {
            self.writer.paragraph(self.at(node), &text);
            return;
        }
        let line = self.at(node);
        if let Some(anchor) = node.attribute("id") {
            let level = self
                .level
                .saturating_add(self.definitions)
                .saturating_add(1);
            self.writer
                .heading(line, level, anchor, Some(anchor.to_owned()));
        }
        self.writer
            .paragraph(line, &format!("`{}`", text.replace('`', "")));
    }

    fn definition(&mut self, id: NodeId) {
        self.flush();
        self.definitions = self.definitions.saturating_add(1);
        self.children(id);
        self.flush();
        self.definitions = self.definitions.saturating_sub(1);
    }

    fn division(&mut self, id: NodeId, node: &Node) {
        self.flush();
        if node.attribute("id") == Some("trait-implementations-list") {
            self.implementations(id);
            return;
        }
        if node.has_class("code-block-caption") {
            self.caption = Some(inline::text_of(self.tree, id));
            return;
        }
        if node.name() == "figure" {
            let caption = self
                .tree
                .descendants(id)
                .find(|(_, it)| it.name() == "figcaption");
            self.caption = caption.map(|(it, _)| inline::text_of(self.tree, it));
        }
        let highlight = node.classes().find_map(|it| it.strip_prefix("highlight-"));
        let outer = match highlight {
            Some(language) => self.highlight.replace(language.to_owned()),
            None => self.highlight.clone(),
        };
        self.children(id);
        self.flush();
        self.highlight = outer;
    }

    /// Writes what a type implements, without the documentation of the traits' own methods.
    fn implementations(&mut self, id: NodeId) {
        self.writer.begin_list(None);
        let tree = self.tree;
        for (header, node) in tree.descendants(id) {
            let of_impl = tree.parent(header).is_some_and(|it| it.has_class("impl"));
            if of_impl && node.has_class("code-header") {
                self.writer.begin_item();
                let text = inline::text_of(tree, header);
                self.writer.paragraph(self.at(node), &format!("`{text}`"));
            }
        }
        self.writer.end_list();
    }
}

/// Returns the name in rustdoc's `method.push` or `variant.Some`; `None` for an `impl`.
fn member_name(anchor: &str) -> Option<&str> {
    let (kind, name) = anchor.split_once('.')?;
    let member = matches!(
        kind,
        "method" | "tymethod" | "variant" | "structfield" | "associatedconstant" | "associatedtype"
    );
    (member && !name.is_empty()).then_some(name)
}

/// Returns the language in an element's classes.
fn language(node: &Node) -> Option<&str> {
    if let Some(language) = node.attribute("data-lang") {
        return Some(language);
    }
    let named = node.classes().find_map(|it| {
        [
            "language-",
            "lang-",
            "highlight-source-",
            "highlight-",
            "brush:",
        ]
        .iter()
        .find_map(|prefix| it.strip_prefix(prefix))
    });
    // Pandoc writes `sourceCode python`; Asciidoctor and rustdoc write only the language.
    named.or_else(|| {
        let mut classes = node.classes();
        match classes.next() {
            Some("sourceCode" | "src" | "programlisting") => classes.next(),
            Some("rust") => Some("rust"),
            _ => None,
        }
    })
}
