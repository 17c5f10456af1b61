//! Secrets and personal strings planted all over a conversation: none of them leaves, none is kept.

use recall_kit_tests::{AiAnswer, AiEndpoint, Home, Server, run};
use serde_json::{Value, json};

use super::{TOLD, WRITTEN, configure, to};

/// How many of each kind are planted.
const OF_EACH: usize = 20;
/// Letters of made-up secrets.
const LETTERS: &[u8] = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// A made-up text of random letters; the same in every run.
struct Letters(u64);

impl Letters {
    fn next(&mut self, length: usize) -> String {
        let letters = (0..length).map(|_| {
            // Knuth's constants; the high bits are the random ones.
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            char::from(LETTERS[(self.0 >> 33) as usize % LETTERS.len()])
        });
        letters.collect()
    }
}

/// Returns lines as conversations have them, and the string in each that must not leave.
pub(crate) fn planted() -> Vec<(String, String)> {
    let mut letters = Letters(20_261_122);
    let mut planted = Vec::new();
    for n in 0..OF_EACH {
        let mut plant = |secret: String, line: &dyn Fn(&str) -> String| {
            planted.push((line(&secret), secret));
        };
        plant(["ghp", &letters.next(36)].join("_"), &|it| {
            format!("git clone https://{it}@github.com/a/b")
        });
        plant(["sk", "proj", &letters.next(44)].join("-"), &|it| {
            format!("OPENAI_API_KEY={it}")
        });
        plant(["AKIA", &letters.next(16).to_uppercase()].concat(), &|it| {
            format!("aws_access_key_id = {it}")
        });
        plant(letters.next(24), &|it| format!("export DB_PASSWORD='{it}'"));
        plant(letters.next(40), &|it| {
            format!("curl -H 'Authorization: Bearer {it}' localhost")
        });
        plant(letters.next(20), &|it| {
            format!("postgres://app:{it}@db.internal:5432/app")
        });
        plant(
            ["xoxb", &letters.next(12), &letters.next(24)].join("-"),
            &|it| format!("slack token {it}"),
        );
        plant(
            format!("jane.{}@mail-of-{n}.com", letters.next(9).to_lowercase()),
            &|it| format!("mail {it} about it"),
        );
        plant(letters.next(10).to_lowercase(), &|it| {
            format!("cd /home/{it}/project && ls")
        });
        plant(format!("+1 (212) 734-{:04}", 2_100 + n * 7), &|it| {
            format!("phone: {it}")
        });
    }
    planted
}

/// Returns a conversation that has all of it.
pub(crate) fn told(planted: &[(String, String)]) -> String {
    let mut told = TOLD.to_owned();
    for (n, (line, secret)) in planted.iter().enumerate() {
        let role = if n % 2 == 0 { "User" } else { "Assistant" };
        told.push_str(&format!("{role}: and then\n{line}\n"));
        // What was given away once is known everywhere.
        if n % 5 == 0 && secret.len() > 12 {
            told.push_str(&format!("{role}: as I said, {secret} it was\n"));
        }
    }
    told
}

#[tokio::test]
async fn no_planted_string_reaches_model_server_log_or_disk() {
    let planted = planted();
    assert_eq!(planted.len(), 200);
    let told = told(&planted);
    for answers in [
        &[AiAnswer::Say(WRITTEN.to_owned())][..],
        &[AiAnswer::Fail(500, Some(0), "")],
    ] {
        let home = Home::new();
        let server = Server::start(&home).await;
        let endpoint = AiEndpoint::start(answers).await;
        configure(&home, endpoint.settings(json!({"contextWindow": 60_000})));
        let args = ["-vv", "submit", "--yes", "--from-conversation", "-"];
        let output = run(to(&home, &server, &args), &told).await;
        output.expect_code(0);
        let asked = endpoint.asked();
        let bodies: Vec<String> = asked.iter().map(|(_, body)| body.to_string()).collect();
        assert!(!bodies.is_empty(), "the model is asked");
        assert!(
            bodies.iter().all(|body| body.contains("and then")),
            "the model is shown it"
        );
        let stored = server.wire.all("npm ERESOLVE", 50).await;
        assert_eq!(stored.len(), 1, "it is stored");
        let stored = Value::from_iter(stored);
        let seen = [
            bodies.concat(),
            stored.to_string(),
            output.stdout,
            output.stderr,
            server.log(),
        ];
        check(&planted, &seen);
    }
    check(&planted, &[kept(&told).await]);
}

/// What lies on disk of a conversation that was confirmed while the server was away.
async fn kept(told: &str) -> String {
    let home = Home::new();
    let server = Server::start(&home).await;
    let args = ["submit", "--yes", "--from-conversation", "-"];
    let command = to(&home, &server, &args);
    server.stop().await;
    let output = run(command, told).await;
    assert!(output.stderr.contains("outbox"), "{output:?}");
    let folder = home.path().join(".local/share/recall-kit/outbox");
    let files = std::fs::read_dir(folder).unwrap();
    let texts = files.map(|file| std::fs::read(file.unwrap().path()).unwrap_or_default());
    let texts: Vec<_> = texts
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect();
    let text = texts.concat();
    assert!(
        text.contains("ERESOLVE"),
        "nothing was kept, or not as it is"
    );
    text
}

/// Checks that none of the planted strings is among what was seen; says which kinds, not which
/// strings.
pub(crate) fn check(planted: &[(String, String)], seen: &[String]) {
    let leaked: Vec<usize> = (0..planted.len())
        .filter(|n| seen.iter().any(|text| text.contains(&planted[*n].1)))
        .collect();
    let kinds: Vec<usize> = leaked.iter().map(|n| n % 10).collect();
    assert!(
        leaked.is_empty(),
        "{} of 200, of the kinds {kinds:?}",
        leaked.len()
    );
}
