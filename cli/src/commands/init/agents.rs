//! `init --agent` and `--service`: adds the server, and on request rules, hooks and a service, to the settings of
//! agents, after showing the changes.

use std::path::absolute;

use serde_json::{Value, json};

use super::{
    check, interrupted_with,
    plan::{SERVICE, Setup},
    server::{self, Settled},
    service,
    writing::{self, Mode, Outcome},
};
use crate::{
    agents::{Agent, Scope, call::Call, places::Places},
    args::{GlobalArgs, InitArgs},
    diagnostics::{self, Complaint},
    terminal::{
        interrupt,
        printer::{Printer, YELLOW, styled},
        prompt,
    },
    words::{Words, filled},
};

/// Sets up the named agents and the service.
pub(super) async fn run(
    global: &GlobalArgs,
    args: &InitArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let words = Words::from_locale();
    let mode = match (args.dry_run, args.yes) {
        (true, _) => Mode::DryRun,
        (false, true) => Mode::Write,
        (false, false) => Mode::Ask(words.agents.nothing_written),
    };
    let is_asking = matches!(mode, Mode::Ask(_));
    let is_possible = prompt::is_possible();
    let places = places()?;
    let agents = chosen(args, &places)?;
    let scope = match args.project {
        true => Scope::Project,
        false => Scope::User,
    };
    let mut global = global.clone();
    let mut server = None;
    if is_asking && is_possible {
        interrupt::leave_to_prompts()?;
        server = checked_server(&global, args, printer).await?;
        if let Some(server) = &server {
            global.server = Some(server.url.clone());
        }
    }
    let setup = setup(args, places, scope, options(&global, scope)?)?;
    if args.hooks {
        // A configuration that cannot be read is reported by the checks at the end.
        let mode = global.read_config().map(|loaded| loaded.config.outcomes);
        printer.info(&filled(words.doctor.outcomes, &[&mode.unwrap_or_default()]));
    }
    if is_asking && !is_possible {
        writing::show(&setup.plan(&agents).changes, printer, true)?;
        return Err(not_asked());
    }
    let outcome = writing::carry_out(&setup, &agents, mode, printer).await?;
    match &server {
        _ if outcome.is_declined => printer.info(words.agents.nothing_written),
        Some(server) => drop(server.keep_key(printer).await?),
        None => {}
    }
    let finish = Finish {
        global: &global,
        args,
        setup: &setup,
        agents: &agents,
        is_usable: server.is_none_or(|server| server.is_usable),
    };
    finish.run(outcome, mode, printer).await
}

/// Asks the server of the command line who it is, and the user for its key; `None` if no server is named or nothing is
/// to be checked.
async fn checked_server(
    global: &GlobalArgs,
    args: &InitArgs,
    printer: &Printer,
) -> anyhow::Result<Option<Settled>> {
    let url = match (&global.server, args.remove || args.no_check) {
        (Some(url), false) => url.clone(),
        _ => return Ok(None),
    };
    let nothing_written = Words::from_locale().agents.nothing_written;
    let settled = server::settle(Some(url), printer).await;
    interrupted_with(nothing_written, settled).map(Some)
}

/// What the end of `init` needs.
struct Finish<'a> {
    global: &'a GlobalArgs,
    args: &'a InitArgs,
    setup: &'a Setup,
    agents: &'a [Agent],
    is_usable: bool,
}

