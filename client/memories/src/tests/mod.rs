//! What becomes of notes, sections and rows.

mod exports;

use std::{fs, path::Path};

use recall_kit_shared_types::knowledge::EntryType;

use crate::{Body, ReadError, Reading, Record, markdown::Document, source_of, words::kind_of};

fn read(source: &str, path: &Path) -> Result<Reading, ReadError> {
    source_of(source).expect("a known source").read(path)
}

fn content(record: &Record) -> &str {
    match &record.body {
        Body::Entry { content, .. } => content,
        Body::Experience { solution, .. } => solution,
    }
}

#[test]
fn a_hash_in_a_code_fence_is_no_heading_and_front_matter_is_no_text() {
    let text = "---\ndescription: \"Rules\"\nglobs: [a, b]\ntags:\n  - x\n  - y\n---\nIntro\n\n# One\n\n\
                ## Build\n\n````sh\n# not a heading\n```\n## nor this\n````\n\n#### deep\ntext\n";
    let document = Document::read(text);
    assert_eq!(document.value("description"), Some("Rules"));
    assert_eq!(document.values("globs"), ["a", "b"]);
    assert_eq!(document.values("tags"), ["x", "y"]);
    let sections = document.sections();
    let headings: Vec<String> = sections.iter().map(|it| it.headings.join("/")).collect();
    assert_eq!(headings, ["", "One/Build"]);
    assert_eq!(
        sections[1].text,
        "````sh\n# not a heading\n```\n## nor this\n````\n\n#### deep\ntext"
    );
}

#[test]
fn front_matter_ends_at_a_line_of_three_dashes_and_has_fields_in_fields() {
    let text = "---\nname: Debugging\ndescription: >-\n  What to look at\n  first\nmetadata:\n  node_type: memory\n  \
                type: feedback\n----\n---# no end\ntitle: Still inside\n--- \nText\n---\nmore\n";
    let document = Document::read(text);
    assert_eq!(document.value("metadata.type"), Some("feedback"));
    assert_eq!(document.value("type"), None);
    assert_eq!(document.value("description"), Some("What to look at first"));
    assert_eq!(document.value("title"), Some("Still inside"));
    assert_eq!(document.text, "Text\n---\nmore\n");
    assert_eq!(Document::read("---\n---\nText").text, "Text");
    let never = "---\ntitle: A\n---- \nText\n";
    assert_eq!(Document::read(never).text, never);
}

#[test]
fn the_kind_of_a_memory_may_stand_below_metadata() {
    let folder = tempfile::tempdir().unwrap();
    let memory = folder.path().join(".claude/projects/-work-shop/memory");
    fs::create_dir_all(&memory).unwrap();
    let note = "---\nname: db\nmetadata:\n  type: project\n---\nWe use a queue table.\n";
    fs::write(memory.join("db.md"), note).unwrap();
    let found = read(
        "claude-code",
        folder.path().join(".claude/projects").as_path(),
    )
    .unwrap();
    let [record] = found.records.as_slice() else {
        panic!("{found:?}")
    };
    assert!(matches!(&record.body, Body::Entry { kind, .. } if *kind == EntryType::Decision));
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_and_a_pipe_are_named_and_the_rest_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("a.md"), "Text\n").unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(root.join("pipe.md"))
        .status();
    assert!(made.unwrap().success());
    // Nobody can open a folder whose path is too long, not even root. It gets there by renaming a part of it.
    let long = vec!["x".repeat(200); 9].join("/");
    fs::create_dir_all(root.join("one").join(&long)).unwrap();
    fs::create_dir_all(root.join("two").join(&long)).unwrap();
    fs::create_dir_all(
        root.join("two")
            .join(&long)
            .join("y".repeat(250))
            .join("z".repeat(250)),
    )
    .unwrap();
    fs::rename(root.join("two"), root.join("one").join(&long).join("two")).unwrap();
    let found = read("basic-memory", root).unwrap();
    let ids: Vec<&str> = found.records.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["a.md"]);
    let [pipe, deep] = found.skipped.as_slice() else {
        panic!("{found:?}")
    };
    assert!(
        pipe.id.ends_with("pipe.md") && pipe.reason == "it is no regular file",
        "{pipe:?}"
    );
    assert!(deep.reason.starts_with("cannot read it: "), "{deep:?}");
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_named_and_not_followed() {
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().unwrap();
    let (root, elsewhere) = (folder.path().join("notes"), folder.path().join("elsewhere"));
    fs::create_dir_all(&root).unwrap();
    fs::create_dir_all(&elsewhere).unwrap();
    fs::write(root.join("a.md"), "Text\n").unwrap();
    fs::write(elsewhere.join("b.md"), "Other text\n").unwrap();
    symlink(elsewhere.join("b.md"), root.join("b.md")).unwrap();
    symlink("no such file", root.join("broken.md")).unwrap();
    symlink(&elsewhere, root.join("more")).unwrap();
    symlink(&root, root.join("circle")).unwrap();
    // Of what would not be read anyhow nothing is said.
    symlink(elsewhere.join("b.md"), root.join("b.png")).unwrap();
    let found = read("basic-memory", &root).unwrap();
    let ids: Vec<&str> = found.records.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["a.md"]);
    let mut named: Vec<&str> = found.skipped.iter().map(|it| it.id.as_str()).collect();
    named.sort_unstable();
    let names: Vec<_> = named
        .iter()
        .filter_map(|id| id.rsplit('/').next())
        .collect();
    assert_eq!(names, ["b.md", "broken.md", "circle", "more"]);
    assert!(
        found
            .skipped
            .iter()
            .all(|it| it.reason.contains("symbolic link")),
        "{found:?}"
    );
}

