//! The insights pages: queries and their results, who may read them, and the tables as files.

use recall_kit_tests::{
    Home, HttpAnswer, Launch, Server, Visitor, experience, make_user, password_of,
    run_browser_flow, within_deadline,
};
use recall_kit_tests_postgres::Cluster;
use serde_json::{Value, json};

/// A formula in a spreadsheet, and markup in a browser.
const HOSTILE: &str = "=1+1 wombats, <b>\"here\"</b>";

/// Code with every kind of token that is coloured.
const CODE: &str = "```rust\n// A comment\nfn main() -> Result<(), Error> {\n    let n = \"text\";\n    \
    call(1.5)\n}\n```\n\n```json\n{\"name\": [true, 2]}\n```\n\n```diff\n-before\n+after\n```";

/// Starts a server that has stored queries with and without results.
async fn server_with_queries(home: &Home) -> (Server, Value) {
    make_user(home, "reader", "reader", &[]).await;
    make_user(home, "guest", "reader", &["shop"]).await;
    let server = Server::start(home).await;
    let wire = &server.wire;
    let mut record = experience("docker volumes vanish after a restart");
    record["solution"] = json!(CODE);
    let id = wire.submit(record).await;
    for question in ["docker volumes vanish", "Docker  VOLUMES vanish", HOSTILE] {
        wire.query(question).await;
    }
    let library = json!({"libraryName": "wombat manual"});
    wire.call("search-libraries", library).await;
    for project in ["shop", "vault"] {
        let entry = json!({"type": "bug", "title": format!("{project} entry"),
            "content": "Something of it.", "project": project});
        let added = wire.call("rekall_add", entry).await;
        wire.call("rekall_show", json!({"id": added["id"]})).await;
    }
    server.stop().await;
    (Server::start(home).await, json!({ "experience": id }))
}

fn header<'a>(answer: &'a HttpAnswer, name: &str) -> &'a str {
    answer.headers[name].to_str().unwrap()
}

/// Returns the part of an answer between two texts.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let after = text.split(from).nth(1).unwrap_or_else(|| panic!("{text}"));
    after.split(to).next().unwrap()
}

#[tokio::test]
async fn queries_are_shown_to_signed_in_users_and_only_their_counts_to_all() {
    let home = Home::new();
    let (server, _) = server_with_queries(&home).await;
    let mut anonymous = Visitor::anonymous(&server);
    let counts = "Agents asked 4 times; nothing relevant was found 2 times.";
    let shown = anonymous.page("/insights").await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    assert!(shown.text.contains(counts), "{}", shown.text);
    assert!(!shown.text.to_lowercase().contains("wombat"));
    let sign_in = "href=\"/sign-in?back=%2Finsights\"";
    assert!(shown.text.contains(sign_in), "{}", shown.text);
    let mut reader = Visitor::signed_in(&server, "reader").await;
    let shown = reader.page("/insights?days=7").await.text;
    assert!(shown.contains(counts), "{shown}");
    let gaps = between(&shown, ">Not found</h2>", "</section>");
    let searches = "/?q=%3D1%2B1%20wombats%2C%20%3Cb%3E%22here%22%3C%2Fb%3E&amp;in=experiences";
    assert!(gaps.contains(searches), "{gaps}");
    assert!(gaps.contains("/?q=wombat%20manual&amp;in=documentation"));
    assert!(!gaps.contains("docker") && !gaps.contains("<b>"), "{gaps}");
    let most = between(&shown, ">Most asked</h2>", "</section>");
    let first = between(most, "<tbody>", "</tr>");
    assert!(first.contains("docker volumes vanish"), "{first}");
    assert!(first.contains("<td class=\"number\">2</td>"), "{first}");
    let of_libraries = reader.page("/insights?family=libraries").await.text;
    let gaps = between(&of_libraries, ">Not found</h2>", "</section>");
    assert!(gaps.contains("wombat manual") && !gaps.contains("1+1"));
}

#[tokio::test]
async fn insights_are_limited_to_the_projects_of_the_user() {
    let home = Home::new();
    let (server, ids) = server_with_queries(&home).await;
    let mut reader = Visitor::signed_in(&server, "reader").await;
    let shown = reader.page("/insights").await.text;
    let helps = between(&shown, ">Most helpful</h2>", "</section>");
    let record = format!("/experiences/{}", ids["experience"].as_str().unwrap());
    assert!(helps.contains(&record), "{helps}");
    assert!(helps.contains("shop entry") && helps.contains("vault entry"));
    // A chart for each family that grew, and one for each that was queried; with text alternatives.
    assert_eq!(shown.matches("role=\"img\"").count(), 4, "{shown}");
    assert!(shown.contains("Records added in the last 30 days: 2;"));
    assert!(!shown.contains("style="), "{shown}");
    // The project of a query is not known.
    let mut guest = Visitor::signed_in(&server, "guest").await;
    let shown = guest.page("/insights").await.text;
    assert!(
        shown.contains("visitors who may see every project"),
        "{shown}"
    );
    assert!(!shown.contains("wombat"), "{shown}");
    assert!(!shown.contains("in the last 30 days: 2;"), "{shown}");
    for file in ["gaps", "asked"] {
        let refused = guest.page(&format!("/insights/{file}.csv")).await;
        assert_eq!(refused.status, 403, "{}", refused.text);
        assert!(!refused.text.contains("wombat"), "{}", refused.text);
    }
    for path in ["/insights", "/insights/entries.csv"] {
        let shown = guest.page(path).await.text;
        assert!(shown.contains("shop entry"), "{path}: {shown}");
        assert!(!shown.contains("vault"), "{path}: {shown}");
    }
}

