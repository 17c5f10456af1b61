//! Changing records on the web pages: permissions, versions, and undo.

use recall_kit_tests::{
    EmbeddingsEndpoint, Home, HttpAnswer, Launch, Script, Server, Visitor, experience, make_user,
    password_of, run_browser_flow, token_of,
};
use serde_json::{Value, json};

/// Starts a server with a reader, a writer, and a writer who is limited to the project `shop`.
async fn with_people(home: &Home) -> Server {
    make_user(home, "reader", "reader", &[]).await;
    make_user(home, "writer", "writer", &[]).await;
    make_user(home, "seller", "writer", &["shop"]).await;
    Server::start(home).await
}

async fn added(server: &Server, title: &str, project: &str) -> String {
    let entry = json!({"type": "bug", "title": title, "content": "What it says",
        "project": project});
    let added = server.wire.call("rekall_add", entry).await;
    added["id"]
        .as_str()
        .unwrap_or_else(|| panic!("{added}"))
        .to_owned()
}

/// Returns the value of a hidden field of a page.
fn hidden(page: &HttpAnswer, name: &str) -> String {
    let field = page.text.split(&format!("name=\"{name}\" value=\"")).nth(1);
    let value = field.and_then(|rest| rest.split('"').next());
    value
        .unwrap_or_else(|| panic!("no {name}: {}", page.text))
        .to_owned()
}

fn location(answer: &HttpAnswer) -> &str {
    answer.headers["location"].to_str().unwrap()
}

#[tokio::test]
async fn the_second_of_two_concurrent_edits_is_refused_and_loses_nothing() {
    let home = Home::new();
    let server = with_people(&home).await;
    let id = server.wire.submit(experience("the pool runs dry")).await;
    let (path, edit) = (
        format!("/experiences/{id}"),
        format!("/experiences/{id}/edit"),
    );
    let mut first = Visitor::signed_in(&server, "writer").await;
    let mut second = Visitor::signed_in(&server, "seller").await;
    let seen = second.page(&edit).await;
    let texts = [
        ("problem_description", "connections <b>time out</b>"),
        ("solution", "raise the limit"),
        ("keywords", "pool, database"),
    ];
    let typed = |version, title| {
        let own = [("version", version), ("title", title)];
        [&own[..], &texts[..]].concat()
    };
    let done = first
        .fill_in(&edit, &edit, &typed("1", "the pool ran dry"))
        .await;
    assert_eq!(
        (done.status, location(&done)),
        (303, &*format!("{path}?done=edit"))
    );
    let late = typed("1", "the second title");
    let token = token_of(&seen.text);
    let sent = [&[("form_token", token.as_str())], &late[..]].concat();
    let conflict = second.post(&edit, &sent).await;
    assert_eq!(conflict.status, 409, "{}", conflict.text);
    for words in [
        "the second title",
        "the pool ran dry",
        "connections &lt;b&gt;time out",
    ] {
        assert!(conflict.text.contains(words), "{words}: {}", conflict.text);
    }
    assert_eq!(hidden(&conflict, "version"), "2");
    let again = typed("2", "the second title");
    let token = token_of(&conflict.text);
    let sent = [&[("form_token", token.as_str())], &again[..]].concat();
    assert_eq!(second.post(&edit, &sent).await.status, 303);
    let titles = server.wire.titles("pool dry second").await;
    assert_eq!(titles, ["the second title"]);
    // Text that a submission would refuse is refused here as well, and stays in the form.
    let empty = first.fill_in(&edit, &edit, &typed("3", "")).await;
    assert_eq!(empty.status, 400, "{}", empty.text);
    assert!(empty.text.contains("raise the limit"), "{}", empty.text);
    let leak = format!("{}{}", "ghp_", "x9K2".repeat(9));
    let refused = first.fill_in(&edit, &edit, &typed("3", &leak)).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    // Every problem is reported with the field's label, in the user's language.
    let both = [
        ("version", "3"),
        ("title", ""),
        ("problem_description", "connections time out"),
        ("solution", &leak),
    ];
    for (language, words) in [
        (
            "en",
            [
                "“Title” must not be empty.",
                "“Solution” contains a credential",
            ],
        ),
        ("zh", ["“标题”不能为空。", "“解决方案”中含有凭据"]),
        (
            "fr",
            [
                "« Titre » ne doit pas être vide.",
                "dans « Solution » : retirez-le",
            ],
        ),
    ] {
        let cookies = first.cookies.clone();
        first.cookies.push_str(&format!("; rk_language={language}"));
        let refused = first.fill_in(&edit, &edit, &both).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        for words in words {
            assert!(refused.text.contains(words), "{words}: {}", refused.text);
        }
        first.cookies = cookies;
    }
    assert_eq!(server.wire.titles("second").await, ["the second title"]);
}

