//! `recall-kit-server entries import` and `export`: a folder of notes is imported and exported again.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use recall_kit_tests::{Home, Output};

use super::{add, entries, parse};

const ID: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const OTHER: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAW";

/// Notes as people write them: path and exact content.
const NOTES: [(&str, &str); 8] = [
    ("plain.md", "# Pools\n\nNo front matter here.\n"),
    (
        "no newline.md",
        "---\ntitle: 'It''s # here'\nmood: {deep: [1, 2]}\n---\nno newline at the end",
    ),
    (
        "windows.md",
        "---\r\n# mine\r\ntags:\r\n  - TimeOut\r\n  - db # why\r\nrating: |\r\n  a: b\r\n\r\n  c\r\n---\r\nCRLF\r\n",
    ),
    (
        "日记/连接池.md",
        "\u{feff}---\ntype: bug\naliases: [池]\n---\n\n连接池耗尽。\n",
    ),
    ("empty.md", ""),
    (
        "only front matter.md",
        "---\nconfidence: 5\ncreated_at: 2024-02-29\n---",
    ),
    (
        "deep/er/linked.md",
        "---\nid: 01ARZ3NDEKTSV4RRFFQ69G5FAV\nlinks: [\"related 01ARZ3NDEKTSV4RRFFQ69G5FAW\"]\n---\ntext\n",
    ),
    (
        "deep/other.md",
        "---\nid: 01arz3ndektsv4rrffq69g5faw\nstatus: obsolete\nmemory_type: semantic\nproject: ~\n---\n---\nrule\n",
    ),
];

/// Writes notes into a folder of the home and returns it.
fn folder<'a>(
    home: &Home,
    name: &str,
    notes: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> PathBuf {
    let folder = home.path().join(name);
    for (path, text) in notes {
        let target = folder.join(path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, text).unwrap();
    }
    folder
}

/// Returns every file below a folder, by its path.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap();
                let text = fs::read_to_string(&path).unwrap();
                found.insert(name.to_string_lossy().into_owned(), text);
            }
        }
    }
    found
}

async fn on(home: &Home, command: &str, folder: &Path, flags: &[&str]) -> Output {
    let path = folder.to_string_lossy();
    entries(home, &[&[command, &*path], flags].concat()).await
}

fn notes() -> BTreeMap<String, String> {
    NOTES
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .into()
}

#[tokio::test]
async fn a_folder_of_notes_comes_back_unchanged() {
    let (home, second) = (Home::new(), Home::new());
    let here = folder(&home, "notes", NOTES);
    folder(
        &home,
        "notes",
        [(".hidden/x.md", "---\n"), ("picture.txt", "---\n")],
    );
    let imported = on(&home, "import", &here, &[]).await;
    assert_eq!(
        imported.expect_code(0),
        "imported 8, updated 0, already there 0, conflicts 0\n"
    );
    let again = parse(&on(&home, "import", &here, &["--json"]).await);
    assert_eq!(again["already_there"], 8, "{again}");

    let there = home.path().join("exported");
    let exported = on(&home, "export", &there, &[]).await;
    assert_eq!(
        exported.expect_code(0),
        "exported 8 notes: 8 written, 0 unchanged\n"
    );
    assert_eq!(files(&there), notes());
    let exported = parse(&on(&home, "export", &here, &["--json"]).await);
    assert_eq!(exported["unchanged"], 8, "{exported}");

    // The entries have the fields of the notes, also in another database.
    on(&second, "import", &there, &[]).await.expect_code(0);
    let shown = parse(&entries(&second, &["show", ID, "--json"]).await);
    assert_eq!(shown["title"], "linked", "{shown}");
    assert_eq!(shown["links"]["outgoing"][0]["target_id"], OTHER, "{shown}");
    let shown = parse(&entries(&second, &["show", OTHER, "--json"]).await);
    for (field, value) in [
        ("status", "obsolete"),
        ("memory_type", "semantic"),
        ("content", "---\nrule\n"),
    ] {
        assert_eq!(shown[field], value, "{shown}");
    }
    let found = parse(&entries(&second, &["search", "--json", "连接池"]).await);
    assert_eq!(found["results"][0]["title"], "连接池", "{found}");
    assert_eq!(found["results"][0]["type"], "bug", "{found}");
    let found = parse(&entries(&second, &["search", "--json", "CRLF"]).await);
    assert_eq!(
        found["results"][0]["tags"],
        serde_json::json!(["time-out", "db"])
    );
}

