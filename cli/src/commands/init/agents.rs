//! `init --agent`: adds the server, and on request rules and hooks, to the settings of agents, after showing the
//! changes.

use std::path::{Path, absolute};

use serde_json::{Value, json};

use super::{
    interrupted_with,
    plan::{Plan, Setup, complaint},
};
use crate::{
    agents::{Agent, Scope, call::Call, change::Change, difference, places::Places},
    args::{AgentChoice, GlobalArgs, InitArgs},
    diagnostics::{self, Complaint},
    terminal::{
        controls::visible,
        interrupt,
        printer::{DIM, GREEN, Printer, styled},
        prompt,
    },
    words::Words,
};

/// Sets up the named agents.
pub(super) fn run(global: &GlobalArgs, args: &InitArgs, printer: &Printer) -> anyhow::Result<()> {
    let asks = !args.yes && !args.dry_run;
    if asks && !prompt::is_possible() {
        return Err(anyhow::Error::new(Complaint::Usage {
            message: "there is no terminal to ask at, so nothing was written".to_owned(),
            hint: "--yes writes without asking, --dry-run shows what would be written",
        }));
    }
    let scope = match args.project {
        true => Scope::Project,
        false => Scope::User,
    };
    let setup = Setup {
        places: places()?,
        scope,
        call: Call::of_this_program(scope, options(global, scope)?),
        rules: args.rules,
        hooks: args.hooks,
        remove: args.remove,
        force: args.force,
    };
    let agents = chosen(&args.agent, &setup.places)?;
    if args.hooks && !agents.contains(&Agent::ClaudeCode) {
        return Err(anyhow::Error::new(Complaint::Usage {
            message: "hooks are supported only for Claude Code".to_owned(),
            hint: "leave --hooks out, or add --agent claude-code",
        }));
    }
    let plan = setup.plan(&agents, printer);
    let written = carry_out(&plan, args, printer)?;
    if printer.is_json() {
        printer.json(&json!({"files": written}))?;
    }
    let mut refused = plan.refused;
    let last = refused.pop();
    for complaint in refused {
        diagnostics::describe(printer, &complaint.into());
    }
    last.map_or(Ok(()), |complaint| Err(complaint.into()))
}

/// Asks which of the agents on this machine to set up, and sets them up.
pub(super) fn offer(global: &GlobalArgs, printer: &Printer) -> anyhow::Result<()> {
    let places = places()?;
    let found = places.found();
    if found.is_empty() {
        return Ok(());
    }
    let items: Vec<_> = found.iter().map(|agent| (agent.name(), true)).collect();
    let chosen = prompt::choices(Words::from_locale().agents.which, &items)?;
    let agents: Vec<Agent> = chosen
        .into_iter()
        .filter_map(|index| found.get(index).copied())
        .collect();
    let setup = Setup {
        places,
        scope: Scope::User,
        // The server is in the file that was just written.
        call: Call::of_this_program(Scope::User, config_option(global)?),
        rules: false,
        hooks: false,
        remove: false,
        force: false,
    };
    let plan = setup.plan(&agents, printer);
    let Plan { changes, refused } = plan;
    for complaint in refused {
        diagnostics::describe(printer, &complaint.into());
    }
    let plan = Plan {
        changes,
        ..Plan::default()
    };
    show(&plan.changes, printer, true)?;
    if is_agreed(&plan)? {
        let state = Words::from_locale().agents.up_to_date;
        write(&plan.changes, state, printer)?;
    }
    Ok(())
}

fn places() -> anyhow::Result<Places> {
    let places = Places::from_process();
    places.ok_or_else(|| {
        anyhow::Error::new(Complaint::Failed {
            message: "your home directory is unknown".to_owned(),
            hint: "set HOME",
        })
    })
}

/// Returns the options that the agent passes to this program. A project's settings are shared, so personal options
/// are rejected.
fn options(global: &GlobalArgs, scope: Scope) -> anyhow::Result<Vec<String>> {
    let is_shared = matches!(scope, Scope::Project);
    let has_secret = |server: &String| server.contains(['@', '?', '#']);
    if is_shared && (global.config.is_some() || global.server.as_ref().is_some_and(has_secret)) {
        return Err(anyhow::Error::new(Complaint::Usage {
            message: "--project writes files that others read, so it takes neither --config nor a \
                      server URL with a user name or a query"
                .to_owned(),
            hint: "put them into your own configuration, and leave them out here",
        }));
    }
    let mut options = config_option(global)?;
    if let Some(server) = &global.server {
        server
            .parse::<recall_kit_client::ServerUrl>()
            .map_err(recall_kit_client::Error::from)?;
        options.extend(["--server".to_owned(), server.clone()]);
    }
    Ok(options)
}