#[tokio::test]
async fn a_hidden_or_deleted_record_is_gone_for_others_and_can_be_restored() {
    let home = Home::new();
    let server = with_people(&home).await;
    let id = server.wire.submit(experience("the pool runs dry")).await;
    let path = format!("/experiences/{id}");
    let mut writer = Visitor::signed_in(&server, "writer").await;
    let mut anonymous = Visitor::anonymous(&server);
    for (action, found, word) in [
        ("hide", false, "The experience is hidden"),
        ("unhide", true, "The experience is visible again"),
        ("delete", false, "The experience is deleted"),
        ("restore", true, "The experience is restored"),
    ] {
        let version = hidden(&writer.page(&path).await, "version");
        let fields = [("version", version.as_str())];
        let done = writer
            .fill_in(&path, &format!("{path}/{action}"), &fields)
            .await;
        assert_eq!(done.status, 303, "{action}: {}", done.text);
        let done_page = writer.page(location(&done)).await;
        assert!(
            done_page.text.contains(word),
            "{action}: {}",
            done_page.text
        );
        assert!(
            done_page.text.contains("Undo"),
            "{action}: {}",
            done_page.text
        );
        let status = if found { 200 } else { 404 };
        for address in [path.clone(), format!("{path}/json")] {
            assert_eq!(
                anonymous.page(&address).await.status,
                status,
                "{action} {address}"
            );
        }
        assert_eq!(
            server.wire.query("pool").await["total"],
            u64::from(found),
            "{action}"
        );
        let listed = anonymous.page("/experiences").await;
        assert_eq!(listed.text.contains(&id), found, "{action}");
        // A button on an outdated page does nothing.
        let stale = writer
            .fill_in(&path, &format!("{path}/hide"), &fields)
            .await;
        assert_eq!(stale.status, 409, "{action}: {}", stale.text);
    }
    for state in ["hidden", "deleted"] {
        let address = format!("/experiences?state={state}");
        assert_eq!(anonymous.page(&address).await.status, 303, "{state}");
        assert_eq!(writer.page(&address).await.status, 200, "{state}");
    }
}

#[tokio::test]
async fn a_reader_cannot_change_anything() {
    let home = Home::new();
    let server = with_people(&home).await;
    let record = server.wire.submit(experience("the pool runs dry")).await;
    let entry = added(&server, "the pool", "shop").await;
    let mut reader = Visitor::signed_in(&server, "reader").await;
    let experience = format!("/experiences/{record}");
    let knowledge = format!("/knowledge/{entry}");
    for page in [&experience, &knowledge] {
        let shown = reader.page(page).await;
        assert_eq!(shown.status, 200, "{page}");
        assert!(
            !shown.text.contains(&format!("{page}/")) || page == &experience,
            "{page}"
        );
        assert_eq!(
            reader.page(&format!("{page}/edit")).await.status,
            403,
            "{page}"
        );
    }
    let version = server_version(&server, &entry).await;
    for (to, fields) in [
        (format!("{experience}/hide"), vec![("version", "1")]),
        (format!("{experience}/delete"), vec![("version", "1")]),
        (
            format!("{experience}/edit"),
            vec![
                ("version", "1"),
                ("title", "x"),
                ("problem_description", "y"),
                ("solution", "z"),
            ],
        ),
        (format!("{knowledge}/status"), vec![("status", "obsolete")]),
        (
            format!("{knowledge}/edit"),
            vec![
                ("version", version.as_str()),
                ("type", "bug"),
                ("title", "x"),
            ],
        ),
        (
            "/knowledge/suggestions".to_owned(),
            vec![("decision", "accept"), ("id", &entry)],
        ),
        ("/knowledge/stale".to_owned(), vec![("id", &entry)]),
    ] {
        let refused = reader.fill_in("/account", &to, &fields).await;
        assert_eq!(refused.status, 403, "{to}: {}", refused.text);
    }
    assert_eq!(server.wire.titles("pool").await, ["the pool runs dry"]);
}

