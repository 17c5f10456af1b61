//! Configuration files that were found by searching: at a terminal the user is asked whether to trust them;
//! ignored ones are reported.

use std::path::{Path, absolute};

use recall_kit_client::{
    CONFIG_FILE_NAME, ConfigSearch, ConfiguredSanitizer, Error, FoundFile, LoadedConfig,
};

use crate::{
    args::GlobalArgs,
    diagnostics,
    terminal::{
        controls::visible,
        interrupt::leave_to_prompts,
        printer::{BOLD, DIM, Printer, YELLOW, styled},
        prompt,
    },
    words::{Words, filled},
};

impl GlobalArgs {
    /// Reads the settings and applies the flags. At a terminal the user is asked once about a file that was
    /// found by searching.
    pub(crate) fn load_config(&self, printer: &Printer) -> anyhow::Result<LoadedConfig> {
        let search = self.search();
        let mut loaded = search.load().map_err(Error::from)?;
        if prompt::is_possible() && !printer.is_json() && ask(&search, &loaded.ignored, printer)? {
            loaded = search.load().map_err(Error::from)?;
        }
        report_ignored(&loaded.ignored, printer);
        Ok(self.with_flags(loaded))
    }

    /// Like [`GlobalArgs::load_config`], but asks nothing.
    pub(crate) fn load_config_unasked(&self, printer: &Printer) -> Result<LoadedConfig, Error> {
        let loaded = self.read_config()?;
        report_ignored(&loaded.ignored, printer);
        Ok(loaded)
    }

    /// Like [`GlobalArgs::load_config`], but neither asks nor reports anything.
    pub(crate) fn read_config(&self) -> Result<LoadedConfig, Error> {
        Ok(self.with_flags(self.search().load()?))
    }

    /// Creates the sanitizer with the configured groups, the user-defined rules and the allow list.
    pub(crate) fn load_sanitizer(&self, printer: &Printer) -> Result<ConfiguredSanitizer, Error> {
        let loaded = self.search().load_sanitizer()?;
        report_ignored(&loaded.ignored, printer);
        Ok(ConfiguredSanitizer::new(loaded.config.sanitizer)?)
    }

    fn search(&self) -> ConfigSearch {
        ConfigSearch::from_process(self.config.clone())
    }

    fn with_flags(&self, mut loaded: LoadedConfig) -> LoadedConfig {
        if let Some(server) = &self.server {
            loaded.config.server.url.clone_from(server);
            loaded.config.servers.clear();
            loaded.config.submit_to = None;
        }
        loaded
    }
}

/// Asks about each file that the user has not decided about. Returns whether there was one.
fn ask(search: &ConfigSearch, files: &[FoundFile], printer: &Printer) -> anyhow::Result<bool> {
    let open: Vec<_> = files.iter().filter(|it| it.standing().is_open()).collect();
    if open.is_empty() {
        return Ok(false);
    }
    let words = Words::from_locale().trust;
    let store = search.trust_store()?;
    leave_to_prompts()?;
    for file in &open {
        let about = filled(words.about, &[&visible(&file.path().display().to_string())]);
        printer.urgent(&format!("\n{}", styled(BOLD, about)));
        printer.urgent(&settings_of(file));
        let is_trusted = prompt::choice(words.question, &[words.no, words.yes])? == 1;
        if is_trusted {
            search.check(file).map_err(Error::from)?;
        }
        store.decide(file, is_trusted)?;
    }
    Ok(true)
}

/// Reports each ignored file in one line.
fn report_ignored(files: &[FoundFile], printer: &Printer) {
    let words = Words::from_locale();
    for file in files {
        let warning = styled(YELLOW, words.sanitize.warning);
        printer.urgent(&format!("{warning} {}", words.trust.ignored(file)));
    }
}

/// Formats the settings of a file, with one line for each.
pub(crate) fn settings_of(file: &FoundFile) -> String {
    let lines = file.decides().into_iter().map(|(key, value)| {
        let value = visible(&value).replace('\n', "\\n");
        format!("  {} {value}", styled(DIM, key))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Trusts a file that `init` has written. A failure is reported but is not an error.
pub(crate) fn trust_written(path: &Path, printer: &Printer) -> anyhow::Result<()> {
    let path = absolute(path)?;
    if path.file_name().is_none_or(|name| name != CONFIG_FILE_NAME) {
        // A file with another name is used only if it is named explicitly, so it needs no trust.
        return Ok(());
    }
    let search = ConfigSearch::from_process(None);
    let decided = search
        .trust_store()
        .and_then(|store| store.decide(&search.examine(&path), true));
    if let Err(error) = decided {
        diagnostics::describe(printer, &error.into());
    }
    Ok(())
}
