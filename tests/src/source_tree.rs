//! Measures of the source tree: its files, crates and folders, and the paths that each module uses.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use syn::{Attribute, Item, ItemUse, UseTree, visit::Visit};

/// The top folders, relative to the workspace's root; every member is in one of them.
const MEMBERS: [&str; 6] = [
    "shared-types",
    "sanitizer",
    "server",
    "client",
    "cli",
    "tests",
];

/// A Rust file.
pub struct Source {
    /// The path relative to the workspace, with `/`.
    pub path: String,
    /// The content.
    pub text: String,
}

impl Source {
    /// Returns whether the file is part of what users run: no test, benchmark, example or tool.
    pub fn is_product(&self) -> bool {
        let is_test =
            |part: &str| matches!(part, "tests" | "tests.rs" | "contract" | "contract.rs");
        self.path.contains("/src/") && !self.path.split('/').any(is_test)
    }

    /// Returns the folder of the file's crate, such as `server/core`.
    pub fn package(&self) -> &str {
        let end = ["/src/", "/tests/", "/benches/", "/examples/", "/build.rs"]
            .iter()
            .filter_map(|part| self.path.find(part))
            .min();
        self.path.get(..end.unwrap_or(0)).unwrap_or_default()
    }

    /// Returns the path of the file's module in the crate; empty for the root.
    fn module(&self) -> Vec<&str> {
        let inside = self
            .path
            .split_once("/src/")
            .map_or("", |(_, inside)| inside);
        let parts = inside.trim_end_matches(".rs").split('/');
        parts
            .filter(|part| !matches!(*part, "mod" | "lib" | "main"))
            .collect()
    }
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Reads every Rust file of the workspace, in the order of their paths.
pub fn sources() -> Vec<Source> {
    let root = root();
    let mut found = Vec::new();
    for_each_folder(&root, &mut |folder, names| {
        for name in names.iter().filter(|name| name.ends_with(".rs")) {
            let path = folder.join(name);
            let relative = relative(&root, &path);
            if let Ok(text) = fs::read_to_string(&path) {
                found.push(Source {
                    path: relative,
                    text,
                });
            }
        }
    });
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 20, "the tree was found: {}", found.len());
    found
}

/// Returns the folders of the workspace's members and the number of entries each has at one level.
pub fn folders() -> BTreeMap<String, usize> {
    let root = root();
    let mut found = BTreeMap::new();
    for_each_folder(&root, &mut |folder, names| {
        found.insert(relative(&root, folder), names.len());
    });
    found
}

fn relative(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    relative.to_string_lossy().replace('\\', "/")
}

/// Visits every folder of the members, except those that programs generate.
fn for_each_folder(root: &Path, visit: &mut dyn FnMut(&Path, &[String])) {
    let mut waiting: Vec<PathBuf> = MEMBERS.iter().map(|member| root.join(member)).collect();
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        let mut names: Vec<String> = entries
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| !name.starts_with('.') && name != "target" && name != "node_modules")
            .collect();
        names.sort();
        let below = names.iter().map(|name| folder.join(name));
        waiting.extend(below.filter(|path| path.is_dir()));
        visit(&folder, &names);
    }
}

/// The paths that a file uses: modules of its own crate, and the first segments of all other paths, which
/// include crates. Code that is only for tests does not count.
#[derive(Default)]
pub struct Named {
    /// Paths below the crate's root, without `crate`; also those written with `super`.
    pub own: BTreeSet<Vec<String>>,
    /// First segments of all other paths.
    pub crates: BTreeSet<String>,
    module: Vec<String>,
}

impl Named {
    /// Collects the paths in a file.
    pub fn in_source(source: &Source) -> Self {
        let module = source.module().into_iter().map(str::to_owned).collect();
        Self::in_text(&source.path, &source.text, module)
    }

    /// Collects the paths in a text that is a module of a crate.
    pub fn in_text(path: &str, text: &str, module: Vec<String>) -> Self {
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut named = Self {
            module,
            ..Self::default()
        };
        named.visit_file(&file);
        named
    }

    /// Returns the top-level modules of the own crate that the file uses.
    pub fn modules(&self) -> BTreeSet<&str> {
        let firsts = self.own.iter().filter_map(|path| path.first());
        firsts.map(String::as_str).collect()
    }

