//! `doctor`: checks configuration, server and sanitizer, and says what to do about each.

mod check;
mod sanitizer;

use std::{process::ExitCode, time::Instant};

use recall_kit_client::{ClientConfig, RecallKitClient, ServerUrl};
use recall_kit_shared_types::ToolName;
use serde_json::json;

use super::close;
use crate::{
    args::GlobalArgs,
    interrupt::or_interrupted,
    printer::Printer,
    words::{DoctorWords, Words, filled},
};
use check::{Check, Status, Subject};

pub(crate) async fn run(global: &GlobalArgs, printer: &Printer) -> anyhow::Result<ExitCode> {
    let words = match printer.is_json() {
        true => Words::for_programs().doctor,
        false => Words::from_locale().doctor,
    };
    let (config, check) = configuration(global, &words);
    let mut checks = vec![check];
    match global.client(config.clone()) {
        Ok(client) => {
            let server = or_interrupted(server(&client, &words), words.nothing_changed).await;
            close(&client).await;
            checks.extend(server?);
        }
        Err(error) => checks.push(Check::failed(Subject::Server, &error, &words)),
    }
    checks.push(sanitizer::check(&config.sanitizer, &words));

    let healthy = checks.iter().all(|check| check.status != Status::Fail);
    if printer.is_json() {
        printer.json(&json!({"ok": healthy, "checks": checks}))?;
    } else {
        for check in &checks {
            printer.data(&check.line(&words))?;
        }
    }
    Ok(match healthy {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Reads the settings; where they cannot be read the other checks go on with the defaults.
fn configuration(global: &GlobalArgs, words: &DoctorWords) -> (ClientConfig, Check) {
    const NAME: Subject = Subject::Configuration;
    match global.load_config() {
        Ok(loaded) => {
            let found = match loaded.path {
                Some(path) => path.display().to_string(),
                None => words.no_file.to_owned(),
            };
            (loaded.config, Check::ok(NAME, found))
        }
        Err(error) => {
            let mut config = ClientConfig::default();
            if let Some(server) = &global.server {
                config.server.url.clone_from(server);
            }
            (config, Check::failed(NAME, &error, words))
        }
    }
}

/// Goes from the outside in, and no further than something answers.
async fn server(client: &RecallKitClient, words: &DoctorWords) -> Vec<Check> {
    let health = async |subject, path| health(client, subject, path, words).await;
    let outside = match client.server_url() {
        ServerUrl::Local => match client.server_program() {
            Ok(path) => Check::ok(Subject::Program, path.display().to_string()),
            Err(error) => Check::failed(Subject::Program, &error, words),
        },
        ServerUrl::Http(_) => health(Subject::Alive, "/healthz").await,
    };
    let mut checks = vec![outside];
    if checks.iter().all(|check| check.status != Status::Fail) {
        if matches!(client.server_url(), ServerUrl::Http(_)) {
            checks.push(health(Subject::Ready, "/readyz").await);
        }
        checks.extend(conversation(client, words).await);
    }
    checks
}

async fn health(client: &RecallKitClient, name: Subject, path: &str, words: &DoctorWords) -> Check {
    match client.health(path).await {
        Ok(Some(health)) if health.status == 200 => Check::ok(name, health.url),
        Ok(Some(health)) if health.status == 404 => Check::warn(
            name,
            filled(words.no_route, &[&health.url]),
            words.no_route_hint,
        ),
        Ok(Some(health)) => Check::fail(
            name,
            filled(words.status, &[&health.url, &health.status]),
            words.status_hint,
        ),
        Ok(None) => Check::ok(name, words.not_asked),
        Err(error) => Check::failed(name, &error, words),
    }
}

/// Shakes hands and looks at the tools.
async fn conversation(client: &RecallKitClient, words: &DoctorWords) -> Vec<Check> {
    let started = Instant::now();
    let server = match client.describe_server().await {
        Ok(server) => server,
        Err(error) => return vec![Check::failed(Subject::Server, &error, words)],
    };
    let took = started.elapsed().as_millis();
    let detail = filled(
        words.greeting,
        &[
            &server.name,
            &server.version,
            &server.protocol_version,
            &took,
        ],
    );
    let ours = env!("CARGO_PKG_VERSION");
    let greeting = match server.version == ours {
        true => Check::ok(Subject::Server, detail),
        false => Check::warn(
            Subject::Server,
            detail,
            &filled(words.other_version, &[&ours]),
        ),
    };
    let offers = |tool: &ToolName| server.tools.iter().any(|name| name == tool.as_str());
    let missing = ToolName::ALL.iter().filter(|tool| !offers(tool));
    let missing: Vec<&str> = missing.map(|tool| tool.as_str()).collect();
    let tools = match missing.is_empty() {
        true => Check::ok(Subject::Tools, server.tools.join(", ")),
        false => Check::fail(
            Subject::Tools,
            filled(words.missing, &[&missing.join(", ")]),
            words.missing_hint,
        ),
    };
    vec![greeting, tools]
}