#[tokio::test]
async fn only_changed_notes_are_written() {
    let (home, second) = (Home::new(), Home::new());
    let text = "---\nmood: good\n---\n# Old way\n";
    let here = folder(&home, "notes", [("old.md", text)]);
    let old = parse(&on(&home, "import", &here, &["--json"]).await);
    let old = old["imported"][0]["id"].as_str().unwrap().to_owned();
    let made = [
        "--content",
        "Do: this\n",
        "--tags",
        "a-b",
        "--project",
        "yes",
    ];
    let new = add(&home, "New: \"way\"", &made).await;
    let linked = entries(&home, &["link", &new, &old, "--relation", "supersedes"]).await;
    linked.expect_code(0);

    let refused = on(&home, "export", &here, &[]).await;
    assert_eq!(refused.expect_code(1), "");
    assert!(
        refused.stderr.contains("such as old.md; use --force"),
        "{refused:?}"
    );
    assert_eq!(files(&here).len(), 1);
    on(&home, "export", &here, &["--force"])
        .await
        .expect_code(0);
    let written = files(&here);
    let shown = parse(&entries(&home, &["show", &old, "--json"]).await);
    let second_of = |time: &str| {
        time.trim_end_matches('Z')
            .split('.')
            .next()
            .map(str::to_owned)
    };
    let updated = written["old.md"]
        .lines()
        .find_map(|line| line.strip_prefix("updated_at: "));
    let updated = updated.expect("the note says when its entry changed");
    assert_eq!(
        second_of(updated),
        second_of(shown["updated_at"].as_str().unwrap())
    );
    let changed = format!(
        "---\nmood: good\nid: {old}\nstatus: obsolete\nupdated_at: {updated}\n---\n# Old way\n"
    );
    assert_eq!(written["old.md"], changed);
    let name = format!("new-way-{new}.md");
    for line in [
        "title: \"New: \\\"way\\\"\"\n",
        "tags: [a-b]\n",
        "project: \"yes\"\n",
        &format!("links: [supersedes {old}]\n"),
        "---\nDo: this\n",
    ] {
        assert!(written[&name].contains(line), "{line}: {written:?}");
    }
    let again = on(&home, "import", &here, &[]).await;
    assert_eq!(
        again.expect_code(0),
        "imported 0, updated 0, already there 2, conflicts 0\n"
    );
    on(&second, "import", &here, &[]).await.expect_code(0);
    let again = home.path().join("again");
    on(&second, "export", &again, &[]).await.expect_code(0);
    assert_eq!(files(&again), written);
}

#[tokio::test]
async fn an_entry_is_updated_from_its_note_unless_it_changed_too() {
    let home = Home::new();
    let here = folder(&home, "notes", NOTES);
    on(&home, "import", &here, &[]).await.expect_code(0);
    let change = |notes: [(&str, &str); 3]| {
        folder(&home, "notes", notes);
    };
    change([
        ("plain.md", "# Other\n"),
        ("new.md", "new"),
        ("deep/other.md", "x"),
    ]);
    let linked = format!("---\nid: {ID}\nmood: new\n---\nother\n");
    folder(&home, "notes", [("deep/er/linked.md", &*linked)]);
    let output = on(&home, "import", &here, &[]).await;
    let expected = "imported 1, updated 3, already there 5, conflicts 0\n";
    assert_eq!(output.expect_code(0), expected);
    let shown = parse(&entries(&home, &["show", ID, "--json"]).await);
    assert_eq!(
        (&shown["content"], &shown["title"]),
        (&"other\n".into(), &"linked".into())
    );
    let found = parse(&entries(&home, &["search", "--json", "Other"]).await);
    let plain = found["results"].as_array().unwrap().iter();
    let plain = plain
        .filter(|one| one["title"] == "Other")
        .map(|one| one["id"].as_str().unwrap());
    let plain: Vec<&str> = plain.collect();
    assert_eq!(plain.len(), 1, "the new text is found: {found}");

    // A note is exported, changed and imported; then a note that was exported before that is changed and
    // imported.
    let there = home.path().join("exported");
    on(&home, "export", &there, &[]).await.expect_code(0);
    let path = there.join("deep/er/linked.md");
    let exported = fs::read_to_string(&path).unwrap();
    fs::write(&path, exported.replace("\nother\n", "\nmine\n")).unwrap();
    let output = on(&home, "import", &there, &[]).await;
    let expected = "imported 0, updated 1, already there 8, conflicts 0\n";
    assert_eq!(output.expect_code(0), expected);
    let new = add(&home, "Newer", &[]).await;
    entries(&home, &["link", &new, ID, "--relation", "supersedes"])
        .await
        .expect_code(0);
    fs::write(&path, exported.replace("\nother\n", "\ntheirs\n")).unwrap();
    let output = on(&home, "import", &there, &[]).await;
    let expected = "imported 0, updated 0, already there 8, conflicts 1\n";
    assert_eq!(output.expect_code(1), expected);
    for words in [
        "linked.md: conflict: entry 01ARZ3",
        "use the new updated_at",
    ] {
        assert!(output.stderr.contains(words), "{words}: {}", output.stderr);
    }
    let shown = parse(&entries(&home, &["show", ID, "--json"]).await);
    assert_eq!(shown["content"], "mine\n");
    on(&home, "export", &there, &["--force"])
        .await
        .expect_code(0);
    let now = fs::read_to_string(&path).unwrap();
    fs::write(&path, now.replace("\nmine\n", "\nboth\n")).unwrap();
    on(&home, "import", &there, &[]).await.expect_code(0);
    let shown = parse(&entries(&home, &["show", ID, "--json"]).await);
    assert_eq!(
        (&shown["content"], &shown["status"]),
        (&"both\n".into(), &"obsolete".into())
    );
}

