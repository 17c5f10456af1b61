//! Rules for the source tree: file sizes, file heads, and the dependencies that the architecture allows.

use std::collections::BTreeSet;

use recall_kit_tests::source_tree::{Named, cycles, sources};

/// The places where a crate may be used, although Cargo would allow it elsewhere in the same package. Paths are
/// relative to the workspace.
const ALLOWED_USES: &[(&str, &[&str])] = &[
    (
        "axum",
        &[
            "server/mcp/src/transports",
            "server/web/src",
            "server/src/pages.rs",
        ],
    ),
    ("jsonrpsee", &["server/mcp/src/transports/json_rpc"]),
    (
        "rmcp",
        &[
            "server/mcp/src/tools/handler",
            "server/mcp/src/transports",
            "client/src/",
            "cli/src/commands/mcp",
        ],
    ),
    (
        "async_openai",
        &[
            "server/embed/src/http.rs",
            "server/core/src/chat/http.rs",
            "client/src/summarize/endpoint.rs",
        ],
    ),
];

/// Modules that must not use other modules of their crate: the crate's source folder, the module, and the
/// forbidden modules. Cargo enforces the dependencies between crates.
const FORBIDDEN: &[(&str, &str, &[&str])] = &[
    ("server/mcp/src", "tools", &["transports"]),
    (
        "server/core/src",
        "error",
        &["app", "experiences", "knowledge"],
    ),
    ("server/core/src", "chat", &["app"]),
    // A use case takes the state of its noun, not the application.
    ("server/core/src", "access", &["app", "background"]),
    ("server/core/src", "admission", &["app", "background"]),
    ("server/core/src", "experiences", &["app", "background"]),
    ("server/core/src", "indexing", &["app", "background"]),
    ("server/core/src", "knowledge", &["app", "background"]),
    ("server/core/src", "validation", &["app", "background"]),
    ("server/core/src", "vectors", &["app", "background"]),
];

/// Folders that use each other in a cycle. No cycle may be added; one that is removed from the tree is removed
/// here.
const CYCLES: [&str; 3] = [
    "cli/: terminal, words",
    "server/search/: ranking, storage",
    "server/web/: account, http, layout, visitor",
];

const MAX_LINES: usize = 500;

#[test]
fn files_are_short_and_begin_with_a_module_doc() {
    for source in sources() {
        let (path, lines) = (&source.path, source.text.lines().count());
        assert!(lines <= MAX_LINES, "{path} has {lines} lines");
        assert!(
            source.text.starts_with("//!"),
            "{path} does not open with //!"
        );
    }
}

#[test]
fn crates_are_used_only_where_the_architecture_allows() {
    let mut seen = BTreeSet::new();
    let sources = sources();
    for source in sources.iter().filter(|it| it.is_product()) {
        let path = &source.path;
        let crates = Named::in_source(source).crates;
        for (name, allowed) in ALLOWED_USES
            .iter()
            .filter(|(name, _)| crates.contains(*name))
        {
            let may = allowed.iter().any(|prefix| path.starts_with(prefix));
            assert!(may, "{path} must not name {name}");
            seen.insert(*name);
        }
    }
    let all: BTreeSet<&str> = ALLOWED_USES.iter().map(|(name, _)| *name).collect();
    assert_eq!(seen, all, "every listed crate is used");
}

#[test]
fn modules_of_a_crate_do_not_use_forbidden_modules() {
    let mut seen = BTreeSet::new();
    for source in sources().iter().filter(|source| source.is_product()) {
        let path = &source.path;
        let rules = FORBIDDEN.iter().filter(|(folder, module, _)| {
            let inside = path.strip_prefix(folder).and_then(|it| it.get(1..));
            inside.is_some_and(|it| it.split(['/', '.']).next() == Some(module))
        });
        for (folder, module, forbidden) in rules {
            seen.insert((*folder, *module));
            let named = Named::in_source(source);
            for other in *forbidden {
                assert!(
                    !named.modules().contains(other),
                    "{path}: {module} must not use {other}"
                );
            }
        }
    }
    assert_eq!(
        seen.len(),
        FORBIDDEN.len(),
        "every module of the table exists"
    );
}

#[test]
fn no_new_cycles_between_folders() {
    assert_eq!(cycles(&sources()), CYCLES);
}

#[test]
fn grouped_relative_and_inline_paths_are_recognised() {
    let text = "use crate::{app::App, web::{self, page}};\n\
                use super::super::chat;\n\
                use axum::{Json, routing::get};\n\
                #[cfg(test)] mod tests { use crate::never::Never; }\n\
                fn f() -> crate::tools::Tool { rmcp::serve() }\n";
    let module = ["a", "test"].map(String::from).to_vec();
    let named = Named::in_text("a test", text, module);
    assert_eq!(
        named.modules(),
        BTreeSet::from(["app", "chat", "tools", "web"])
    );
    assert!(
        ["axum", "rmcp"]
            .iter()
            .all(|name| named.crates.contains(*name))
    );
}
