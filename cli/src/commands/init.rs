//! `init`: writes a configuration file, after asking what should stand in it.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use recall_kit_client::{CONFIG_FILE_NAME, ClientConfig, ServerUrl};
use recall_kit_sanitizer::RuleGroup;
use serde_json::json;

use crate::{
    args::{GlobalArgs, InitArgs},
    diagnostics::Complaint,
    interrupt,
    printer::{GREEN, Printer, styled},
    prompt,
};

pub(crate) fn run(global: &GlobalArgs, args: &InitArgs, printer: &Printer) -> anyhow::Result<()> {
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
    let config = config(global.server.as_deref(), ask)?;
    write(&path, &config)?;
    if printer.is_json() {
        printer.json(&json!({"config": path}))?;
    }
    let done = styled(GREEN, "✓");
    printer.talk(&format!("{done} wrote {}", path.display()));
    printer.talk("  next: recall-kit-client doctor");
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
    let items = [
        format!("for this project     {}", here.display()),
        format!("for all my projects  {}", everywhere.display()),
    ];
    let items = items.each_ref().map(String::as_str);
    match prompt::choice("Where should the settings be?", &items)? {
        0 => Ok(here),
        _ => Ok(everywhere),
    }
}

fn refuse_or_ask(path: &Path, ask: bool) -> anyhow::Result<()> {
    if !ask {
        return Err(Complaint::Exists(path.to_owned()).into());
    }
    let question = format!("{} exists already", path.display());
    match prompt::choice(&question, &["Keep it", "Overwrite it"])? {
        0 => bail!("kept {}", path.display()),
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
    let groups = RuleGroup::ALL.map(|group| {
        let label = match group {
            RuleGroup::RemoveApiKeys => "remove_api_keys       keys, passwords, tokens",
            RuleGroup::RemoveUrls => "remove_urls           URLs, hosts, IP addresses",
            RuleGroup::RemovePersonalInfo => "remove_personal_info  names, e-mail addresses, …",
            RuleGroup::AnonymizeVariables => "anonymize_variables   names become var_001, …",
        };
        (label, config.sanitizer.rules.contains(&group))
    });
    let chosen = prompt::choices("What should be removed before text is sent?", &groups)?;
    config.sanitizer.rules = chosen
        .into_iter()
        .filter_map(|index| RuleGroup::ALL.get(index).copied())
        .collect();
    let consent = ["show it to me and ask first", "send it without asking"];
    if prompt::choice("When an experience is submitted", &consent)? == 1 {
        config.auto_submit = true;
        config.prompt_on_submit = false;
    }
    Ok(config)
}

fn ask_for_server(default: String) -> anyhow::Result<String> {
    let check = |url: &String| match url.parse::<ServerUrl>() {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    prompt::with_default(
        "Server (mcp://recall-kit-server: on this machine)",
        default,
        check,
    )
}

fn write(path: &Path, config: &ClientConfig) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).with_context(cannot)?;
    }
    let text = serde_json::to_string_pretty(config)?;
    fs::write(path, text + "\n").with_context(cannot)
}
