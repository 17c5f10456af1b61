//! The source tree itself: file sizes, file heads, and the arrows of the architecture.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Where a crate may be named; nowhere else. Paths are relative to the workspace.
const ARROWS: &[(&str, &[&str])] = &[
    ("sqlx", &["server/src/store/"]),
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
            "server/src/embed/http.rs",
            "server/src/chat/http.rs",
            "client/src/summarize/endpoint.rs",
        ],
    ),
    ("tantivy", &["server/src/search/"]),
    ("recall_kit_server", &["server/"]),
    ("recall_kit_client", &["client/", "cli/"]),
];

/// Modules that must not name another module of the server.
const FORBIDDEN: &[(&str, &[&str])] = &[
    (
        "server/src/search",
        &["service", "store", "tools", "transports", "web", "embed"],
    ),
    (
        "server/src/store",
        &["service", "tools", "transports", "web"],
    ),
    (
        "server/src/embed",
        &["service", "store", "tools", "transports", "web"],
    ),
    (
        "server/src/documents",
        &[
            "service",
            "store",
            "search",
            "embed",
            "chat",
            "app",
            "settings",
            "tools",
            "transports",
            "web",
        ],
    ),
    (
        "server/src/chat",
        &["service", "store", "search", "tools", "transports", "web"],
    ),
    ("server/src/service", &["tools", "transports", "web"]),
    ("server/src/tools", &["transports", "web"]),
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
    for (path, text) in sources()
        .into_iter()
        .filter(|(path, _)| path.contains("/src/"))
    {
        for (name, allowed) in ARROWS {
            let may = allowed.iter().any(|prefix| path.starts_with(prefix));
            let line = text.lines().find(|line| names(&code(line), name));
            match line {
                Some(line) if !may => panic!("{path} must not name {name}: {}", line.trim()),
                Some(_) => drop(seen.insert(*name)),
                None => {}
            }
        }
    }
    let all: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
    assert_eq!(seen, all, "each is used where it may be");
}

#[test]
fn modules_of_the_server_look_one_way() {
    let mut seen = BTreeSet::new();
    for (path, text) in sources() {
        let layer = FORBIDDEN.iter().find(|(module, _)| {
            path.starts_with(&format!("{module}/")) || path == format!("{module}.rs")
        });
        let Some((module, forbidden)) = layer else {
            continue;
        };
        seen.insert(*module);
        let used = modules(&text);
        for other in *forbidden {
            assert!(
                !used.contains(*other),
                "{path}: {module} must not use {other}"
            );
        }
    }
    let all: BTreeSet<&str> = FORBIDDEN.iter().map(|(module, _)| *module).collect();
    assert_eq!(seen, all, "each is there");
}

#[test]
fn modules_are_found_in_groups_and_alone() {
    let text = "use crate::{\n    // crate::not\n    a::{b, c},\n    d as e, f,\n};\n\
                fn x() { crate::g::h(\"crate::i\") } use crate::j;";
    assert_eq!(Vec::from_iter(modules(text)), ["a", "d", "f", "g", "j"]);
}

/// The modules of its own crate that a file names, alone or in a group of imports.
fn modules(text: &str) -> BTreeSet<String> {
    let code: Vec<String> = text.lines().map(code).collect();
    let code = code.join("\n");
    let mut found = BTreeSet::new();
    for (at, root) in code.match_indices("crate::") {
        let rest = &code[at + root.len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(members(group).into_iter().filter_map(first_word)),
            None => found.extend(first_word(rest)),
        }
    }
    found
}

/// The members of a group of imports, of which this is all that follows its opening brace.
fn members(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        let is_end = depth == 0 && matches!(c, ',' | '}');
        if is_end {
            found.push(&group[start..at]);
            start = at + 1;
        }
        match c {
            '{' => depth += 1,
            '}' if is_end => break,
            '}' => depth -= 1,
            _ => {}
        }
    }
    found
}

fn first_word(path: &str) -> Option<String> {
    let word = path.trim_start().chars();
    let word: String = word
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    (!word.is_empty()).then_some(word)
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

/// Whether a line of code names `name` as a whole path segment.
fn names(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + name.len()..].chars().next();
        let part_of_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !part_of_word(before) && !part_of_word(after)
    })
}

/// A line without its comment and without what stands between quotation marks.
fn code(line: &str) -> String {
    let line = line.split("//").next().unwrap_or_default();
    line.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}
