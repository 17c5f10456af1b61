//! `environment`: shows which versions would be sent with a query from this folder, and what stays, and why. It sends
//! nothing.

use std::{
    env,
    io::{self, Read as _},
};

use anyhow::Context as _;
use recall_kit_client::{
    EnvironmentMode,
    applicability::{Environment, NamedVersion},
};
use recall_kit_environment::{Disclosure, Finder, Held, Project};
use serde_json::{Value, json};

use crate::{
    args::{EnvironmentArgs, GlobalArgs},
    terminal::{
        controls::visible,
        printer::{BOLD, Printer, styled},
    },
    words::{EnvironmentWords, Words, filled},
};

/// What stands for standard input.
const STDIN: &str = "-";
/// The most that is read of it. *Unit*: bytes.
const MAX_INPUT: u64 = 8 << 20;

pub(crate) fn run(
    global: &GlobalArgs,
    args: &EnvironmentArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let config = global.load_config(printer)?.config;
    let text = match args.text.as_deref() {
        Some(STDIN) => Some(read_stdin()?),
        text => text.map(str::to_owned),
    };
    let folder = env::current_dir().context("cannot tell the working directory")?;
    let texts: Vec<&str> = text.as_deref().into_iter().collect();
    let project = Finder::of_user().find_for(&folder, &texts);
    let mut disclosure = project.disclosed(&texts);
    let client = global.client(config.clone())?;
    if !client.may_leave(&disclosure.environment) {
        disclosure.environment = Environment::default();
    }
    if printer.is_json() {
        let mode = config.environment;
        let is_asked = text.is_some();
        printer.json(&as_json(&project, &disclosure, mode, is_asked, args.all))?;
        return Ok(());
    }
    let words = Words::from_locale().environment;
    printer.info(&filled(words.setting, &[&config.environment]));
    for line in lines(&project, &disclosure, text.is_some(), args.all, &words) {
        printer.data(&visible(&line))?;
    }
    Ok(())
}

fn read_stdin() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let mut input = io::stdin().lock().take(MAX_INPUT);
    input
        .read_to_end(&mut bytes)
        .context("cannot read the text from stdin")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the number of public packages.
fn public(project: &Project) -> usize {
    let public = project.packages.iter().filter(|known| known.held.is_none());
    let names: std::collections::BTreeSet<String> =
        public.filter_map(|known| known.package.purl()).collect();
    names.len()
}

fn as_json(
    project: &Project,
    disclosure: &Disclosure,
    mode: EnvironmentMode,
    is_asked: bool,
    is_all: bool,
) -> Value {
    let held: serde_json::Map<String, Value> = disclosure
        .held
        .iter()
        .map(|(held, count)| (held.as_str().to_owned(), (*count).into()))
        .collect();
    let files = project.files.iter().map(|file| {
        json!({
            "path": file.path,
            "ecosystem": file.ecosystem.as_str(),
            "packages": file.packages,
        })
    });
    let notes = project.notes.iter();
    let notes = notes.map(|note| json!({"path": note.path, "reason": note.reason.to_string()}));
    let mut shown = json!({
        "setting": mode.as_str(),
        "for_text": is_asked,
        "environment": disclosure.environment,
        "public": public(project),
        "held": held,
        "files": files.collect::<Vec<_>>(),
        "notes": notes.collect::<Vec<_>>(),
    });
    if is_all {
        let private = disclosure.private.iter().map(|(package, held)| {
            json!({
                "purl": package.purl(),
                "version": package.version,
                "reason": held.as_str(),
            })
        });
        shown["private"] = private.collect();
    }
    shown
}

fn lines(
    project: &Project,
    disclosure: &Disclosure,
    is_asked: bool,
    is_all: bool,
    words: &EnvironmentWords,
) -> Vec<String> {
    let mut lines = Vec::new();
    let sent = sent(&disclosure.environment);
    match sent.is_empty() {
        true if is_asked => lines.push(words.nothing.to_owned()),
        true => lines.push(filled(words.could, &[&public(project)])),
        false => {
            lines.push(styled(BOLD, words.sent));
            lines.extend(sent);
        }
    }
    let held: Vec<_> = disclosure
        .held
        .iter()
        .filter(|(held, _)| is_asked || held.is_private())
        .collect();
    if !held.is_empty() {
        lines.push(styled(BOLD, words.stays));
    }
    for (held, count) in held {
        let reason = reason(*held, words);
        lines.push(format!("  {}", filled(words.held, &[count, &reason])));
        let named = disclosure.private.iter();
        let named = named.filter(|(_, of)| is_all && of == held);
        lines.extend(named.map(|(package, _)| {
            let version = package.version.as_deref().unwrap_or_default();
            let purl = package.purl().unwrap_or_default();
            format!("    {purl} {version}")
        }));
    }
    if !project.files.is_empty() {
        lines.push(styled(BOLD, words.files));
        let files = project.files.iter();
        lines.extend(files.map(|file| format!("  {} ({})", file.path.display(), file.packages)));
    }
    if !project.notes.is_empty() {
        lines.push(styled(BOLD, words.notes));
        let notes = project.notes.iter();
        lines.extend(notes.map(|note| format!("  {}: {}", note.path.display(), note.reason)));
    }
    lines
}

/// Returns a line for each statement.
fn sent(environment: &Environment) -> Vec<String> {
    let line = |name: &str, version: &Option<String>| {
        format!("  {name} {}", version.as_deref().unwrap_or_default())
    };
    let packages = environment.packages.iter();
    let mut lines: Vec<String> = packages.map(|it| line(&it.purl, &it.version)).collect();
    let named = environment.runtimes.iter().chain(&environment.tools);
    lines.extend(named.map(|it: &NamedVersion| line(&it.name, &it.version)));
    lines.extend(environment.os.iter().map(|os| line(os, &environment.arch)));
    lines
}

fn reason(held: Held, words: &EnvironmentWords) -> &'static str {
    match held {
        Held::OtherRegistry => words.other_registry,
        Held::Git => words.git,
        Held::Local => words.local,
        Held::Settings => words.settings,
        Held::Owner => words.owner,
        Held::Unknown => words.unknown,
        Held::NotMentioned => words.not_mentioned,
        Held::TooMany => words.too_many,
    }
}