fn config_option(global: &GlobalArgs) -> anyhow::Result<Vec<String>> {
    let Some(config) = &global.config else {
        return Ok(Vec::new());
    };
    let path = absolute(config)?.to_string_lossy().into_owned();
    Ok(vec!["--config".to_owned(), path])
}

fn chosen(choices: &[AgentChoice], places: &Places) -> anyhow::Result<Vec<Agent>> {
    let mut agents: Vec<Agent> = Vec::new();
    for choice in choices {
        let named = choice
            .agent()
            .map_or_else(|| places.found(), |agent| vec![agent]);
        agents.extend(named);
    }
    if agents.is_empty() {
        return Err(anyhow::Error::new(Complaint::Failed {
            message: "no agent was found on this machine".to_owned(),
            hint: "name one, for example --agent claude-code",
        }));
    }
    let is_chosen = |agent: &Agent| agents.contains(agent);
    Ok(Agent::ALL.into_iter().filter(is_chosen).collect())
}

/// Shows the changes, writes them, and returns the result for each file.
fn carry_out(plan: &Plan, args: &InitArgs, printer: &Printer) -> anyhow::Result<Vec<Value>> {
    let words = Words::from_locale().agents;
    let state = match args.remove {
        true => words.nothing_of_ours,
        false => words.up_to_date,
    };
    if plan.changes.is_empty() && plan.refused.is_empty() {
        printer.info(words.nothing_to_remove);
    }
    show(&plan.changes, printer, !args.dry_run)?;
    if args.dry_run {
        let is_unneeded = |change: &&Change| !change.is_needed();
        for change in plan.changes.iter().filter(is_unneeded) {
            report_unneeded(change, state, printer);
        }
        let files = plan.changes.iter();
        return Ok(files.map(|change| outcome(change, false, None)).collect());
    }
    if !args.yes && !plan.is_empty() {
        interrupt::leave_to_prompts()?;
        if !interrupted_with(words.nothing_written, is_agreed(plan))? {
            printer.info(words.nothing_written);
            return Ok(Vec::new());
        }
    }
    write(&plan.changes, state, printer)
}

/// Shows the changes: before a question as messages, else as data.
fn show(changes: &[Change], printer: &Printer, as_message: bool) -> anyhow::Result<()> {
    for change in changes.iter().filter(|change| change.is_needed()) {
        let shown = difference::show(change);
        match as_message || printer.is_json() {
            true => printer.urgent(&format!("{shown}\n")),
            false => printer.data(&shown)?,
        }
    }
    Ok(())
}

fn is_agreed(plan: &Plan) -> anyhow::Result<bool> {
    if plan.is_empty() {
        return Ok(true);
    }
    let words = Words::from_locale().agents;
    Ok(prompt::choice(words.write, &[words.yes, words.no])? == 0)
}

/// Writes the changes; `state` is the message about files without changes.
fn write(changes: &[Change], state: &str, printer: &Printer) -> anyhow::Result<Vec<Value>> {
    let words = Words::from_locale();
    let done = styled(GREEN, "✓");
    let mut written = Vec::new();
    for change in changes {
        if !change.is_needed() {
            report_unneeded(change, state, printer);
            written.push(outcome(change, true, None));
            continue;
        }
        let path = visible(&change.path.display().to_string());
        let backup = change.write().map_err(complaint)?;
        let verb = match change.after {
            Some(_) => words.init.wrote,
            None => words.agents.deleted,
        };
        printer.info(&format!("{done} {verb} {path}"));
        if let Some(backup) = &backup {
            let backup = backup.display();
            printer.info(&styled(DIM, format!("  {} {backup}", words.agents.backup)));
        }
        written.push(outcome(change, true, backup.as_deref()));
    }
    if changes.iter().any(Change::is_needed) {
        printer.info(&format!("  {} {}", words.init.next, words.agents.restart));
    }
    Ok(written)
}

/// Reports a file without changes.
fn report_unneeded(change: &Change, state: &str, printer: &Printer) {
    let path = visible(&change.path.display().to_string());
    printer.info(&styled(DIM, format!("  {path} {state}")));
}

fn outcome(change: &Change, is_written: bool, backup: Option<&Path>) -> Value {
    let action = match (change.is_needed(), is_written, &change.after) {
        (false, ..) => "unchanged",
        (true, false, _) => "would change",
        (true, true, Some(_)) => "written",
        (true, true, None) => "deleted",
    };
    json!({
        "agent": change.agent.name(),
        "path": change.path,
        "action": action,
        "backup": backup,
    })
}