    fn note_use(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: String| [before, &[name]].concat();
        match tree {
            UseTree::Path(path) => self.note_use(&path.tree, &with(path.ident.to_string())),
            UseTree::Group(group) => group
                .items
                .iter()
                .for_each(|tree| self.note_use(tree, before)),
            UseTree::Name(name) => self.note(with(name.ident.to_string())),
            UseTree::Rename(rename) => self.note(with(rename.ident.to_string())),
            UseTree::Glob(_) => self.note(before.to_vec()),
        }
    }

    /// Records a path; `crate`, `self` and `super` at its start are resolved.
    fn note(&mut self, path: Vec<String>) {
        let mut rest = path.as_slice();
        let mut base = match rest.first().map(String::as_str) {
            Some("crate") => Vec::new(),
            Some("self" | "super") => self.module.clone(),
            Some(first) => {
                self.crates.insert(first.to_owned());
                return;
            }
            None => return,
        };
        while let Some((first, after)) = rest.split_first() {
            match first.as_str() {
                "crate" | "self" => {}
                "super" => {
                    base.pop();
                }
                _ => break,
            }
            rest = after;
        }
        base.extend_from_slice(rest);
        self.own.insert(base);
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    let mut conditions = attributes.iter().filter(|it| it.path().is_ident("cfg"));
    conditions.any(|it| {
        it.parse_args::<syn::Ident>()
            .is_ok_and(|name| name == "test")
    })
}

impl<'ast> Visit<'ast> for Named {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Mod(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            _ => return syn::visit::visit_item(self, item),
        };
        if !is_for_tests(attributes) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.note_use(&item.tree, &[]);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter();
        self.note(segments.map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }
}

/// Finds the cycles between folders of product crates: sibling modules with a folder each that use each other.
/// Each cycle is written as `CRATE/PARENT: a, b`.
pub fn cycles(sources: &[Source]) -> Vec<String> {
    let mut packages: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.is_product()) {
        packages.entry(source.package()).or_default().push(source);
    }
    let mut found = Vec::new();
    for (package, sources) in packages {
        for (parent, arrows) in arrows(&sources) {
            for cycle in components(&arrows) {
                let parent = parent.join("/");
                found.push(format!("{package}/{parent}: {}", cycle.join(", ")));
            }
        }
    }
    found
}

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Returns, for each parent module, which folder uses which.
fn arrows(sources: &[&Source]) -> BTreeMap<Vec<String>, Arrows> {
    let owned =
        |module: &[&str]| -> Vec<String> { module.iter().map(|part| (*part).to_owned()).collect() };
    let mut folders: BTreeSet<Vec<String>> = BTreeSet::new();
    for source in sources {
        let module = source.module();
        for end in 1..module.len() {
            folders.insert(owned(module.get(..end).unwrap_or_default()));
        }
    }
    let mut found: BTreeMap<Vec<String>, Arrows> = BTreeMap::new();
    for source in sources {
        let from = owned(&source.module());
        for to in &Named::in_source(source).own {
            let shared = from.iter().zip(to).take_while(|(a, b)| a == b).count();
            let (Some(one), Some(other)) = (from.get(..=shared), to.get(..=shared)) else {
                continue;
            };
            let (Some((name, parent)), Some(named)) = (one.split_last(), other.last()) else {
                continue;
            };
            if folders.contains(one) && folders.contains(other) {
                let arrows = found.entry(parent.to_vec()).or_default();
                let named_by = arrows.entry(name.clone()).or_default();
                named_by.insert(named.clone());
            }
        }
    }
    found
}

/// Returns the sets of names that are reachable from each other.
fn components(arrows: &Arrows) -> Vec<Vec<String>> {
    let reached = |from: &String| {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![from];
        while let Some(name) = waiting.pop() {
            for next in arrows.get(name).into_iter().flatten() {
                if seen.insert(next) {
                    waiting.push(next);
                }
            }
        }
        seen
    };
    let all: BTreeMap<&String, BTreeSet<&String>> =
        arrows.keys().map(|name| (name, reached(name))).collect();
    let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
    for (name, reached) in &all {
        let back = |other: &&&String| all.get(**other).is_some_and(|it| it.contains(name));
        let component: Vec<String> = reached
            .iter()
            .filter(back)
            .map(|it| (*it).clone())
            .collect();
        if component.len() > 1 {
            found.insert(component);
        }
    }
    found.into_iter().collect()
}
