//! `init`: writes a configuration file, after asking for its settings; with `--agent`, or afterwards on request, sets
//! up coding agents, and checks that they work.

mod agents;
mod check;
mod plan;
pub(super) mod server;
mod service;
#[cfg(test)]
mod tests;
mod writing;

use std::{
    env,
    path::{Path, PathBuf},
};

use console::{Alignment, measure_text_width, pad_str};
use recall_kit_client::{AiConfig, CONFIG_FILE_NAME, ClientConfig, LOCAL_SERVER_URL, ServerUrl};
use recall_kit_sanitizer::RuleGroup;
use serde_json::{Value, json};

use crate::{
    agents::{call::PROGRAM_NAME, change::Change},
    args::{GlobalArgs, InitArgs},
    diagnostics::Complaint,
    terminal::{
        interrupt::{self, Interrupted},
        printer::{GREEN, Printer, styled},
        prompt,
    },
    trust,
    words::{Words, filled},
};
use server::Settled;

/// The value of `--server` that stands for the program on this machine.
const THIS_MACHINE: &str = "this-machine";

pub(crate) async fn run(
    global: &GlobalArgs,
    args: &InitArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let global = &named(global);
    if !args.agent.is_empty() || args.service {
        return agents::run(global, args, printer).await;
    }
    let ask = !args.yes && !args.dry_run;
    if args.dry_run || ask && !prompt::is_possible() {
        return preview(global, args, printer);
    }
    interrupt::leave_to_prompts()?;
    let words = Words::from_locale();
    let settled = settle(global, args, printer).await;
    let Settings { path, content } = interrupted_with(words.agents.nothing_written, settled)?;
    let mut is_usable = true;
    if let Some(New {
        config,
        server,
        file,
    }) = &content
    {
        server.keep_key(printer).await?;
        write(file.clone(), config)?;
        trust::trust_written(&path, printer)?;
        is_usable = server.is_usable;
    }
    if printer.is_json() {
        printer.json(&json!({"config": path}))?;
    }
    let done = styled(GREEN, "✓");
    printer.info(&match content {
        Some(_) => format!("{done} {} {}", words.init.wrote, path.display()),
        None => filled(words.init.kept, &[&path.display()]),
    });
    if ask {
        agents::offer(global, args, is_usable, printer).await?;
    }
    printer.info(&format!("  {} recall-kit-client doctor", words.init.next));
    Ok(())
}

/// Returns the options with the URL of the server that is named in plain words.
fn named(global: &GlobalArgs) -> GlobalArgs {
    let mut global = global.clone();
    if global.server.as_deref() == Some(THIS_MACHINE) {
        global.server = Some(LOCAL_SERVER_URL.to_owned());
    }
    global
}

/// Shows what `init --yes` would write.
///
/// *Errors*: [`Complaint::Usage`] without `--dry-run`, because the user was not asked; [`Complaint::Exists`].
fn preview(global: &GlobalArgs, args: &InitArgs, printer: &Printer) -> anyhow::Result<()> {
    let path = match &global.config {
        Some(path) => path.clone(),
        None => in_working_dir()?,
    };
    if path.exists() && !args.force && args.dry_run {
        return Err(Complaint::Exists(path).into());
    }
    let text = text_of(&config(&server_of(global)?))?;
    let change = Change::replacing(PROGRAM_NAME, &path, text).map_err(plan::complaint)?;
    writing::show(std::slice::from_ref(&change), printer, !args.dry_run)?;
    printer.info(&agents::found_on_this_machine()?);
    match args.dry_run {
        true if printer.is_json() => Ok(printer.json(&json!({"config": path}))?),
        true => Ok(()),
        false => Err(anyhow::Error::new(Complaint::Usage {
            message: "there is no terminal to ask at, so nothing was written".to_owned(),
            hint: "`recall-kit-client init --yes` uses the defaults",
        })),
    }
}

/// The settings that `init` writes.
struct Settings {
    path: PathBuf,
    /// `None` keeps the existing file.
    content: Option<New>,
}

/// A new file of settings.
struct New {
    config: ClientConfig,
    server: Settled,
    /// The file as it was when the user agreed to overwrite it.
    file: Change,
}

/// Decides where the file goes and what it contains.
async fn settle(
    global: &GlobalArgs,
    args: &InitArgs,
    printer: &Printer,
) -> anyhow::Result<Settings> {
    let ask = !args.yes;
    let path = match &global.config {
        Some(path) => path.clone(),
        None if ask => ask_for_place()?,
        None => in_working_dir()?,
    };
    if path.exists() && !args.force && !may_overwrite(&path, ask)? {
        let content = None;
        return Ok(Settings { path, content });
    }
    let file = Change::replacing(PROGRAM_NAME, &path, String::new()).map_err(plan::complaint)?;
    let server = match ask && !(args.no_check && global.server.is_some()) {
        true => server::settle(global.server.clone(), printer).await?,
        false => server_of(global)?,
    };
    let mut config = config(&server);
    if ask {
        ask_for_rules(&mut config)?;
    }
    // A file that is found by searching may not set that submissions are sent without asking.
    if ask && (global.config.is_some() || path != in_working_dir()?) {
        ask_for_consent(&mut config)?;
    }
    let content = Some(New {
        config,
        server,
        file,
    });
    Ok(Settings { path, content })
}

