//! `init`: writes a configuration file, after asking what should stand in it; with `--agent`, and for
//! who wants it afterwards, sets up coding agents.

mod agents;
mod plan;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use console::{Alignment, measure_text_width, pad_str};
use recall_kit_client::{CONFIG_FILE_NAME, ClientConfig, ServerUrl};
use recall_kit_sanitizer::RuleGroup;
use serde_json::json;

use crate::{
    args::{GlobalArgs, InitArgs},
    diagnostics::Complaint,
    interrupt,
    printer::{GREEN, Printer, styled},
    prompt, trust,
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
            hint: "`recall-kit-client init --yes` takes the defaults",
        }));
    }
    interrupt::leave_to_prompts()?;
    let path = match &global.config {
        Some(path) => path.clone(),
        None if ask => ask_for_place()?,
        None => in_working_dir()?,
    };
    if path.exists() && !args.force {
        refuse_or_ask(&path, ask)?;
    }
    let mut config = config(global.server.as_deref(), ask)?;
    // A file that is merely found may not decide that nobody is asked.
    if ask && (global.config.is_some() || path != in_working_dir()?) {
        ask_for_consent(&mut config)?;
    }
    write(&path, &config)?;
    trust::remember(&path, printer)?;
    if printer.is_json() {
        printer.json(&json!({"config": path}))?;
    }
    let words = Words::from_locale().init;
    let done = styled(GREEN, "✓");
    printer.talk(&format!("{done} {} {}", words.wrote, path.display()));
    if ask {
        agents::offer(global, printer)?;
    }
    printer.talk(&format!("  {} recall-kit-client doctor", words.next));
    Ok(())
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
    let items = beside([
        (words.this_project, &here.display().to_string()),
        (words.all_projects, &everywhere.display().to_string()),
    ]);
    let items = items.each_ref().map(String::as_str);
    match prompt::choice(words.place, &items)? {
        0 => Ok(here),
        _ => Ok(everywhere),
    }
}

fn refuse_or_ask(path: &Path, ask: bool) -> anyhow::Result<()> {
    if !ask {
        return Err(Complaint::Exists(path.to_owned()).into());
    }
    let words = Words::from_locale().init;
    let question = format!("{} {}", path.display(), words.exists);
    match prompt::choice(&question, &[words.keep, words.overwrite])? {
        0 => bail!(filled(words.kept, &[&path.display()])),
        _ => Ok(()),
    }
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
        config.server.url = ask_for_server(config.server.url)?;
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
    let labels = beside(described);
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

fn ask_for_server(default: String) -> anyhow::Result<String> {
    let check = |url: &String| match url.parse::<ServerUrl>() {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    prompt::with_default(Words::from_locale().init.server, default, check)
}

/// Sets descriptions in a column behind what they describe.
fn beside<const N: usize>(items: [(&str, &str); N]) -> [String; N] {
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
    let text = serde_json::to_string_pretty(config)?;
    fs::write(path, text + "\n").with_context(cannot)
}
