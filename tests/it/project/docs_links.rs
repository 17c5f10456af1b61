//! Links in the documentation: every relative link and anchor in every Markdown file of the repository has a
//! target, and the index of `docs/` lists every page.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path, PathBuf},
};

/// Folders without documentation of this project: build results, installed packages, and texts that tests read.
const SKIPPED: [&str; 3] = ["target", "node_modules", "fixtures"];

#[test]
fn relative_links_and_anchors_have_targets() {
    let pages = pages();
    assert!(pages.len() > 20, "the pages were found: {}", pages.len());
    let anchors: BTreeMap<&str, BTreeSet<String>> = pages
        .iter()
        .map(|(path, text)| (path.as_str(), anchors(text)))
        .collect();
    let mut broken = Vec::new();
    for (page, text) in &pages {
        for link in relative_links(text) {
            let (target, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let Some(file) = resolved(page, target) else {
                broken.push(format!("{page}: {link} leads out of the repository"));
                continue;
            };
            if !root().join(&file).exists() {
                broken.push(format!("{page}: {link} names no file"));
            } else if !anchor.is_empty()
                && !anchors
                    .get(file.as_str())
                    .is_some_and(|known| known.contains(anchor))
            {
                broken.push(format!("{page}: {link} names no heading"));
            }
        }
    }
    assert!(
        broken.is_empty(),
        "broken links:\n  {}",
        broken.join("\n  ")
    );
}

#[test]
fn the_documentation_index_lists_every_page() {
    let pages = pages();
    let index = "docs/README.md";
    let (_, text) = pages.iter().find(|(path, _)| path == index).unwrap();
    let linked: BTreeSet<String> = relative_links(text)
        .iter()
        .filter_map(|link| resolved(index, link.split('#').next()?))
        .collect();
    for (page, _) in &pages {
        let is_indexed = page == index || linked.contains(page);
        assert!(
            is_indexed || !page.starts_with("docs/"),
            "{index} lacks {page}"
        );
    }
}

#[test]
fn links_and_anchors_are_parsed_as_they_are_rendered() {
    let text = "# A `b-c` & D: *e*\n\n[one](x.md#a) and [two\nlines](y.md \"title\"), `[no](no.md)`\n\n\
                ```\n[no](no.md)\n# no\n```\n\n![p](p.png)\n\n[web](https://a.example/x.md)\n\n\
                ## A [link](z.md)\n\n## A link\n\n[ref]: r.md\n";
    assert_eq!(
        relative_links(text),
        ["x.md#a", "y.md", "p.png", "z.md", "r.md"]
    );
    let expected = ["a-b-c--d-e", "a-link", "a-link-1"];
    assert_eq!(anchors(text), BTreeSet::from(expected.map(String::from)));
    assert_eq!(
        resolved("docs/a/b.md", "../c.md").as_deref(),
        Some("docs/c.md")
    );
    assert_eq!(resolved("a.md", "").as_deref(), Some("a.md"));
    assert_eq!(resolved("a.md", "../b.md"), None);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns every Markdown file, with its path relative to the repository.
pub(crate) fn pages() -> Vec<(String, String)> {
    let mut found = Vec::new();
    collect(&root(), &mut found);
    found
}

fn collect(folder: &Path, found: &mut Vec<(String, String)>) {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_ours = !name.starts_with('.') && !SKIPPED.contains(&name.as_str());
        if path.is_dir() && is_ours {
            collect(&path, found);
        } else if path.is_file() && is_ours && name.ends_with(".md") {
            let relative = path.strip_prefix(root()).unwrap().to_string_lossy();
            let relative = relative.replace('\\', "/");
            found.push((relative, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Returns the lines of a page outside of fenced blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_fenced = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        !is_fenced && !is_fence
    })
}

/// Returns a text without its code spans.
fn without_code(text: &str) -> String {
    let outside = text.split('`').step_by(2);
    outside.collect::<Vec<_>>().join("")
}

/// Returns the targets of links and pictures on this site, in order.
fn relative_links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    let paragraphs = prose(text).collect::<Vec<_>>().join("\n");
    for paragraph in paragraphs.split("\n\n") {
        let paragraph = without_code(paragraph);
        let inline = paragraph.split("](").skip(1).filter_map(|rest| {
            let (target, _) = rest.split_once(')')?;
            target.split_whitespace().next()
        });
        let definitions = paragraph.lines().filter_map(|line| {
            let (_, target) = line.strip_prefix('[')?.split_once("]: ")?;
            target.split_whitespace().next()
        });
        links.extend(inline.chain(definitions).map(str::to_owned));
    }
    links.retain(|link| !link.contains("://") && !link.starts_with("mailto:"));
    links
}

/// Returns the anchors of a page's headings, as GitHub generates them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in prose(text).filter(|line| line.starts_with('#')) {
        let Some((_, heading)) = line.split_once("# ") else {
            continue;
        };
        let anchor = anchor(heading);
        let numbered = (1..).map(|number| format!("{anchor}-{number}"));
        let free = std::iter::once(anchor.clone())
            .chain(numbered)
            .find(|anchor| !found.contains(anchor));
        found.extend(free);
    }
    found
}

fn anchor(heading: &str) -> String {
    let mut shown = String::new();
    for (number, part) in heading.split("](").enumerate() {
        let behind = part.split_once(')').map_or("", |(_, behind)| behind);
        shown.push_str(if number == 0 { part } else { behind });
    }
    let anchor_chars = shown
        .trim()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    anchor_chars
        .collect::<String>()
        .to_lowercase()
        .replace(' ', "-")
}

/// Returns the file that a link on a page refers to; `None` outside of the repository.
fn resolved(page: &str, target: &str) -> Option<String> {
    if target.is_empty() {
        return Some(page.to_owned());
    }
    let folder = Path::new(page).parent()?;
    let mut parts: Vec<String> = Vec::new();
    for component in folder.join(target).components() {
        match component {
            Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
            Component::ParentDir => drop(parts.pop()?),
            _ => {}
        }
    }
    Some(parts.join("/"))
}