/// Returns the current version of an entry.
async fn server_version(server: &Server, entry: &str) -> String {
    let mut writer = Visitor::signed_in(server, "writer").await;
    let form = writer.page(&format!("/knowledge/{entry}/edit")).await;
    hidden(&form, "version")
}

#[tokio::test]
async fn users_cannot_see_or_change_other_projects() {
    let home = Home::new();
    let server = with_people(&home).await;
    let own = added(&server, "the till is closed", "shop").await;
    let foreign = added(&server, "the vault is open", "bank").await;
    let version = server_version(&server, &foreign).await;
    let mut writer = Visitor::signed_in(&server, "writer").await;
    let mut seller = Visitor::signed_in(&server, "seller").await;
    assert_eq!(seller.page(&format!("/knowledge/{own}")).await.status, 200);
    for address in ["", "/edit"] {
        let page = seller.page(&format!("/knowledge/{foreign}{address}")).await;
        assert_eq!(page.status, 404, "{address}: {}", page.text);
    }
    for page in [
        "/knowledge",
        "/knowledge?project=bank",
        "/knowledge/graph.json",
        "/knowledge/stale?days=0",
        "/?q=vault&in=knowledge",
    ] {
        let all = writer.page(page).await.text;
        assert!(all.contains("the vault"), "others see it on {page}");
        let shown = seller.page(page).await;
        assert_eq!(shown.status, 200, "{page}");
        assert!(!shown.text.contains("the vault"), "{page}");
        assert!(!shown.text.contains(&foreign), "{page}");
    }
    let edit = [
        ("version", version.as_str()),
        ("type", "bug"),
        ("title", "mine now"),
        ("content", "x"),
        ("memory_type", "episodic"),
        ("confidence", "3"),
    ];
    let taken = [&edit[..], &[("project", "shop")]].concat();
    let to = format!("/knowledge/{foreign}/edit");
    assert_eq!(seller.fill_in("/account", &to, &taken).await.status, 404);
    let to = format!("/knowledge/{foreign}/status");
    let status = [("status", "obsolete")];
    assert_eq!(seller.fill_in("/account", &to, &status).await.status, 404);
    let chosen = [("id", own.as_str()), ("id", foreign.as_str())];
    assert_eq!(
        seller
            .fill_in("/account", "/knowledge/stale", &chosen)
            .await
            .status,
        404
    );
    // A user cannot move an entry to a project that is not the user's own.
    let own_version = server_version(&server, &own).await;
    let away = [
        &[("version", own_version.as_str())],
        &edit[1..],
        &[("project", "bank")],
    ]
    .concat();
    let refused = seller
        .fill_in("/account", &format!("/knowledge/{own}/edit"), &away)
        .await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    let shown = server
        .wire
        .call("rekall_show", json!({"id": foreign}))
        .await;
    assert_eq!(
        (&shown["title"], &shown["status"]),
        (&json!("the vault is open"), &json!("active"))
    );
}

#[tokio::test]
async fn records_are_changed_and_suggestions_decided_in_a_browser() {
    let home = Home::new();
    make_user(&home, "writer", "writer", &[]).await;
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let launch = Launch::new(&home).embeddings("openai");
    let launch = launch.env("RECALL_KIT_EMBEDDINGS__BASE_URL", endpoint.url());
    let server = launch.start().await;
    let record = server.wire.submit(experience("the pool runs dry")).await;
    let mut entries: Vec<Value> = Vec::new();
    for part in ["one", "two", "three", "four"] {
        let title = format!("docker {part}");
        entries.push(added(&server, &title, "shop").await.into());
    }
    let ids = json!({"record": record, "entry": entries[0], "password": password_of("writer")});
    run_browser_flow(
        &home,
        "browser_records.mjs",
        "change",
        server.wire.base(),
        &ids,
    )
    .await;
}
