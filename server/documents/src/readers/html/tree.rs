//! A page's elements as a flat tree in reading order.
//!
//! The tokens come from html5ever, but the tree is built here: the standard's tree construction walks all open
//! elements for many tags, so a hostile page could take hours.

use std::cell::RefCell;

use super::attributes;
use html5ever::{
    LocalName,
    buffer_queue::BufferQueue,
    tendril::StrTendril,
    tokenizer::{
        Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts, states::RawKind,
    },
};

/// Deeper elements are not added; their text belongs to the element at this depth.
const MAX_DEPTH: usize = 192;
/// Longer attribute values are dropped, because they may be repeated in every block below the element.
const MAX_VALUE_BYTES: usize = 2048;
/// The attributes that are stored.
const STORED_ATTRIBUTES: &[&str] = &[
    "id",
    "class",
    "role",
    "alt",
    "href",
    "src",
    "name",
    "content",
    "http-equiv",
    "hidden",
    "start",
    "aria-hidden",
    "data-lang",
    "lang",
    "colspan",
    "title",
];

/// The index of a node in its [`Tree`].
pub(super) type NodeId = usize;

/// A parsed page; node 0 is its root.
pub(super) struct Tree {
    nodes: Vec<Node>,
    text: String,
}

/// An element, or a run of text if it has no name.
pub(super) struct Node {
    pub(super) name: Option<LocalName>,
    attributes: Box<[(LocalName, StrTendril)]>,
    /// The range of its text.
    text: (usize, usize),
    pub(super) line: u32,
    parent: NodeId,
    /// The node after its last descendant.
    end: NodeId,
}

impl Node {
    /// Returns the element's name; empty for text.
    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// Returns the value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(it, _)| &**it == name)?;
        Some(&found.1)
    }

    /// Returns the classes; most elements have none.
    pub(super) fn classes(&self) -> impl Iterator<Item = &str> {
        self.attribute("class")
            .unwrap_or_default()
            .split_ascii_whitespace()
    }

    /// Returns whether the element has a class.
    pub(super) fn has_class(&self, class: &str) -> bool {
        self.classes().any(|it| it == class)
    }
}

impl Tree {
    /// Parses a page or a part of one. Every text can be parsed: errors are handled as in browsers.
    pub(super) fn parse(html: &str) -> Self {
        let sink = Builder::default();
        let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
        let input = BufferQueue::default();
        input.push_back(StrTendril::from_slice(&attributes::limited(html)));
        let _ = tokenizer.feed(&input);
        tokenizer.end();
        let mut state = tokenizer.sink.state.into_inner();
        state.close_to(0);
        state.tree
    }

    /// Returns the node with an id.
    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id)
    }

    /// Returns all nodes in reading order.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate()
    }

    /// Returns the nodes under a node, in reading order, without the node itself.
    pub(super) fn descendants(&self, id: NodeId) -> impl Iterator<Item = (NodeId, &Node)> {
        let end = self.node(id).map_or(id, |it| it.end);
        let below = self.nodes.get(id + 1..end).unwrap_or_default();
        below
            .iter()
            .enumerate()
            .map(move |(at, node)| (id + 1 + at, node))
    }

    /// Returns the direct children of a node.
    pub(super) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let end = self.node(id).map_or(id, |it| it.end);
        let mut next = id + 1;
        std::iter::from_fn(move || {
            let child = next;
            if child >= end {
                return None;
            }
            next = self.node(child)?.end.max(child + 1);
            Some(child)
        })
    }

    /// Returns the parent of a node.
    pub(super) fn parent(&self, id: NodeId) -> Option<&Node> {
        self.node(self.node(id)?.parent)
    }

    /// Returns the text of a text node.
    pub(super) fn own_text(&self, node: &Node) -> &str {
        self.text.get(node.text.0..node.text.1).unwrap_or_default()
    }

    /// Returns all text under a node, verbatim.
    pub(super) fn text(&self, id: NodeId) -> String {
        let mut out = String::new();
        for (_, node) in self.descendants(id) {
            out.push_str(self.own_text(node));
        }
        out
    }
}

/// Receives the tokens.
#[derive(Default)]
struct Builder {
    state: RefCell<State>,
}

struct State {
    tree: Tree,
    open: Vec<NodeId>,
    /// The number of open start tags that were not added because they are too deep.
    too_deep: usize,
}

impl Default for State {
    fn default() -> Self {
        let mut state = Self {
            tree: Tree {
                nodes: Vec::new(),
                text: String::new(),
            },
            open: Vec::new(),
            too_deep: 0,
        };
        state.add(None, Box::default(), (0, 0), 1);
        state.open.push(0);
        state
    }
}

