//! Finds the part of a page that is its content, and recognizes pages without any.

use super::tree::{Node, NodeId, Tree};
use crate::readers::Skip;

/// Elements that never contain documentation.
const NOISE: &[&str] = &[
    "script",
    "style",
    "template",
    "nav",
    "footer",
    "form",
    "button",
    "svg",
    "iframe",
    "input",
    "select",
    "textarea",
    "noscript",
    "object",
    "canvas",
    "audio",
    "video",
    "title",
    "head",
    "rp",
    "rt",
    "rustdoc-toolbar",
    "rustdoc-topbar",
];

/// Classes of navigation, buttons and ornaments that generators put into the content.
const NOISE_CLASSES: &[&str] = &[
    "headerlink",
    "doc-anchor",
    "anchor-link",
    "hash-link",
    "heading-anchor",
    "header-anchor",
    "direct-link",
    "sidebar",
    "sphinxsidebar",
    "toc",
    "toctree-wrapper",
    "table-of-contents",
    "tableOfContents",
    "theme-doc-toc-mobile",
    "breadcrumb",
    "breadcrumbs",
    "md-sidebar",
    "rustdoc-breadcrumbs",
    "related",
    "prev-next-area",
    "prev-next-footer",
    "pagination",
    "pagination-nav",
    "theme-doc-footer",
    "theme-doc-breadcrumbs",
    "edit-this-page",
    "edit-link",
    "md-content__button",
    "out-of-band",
    "viewcode-link",
    "sr-only",
    "screenreader-only",
    "visually-hidden",
    "copybtn",
    "copybutton",
    "linenos",
    "lineno",
    "linenodiv",
    "gutter",
    "notable-traits",
    "rightside",
    "srclink",
    "boring",
    "buttons",
    "nav-wrapper",
    "nav-wide-wrapper",
    "nav-chapters",
    "sidetoc",
    "pagetoc",
    "skip-link",
    "skipnav",
    "rst-footer-buttons",
    "wy-breadcrumbs",
    "bottom-nav",
    "menu-bar",
    "sidebar-elems",
    "search-container",
    "copyright",
    "VPNav",
    "VPSidebar",
    "VPDocAsideOutline",
    "VPDocFooter",
    "content-hider",
];

/// Ids of such elements; rustdoc repeats the contents of some of them on every item's page.
const NOISE_IDS: &[&str] = &[
    "blanket-implementations",
    "blanket-implementations-list",
    "synthetic-implementations",
    "synthetic-implementations-list",
    "mdbook-help-container",
    "mdbook-sidebar",
    "toc",
    "table-of-contents",
    "copy-path",
];

/// Whether an element is left out with everything in it.
pub(super) fn is_noise(node: &Node) -> bool {
    if NOISE.contains(&node.name()) || node.attribute("hidden").is_some() {
        return true;
    }
    if node.classes().any(|it| NOISE_CLASSES.contains(&it)) {
        return true;
    }
    // Docutils lists a page's own headings in a "contents topic".
    if node.has_class("contents") && (node.has_class("topic") || node.has_class("local")) {
        return true;
    }
    if node
        .attribute("id")
        .is_some_and(|it| NOISE_IDS.contains(&it))
    {
        return true;
    }
    let role = node.attribute("role").unwrap_or_default();
    matches!(
        role,
        "navigation" | "search" | "banner" | "contentinfo" | "doc-toc"
    ) || (node.name() == "a"
        && node
            .classes()
            .any(|it| matches!(it, "anchor" | "src" | "tooltip")))
        || (node.name() == "span" && node.has_class("since"))
        || (node.attribute("aria-hidden") == Some("true") && node.name() != "pre")
}

