//! Episodes that hooks report: the insights show them if the settings say so, and they hold no text.

use recall_kit_tests::{Gateway, GatewayAnswer, Home, Recorder, Server, Visitor};
use serde_json::{Value, json};

use super::{ERROR, hook, told, with_records};

/// An error about which the server has no record.
const UNKNOWN: &str = "zlorp: the frobnicator of acme is missing";
/// What an older server answers.
const NO_SUCH_TOOL: GatewayAnswer = GatewayAnswer {
    status: 200,
    content_type: "application/json",
    body: r#"{"jsonrpc":"2.0","id":$id,"error":{"code":-32602,"message":"Unknown tool: report_episode"}}"#,
};

/// A session of Claude Code.
struct Session<'a> {
    home: &'a Home,
    url: String,
    calls: usize,
}

impl Session<'_> {
    async fn ran(&mut self, event: &str, line: &str, more: (&str, Value)) -> String {
        self.calls += 1;
        let mut payload = json!({
            "hook_event_name": event, "session_id": "s", "cwd": "/srv/shop", "tool_name": "Bash",
            "tool_use_id": self.calls.to_string(), "tool_input": {"command": line},
        });
        payload[more.0] = more.1;
        told(self.home, &self.url, &payload).await
    }

    async fn fails(&mut self, line: &str, error: &str) -> String {
        let error = json!(format!("Exit code 101\n{error}"));
        self.ran("PostToolUseFailure", line, ("error", error)).await
    }

    async fn works(&mut self, line: &str) {
        let response = json!({"stdout": "ok", "stderr": ""});
        let said = self
            .ran("PostToolUse", line, ("tool_response", response))
            .await;
        assert_eq!(said, "", "{line}");
    }

    /// A failure with records that are shown, and one without, after which the commands work again; and one that is
    /// forgotten, since there are too many.
    async fn play(&mut self) {
        assert!(self.fails("cargo test", ERROR).await.contains("Solution: "));
        self.works("sed -i s/a/b/ src/main.rs").await;
        self.fails("cargo test", ERROR).await;
        self.works("cargo test").await;
        assert_eq!(self.fails("./acme-deploy --all", UNKNOWN).await, "");
        self.works("./acme-deploy --all").await;
        for number in 0..5 {
            let error = format!(
                "zlorp: acme part {} is bad",
                ["a", "b", "c", "d", "e"][number]
            );
            self.fails(&format!("./acme-{number}"), &error).await;
        }
        let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": "/srv/shop"});
        hook(self.home, &self.url, stop).await;
    }
}

/// Returns the cells of a row in the insights; `None` if there is no such table.
async fn row(server: &Server, name: &str) -> Option<Vec<String>> {
    let shown = Visitor::anonymous(server).page("/insights").await.text;
    let table = shown.split(">Recovery</h2>").nth(1)?;
    let row = table.split(name).nth(1)?.split("</tr>").next()?;
    let cells = row.split("<td class=\"number\">").skip(1);
    let cells = cells.map(|cell| cell.split('<').next().unwrap_or_default().to_owned());
    Some(cells.collect())
}

/// Returns the arguments of the reports of episodes among everything that clients sent.
fn reports(sent: &str) -> Vec<Value> {
    let calls = sent.match_indices("{\"jsonrpc\"").filter_map(|(at, _)| {
        let mut calls = serde_json::Deserializer::from_str(&sent[at..]).into_iter::<Value>();
        calls.next()?.ok()
    });
    let episodes = calls.filter(|call| call["params"]["name"] == "report_episode");
    episodes
        .map(|call| call["params"]["arguments"].clone())
        .collect()
}