impl Finish<'_> {
    /// Starts the service, checks what was written, and reports the result.
    async fn run(self, outcome: Outcome, mode: Mode, printer: &Printer) -> anyhow::Result<()> {
        let is_done = mode != Mode::DryRun && !outcome.is_declined && !self.setup.remove;
        let has_service = outcome.files.iter().any(|file| file["agent"] == SERVICE);
        if let Some((manager, _)) = &self.setup.service
            && is_done
            && has_service
        {
            service::start(*manager, &self.setup.places, printer).await?;
        }
        let mut refused: Vec<anyhow::Error> = outcome.refused.into_iter().map(Into::into).collect();
        let mut check = None;
        if is_done && !self.agents.is_empty() && !self.args.no_check {
            match self.check(printer).await {
                Ok(result) => check = result,
                Err(error) => refused.push(error),
            }
        }
        if printer.is_json() {
            printer.json(&match check {
                Some(check) => json!({"files": outcome.files, "check": check}),
                None => json!({"files": outcome.files}),
            })?;
        }
        let last = refused.pop();
        for error in refused {
            diagnostics::describe(printer, &error);
        }
        last.map_or(Ok(()), Err)
    }

    async fn check(&self, printer: &Printer) -> anyhow::Result<Option<Value>> {
        if self.is_usable {
            return check::run(self.global, self.setup, self.agents, printer).await;
        }
        let note = Words::from_locale().setup.not_checked;
        printer.info(&format!("{} {note}", styled(YELLOW, "!")));
        Ok(None)
    }
}

fn not_asked() -> anyhow::Error {
    anyhow::Error::new(Complaint::Usage {
        message: "there is no terminal to ask at, so nothing was written".to_owned(),
        hint: "--yes writes without asking, --dry-run shows what would be written",
    })
}

fn setup(
    args: &InitArgs,
    places: Places,
    scope: Scope,
    options: Vec<String>,
) -> anyhow::Result<Setup> {
    Ok(Setup {
        places,
        scope,
        call: Call::of_this_program(scope, options),
        service: match args.service {
            true => Some(service::of_platform(args.remove)?),
            false => None,
        },
        rules: args.rules,
        hooks: args.hooks,
        remove: args.remove,
        force: args.force,
    })
}

/// Asks which of the agents on this machine to set up, sets them up, and checks them. `is_usable` is whether the server
/// could be used before.
pub(super) async fn offer(
    global: &GlobalArgs,
    args: &InitArgs,
    is_usable: bool,
    printer: &Printer,
) -> anyhow::Result<()> {
    let places = places()?;
    let found = places.found();
    let words = Words::from_locale();
    if found.is_empty() {
        printer.info(words.setup.none_found);
        return Ok(());
    }
    let items: Vec<_> = found.iter().map(|agent| (agent.name(), true)).collect();
    let chosen = interrupted_with(
        words.agents.none_set_up,
        prompt::choices(words.agents.which, &items),
    )?;
    let agents: Vec<Agent> = chosen
        .into_iter()
        .filter_map(|index| found.get(index).copied())
        .collect();
    // The server is in the file that was just written.
    let setup = setup(args, places, Scope::User, config_option(global)?)?;
    let mode = Mode::Ask(words.agents.none_set_up);
    let outcome = writing::carry_out(&setup, &agents, mode, printer).await?;
    if outcome.is_declined || agents.is_empty() {
        printer.info(words.agents.none_set_up);
    }
    let finish = Finish {
        global,
        args,
        setup: &setup,
        agents: &agents,
        is_usable,
    };
    finish.run(outcome, mode, printer).await
}

/// Returns the agents on this machine, in a sentence.
pub(super) fn found_on_this_machine() -> anyhow::Result<String> {
    let names: Vec<_> = places()?.found().into_iter().map(Agent::name).collect();
    let words = Words::from_locale().setup;
    Ok(match names.is_empty() {
        true => words.none_found.to_owned(),
        false => filled(words.found, &[&names.join(", ")]),
    })
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

/// Returns the agents of the command line; none if only a service is set up.
fn chosen(args: &InitArgs, places: &Places) -> anyhow::Result<Vec<Agent>> {
    let mut agents: Vec<Agent> = Vec::new();
    for choice in &args.agent {
        let named = choice
            .agent()
            .map_or_else(|| places.found(), |agent| vec![agent]);
        agents.extend(named);
    }
    if agents.is_empty() && !args.agent.is_empty() {
        return Err(anyhow::Error::new(Complaint::Failed {
            message: "no agent was found on this machine".to_owned(),
            hint: "name one, for example --agent claude-code",
        }));
    }
    let is_chosen = |agent: &Agent| agents.contains(agent);
    Ok(Agent::ALL.into_iter().filter(is_chosen).collect())
}