/// Returns why a page has no content, if that is known before its content is read.
pub(super) fn skip(path: &str, tree: &Tree) -> Option<Skip> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    if path.starts_with("_modules/") || path.contains("/_modules/") {
        return Some(Skip::SourceListing);
    }
    match stem {
        "genindex" | "py-modindex" | "modindex" | "np-modindex" => return Some(Skip::Index),
        _ if stem.starts_with("genindex-") => return Some(Skip::Index),
        "search" | "searchindex" if has_search(tree) => return Some(Skip::Search),
        "404" => return Some(Skip::NotFound),
        _ => {}
    }
    for (id, node) in tree.nodes().take(4_000) {
        let refreshes = node
            .attribute("http-equiv")
            .is_some_and(|it| it.eq_ignore_ascii_case("refresh"))
            // Without an address the page only reloads itself.
            && node
                .attribute("content")
                .is_some_and(|it| it.to_ascii_lowercase().contains("url"));
        if node.name() == "meta"
            && refreshes
            && tree.parent(id).is_none_or(|it| it.name() != "noscript")
        {
            return Some(Skip::Redirect);
        }
        if node.name() == "body" && node.has_class("rustdoc") {
            return rustdoc_skip(stem, node);
        }
        if node.name() == "div" && node.attribute("id") == Some("mdbook-body-container")
            || node.attribute("id") == Some("body-container")
        {
            return mdbook_skip(stem);
        }
    }
    mdbook_skip(stem).filter(|_| stem == "toc")
}

fn has_search(tree: &Tree) -> bool {
    tree.nodes().any(|(_, it)| {
        matches!(
            it.attribute("id"),
            Some("search-results" | "fallback" | "searchbox")
        )
    })
}

fn rustdoc_skip(stem: &str, body: &Node) -> Option<Skip> {
    if body.has_class("src") || body.has_class("source") {
        return Some(Skip::SourceListing);
    }
    match stem {
        "all" => Some(Skip::Index),
        "help" | "settings" | "search" | "scrape-examples-help" => Some(Skip::Search),
        _ => None,
    }
}

fn mdbook_skip(stem: &str) -> Option<Skip> {
    match stem {
        "print" => Some(Skip::Duplicate),
        "toc" => Some(Skip::Index),
        _ => None,
    }
}

/// Returns the element with the content: the first one of the best rank.
pub(super) fn content(tree: &Tree) -> NodeId {
    let mut best = (usize::MAX, 0);
    for (id, node) in tree.nodes() {
        let rank = rank(node);
        if rank < best.0 {
            best = (rank, id);
        }
    }
    let (rank, main) = best;
    if rank > 1 {
        return main;
    }
    // If a page's main part has exactly one article, the rest of the part is navigation.
    let mut articles = tree
        .descendants(main)
        .filter(|(_, it)| it.name() == "article");
    match (articles.next(), articles.next()) {
        (Some((article, _)), None) => article,
        _ => main,
    }
}

fn rank(node: &Node) -> usize {
    let name = node.name();
    if name.is_empty() {
        return usize::MAX;
    }
    let id = node.attribute("id").unwrap_or_default();
    if name == "main" {
        0
    } else if node.attribute("role") == Some("main") {
        1
    } else if name == "article" {
        2
    } else if matches!(id, "content" | "main-content" | "main" | "page-content") {
        3
    } else if name == "div"
        && node
            .classes()
            .any(|it| matches!(it, "body" | "document" | "contents"))
    {
        4
    } else if name == "body" {
        5
    } else {
        usize::MAX
    }
}

/// Returns the text of the page's `title` element without the site's name.
pub(super) fn title(tree: &Tree) -> Option<String> {
    let element = tree.nodes().find(|(_, it)| it.name() == "title");
    let full = element.map(|(id, _)| tree.text(id)).unwrap_or_default();
    let short = [" — ", " - ", " | ", " – ", " · "]
        .iter()
        .filter_map(|it| full.find(it))
        .min()
        .and_then(|it| full.get(..it))
        .unwrap_or(&full);
    let short = short.trim();
    (!short.is_empty()).then(|| short.to_owned())
}
