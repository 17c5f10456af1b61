//! `trust`: trusts a configuration file in the working directory or above it, lists the decisions, and
//! revokes them.

use std::path::{Path, PathBuf, absolute};

use recall_kit_client::{
    CONFIG_FILE_NAME, ConfigSearch, Error, Standing, TrustDecision, TrustStore,
};
use serde_json::{Map, Value, json};

use crate::{
    args::TrustArgs,
    diagnostics::Complaint,
    terminal::{
        controls::visible,
        printer::{GREEN, Printer, YELLOW, styled},
    },
    trust::settings_of,
    words::{TrustWords, Words, filled},
};

pub(crate) fn run(args: &TrustArgs, printer: &Printer) -> anyhow::Result<()> {
    let search = ConfigSearch::from_process(None);
    let store = search.trust_store()?;
    if args.list {
        return list(&search, &store, printer);
    }
    let path = chosen(args.path.as_deref(), &search)?;
    match args.revoke {
        true => revoke(&store, &path, printer),
        false => accept(&search, &store, &path, printer),
    }
}

/// Returns the named file, or the file in the named folder, else the nearest one.
fn chosen(named: Option<&Path>, search: &ConfigSearch) -> anyhow::Result<PathBuf> {
    let path = match named {
        Some(folder) if folder.is_dir() => folder.join(CONFIG_FILE_NAME),
        Some(path) => path.to_owned(),
        None => search.nearest().ok_or_else(|| Complaint::Failed {
            message: format!("there is no {CONFIG_FILE_NAME} in this folder or above it"),
            hint: "name the file; `recall-kit-client init` writes one",
        })?,
    };
    Ok(absolute(path)?)
}

fn accept(
    search: &ConfigSearch,
    store: &TrustStore,
    path: &Path,
    printer: &Printer,
) -> anyhow::Result<()> {
    if path.file_name().is_none_or(|name| name != CONFIG_FILE_NAME) {
        return Err(anyhow::Error::new(Complaint::Usage {
            message: format!("only files named {CONFIG_FILE_NAME} can be trusted"),
            hint: "a file with another name is used if --config names it",
        }));
    }
    if !path.is_file() {
        return Err(anyhow::Error::new(Complaint::Failed {
            message: format!("there is no file {}", path.display()),
            hint: "`recall-kit-client init` writes one",
        }));
    }
    let file = search.examine(path);
    if file.standing().is_decidable() || *file.standing() == Standing::Unreadable {
        search.check(&file).map_err(Error::from)?;
    }
    store.decide(&file, true)?;
    if printer.is_json() {
        let settings = file.decides().into_iter();
        let settings: Map<String, Value> = settings
            .map(|(key, value)| (key.to_owned(), value.into()))
            .collect();
        printer.json(&json!({
            "trusted": file.canonical(),
            "sha256": file.sha256(),
            "decides": settings,
        }))?;
        return Ok(());
    }
    let words = Words::from_locale().trust;
    let path = visible(&path.display().to_string());
    printer.info(&filled(words.about, &[&path]));
    printer.info(&settings_of(&file));
    let done = styled(GREEN, "✓");
    printer.info(&format!("{done} {}", filled(words.trusted, &[&path])));
    Ok(())
}

fn revoke(store: &TrustStore, path: &Path, printer: &Printer) -> anyhow::Result<()> {
    let words = Words::from_locale().trust;
    let shown = visible(&path.display().to_string());
    if !store.forget(path)? {
        return Err(anyhow::Error::new(Complaint::Failed {
            message: filled(words.not_decided, &[&shown]),
            hint: "`recall-kit-client trust --list` shows the files",
        }));
    }
    if printer.is_json() {
        printer.json(&json!({"revoked": path}))?;
    }
    let done = styled(GREEN, "✓");
    printer.info(&format!("{done} {}", filled(words.revoked, &[&shown])));
    Ok(())
}

fn list(search: &ConfigSearch, store: &TrustStore, printer: &Printer) -> anyhow::Result<()> {
    let decided = store.list()?;
    let states = decided.iter().map(|one| (one, State::of(one, search)));
    if printer.is_json() {
        let files: Vec<Value> = states
            .map(|(one, state)| {
                json!({
                    "path": one.path,
                    "sha256": one.sha256,
                    "trusted": one.trusted,
                    "decided_at": one.decided_at,
                    "state": state.name(),
                })
            })
            .collect();
        printer.json(&json!({"store": store.path(), "files": files}))?;
        return Ok(());
    }
    let words = Words::from_locale().trust;
    if decided.is_empty() {
        printer.info(words.none);
    }
    for (one, state) in states {
        let style = match (state, one.trusted) {
            (State::Current, true) => GREEN,
            _ => YELLOW,
        };
        let label = styled(style, state.label(one.trusted, &words));
        printer.data(&format!(
            "{label}  {}",
            visible(&one.path.display().to_string())
        ))?;
    }
    Ok(())
}

/// How a decision relates to the current file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Current,
    Changed,
    Missing,
    /// Others may have written the file since, or it cannot be read.
    Unusable,
}

impl State {
    fn of(decision: &TrustDecision, search: &ConfigSearch) -> Self {
        if !decision.path.exists() {
            return Self::Missing;
        }
        match search.examine(&decision.path).standing() {
            Standing::Trusted | Standing::Refused => Self::Current,
            Standing::Changed | Standing::New => Self::Changed,
            _ => Self::Unusable,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Changed => "changed",
            Self::Missing => "missing",
            Self::Unusable => "unusable",
        }
    }

    fn label(self, is_trusted: bool, words: &TrustWords) -> &'static str {
        match (self, is_trusted) {
            (Self::Current, true) => words.is_trusted,
            (Self::Current, false) => words.is_refused,
            (Self::Changed, _) => words.is_changed,
            (Self::Missing, _) => words.is_missing,
            (Self::Unusable, _) => words.is_unusable,
        }
    }
}