#[tokio::test]
async fn the_insights_show_how_failures_ended_if_the_settings_say_so() {
    for (mode, is_reported) in [("observe", true), ("ask", false), ("off", false)] {
        let home = Home::new();
        let (server, _) = with_records(&home, 3).await;
        let wire = Recorder::start(server.port(), true).await;
        home.configure_client(json!({"outcomes": mode}).to_string());
        let mut session = Session {
            home: &home,
            url: wire.url(),
            calls: 0,
        };
        session.play().await;
        let after = row(&server, "After a recall</th>").await;
        let without = row(&server, "Without one</th>").await;
        let sent = wire.sent();
        let reports = reports(&sent);
        if !is_reported {
            assert_eq!(reports.len(), 0, "{mode}: {reports:?}");
            for cells in [after, without].into_iter().flatten() {
                assert_eq!(cells[0], "0", "{mode}: {cells:?}");
            }
            continue;
        }
        assert_eq!(reports.len(), 3, "{reports:?}");
        for (report, family) in reports.iter().zip(["cargo", "other", "other"]) {
            assert_eq!(report["host"], "claude-code", "{report}");
            assert_eq!(report["family"], family, "{report}");
            for text in ["acme", "zlorp", "E0502", "/work", "deploy"] {
                assert!(!report.to_string().contains(text), "{text}: {report}");
            }
        }
        // Failures, and commands in between, of those that worked again.
        let after = after.unwrap();
        assert_eq!(after[..4], ["1", "1 (100 %)", "2.0", "2.0"], "{after:?}");
        let without = without.unwrap();
        assert_eq!(without[..4], ["2", "1 (50 %)", "1.0", "0.0"], "{without:?}");
    }
}

/// A server without episodes, and one that does not answer, are no error, and nothing waits for them.
#[tokio::test]
async fn an_episode_that_cannot_be_sent_is_lost_silently() {
    let home = Home::new();
    let (server, _) = with_records(&home, 1).await;
    let gateway = Gateway::answering("report_episode", server.port()).await;
    let mut session = Session {
        home: &home,
        url: gateway.url(),
        calls: 0,
    };
    for number in 0..2 {
        match number {
            0 => gateway.set_answer(Some(NO_SUCH_TOOL)),
            _ => gateway.hold(),
        }
        session.fails("cargo test", ERROR).await;
        session.works("cargo test").await;
    }
    gateway.set_answer(None);
    let data = home.path().join(".local/share/recall-kit");
    let names = std::fs::read_dir(&data).unwrap().flatten();
    let names: Vec<_> = names.map(|file| file.file_name()).collect();
    assert!(!names.iter().any(|name| name == "outbox"), "{names:?}");
    let log = home.path().join(".local/state/recall-kit");
    assert!(!log.exists(), "nothing is in the error log");
    session.fails("cargo test", ERROR).await;
    session.works("cargo test").await;
    let after = row(&server, "After a recall</th>").await.unwrap();
    assert_eq!(after[0], "1", "only the last one came: {after:?}");
}

/// What was counted while the settings wanted no reports, or for another server, is not reported later.
#[tokio::test]
async fn an_episode_is_reported_only_as_the_settings_were_when_it_began() {
    let home = Home::new();
    let (server, _) = with_records(&home, 1).await;
    let others_home = Home::new();
    let (other, _) = with_records(&others_home, 1).await;
    let wire = Recorder::start(server.port(), true).await;
    let other_wire = Recorder::start(other.port(), true).await;
    let outcomes = |mode: &str| home.configure_client(json!({"outcomes": mode}).to_string());
    let mut session = Session {
        home: &home,
        url: wire.url(),
        calls: 0,
    };
    outcomes("off");
    session.fails("cargo test", ERROR).await;
    outcomes("observe");
    session.works("cargo test").await;
    assert_eq!(reports(&wire.sent()), [] as [Value; 0]);
    // From then on it is.
    session.fails("./acme-deploy --all", UNKNOWN).await;
    session.works("./acme-deploy --all").await;
    assert_eq!(reports(&wire.sent()).len(), 1, "{}", wire.sent());

    session.fails("./acme-deploy --some", UNKNOWN).await;
    session.url = other_wire.url();
    session.works("./acme-deploy --some").await;
    assert_eq!(reports(&wire.sent()).len(), 1, "{}", wire.sent());
    assert_eq!(reports(&other_wire.sent()), [] as [Value; 0]);
    session.fails("./acme-deploy --none", UNKNOWN).await;
    session.works("./acme-deploy --none").await;
    assert_eq!(
        reports(&other_wire.sent()).len(),
        1,
        "{}",
        other_wire.sent()
    );
}