impl TokenSink for Builder {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        let mut state = self.state.borrow_mut();
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        match token {
            Token::CharacterTokens(text) => state.text(&text, line),
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                let raw = raw_kind(&tag.name);
                state.start(tag, line);
                if let Some(kind) = raw {
                    return TokenSinkResult::RawData(kind);
                }
            }
            Token::TagToken(tag) => state.end(&tag.name),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl State {
    fn add(
        &mut self,
        name: Option<LocalName>,
        attributes: Box<[(LocalName, StrTendril)]>,
        text: (usize, usize),
        line: u32,
    ) -> NodeId {
        let id = self.tree.nodes.len();
        self.tree.nodes.push(Node {
            name,
            attributes,
            text,
            line,
            parent: self.open.last().copied().unwrap_or(0),
            end: id + 1,
        });
        id
    }

    fn text(&mut self, text: &str, line: u32) {
        let start = self.tree.text.len();
        self.tree.text.push_str(text);
        let end = self.tree.text.len();
        let parent = self.open.last().copied();
        // The tokenizer delivers text in pieces.
        if let Some(last) = self.tree.nodes.last_mut()
            && last.name.is_none()
            && last.text.1 == start
            && last.text.0 != start
            && Some(last.parent) == parent
        {
            last.text.1 = end;
            return;
        }
        // The line is that of the text's first word.
        let breaks = memchr::memchr_iter(b'\n', text.trim_start().as_bytes()).count();
        let breaks = u32::try_from(breaks).unwrap_or(0);
        let line = line.saturating_sub(breaks);
        self.add(None, Box::default(), (start, end), line);
    }

    fn start(&mut self, tag: Tag, line: u32) {
        self.close_implied(&tag.name);
        if self.open.len() >= MAX_DEPTH {
            self.too_deep += usize::from(!is_void(&tag.name) && !tag.self_closing);
            return;
        }
        let attributes = tag
            .attrs
            .into_iter()
            .filter(|it| {
                it.value.len() <= MAX_VALUE_BYTES && STORED_ATTRIBUTES.contains(&&*it.name.local)
            })
            .map(|it| (it.name.local, it.value))
            .collect();
        let leaf = is_void(&tag.name);
        let id = self.add(Some(tag.name), attributes, (0, 0), line);
        if !leaf {
            self.open.push(id);
        }
    }

    fn end(&mut self, name: &str) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        if let Some(at) = self.find_open(name, &[]) {
            self.close_to(at);
        }
    }

    /// Closes the elements that a start tag closes implicitly.
    fn close_implied(&mut self, name: &str) {
        let (closed, bounds): (&[&str], &[&str]) = match name {
            "li" => (&["li"], &["ul", "ol", "menu"]),
            "dt" | "dd" => (&["dt", "dd"], &["dl"]),
            "td" | "th" => (&["td", "th"], &["tr", "table"]),
            "tr" => (&["tr"], &["table"]),
            "tbody" | "thead" | "tfoot" => (&["tbody", "thead", "tfoot"], &["table"]),
            "option" => (&["option"], &["select"]),
            _ => (&[], &[]),
        };
        for name in closed {
            if let Some(at) = self.find_open(name, bounds) {
                self.close_to(at);
            }
        }
        if is_block(name) && self.innermost().is_some_and(|it| it == "p") {
            self.close_to(self.open.len() - 1);
        }
    }

    fn innermost(&self) -> Option<&str> {
        Some(self.tree.node(*self.open.last()?)?.name())
    }

    /// Returns the index of an element among the open ones; stops at a bound.
    fn find_open(&self, name: &str, bounds: &[&str]) -> Option<usize> {
        for (at, id) in self.open.iter().enumerate().skip(1).rev() {
            let open = self.tree.node(*id)?.name();
            if open == name {
                return Some(at);
            }
            if bounds.contains(&open) {
                return None;
            }
        }
        None
    }

    fn close_to(&mut self, depth: usize) {
        let end = self.tree.nodes.len();
        for id in self.open.drain(depth..) {
            if let Some(node) = self.tree.nodes.get_mut(id) {
                node.end = end;
            }
        }
        self.too_deep = 0;
    }
}

/// Returns how to tokenize an element whose contents are not markup; also used by `attributes`.
///
/// A script ends at its first end tag, whereas a browser would continue within `<!--<script>`.
pub(super) fn raw_kind(name: &str) -> Option<RawKind> {
    match name {
        "script" | "style" | "iframe" | "xmp" | "noembed" => Some(RawKind::Rawtext),
        "title" | "textarea" => Some(RawKind::Rcdata),
        _ => None,
    }
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Whether an element is a block.
pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "center"
            | "details"
            | "dialog"
            | "dd"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "li"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
    )
}