#[tokio::test]
async fn every_table_can_be_downloaded_without_formulas() {
    let home = Home::new();
    let (server, ids) = server_with_queries(&home).await;
    let mut anonymous = Visitor::anonymous(&server);
    for file in ["gaps", "asked"] {
        let path = format!("/insights/{file}.csv");
        let refused = anonymous.page(&path).await;
        assert_eq!(refused.status, 303, "{file}");
        assert!(header(&refused, "location").starts_with("/sign-in"));
    }
    let growth = anonymous
        .page("/insights/growth.csv?family=experiences")
        .await;
    let lines: Vec<&str> = growth.text.lines().collect();
    // The byte order mark tells spreadsheets that the file is UTF-8.
    assert_eq!(lines[0], "\u{feff}date,family,records");
    assert!(lines[1].ends_with(",experiences,1"), "{}", growth.text);
    assert_eq!(lines.len(), 2);
    let latency = anonymous.page("/insights/latency.csv?days=7").await.text;
    // A day may end during the test, so the rows of all days are added up.
    let of_experiences = latency.lines().filter(|row| row.contains(",experiences,"));
    let counts = of_experiences.map(|row| {
        let cells: Vec<&str> = row.split(',').collect();
        [2, 3, 4].map(|cell| cells[cell].parse::<u64>().unwrap())
    });
    let all = counts.fold([0; 3], |all, day| [0, 1, 2].map(|at| all[at] + day[at]));
    assert_eq!(all, [3, 1, 0], "{latency}");
    let helps = anonymous.page("/insights/experiences.csv").await.text;
    let row = format!(
        "{},docker volumes vanish after a restart,",
        ids["experience"]
    );
    assert!(helps.contains(&row.replace('"', "")), "{helps}");
    let mut reader = Visitor::signed_in(&server, "reader").await;
    let gaps = reader.page("/insights/gaps.csv?days=7").await;
    assert!(header(&gaps, "content-type").starts_with("text/csv"));
    let saved = header(&gaps, "content-disposition");
    assert_eq!(saved, "attachment; filename=\"gaps-7-days.csv\"");
    let row = "experiences,\"'=1+1 wombats, <b>\"\"here\"\"</b>\",1,1,";
    assert!(gaps.text.contains(row), "{}", gaps.text);
}

#[tokio::test]
async fn a_slow_table_does_not_block_the_others() {
    let cluster = Cluster::start_with(&["max_prepared_transactions=1"]);
    let database = cluster.database();
    let home = Home::with_database(&cluster.url(&database));
    let (server, _) = server_with_queries(&home).await;
    server.stop().await;
    let settings = "[database]\nstatement_timeout_ms = 600000\n[query]\ntimeout_ms = 500\n";
    let server = Launch::new(&home).settings(settings).start().await;
    let mut reader = Visitor::signed_in(&server, "reader").await;
    cluster.sql(
        &database,
        "begin; lock table questions in access exclusive mode; prepare transaction 'held'",
    );
    let shown = reader.page("/insights").await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    for title in ["Not found", "Most asked"] {
        let section = between(&shown.text, &format!(">{title}</h2>"), "</section>");
        assert!(section.contains("Not available at the moment"), "{section}");
    }
    let helps = between(&shown.text, ">Most helpful</h2>", "</section>");
    assert!(helps.contains("shop entry"), "{helps}");
    assert_eq!(shown.text.matches("role=\"img\"").count(), 4);
    let file = reader.page("/insights/gaps.csv").await;
    assert_eq!(file.status, 504, "{}", file.text);
    // The abandoned query does not keep running in the database.
    let reading = "select count(*) from pg_stat_activity \
        where state = 'active' and query like '%sum(asked)%' and pid <> pg_backend_pid()";
    let given_up = async {
        while cluster.sql(&database, reading) != "0" {
            tokio::task::yield_now().await;
        }
    };
    within_deadline("the end of what nobody waits for", given_up).await;
    cluster.sql(&database, "rollback prepared 'held'");
    let shown = reader.page("/insights").await.text;
    assert!(!shown.contains("Not available"), "{shown}");
}

#[tokio::test]
async fn an_empty_server_and_a_wrong_address_are_explained() {
    let home = Home::new();
    make_user(&home, "reader", "reader", &[]).await;
    let settings = "[insights]\nkeep_days = 10\n";
    let server = Launch::new(&home).settings(settings).start().await;
    let mut reader = Visitor::signed_in(&server, "reader").await;
    let empty = reader.page("/insights").await.text;
    assert!(empty.contains("are stored for 10 days"), "{empty}");
    let week = reader.page("/insights?days=7").await.text;
    assert!(!week.contains("are stored for"), "{week}");
    assert_eq!(empty.matches("will appear here").count(), 6, "{empty}");
    assert!(!empty.contains("<table"), "{empty}");
    for (path, status, words) in [
        ("/insights?days=8", 400, "days must be 7, 30 or 90"),
        ("/insights?days=-7", 400, "days must be 7, 30 or 90"),
        ("/insights?family=mars", 400, "family must be one of"),
        ("/insights/growth.csv?days=x", 400, "days must be"),
        ("/insights/growth", 404, "Not found"),
        ("/insights/keys.csv", 404, "Not found"),
        ("/?q=docker&n=51", 400, "n must be 20 or 50"),
    ] {
        let answer = reader.page(path).await;
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.text.contains(words), "{path}: {}", answer.text);
    }
}

#[tokio::test]
async fn insights_and_code_are_accessible_in_a_browser() {
    let home = Home::new();
    let (server, mut ids) = server_with_queries(&home).await;
    ids["password"] = json!(password_of("reader"));
    let url = server.wire.base();
    run_browser_flow(&home, "browser_insights.mjs", "insights", url, &ids).await;
}