#[test]
fn a_heading_says_what_an_entry_is() {
    for (words, kind) in [
        ("Architecture decisions", Some(EntryType::Decision)),
        ("Known gotchas", Some(EntryType::Pitfall)),
        ("Build commands", Some(EntryType::Config)),
        ("bugfix", Some(EntryType::Bug)),
        ("Debugging", None),
    ] {
        assert_eq!(kind_of(words), kind, "{words}");
    }
}

#[test]
fn each_section_of_a_projects_instructions_is_an_entry_with_its_project() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("shop");
    fs::create_dir_all(root.join(".cursor/rules")).unwrap();
    let rule = "---\ndescription: Tests\nglobs: \"*.rs\"\n---\nRun them first.\n";
    fs::write(root.join(".cursor/rules/tests.mdc"), rule).unwrap();
    fs::write(
        root.join("CLAUDE.md"),
        "# Shop\n\n## Style\na\n\n## Style\nb\n",
    )
    .unwrap();
    let rules = read("cursor", &root).unwrap();
    let [rule] = rules.records.as_slice() else {
        panic!("{rules:?}")
    };
    assert_eq!(rule.project.as_deref(), Some("shop"));
    assert_eq!(rule.title, "Tests");
    assert_eq!(rule.id, "shop/.cursor/rules/tests.mdc");
    assert_eq!(content(rule), "Run them first.\n\n(globs: *.rs)");
    let sections = read("claude-code", &root).unwrap();
    let ids: Vec<&str> = sections.records.iter().map(|it| it.id.as_str()).collect();
    let id = "shop/CLAUDE.md#Shop > Style";
    assert_eq!(ids, [id.to_owned(), format!("{id} (2)")]);
}

#[test]
fn a_note_keeps_its_text_and_gets_tags_kind_and_relations() {
    let folder = tempfile::tempdir().unwrap();
    let note = "---\ntitle: Queue\npermalink: specs/queue\ntags: [infra]\n---\n# Queue\n\n\
                - [ ] a task\n- [decision] We use a table #postgres (cheaper)\n- needs [[Worker|it]]\n";
    fs::write(folder.path().join("queue.md"), note).unwrap();
    fs::write(folder.path().join("empty.md"), "---\ntitle: E\n---\n").unwrap();
    let found = read("basic-memory", folder.path()).unwrap();
    let [record] = found.records.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(record.id, "specs/queue");
    assert_eq!(record.tags, ["infra", "postgres"]);
    assert_eq!(record.related, ["Worker"]);
    assert!(content(record).contains("- needs [[Worker|it]]"));
    assert!(matches!(&record.body, Body::Entry { kind, .. } if *kind == EntryType::Decision));
    assert_eq!(found.skipped.len(), 1);
}

#[test]
fn a_damaged_line_of_a_graph_is_named_and_the_rest_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memory.jsonl");
    let lines = "{\"type\":\"entity\",\"name\":\"A\",\"entityType\":\"service\",\"observations\":[\"x\"]}\n\
                 {\"type\":\"relation\",\"from\":\"A\",\"to\":\"B\",\"relationType\":\"uses\"}\n\
                 {\"type\":\"entity\",\"name\":\"B\",\"entityType\":\"service\",\"obser";
    fs::write(&file, lines).unwrap();
    let found = read("server-memory", &file).unwrap();
    assert_eq!(found.records.len(), 1);
    assert_eq!(content(&found.records[0]), "- x\n- uses: B");
    assert_eq!(found.skipped[0].id, "line 3");
}

#[test]
fn a_repaired_bug_becomes_an_experience() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("export.json");
    let export = r#"{"observations": [
        {"id": 1, "type": "bugfix", "title": "N+1 query", "created_at": "2026-05-01 10:00:00",
         "content": "**What**: batch the query\n**Why**: the list took 4 s\n**Where**: list.go"},
        {"id": 2, "type": "bugfix", "title": "Free text", "content": "no labels"},
        {"id": 3, "type": "decision", "title": "Old", "content": "x", "deleted_at": "2026-05-02"}]}"#;
    fs::write(&file, export).unwrap();
    let found = read("engram", &file).unwrap();
    let Body::Experience {
        problem, solution, ..
    } = &found.records[0].body
    else {
        panic!("{found:?}")
    };
    assert_eq!(
        (problem.as_str(), solution.as_str()),
        ("the list took 4 s", "batch the query")
    );
    assert!(matches!(
        found.records[1].body,
        Body::Entry {
            kind: EntryType::Bug,
            ..
        }
    ));
    assert_eq!(found.skipped[0].reason, "it was deleted there");
}
