//! The outbox with several servers: each server gets its own entries, also if the user edits one meanwhile.

use recall_kit_tests::{
    Gateway, GatewayAnswer, Home, Keystroke, Output, Server, answers, client, on_terminal, run,
};
use serde_json::{Value, json};

const BROKEN: GatewayAnswer = GatewayAnswer {
    status: 500,
    content_type: "text/plain",
    body: "",
};

/// A server, and a gateway in front of it that can break it.
struct Side {
    server: Server,
    gateway: Gateway,
    _home: Home,
}

impl Side {
    async fn start() -> Self {
        let home = Home::new();
        let server = Server::start(&home).await;
        let gateway = Gateway::start(server.port()).await;
        gateway.set_answer(Some(BROKEN));
        Self {
            server,
            gateway,
            _home: home,
        }
    }

    async fn titles(&self) -> Vec<String> {
        let mut titles = self.server.wire.titles("badger").await;
        titles.sort_unstable();
        titles
    }
}

/// Two servers; submissions go to the second one by default.
struct Two {
    home: Home,
    team: Side,
    public: Side,
}

impl Two {
    async fn start() -> Self {
        let (team, public) = (Side::start().await, Side::start().await);
        let home = Home::new();
        let settings = json!({
            "servers": [
                {"name": "team", "url": team.gateway.url()},
                {"name": "public", "url": public.gateway.url()},
            ],
            "submitTo": "public",
        });
        home.configure_client(settings.to_string());
        Self { home, team, public }
    }

    async fn client(&self, args: &[&str]) -> Output {
        run(client(&self.home, args), "").await
    }

    /// Submits while the server is broken, so that the experience is kept in the outbox.
    async fn keep(&self, title: &str, to: &str) {
        let mut args = vec!["submit", "--yes", "--to", to, "--title", title];
        args.extend(["--problem", "it leaks", "--solution", "dig elsewhere"]);
        self.client(&args).await.expect_code(1);
    }

    async fn waiting(&self) -> Vec<Value> {
        let listed = self.client(&["--json", "outbox", "list"]).await;
        let listed: Value = serde_json::from_str(listed.expect_code(0)).unwrap();
        listed["experiences"].as_array().unwrap().clone()
    }

    fn repair(&self) {
        self.team.gateway.set_answer(None);
        self.public.gateway.set_answer(None);
    }

    /// Edits the first entry of the outbox with a script that gets the file's name in `$1`, and confirms it.
    async fn edit(&self, script: &str) -> Output {
        let id = self.waiting().await[0]["id"].as_str().unwrap().to_owned();
        let mut edit = client(&self.home, &["outbox", "edit", &id]);
        let program = edit.as_std().get_program().to_string_lossy().into_owned();
        let script = format!("#!/bin/sh\nclient='{program}'\n{script}\n");
        let editor = self.home.write("editor.sh", script);
        edit.env("EDITOR", format!("sh {}", editor.display()));
        let confirm = Keystroke {
            after: "Edit",
            keys: answers::CONFIRM,
        };
        on_terminal(&self.home, &edit, &[confirm]).await
    }
}

#[tokio::test]
async fn a_waiting_experience_goes_to_the_server_it_was_confirmed_for() {
    let two = Two::start().await;
    two.keep("badger of the team", "team").await;
    two.keep("badger of all", "public").await;
    // A server that is still broken does not block the other.
    two.public.gateway.set_answer(None);
    two.client(&["outbox", "flush"]).await.expect_code(1);
    assert_eq!(two.public.titles().await, ["badger of all"]);
    assert_eq!(two.waiting().await.len(), 1);
    two.repair();
    two.client(&["outbox", "flush"]).await.expect_code(0);
    assert_eq!(two.team.titles().await, ["badger of the team"]);
    assert_eq!(two.public.titles().await, ["badger of all"]);
    assert!(two.waiting().await.is_empty());
}

#[tokio::test]
async fn an_experience_refused_by_one_server_is_edited_for_that_server() {
    let two = Two::start().await;
    two.keep(&format!("badger {}", "x".repeat(500)), "team")
        .await;
    two.repair();
    two.client(&["outbox", "flush"]).await.expect_code(1);
    assert_eq!(two.waiting().await[0]["refused"], true);
    let edited = two.edit("sed -i 's/xxx*/made shorter/' \"$1\"").await;
    edited.expect_code(0);
    assert_eq!(two.team.titles().await, ["badger made shorter"]);
    assert_eq!(two.public.titles().await, [""; 0]);
    assert!(two.waiting().await.is_empty());
}

#[tokio::test]
async fn an_experience_sent_or_dropped_during_an_edit_is_not_sent_again() {
    for (meanwhile, there) in [
        ("\"$client\" outbox flush", vec!["badger as it was"]),
        ("\"$client\" outbox drop --all", vec![]),
    ] {
        let two = Two::start().await;
        two.keep("badger as it was", "team").await;
        two.repair();
        let script = format!("{meanwhile}\nsed -i 's/as it was/as edited/' \"$1\"");
        let edited = two.edit(&script).await;
        edited.expect_code(1);
        assert!(
            edited.stdout.contains("sent or dropped meanwhile"),
            "{edited:?}"
        );
        assert_eq!(two.team.titles().await, there, "{meanwhile}");
        assert!(two.waiting().await.is_empty());
    }
}
