//! `init`: writes a configuration file, after asking for its settings; with `--agent`, or afterwards on request, sets
//! up coding agents.

mod agents;
mod plan;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use console::{Alignment, measure_text_width, pad_str};
use recall_kit_client::{AiConfig, CONFIG_FILE_NAME, ClientConfig, LOCAL_SERVER_URL, ServerUrl};
use recall_kit_sanitizer::RuleGroup;
use serde_json::{Value, json};

use crate::{
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

pub(crate) fn run(global: &GlobalArgs, args: &InitArgs, printer: &Printer) -> anyhow::Result<()> {
    if !args.agent.is_empty() {
        return agents::run(global, args, printer);
    }
    let ask = !args.yes;
    if ask && !prompt::is_possible() {
        return Err(anyhow::Error::new(Complaint::Usage {
            message: "there is no terminal to ask at".to_owned(),
            hint: "`recall-kit-client init --yes` uses the defaults",
        }));
    }
    interrupt::leave_to_prompts()?;
    let words = Words::from_locale();
    let (path, config) = interrupted_with(words.agents.nothing_written, settle(global, args))?;
    if let Some(config) = &config {
        write(&path, config)?;
        trust::trust_written(&path, printer)?;
    }
    if printer.is_json() {
        printer.json(&json!({"config": path}))?;
    }
    let done = styled(GREEN, "✓");
    printer.info(&match config {
        Some(_) => format!("{done} {} {}", words.init.wrote, path.display()),
        None => filled(words.init.kept, &[&path.display()]),
    });
    if ask {
        interrupted_with(words.agents.none_set_up, agents::offer(global, printer))?;
    }
    printer.info(&format!("  {} recall-kit-client doctor", words.init.next));
    Ok(())
}

/// Decides where the file goes and what it contains; `None` keeps the existing file.
fn settle(global: &GlobalArgs, args: &InitArgs) -> anyhow::Result<(PathBuf, Option<ClientConfig>)> {
    let ask = !args.yes;
    let path = match &global.config {
        Some(path) => path.clone(),
        None if ask => ask_for_place()?,
        None => in_working_dir()?,
    };
    if path.exists() && !args.force && !may_overwrite(&path, ask)? {
        return Ok((path, None));
    }
    let mut config = config(global.server.as_deref(), ask)?;
    // A file that is found by searching may not set that submissions are sent without asking.
    if ask && (global.config.is_some() || path != in_working_dir()?) {
        ask_for_consent(&mut config)?;
    }
    Ok((path, Some(config)))
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

fn config(server: Option<&str>, ask: bool) -> anyhow::Result<ClientConfig> {
    let mut config = ClientConfig::default();
    if let Some(server) = server {
        server
            .parse::<ServerUrl>()
            .map_err(recall_kit_client::Error::from)?;
        config.server.url = server.to_owned();
    }
    if !ask {
        return Ok(config);
    }
    if server.is_none() {
        config.server.url = ask_for_server()?;
    }
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
    Ok(config)
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

fn ask_for_server() -> anyhow::Result<String> {
    let words = Words::from_locale().init;
    let places = [words.on_this_machine, words.on_a_server];
    if prompt::choice(words.server, &places)? == 0 {
        return Ok(LOCAL_SERVER_URL.to_owned());
    }
    let check = |url: &str| match url.parse::<ServerUrl>() {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    let url = prompt::checked(words.server_url, check)?;
    Ok(url.trim().to_owned())
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

fn write(path: &Path, config: &ClientConfig) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).with_context(cannot)?;
    }
    let text = serde_json::to_string_pretty(&as_written(config)?)?;
    fs::write(path, text + "\n").with_context(cannot)
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
