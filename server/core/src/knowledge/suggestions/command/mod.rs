//! The command that creates the semantic entry of an accepted suggestion. It can be run unchanged on the
//! server's machine.

use std::path::{Path, absolute};

use recall_kit_settings::Settings;
use ulid::Ulid;

/// Returns the command for these entries; it names the database as configured, but never a password.
pub(super) fn generalize(settings: &Settings, entries: impl Iterator<Item = Ulid>) -> String {
    let mut words = vec!["recall-kit-server".to_owned(), "generalize".to_owned()];
    if let Some(folder) = &settings.data_dir {
        words.extend(["--data-dir".to_owned(), quoted(&absolute_path(folder))]);
    }
    if let Some(url) = &settings.database.url {
        let url = match url.sqlite_path() {
            Some(file) => format!("sqlite:{}", absolute_path(file)),
            None => url.without_password(),
        };
        words.extend(["--database".to_owned(), quoted(&url)]);
    }
    words.extend(entries.map(|id| id.to_string()));
    words.join(" ")
}

/// Returns a path that does not depend on the working directory.
fn absolute_path(path: &Path) -> String {
    let absolute = absolute(path);
    absolute.as_deref().unwrap_or(path).display().to_string()
}

/// Quotes a word for a POSIX shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-:=@,+%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests;
