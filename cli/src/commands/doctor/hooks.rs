//! Checks whether the hooks in the user's own settings of agents work: each command is started as the agent does it, with a
//! payload that only asks which host it is from.

use std::{
    fs,
    process::Stdio,
    time::{Duration, Instant},
};

use recall_kit_client::OutcomesMode;
use serde_json::Value;
use tokio::{io::AsyncWriteExt as _, process::Command};

use super::{
    super::hook::SELF_TEST,
    check::{Check, Subject},
};
use crate::{
    agents::{
        Agent, Scope,
        hooks::{HookFormat, our_commands},
        places::Places,
    },
    hosts::Host,
    words::{DoctorWords, filled},
};

/// The maximum time until a hook answers.
const DEADLINE: Duration = Duration::from_secs(5);

/// Checks the hooks of each agent that has some, and says how outcomes are found out.
pub(super) async fn checks(outcomes: OutcomesMode, words: &DoctorWords) -> Vec<Check> {
    let mode = filled(words.outcomes, &[&outcomes]);
    let mut checks = Vec::new();
    let mut seen = Vec::new();
    for agent in Agent::ALL {
        let format = HookFormat::of(agent);
        let path = Places::from_process().map(|places| places.hooks(agent, Scope::User));
        let Some(path) = path.filter(|path| !seen.contains(path)) else {
            continue;
        };
        let mut commands = our_commands(&fs::read_to_string(&path).unwrap_or_default(), format);
        seen.push(path);
        commands.dedup();
        for command in commands {
            let host = format.host();
            checks.push(check(host, &command, &mode, words).await);
        }
    }
    if checks.is_empty() {
        let detail = format!("{}; {mode}", words.no_hooks);
        checks.push(Check::ok(Subject::Hooks, detail));
    }
    checks
}

async fn check(host: &Host, command: &str, mode: &str, words: &DoctorWords) -> Check {
    let started = Instant::now();
    let answered = tokio::time::timeout(DEADLINE, answer(host, command)).await;
    let took = started.elapsed().as_millis();
    match answered.ok().flatten() {
        Some(name) if name == host.name => {
            let known = filled(
                words.hook_works,
                &[&host.name, &took, &host.source, &host.verified_on],
            );
            Check::ok(Subject::Hooks, format!("{known}; {mode}"))
        }
        _ => Check::fail(
            Subject::Hooks,
            filled(words.hook_fails, &[&host.name, &command]),
            words.hook_hint,
        ),
    }
}

/// Returns the name of the host that the command of a hook recognizes in the host's self-test.
async fn answer(host: &Host, command: &str) -> Option<String> {
    let mut payload: Value = serde_json::from_str(host.self_test).ok()?;
    payload[SELF_TEST] = true.into();
    let (shell, flag) = match cfg!(windows) {
        true => ("cmd", "/C"),
        false => ("sh", "-c"),
    };
    let mut child = Command::new(shell)
        .args([flag, command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    stdin.write_all(payload.to_string().as_bytes()).await.ok()?;
    drop(stdin);
    let output = child.wait_with_output().await.ok()?;
    let answer: Value = serde_json::from_slice(&output.stdout).ok()?;
    Some(answer.get(SELF_TEST)?.as_str()?.to_owned())
}
