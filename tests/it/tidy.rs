//! The source tree itself: file sizes, file heads, and the arrows of the architecture.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use syn::{ItemUse, UseTree, visit::Visit};

/// Where a crate may be named, although Cargo would let others in the same package name it. Paths are
/// relative to the workspace.
const ARROWS: &[(&str, &[&str])] = &[
    ("axum", &["server/src/transports", "server/src/web"]),
    ("jsonrpsee", &["server/src/transports/json_rpc"]),
    (
        "rmcp",
        &[
            "server/src/tools/handler",
            "server/src/transports",
            "client/src/",
            "cli/src/commands/mcp",
        ],
    ),
    (
        "async_openai",
        &[
            "server/embed/src/http.rs",
            "server/src/chat/http.rs",
            "client/src/summarize/endpoint.rs",
        ],
    ),
];

/// Modules of the server program that must not name another one. Cargo keeps the arrows between
/// crates.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("chat", &["app", "service", "tools", "transports", "web"]),
    ("error", &["app", "tools", "transports", "web"]),
    ("service", &["tools", "transports", "web"]),
    (
        "settings",
        &["app", "service", "tools", "transports", "web"],
    ),
    ("tools", &["transports", "web"]),
];

const MAX_LINES: usize = 500;

#[test]
fn files_are_short_and_say_what_they_are_for() {
    for (path, text) in sources() {
        let lines = text.lines().count();
        assert!(lines <= MAX_LINES, "{path} has {lines} lines");
        assert!(text.starts_with("//!"), "{path} does not open with //!");
    }
}

#[test]
fn crates_are_named_only_where_the_architecture_allows() {
    let mut seen = BTreeSet::new();
    // Benches and tests may use what they compare with.
    let product = |path: &str| path.contains("/src/") && !path.contains("/tests");
    for (path, text) in sources().into_iter().filter(|(path, _)| product(path)) {
        let crates = Named::in_file(&path, &text).crates;
        for (name, allowed) in ARROWS.iter().filter(|(name, _)| crates.contains(*name)) {
            let may = allowed.iter().any(|prefix| path.starts_with(prefix));
            assert!(may, "{path} must not name {name}");
            seen.insert(*name);
        }
    }
    let all: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
    assert_eq!(seen, all, "every crate is named where it may be");
}

#[test]
fn modules_of_the_server_look_one_way() {
    let mut seen = BTreeSet::new();
    for (path, text) in sources() {
        let Some(inside) = path.strip_prefix("server/src/") else {
            continue;
        };
        let room = inside.split(['/', '.']).next().unwrap_or_default();
        let Some((room, forbidden)) = FORBIDDEN.iter().find(|(name, _)| *name == room) else {
            continue;
        };
        seen.insert(*room);
        let modules = Named::in_file(&path, &text).modules;
        for other in *forbidden {
            assert!(
                !modules.contains(*other),
                "{path}: {room} must not use {other}"
            );
        }
    }
    let all: BTreeSet<&str> = FORBIDDEN.iter().map(|(room, _)| *room).collect();
    assert_eq!(seen, all, "every module of the table exists");
}

#[test]
fn grouped_and_inline_names_are_seen() {
    let text = "use crate::{app::App, web::{self, page}};\n\
                use axum::{Json, routing::get};\n\
                fn f() -> crate::tools::Tool { rmcp::serve() }\n";
    let named = Named::in_file("a test", text);
    assert_eq!(
        named.modules,
        BTreeSet::from(["app", "tools", "web"].map(String::from))
    );
    assert!(
        ["axum", "rmcp"]
            .iter()
            .all(|name| named.crates.contains(*name))
    );
}

/// What a file names: modules of its own crate, and the first segments of all other paths, crates
/// among them.
#[derive(Default)]
struct Named {
    modules: BTreeSet<String>,
    crates: BTreeSet<String>,
}

impl Named {
    fn in_file(path: &str, text: &str) -> Self {
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut named = Self::default();
        named.visit_file(&file);
        named
    }

    /// Notes the first segment of a `use`, or of each of its branches, behind `crate` if that leads.
    fn note_use(&mut self, tree: &UseTree, inside: bool) {
        let name = match tree {
            UseTree::Path(path) if path.ident == "crate" && !inside => {
                return self.note_use(&path.tree, true);
            }
            UseTree::Group(group) => {
                return group
                    .items
                    .iter()
                    .for_each(|tree| self.note_use(tree, inside));
            }
            UseTree::Path(path) => &path.ident,
            UseTree::Name(name) => &name.ident,
            UseTree::Rename(rename) => &rename.ident,
            _ => return,
        };
        self.note(name.to_string(), inside);
    }

    fn note(&mut self, name: String, inside: bool) {
        let names = if inside {
            &mut self.modules
        } else {
            &mut self.crates
        };
        names.insert(name);
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.note_use(&item.tree, false);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut segments = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        match segments.next() {
            Some(first) if first == "crate" => {
                if let Some(module) = segments.next() {
                    self.note(module, true);
                }
            }
            Some(first) => self.note(first, false),
            None => {}
        }
        syn::visit::visit_path(self, path);
    }
}

/// Every Rust file of the workspace, with its path relative to it.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for member in [
        "shared-types",
        "sanitizer",
        "server",
        "client",
        "cli",
        "tests",
    ] {
        collect(&root, &root.join(member), &mut found);
    }
    assert!(found.len() > 20, "the tree was found: {}", found.len());
    found
}

fn collect(root: &Path, dir: &Path, found: &mut Vec<(String, String)>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_ours = !name.starts_with('.') && name != "target" && name != "node_modules";
        if path.is_dir() && is_ours {
            collect(root, &path, found);
        } else if name.ends_with(".rs") {
            let relative = path.strip_prefix(root).unwrap();
            let relative = relative.to_string_lossy().replace('\\', "/");
            found.push((relative, fs::read_to_string(&path).unwrap()));
        }
    }
}
