//! `doctor`: checks configuration, server and sanitizer, and gives a hint for each problem.

mod check;
mod hooks;
mod sanitizer;

use std::{process::ExitCode, time::Instant};

use recall_kit_client::{ClientConfig, ErrorLog, RecallKitClient, ServerUrl, Standing};
use recall_kit_sanitizer::built_in_rules;
use recall_kit_shared_types::ToolName;
use serde_json::{Value, json};

use super::close;
use crate::{
    args::{DoctorArgs, GlobalArgs},
    terminal::{interrupt::or_interrupted, printer::Printer},
    words::{DoctorWords, Words, filled},
};
use check::{Check, Status, Subject};

pub(crate) async fn run(
    global: &GlobalArgs,
    args: &DoctorArgs,
    printer: &Printer,
) -> anyhow::Result<ExitCode> {
    let all_words = match printer.is_json() {
        true => Words::for_programs(),
        false => Words::from_locale(),
    };
    let words = all_words.doctor;
    if args.rules {
        return rules(&words, printer);
    }
    let checks = all_checks(global, &all_words).await?;
    let healthy = is_healthy(&checks);
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

/// Makes the checks at the end of another command and writes them as messages. Returns whether nothing failed, and the
/// checks as JSON.
pub(super) async fn report(
    global: &GlobalArgs,
    printer: &Printer,
) -> anyhow::Result<(bool, Value)> {
    let all_words = Words::from_locale();
    let checks = all_checks(global, &all_words).await?;
    let healthy = is_healthy(&checks);
    for check in &checks {
        let line = check.line(&all_words.doctor);
        match check.status {
            Status::Fail => printer.urgent(&line),
            _ => printer.info(&line),
        }
    }
    Ok((healthy, json!(checks)))
}

fn is_healthy(checks: &[Check]) -> bool {
    checks.iter().all(|check| check.status != Status::Fail)
}

async fn all_checks(global: &GlobalArgs, all_words: &Words) -> anyhow::Result<Vec<Check>> {
    let words = all_words.doctor;
    let (config, mut checks) = configuration(global, all_words);
    match config {
        Some(config) => {
            checks.extend(of_server(global, config.clone(), &words).await?);
            checks.push(sanitizer::check(&config.sanitizer, &words));
            checks.extend(hooks::checks(&config, all_words).await);
        }
        None => {
            match named_server(global) {
                Some(config) => checks.extend(of_server(global, config, &words).await?),
                None => checks.push(Check::skip(Subject::Server, &words)),
            }
            checks.push(Check::skip(Subject::Sanitizer, &words));
        }
    }
    checks.extend(ErrorLog::of_user().map(|log| errors(&log, &words)));
    Ok(checks)
}

/// Counts the built-in rules of the sanitizer: those with a page that documents what they find, and others.
fn rules(words: &DoctorWords, printer: &Printer) -> anyhow::Result<ExitCode> {
    let total = built_in_rules().count();
    let with_source = built_in_rules()
        .filter(|rule| rule.source.is_some())
        .count();
    let without_source = total - with_source;
    if printer.is_json() {
        printer.json(&json!({"rules": {
            "total": total, "with_source": with_source, "without_source": without_source,
        }}))?;
    } else {
        printer.data(&filled(
            words.rules,
            &[&total, &with_source, &without_source],
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the settings. If they cannot be read, the defaults are not checked instead: that would say nothing about the
/// user's settings.
fn configuration(global: &GlobalArgs, all_words: &Words) -> (Option<ClientConfig>, Vec<Check>) {
    const NAME: Subject = Subject::Configuration;
    let words = &all_words.doctor;
    match global.read_config() {
        Ok(loaded) => {
            let found = match loaded.path {
                Some(path) => path.display().to_string(),
                None => words.no_file.to_owned(),
            };
            let ignored = loaded.ignored.iter().map(|file| {
                let hint = match file.standing() {
                    Standing::OtherOwner | Standing::OpenToOthers(_) => words.trust_named,
                    _ => words.trust_hint,
                };
                Check::warn(NAME, all_words.trust.ignored(file), hint)
            });
            let checks = [Check::ok(NAME, found)].into_iter().chain(ignored);
            (Some(loaded.config), checks.collect())
        }
        Err(error) => (None, vec![Check::failed(NAME, &error, words)]),
    }
}

/// Returns default settings for the server that the command line names.
fn named_server(global: &GlobalArgs) -> Option<ClientConfig> {
    let mut config = ClientConfig::default();
    config.server.url.clone_from(global.server.as_ref()?);
    Some(config)
}

/// Checks the server of these settings.
async fn of_server(
    global: &GlobalArgs,
    config: ClientConfig,
    words: &DoctorWords,
) -> anyhow::Result<Vec<Check>> {
    match global.client(config) {
        Ok(client) => {
            let checks = or_interrupted(server(&client, words), words.nothing_changed).await;
            close(&client).await;
            Ok(checks?)
        }
        Err(error) => Ok(vec![Check::failed(Subject::Server, &error, words)]),
    }
}

/// Reports the error log and the number of its entries.
fn errors(log: &ErrorLog, words: &DoctorWords) -> Check {
    let path = log.path().display();
    let detail = match log.len() {
        0 => filled(words.no_errors, &[&path]),
        count => filled(words.errors_noted, &[&path, &count]),
    };
    Check::ok(Subject::Errors, detail)
}

/// Checks the server step by step, and stops at the first step that fails.
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

/// Performs the handshake and checks the tools.
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
