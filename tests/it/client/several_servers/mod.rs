//! Several servers in the client's settings: all are queried, the results are merged and labelled; an
//! experience is shared with one of them.

mod outcomes;
mod waiting;

use std::net::TcpListener;

use recall_kit_tests::{Home, Output, Recorder, Server, StdioPeer, client, experience, run};
use serde_json::{Value, json};

/// Two servers with one record each, one that accepts connections and never answers, and settings that name all
/// three.
struct Three {
    home: Home,
    team: Server,
    public: Server,
    _silent: TcpListener,
    _homes: [Home; 2],
}

impl Three {
    async fn start() -> Self {
        let homes = [Home::new(), Home::new()];
        let (team, public) = (
            Server::start(&homes[0]).await,
            Server::start(&homes[1]).await,
        );
        team.wire
            .submit(experience("wombat tunnels collapse"))
            .await;
        public.wire.submit(experience("wombat tunnels flood")).await;
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = silent.local_addr().unwrap();
        let home = Home::new();
        let settings = json!({
            "servers": [
                {"name": "team", "url": format!("{}/mcp", team.wire.base())},
                {"name": "public", "url": format!("{}/mcp", public.wire.base())},
                {"name": "silent", "url": format!("http://{address}/mcp"), "timeout": 60_000},
            ],
            "submitTo": "public",
            "queryDeadline": 1_000,
        });
        home.configure_client(settings.to_string());
        Self {
            home,
            team,
            public,
            _silent: silent,
            _homes: homes,
        }
    }

    async fn client(&self, args: &[&str]) -> Output {
        run(client(&self.home, args), "").await
    }

    async fn ask(&self, args: &[&str]) -> Value {
        let args = [&["query", "--json"], args, &["wombat tunnels"]].concat();
        serde_json::from_str(self.client(&args).await.expect_code(0)).unwrap()
    }
}

/// Returns titles and origins of the records.
fn found(answer: &Value) -> Vec<(&str, &str)> {
    let records = answer["experiences"].as_array().unwrap().iter();
    records
        .map(|record| (&record["title"], &record["origin"]))
        .map(|(title, origin)| (title.as_str().unwrap(), origin.as_str().unwrap_or_default()))
        .collect()
}

#[tokio::test]
async fn all_servers_are_queried_and_a_silent_one_is_named() {
    let three = Three::start().await;
    let answer = three.ask(&[]).await;
    let both = [
        ("wombat tunnels collapse", "team"),
        ("wombat tunnels flood", "public"),
    ];
    assert_eq!(found(&answer), both, "{answer}");
    assert_eq!((&answer["total"], &answer["count"]), (&json!(2), &json!(2)));
    assert_eq!(answer["unanswered"][0]["server"], "silent", "{answer}");
    // Limit and offset apply to the merged list.
    let second = three.ask(&["--limit", "1", "--offset", "1"]).await;
    assert_eq!(found(&second), both[1..], "{second}");
    // For people: stdout names the server of each record, stderr the servers that did not answer.
    let shown = three.client(&["query", "wombat tunnels"]).await;
    for word in ["team", "public"] {
        assert!(shown.expect_code(0).contains(word), "{shown:?}");
    }
    assert!(shown.stderr.contains("silent"), "{shown:?}");
    let only = format!("{}/mcp", three.team.wire.base());
    let alone = three.ask(&["--server", &only]).await;
    assert_eq!(found(&alone), [("wombat tunnels collapse", "")], "{alone}");
    assert!(alone.get("unanswered").is_none(), "{alone}");
}

#[tokio::test]
async fn an_experience_is_sent_to_the_chosen_server_only() {
    let three = Three::start().await;
    let submit = [
        "submit",
        "--yes",
        "--problem",
        "it leaks",
        "--solution",
        "dig elsewhere",
    ];
    for (title, to) in [("badger one", None), ("badger two", Some("team"))] {
        let mut args = [&submit[..], &["--title", title]].concat();
        args.extend(to.iter().flat_map(|to| ["--to", to]));
        three.client(&args).await.expect_code(0);
    }
    let nobody = [&submit[..], &["--title", "badger three", "--to", "nobody"]].concat();
    let refused = three.client(&nobody).await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(
        refused.stderr.contains("it has team, public, silent"),
        "{refused:?}"
    );
    for (server, title) in [(&three.public, "badger one"), (&three.team, "badger two")] {
        let there = server.wire.query("badger").await;
        let titles: Vec<_> = there["experiences"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| &it["title"])
            .collect();
        assert_eq!(titles, [title], "{there}");
    }
}

