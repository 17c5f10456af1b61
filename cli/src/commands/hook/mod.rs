//! `hook`: handles the hooks of agents. It never fails, takes at most two seconds, prints nothing if it has nothing to
//! say, and sends only sanitized queries.
//!
//! The payload tells which host sent it and what happened ([`crate::hosts`]); [`moments`] decides what to say. The
//! argument of the command is that of earlier versions and decides nothing.

mod adoption;
mod command;
mod context;
mod environment;
mod failure;
mod hash;
mod moments;
mod reports;
mod session;
mod session_state;
#[cfg(test)]
mod tests;
mod tokens;
mod turn;

use std::{
    io::{self, Read},
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    sync::oneshot,
    time::{Instant, timeout_at},
};

use crate::{
    args::{GlobalArgs, HookArgs},
    hosts,
    terminal::printer::Printer,
};
use moments::Hooked;
use reports::Reports;

/// The maximum time until the hook ends.
const DEADLINE: Duration = Duration::from_secs(2);
/// The part of it that is kept for the reports.
const REPORT_TIME: Duration = Duration::from_millis(250);
/// The maximum size of the agent's input. *Unit*: bytes.
const MAX_BYTES: u64 = 8 << 20;
/// The arguments that the settings of hosts may have.
pub(crate) const ARGUMENTS: [&str; 3] = ["auto", "error", "solved"];

/// Handles the hook within the time limit; errors are not reported. Reports of outcomes and episodes are sent after the
/// answer, so that they do not delay it.
pub(crate) async fn run(global: &GlobalArgs, args: &HookArgs, printer: &Printer) {
    let end = Instant::now() + DEADLINE;
    let mut reports = Reports::default();
    let answer = answer(global, args, &mut reports);
    if let Ok(Some(answer)) = timeout_at(end - REPORT_TIME, answer).await {
        // The agent may have ended already.
        let _ = printer.json(&answer);
    }
    let _ = timeout_at(end, reports.send()).await;
}

async fn answer(global: &GlobalArgs, args: &HookArgs, reports: &mut Reports) -> Option<Value> {
    let argument = args.event.first()?.as_str();
    ARGUMENTS.contains(&argument).then_some(())?;
    let payload: Value = serde_json::from_str(&read_stdin().await?).ok()?;
    if payload.get(SELF_TEST).is_some() {
        return Some(self_test(&payload));
    }
    let (host, event) = hosts::read(&payload)?;
    let hooked = Hooked::new(global, host, &event)?;
    reports.servers = hooked.reporting();
    let said = hooked.handle(reports).await?;
    (host.output)(&event, &said)
}

/// The field with which `doctor` asks whether a command of a host's settings works.
pub(crate) const SELF_TEST: &str = "recall_kit_self_test";

/// Returns the host that would have sent a payload, for `doctor`.
fn self_test(payload: &Value) -> Value {
    json!({SELF_TEST: hosts::read(payload).map(|(host, _)| host.name)})
}

/// Reads stdin on a separate thread, which ends with the process: an agent may keep stdin open, so the thread is not
/// waited for.
async fn read_stdin() -> Option<String> {
    let (done, text) = oneshot::channel();
    thread::spawn(move || {
        let text = read_payload(io::stdin().lock()).ok();
        let _ = done.send(text);
    });
    text.await.ok().flatten()
}

/// Reads a payload up to the maximum size. The rest is read and dropped, so that the agent does not write to a closed
/// pipe.
fn read_payload(mut input: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    input.by_ref().take(MAX_BYTES).read_to_end(&mut bytes)?;
    io::copy(&mut input, &mut io::sink())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