/// Returns the server of the command line, which is not checked, else the program on this machine.
fn server_of(global: &GlobalArgs) -> anyhow::Result<Settled> {
    let Some(url) = &global.server else {
        return Ok(Settled::local());
    };
    url.parse::<ServerUrl>()
        .map_err(recall_kit_client::Error::from)?;
    Ok(Settled::unchecked(url.clone()))
}

/// Adds the state after an interruption to the error.
fn interrupted_with<T>(state: &'static str, result: anyhow::Result<T>) -> anyhow::Result<T> {
    result.map_err(|error| match error.is::<Interrupted>() {
        true => Interrupted::by_ctrl_c(state).into(),
        false => error,
    })
}

fn in_working_dir() -> anyhow::Result<PathBuf> {
    Ok(env::current_dir()?.join(CONFIG_FILE_NAME))
}

fn ask_for_place() -> anyhow::Result<PathBuf> {
    let here = in_working_dir()?;
    let Some(dirs) = directories::ProjectDirs::from("", "", "recall-kit") else {
        return Ok(here);
    };
    let everywhere = dirs.config_dir().join(CONFIG_FILE_NAME);
    let words = Words::from_locale().init;
    let items = with_descriptions([
        (words.this_project, &here.display().to_string()),
        (words.all_projects, &everywhere.display().to_string()),
    ]);
    let items = items.each_ref().map(String::as_str);
    match prompt::choice(words.place, &items)? {
        0 => Ok(here),
        _ => Ok(everywhere),
    }
}

/// Asks whether to overwrite a file.
///
/// *Errors*: [`Complaint::Exists`] if the user is not asked.
fn may_overwrite(path: &Path, ask: bool) -> anyhow::Result<bool> {
    if !ask {
        return Err(Complaint::Exists(path.to_owned()).into());
    }
    let words = Words::from_locale().init;
    let question = format!("{} {}", path.display(), words.exists);
    Ok(prompt::choice(&question, &[words.keep, words.overwrite])? == 1)
}

fn config(server: &Settled) -> ClientConfig {
    let mut config = ClientConfig::default();
    config.server.url.clone_from(&server.url);
    config
}

fn ask_for_rules(config: &mut ClientConfig) -> anyhow::Result<()> {
    let words = Words::from_locale().init;
    let described = RuleGroup::ALL.map(|group| {
        let description = match group {
            RuleGroup::RemoveApiKeys => words.api_keys,
            RuleGroup::RemoveUrls => words.urls,
            RuleGroup::RemovePersonalInfo => words.personal_info,
            RuleGroup::AnonymizeVariables => words.variables,
        };
        (group.as_str(), description)
    });
    let is_chosen = RuleGroup::ALL.map(|group| config.sanitizer.rules.contains(&group));
    let labels = with_descriptions(described);
    let labels = labels.iter().map(String::as_str);
    let groups: Vec<_> = labels.zip(is_chosen).collect();
    let chosen = prompt::choices(words.what_is_removed, &groups)?;
    config.sanitizer.rules = chosen
        .into_iter()
        .filter_map(|index| RuleGroup::ALL.get(index).copied())
        .collect();
    Ok(())
}

fn ask_for_consent(config: &mut ClientConfig) -> anyhow::Result<()> {
    let words = Words::from_locale().init;
    let consent = [words.ask_first, words.send_unasked];
    if prompt::choice(words.on_submit, &consent)? == 1 {
        config.auto_submit = true;
        config.prompt_on_submit = false;
    }
    Ok(())
}

/// Formats items with their descriptions in a second column.
fn with_descriptions<const N: usize>(items: [(&str, &str); N]) -> [String; N] {
    let widths = items.map(|(name, _)| measure_text_width(name));
    let widest = widths.into_iter().max().unwrap_or_default();
    items.map(|(name, description)| {
        let name = pad_str(name, widest, Alignment::Left, None);
        format!("{name}  {description}")
    })
}

/// Writes the settings, unless another program has changed the file meanwhile.
fn write(mut file: Change, config: &ClientConfig) -> anyhow::Result<()> {
    file.after = Some(text_of(config)?);
    file.write()
        .map(|_| ())
        .map_err(|error| plan::complaint(error).into())
}

fn text_of(config: &ClientConfig) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(&as_written(config)?)? + "\n")
}

/// Returns the configuration as it is written: without the default AI section, because it has no effect before there
/// is a key.
fn as_written(config: &ClientConfig) -> serde_json::Result<Value> {
    let mut written = serde_json::to_value(config)?;
    if config.ai == AiConfig::default()
        && let Some(keys) = written.as_object_mut()
    {
        keys.shift_remove("ai");
    }
    Ok(written)
}
