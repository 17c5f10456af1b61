//! The end of `init`: `doctor`, and a first call through the settings that were written.

use std::{fs, path::PathBuf};

use recall_kit_client::first_call;
use serde_json::{Value, json};

use super::{super::doctor, plan::Setup};
use crate::{
    agents::{Agent, call::Call, piece::Piece},
    args::GlobalArgs,
    diagnostics::Complaint,
    terminal::{
        controls::visible,
        interrupt::or_interrupted,
        printer::{GREEN, Printer, styled},
    },
    words::{Words, filled},
};

/// The first question. It is the same for everybody and says nothing about the user.
const QUESTION: &str = "How does RecallKit work?";

/// Runs `doctor` and a first call as the entry of this setup says, and returns both for programs; `None` if no agent
/// has this entry.
///
/// *Errors*: [`Complaint::Failed`] if something does not work.
pub(super) async fn run(
    global: &GlobalArgs,
    setup: &Setup,
    agents: &[Agent],
    printer: &Printer,
) -> anyhow::Result<Option<Value>> {
    let Some(file) = written_entry(setup, agents) else {
        return Ok(None);
    };
    let words = Words::from_locale();
    printer.info("");
    let (is_healthy, checks) = doctor::report(global, printer).await?;
    if !is_healthy {
        return Err(failed(
            "the settings are written, but a check failed".to_owned(),
        ));
    }
    let path = visible(&file.display().to_string());
    let arguments = setup.call.mcp_args();
    let trial = first_call(&setup.call.program, &arguments, QUESTION);
    let first = or_interrupted(trial, words.doctor.nothing_changed).await?;
    let first = first.map_err(|error| {
        failed(format!(
            "the first call as in {path} failed\n  caused by: {error}"
        ))
    })?;
    let seconds = format!("{:.1}", first.took.as_secs_f64());
    let line = filled(
        words.setup.first_call,
        &[&path, &first.tools, &first.tool, &seconds],
    );
    printer.info(&format!("{} {line}", styled(GREEN, "✓")));
    let titles = first.titles();
    let found = match titles.first() {
        Some(title) => filled(words.setup.results, &[&titles.len(), &visible(title)]),
        None => words.setup.no_results.to_owned(),
    };
    printer.info(&format!("  {found}"));
    let call = json!({
        "path": file,
        "tools": first.tools,
        "tool": first.tool.as_str(),
        "results": titles.len(),
        "ms": u64::try_from(first.took.as_millis()).unwrap_or(u64::MAX),
    });
    Ok(Some(json!({"checks": checks, "first_calls": [call]})))
}

fn failed(message: String) -> anyhow::Error {
    anyhow::Error::new(Complaint::Failed {
        message,
        hint: "`recall-kit-client doctor` checks again; --no-check leaves this out",
    })
}

/// Returns the first file of an agent with the entry of this setup. Other entries are not started: the user may have
/// declined to replace them, or a repository may contain them.
fn written_entry(setup: &Setup, agents: &[Agent]) -> Option<PathBuf> {
    let mut files = agents.iter().filter_map(|agent| {
        let path = setup.places.servers(*agent, setup.scope)?;
        Some((*agent, path))
    });
    files.find_map(|(agent, path)| {
        let text = fs::read_to_string(&path).ok()?;
        has_entry(agent, &text, &setup.call).then_some(path)
    })
}

/// Returns whether an agent's settings start this program with exactly this call.
pub(super) fn has_entry(agent: Agent, text: &str, call: &Call) -> bool {
    let entry = Piece::server(agent, call.clone()).installed(text);
    entry.as_ref().and_then(Piece::call) == Some(call)
}
