//! An outcome with several servers: only one has the experience, and any of them may be away.

use std::fs;

use recall_kit_tests::{Gateway, GatewayAnswer, Home, Output, Server, client, experience, run};
use serde_json::{Value, json};

const BROKEN: GatewayAnswer = GatewayAnswer {
    status: 503,
    content_type: "text/plain",
    body: "",
};
/// An id that no server has.
const UNKNOWN: &str = "01a2006f-0eef-7035-b7ed-2bebae567e13";

/// Two servers behind gateways, which can break them, and the id of an experience that only one of them has.
struct Two {
    home: Home,
    sides: [(Server, Gateway, Home); 2],
    id: String,
}

impl Two {
    async fn start(with_record: usize) -> Self {
        let mut sides = Vec::new();
        for _ in 0..2 {
            let home = Home::new();
            let server = Server::start(&home).await;
            let gateway = Gateway::answering("report_outcome", server.port()).await;
            sides.push((server, gateway, home));
        }
        let home = Home::new();
        let servers = ["team", "public"].into_iter().zip(&sides);
        let servers = servers.map(|(name, side)| json!({"name": name, "url": side.1.url()}));
        let settings = json!({"servers": servers.collect::<Vec<_>>(), "submitTo": "team"});
        home.configure_client(settings.to_string());
        let record = experience("otter dams leak");
        let answer = sides[with_record].0.wire.submit(record).await;
        let Ok(sides) = sides.try_into() else {
            unreachable!("there are two")
        };
        Self {
            home,
            sides,
            id: answer,
        }
    }

    async fn client(&self, args: &[&str]) -> Output {
        run(client(&self.home, args), "").await
    }

    async fn report(&self, id: &str) -> Output {
        self.client(&["outcome", id, "worked"]).await
    }

    fn set_away(&self, side: usize, is_away: bool) {
        self.sides[side].1.set_answer(is_away.then_some(BROKEN));
    }

    fn waiting(&self) -> usize {
        let folder = self.home.path().join(".local/share/recall-kit/outbox");
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let files =
            files.filter(|file| file.path().extension().is_some_and(|it| it == "experience"));
        files.count()
    }

    /// Returns how often it worked, as the server says that has it.
    async fn worked(&self) -> u64 {
        let output = self.client(&["--json", "query", "otter dams"]).await;
        let found: Value = serde_json::from_str(output.expect_code(0)).unwrap();
        let record = &found["experiences"][0];
        match record["standing"].as_str() {
            Some(standing) if standing.starts_with("worked 1×") => 1,
            None => 0,
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn an_outcome_waits_for_the_server_that_has_the_experience() {
    for with_record in [0, 1] {
        let two = Two::start(with_record).await;
        two.set_away(with_record, true);
        let output = two.report(&two.id).await;
        output.expect_code(1);
        assert!(output.stderr.contains("outbox"), "{output:?}");
        // The other server does not have it, and is not asked again.
        assert_eq!(two.waiting(), 1, "{output:?}");
        two.set_away(with_record, false);
        two.client(&["outbox", "flush"]).await.expect_code(0);
        assert_eq!((two.waiting(), two.worked().await), (0, 1));
    }
}

#[tokio::test]
async fn an_outcome_waits_for_a_server_that_is_stopped() {
    let homes = [Home::new(), Home::new()];
    let (first, second) = (
        Server::start(&homes[0]).await,
        Server::start(&homes[1]).await,
    );
    let id = second.wire.submit(experience("otter dams leak")).await;
    let urls = [&first, &second].map(|server| format!("{}/mcp", server.wire.base()));
    let home = Home::new();
    let settings = json!({
        "servers": [{"name": "team", "url": urls[0]}, {"name": "public", "url": urls[1]}],
        "submitTo": "team",
    });
    home.configure_client(settings.to_string());
    second.stop().await;
    let report = run(client(&home, &["outcome", &id, "worked"]), "").await;
    report.expect_code(1);
    assert!(report.stderr.contains("outbox"), "{report:?}");
    let listed = run(client(&home, &["--json", "outbox", "list"]), "").await;
    let listed: Value = serde_json::from_str(listed.expect_code(0)).unwrap();
    let entries = listed["experiences"].as_array().unwrap();
    assert_eq!(entries.len(), 1, "{listed}");
    assert_eq!(entries[0]["server"], json!(urls[1]), "{listed}");
}

#[tokio::test]
async fn a_server_that_is_away_does_not_keep_an_outcome_from_the_other() {
    for with_record in [0, 1] {
        let two = Two::start(with_record).await;
        two.set_away(1 - with_record, true);
        two.report(&two.id).await.expect_code(0);
        assert_eq!(two.waiting(), 0);
        two.set_away(1 - with_record, false);
        assert_eq!(two.worked().await, 1);
    }
}

#[tokio::test]
async fn an_outcome_waits_for_all_servers_and_ends_with_the_one_that_takes_it() {
    let two = Two::start(1).await;
    for side in [0, 1] {
        two.set_away(side, true);
    }
    two.report(&two.id).await.expect_code(1);
    assert_eq!(two.waiting(), 2);
    // The server that does not have it ends nothing but its own entry.
    two.set_away(0, false);
    two.client(&["outbox", "flush"]).await;
    assert_eq!(two.waiting(), 1);
    two.set_away(1, false);
    two.client(&["outbox", "flush"]).await.expect_code(0);
    assert_eq!((two.waiting(), two.worked().await), (0, 1));
}

#[tokio::test]
async fn an_outcome_that_no_server_can_take_does_not_wait() {
    let two = Two::start(0).await;
    let output = two.report(UNKNOWN).await;
    output.expect_code(1);
    assert!(!output.stderr.contains("outbox"), "{output:?}");
    assert_eq!(two.waiting(), 0);
}