#[tokio::test]
async fn a_record_is_found_on_any_server_and_shown_with_its_origin() {
    let three = Three::start().await;
    // The first question takes longer, since it loads what counts tokens.
    for server in [&three.team, &three.public] {
        server.wire.call("recall", json!({"query": "wombat"})).await;
    }
    let recalled = three.client(&["recall", "--json", "wombat tunnels"]).await;
    let recalled: Value = serde_json::from_str(recalled.expect_code(0)).unwrap();
    assert_eq!(recalled["unanswered"][0]["server"], "silent", "{recalled}");
    let results = recalled["results"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{recalled}");
    for result in results {
        let (id, origin) = (result["id"].as_str().unwrap(), &result["origin"]);
        let shown = three.client(&["show", "--json", id]).await;
        let shown: Value = serde_json::from_str(shown.expect_code(0)).unwrap();
        assert_eq!(
            (&shown["title"], &shown["origin"]),
            (&result["title"], origin)
        );
        let elsewhere = ["team", "public"].into_iter().find(|one| origin != one);
        let missing = three
            .client(&["show", "--from", elsewhere.unwrap(), id])
            .await;
        missing.expect_code(1);
        assert!(missing.stderr.contains("no record"), "{missing:?}");
    }
    let nobody = three.client(&["show", "--from", "nobody", "01JD8"]).await;
    assert_eq!(nobody.code, Some(1), "{nobody:?}");
    assert!(
        nobody.stderr.contains("it has team, public, silent"),
        "{nobody:?}"
    );
}

#[tokio::test]
async fn a_pending_connection_to_a_slow_server_is_reused() {
    let homes = [Home::new(), Home::new(), Home::new()];
    let (team, slow) = (
        Server::start(&homes[0]).await,
        Server::start(&homes[1]).await,
    );
    let wire = Recorder::start(slow.port(), false).await;
    let settings = json!({
        "servers": [
            {"name": "team", "url": format!("{}/mcp", team.wire.base())},
            {"name": "slow", "url": wire.url(), "timeout": 60_000},
        ],
        "submitTo": "team",
        "queryDeadline": 500,
    });
    homes[2].configure_client(settings.to_string());
    let mut host = StdioPeer::of(client(&homes[2], &["mcp"]));
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "behaviour-tests", "version": "1"},
    });
    host.request("initialize", hello).await;
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    host.send(&ready.to_string()).await;
    let call = json!({"name": "query_experiences", "arguments": {"keywords": "wombat"}});
    for round in 0.. {
        let answer = host.request("tools/call", call.clone()).await;
        let unanswered = &answer["result"]["structuredContent"]["unanswered"];
        match unanswered[0]["server"].as_str() {
            Some(server) => assert_eq!(server, "slow", "{answer}"),
            None => {
                assert!(round > 0, "it is held back: {answer}");
                break;
            }
        }
        wire.open();
    }
    let greetings = wire.sent().matches("\"method\":\"initialize\"").count();
    assert_eq!(greetings, 1, "a second connection was opened");
    host.close().await;
}

#[tokio::test]
async fn an_agent_queries_all_servers_and_shares_with_the_chosen_one() {
    let three = Three::start().await;
    let mut host = StdioPeer::of(client(&three.home, &["mcp"]));
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "behaviour-tests", "version": "1"},
    });
    host.request("initialize", hello).await;
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    host.send(&ready.to_string()).await;
    let mut call = async |tool: &str, arguments: Value| {
        let call = json!({"name": tool, "arguments": arguments});
        let answer = host.request("tools/call", call).await;
        answer["result"]["structuredContent"].clone()
    };
    let keywords = json!({"keywords": "wombat tunnels"});
    let answer = call("query_experiences", keywords).await;
    let both = [
        ("wombat tunnels collapse", "team"),
        ("wombat tunnels flood", "public"),
    ];
    assert_eq!(found(&answer), both, "{answer}");
    assert_eq!(answer["unanswered"][0]["server"], "silent", "{answer}");

    let draft = json!({"title": "badger", "problem_description": "p", "solution": "s"});
    let waits = call("share_experience", draft).await;
    let yes = json!({"draft_id": waits["draft_id"], "answer": "confirm"});
    let stored = call("confirm_experience", yes).await;
    assert_eq!(stored["status"], "stored", "{stored}");
    for (server, total) in [(&three.public, 1), (&three.team, 0)] {
        let there = server.wire.query("badger").await;
        assert_eq!(there["total"], total, "{there}");
    }
    host.close().await;
}

#[tokio::test]
async fn a_hook_shows_results_of_all_servers() {
    let three = Three::start().await;
    let named = |name: &str, server: &Server| {
        let url = format!("{}/mcp", server.wire.base());
        json!({"name": name, "url": url})
    };
    let servers = [named("team", &three.team), named("public", &three.public)];
    let settings = json!({"servers": servers}).to_string();
    // The user's own settings; a file that comes with a project cannot configure hooks.
    let own = three.home.write("own/settings.json", settings);
    let args = ["--config", own.to_str().unwrap(), "hook", "error"];
    let payload = json!({
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": "dig"},
        "error": "Exit code 1\nerror: wombat tunnels",
    });
    let output = run(client(&three.home, &args), payload.to_string()).await;
    let context = output.expect_code(0);
    for title in ["wombat tunnels collapse", "wombat tunnels flood"] {
        assert!(context.contains(title), "{title}: {context}");
    }
}