#[tokio::test]
async fn wrong_notes_are_reported_by_file_and_line_and_none_is_imported() {
    let home = Home::new();
    let long = format!("---\na: b\ntitle: {}\n---\n", "x".repeat(101));
    let secret = format!(
        "---\na: b\n---\nkey {}\n",
        ["AKIA", "Q3EGRZV7TK5WLMN2"].concat()
    );
    for (text, place, words) in [
        ("---\ntype: bug\n", 1, "has no end"),
        (
            "---\na: b\ntype: idea\n---\n",
            3,
            "Unknown entry type 'idea'",
        ),
        (&long, 3, "The title has 101 characters"),
        ("---\nconfidence: 6\n---\n", 2, "from 0 to 5"),
        (
            "---\nconfidence: [3]\n---\n",
            2,
            "confidence must be a text",
        ),
        ("---\n\ntags:\n  a: b\n---\n", 3, "tags must be a list"),
        ("---\nmemory_type: x\n---\n", 2, "Unknown memory type 'x'"),
        (
            "---\nstatus: draft\n---\n",
            2,
            "status must be active or obsolete",
        ),
        ("---\nid: 12\n---\n", 2, "id must be a ULID"),
        (
            "---\ncreated_at: soon\n---\n",
            2,
            "created_at must be a time",
        ),
        ("---\nlinks: [x]\n---\n", 2, "each of links must be"),
        (
            &format!("---\nlinks: [related {ID}]\n---\n"),
            2,
            "there is no entry 01ARZ3",
        ),
        (
            &format!("---\nid: {ID}\nlinks: [related {ID}]\n---\n"),
            3,
            "linked to itself",
        ),
        ("---\ntitle: a\ntitle: b\n---\n", 3, "title appears twice"),
        (&secret, 4, "content contains a credential"),
    ] {
        let here = folder(&home, "notes", [("a/bad.md", text), ("good.md", "good")]);
        let output = on(&home, "import", &here, &[]).await;
        assert_eq!(output.expect_code(1), "", "{text}");
        let message = output
            .stderr
            .lines()
            .find(|line| line.contains(&format!("a/bad.md:{place}: ")));
        assert!(
            message.is_some_and(|line| line.contains(words)),
            "{text}: {}",
            output.stderr
        );
        assert!(!output.stderr.contains("Q3EGRZV7"), "{}", output.stderr);
    }
    let twice = format!("---\nid: {ID}\n---\n");
    let here = folder(&home, "twice", [("a.md", &*twice), ("b.md", &*twice)]);
    let output = on(&home, "import", &here, &[]).await;
    assert!(
        output.stderr.contains("b.md:1: a.md has the same id"),
        "{output:?}"
    );
    fs::write(here.join("b.md"), b"one\ntwo \xff\n").unwrap();
    let output = on(&home, "import", &here, &[]).await;
    assert!(
        output.stderr.contains("b.md:2: the text is not UTF-8"),
        "{output:?}"
    );
    let absent = on(&home, "import", &home.path().join("absent"), &[]).await;
    assert!(
        absent.stderr.contains("cannot read the folder"),
        "{absent:?}"
    );
    let all = parse(&entries(&home, &["stale", "--days", "0", "--json"]).await);
    assert_eq!(all, serde_json::json!([]));
}
