//! `recall-kit-server entries` and `generalize`: the knowledge base on the command line.

mod generalize;
mod notes;

use recall_kit_tests::{Home, Output, run, server_command};
use serde_json::Value;

async fn command(home: &Home, args: &[&str]) -> Output {
    run(server_command(home, args), "").await
}

async fn entries(home: &Home, args: &[&str]) -> Output {
    command(home, &[&["entries"], args].concat()).await
}

/// Adds an entry and returns its id.
async fn add(home: &Home, title: &str, args: &[&str]) -> String {
    let output = entries(
        home,
        &[&["add", "--type", "bug", "--title", title], args].concat(),
    )
    .await;
    output.expect_code(0).trim().to_owned()
}

fn parse(output: &Output) -> Value {
    serde_json::from_str(output.expect_code(0)).unwrap()
}

#[tokio::test]
async fn entries_are_added_found_shown_and_linked() {
    let home = Home::new();
    let pool = [
        "--content",
        "The pool ran dry.",
        "--tags",
        "db,connectionPool",
        "--project",
        "Shop",
    ];
    let old = add(&home, "连接池 exhausted", &pool).await;
    let new = add(
        &home,
        "Pool exhausted\u{1b}[31m, once more",
        &["--confidence", "5"],
    )
    .await;

    let found = entries(&home, &["search", "exhausted"]).await;
    let table: Vec<&str> = found.expect_code(0).lines().collect();
    assert_eq!(table.len(), 3, "{table:?}");
    assert!(table[0].starts_with("ID  "), "{table:?}");
    // In a terminal the columns after Chinese text are aligned: two characters of it are four columns wide.
    let width = |line: &str, upto: &str| {
        let before = &line[..line.find(upto).unwrap_or_else(|| panic!("{upto}: {line}"))];
        before
            .chars()
            .map(|c| 1 + usize::from(!c.is_ascii()))
            .sum::<usize>()
    };
    let chinese = table.iter().find(|line| line.contains("连接池")).unwrap();
    assert_eq!(width(chinese, "db, "), width(table[0], "TAGS"), "{table:?}");
    assert!(!found.stdout.contains('\u{1b}'), "{found:?}");
    let found = parse(&entries(&home, &["search", "--json", "pool", "ran", "dry"]).await);
    assert_eq!(found["results"][0]["title"], "连接池 exhausted", "{found}");

    let linked = entries(&home, &["link", &new, &old, "--relation", "supersedes"]).await;
    linked.expect_code(0);
    let shown = parse(&entries(&home, &["show", &old, "--json"]).await);
    assert_eq!(shown["status"], "obsolete", "{shown}");
    assert_eq!(shown["links"]["incoming"][0]["source_id"], new.as_str());
    let page = entries(&home, &["show", &old]).await;
    let page = page.expect_code(0);
    for part in [
        "连接池 exhausted\n",
        "  type        bug, episodic, obsolete\n",
        "  confidence  3 of 5\n",
        "  project     Shop\n",
        "  tags        db, connection-pool\n",
        "shown 1 times before\n",
        "\n\nThe pool ran dry.\n",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(
        page.contains(&format!("  link from   supersedes {new} Pool")),
        "{page}"
    );
}

#[tokio::test]
async fn entries_that_were_never_opened_are_stale() {
    let home = Home::new();
    let id = add(&home, "Forgotten", &[]).await;
    let stale = parse(&entries(&home, &["stale", "--days", "0", "--json"]).await);
    assert_eq!(stale[0]["id"], id.as_str(), "{stale}");
    assert_eq!(stale[0]["last_accessed"], Value::Null, "{stale}");
    let stale = entries(&home, &["stale"]).await;
    assert_eq!(stale.expect_code(0), "");
    assert!(stale.stderr.contains("last 90 days"), "{stale:?}");
}

#[tokio::test]
async fn bad_input_is_reported_and_changes_nothing() {
    let home = Home::new();
    let id = add(&home, "Here", &[]).await;
    let long = "x".repeat(101);
    for (args, words) in [
        (
            vec!["add", "--type", "bug", "--title", " "],
            "must not be empty",
        ),
        (
            vec!["add", "--type", "bug", "--title", &long],
            "101 characters; 100 are allowed",
        ),
        (
            vec!["add", "--type", "idea", "--title", "x"],
            "Unknown entry type 'idea'; use one of bug, ",
        ),
        (
            vec!["add", "--type", "bug", "--title", "x", "--confidence", "6"],
            "from 0 to 5",
        ),
        (
            vec![
                "add",
                "--type",
                "bug",
                "--title",
                "x",
                "--file",
                "absent.md",
            ],
            "cannot read absent.md",
        ),
        (vec!["show", "01A"], "at least its first 5"),
        (vec!["show", "7ZZZZ"], "not found"),
        (vec!["link", &id, &id], "linked to itself"),
        (
            vec!["link", &id, &id, "--relation", "knows"],
            "Unknown relation type 'knows'",
        ),
        (vec!["search", "x", "--limit", "21"], "from 1 to 20"),
        (vec!["review"], "Suggestions need embeddings"),
        (
            vec!["review", "--accept", "no"],
            "Suggestion with ID 'no' not found",
        ),
    ] {
        let output = entries(&home, &args).await;
        assert_eq!(output.expect_code(1), "", "{args:?}");
        assert!(output.stderr.contains(words), "{args:?}: {}", output.stderr);
    }
    entries(&home, &["add", "--title", "x"])
        .await
        .expect_code(2);
    let all = parse(&entries(&home, &["stale", "--days", "0", "--json"]).await);
    assert_eq!(all.as_array().unwrap().len(), 1, "{all}");
}

#[tokio::test]
async fn a_semantic_entry_is_made_from_episodic_ones() {
    let home = Home::new();
    let mut ids = Vec::new();
    for city in ["Lyon", "Oslo", "Turin"] {
        let content = format!("We were in {city}. The pool timeout was too short in {city}.");
        let title = format!("Pool timeout in {city}");
        ids.push(add(&home, &title, &["--content", &content, "--tags", "pool"]).await);
    }
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let generalize =
        async |more: &[&str]| command(&home, &[&["generalize"], &ids[..], more].concat()).await;
    let draft = generalize(&["--dry-run"]).await;
    let shown = draft.expect_code(0);
    assert!(
        shown.contains("\n- The pool timeout was too short in Oslo.\n"),
        "{shown}"
    );
    assert!(draft.stderr.contains("by extraction"), "{draft:?}");
    assert!(draft.stderr.contains("nothing is stored"), "{draft:?}");
    let all = async || parse(&entries(&home, &["stale", "--days", "0", "--json"]).await);
    assert_eq!(all().await.as_array().unwrap().len(), 3);

    let made = parse(&generalize(&["--title", "Pools need time", "--json"]).await);
    assert_eq!(made["created"], true, "{made}");
    let shown = parse(&entries(&home, &["show", made["id"].as_str().unwrap(), "--json"]).await);
    assert_eq!(shown["title"], "Pools need time");
    assert_eq!(shown["memory_type"], "semantic");
    let links = shown["links"]["outgoing"].as_array().unwrap();
    assert_eq!(links.len(), 3, "{shown}");
    assert!(
        links
            .iter()
            .all(|link| link["relation_type"] == "derived_from"),
        "{shown}"
    );

    let semantic = made["id"].as_str().unwrap();
    for (args, words) in [
        (ids.clone(), "were generalised before, as 'Pools need time'"),
        (vec![ids[0]], "2 to 50 different entries, not 1"),
        (vec![ids[0], ids[0]], "2 to 50 different entries, not 1"),
        (vec![ids[0], semantic], "is semantic; only episodic"),
        (vec![ids[0], "7ZZZZZ"], "not found"),
        (vec![ids[0], ids[1], "--title", ""], "must not be empty"),
    ] {
        let output = command(&home, &[&["generalize"], &args[..]].concat()).await;
        assert_eq!(output.expect_code(1), "", "{args:?}");
        assert!(output.stderr.contains(words), "{args:?}: {}", output.stderr);
    }
    assert_eq!(all().await.as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn shell_output_names_commands_not_tools() {
    let home = Home::new();
    for args in [
        &["show", "01JD8ZZZZZ"][..],
        &["link", "01JD8ZZZZZ", "01JC2ZZZZZ"],
    ] {
        let failed = entries(&home, args).await;
        failed.expect_code(1);
        let stderr = &failed.stderr;
        assert!(
            stderr.contains("`recall-kit-server entries search"),
            "{stderr}"
        );
        assert!(!stderr.contains("rekall_"), "{stderr}");
    }
}
