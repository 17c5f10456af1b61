//! The command that makes the semantic entry of an accepted suggestion, so that it can be run as it is
//! on the server's machine.

use std::path::{Path, absolute};

use ulid::Ulid;

use crate::settings::Settings;

/// Returns the command for these entries; it names the database as the server was told to find it, and
/// never a password.
pub(super) fn generalize(settings: &Settings, entries: impl Iterator<Item = Ulid>) -> String {
    let mut words = vec!["recall-kit-server".to_owned(), "generalize".to_owned()];
    if let Some(folder) = &settings.data_dir {
        words.extend(["--data-dir".to_owned(), quoted(&whole(folder))]);
    }
    if let Some(url) = &settings.database.url {
        let url = url.without_password();
        let url = match url.strip_prefix("sqlite:") {
            Some(file) => format!("sqlite:{}", whole_file(file)),
            None => url,
        };
        words.extend(["--database".to_owned(), quoted(&url)]);
    }
    words.extend(entries.map(|id| id.to_string()));
    words.join(" ")
}

/// Returns a path that means the same in every folder.
fn whole(path: &Path) -> String {
    let whole = absolute(path);
    whole.as_deref().unwrap_or(path).display().to_string()
}

/// The same for what follows `sqlite:`, which may begin with slashes and end with parameters.
fn whole_file(file: &str) -> String {
    let file = file.strip_prefix("//").unwrap_or(file);
    let (path, parameters) = match file.split_once('?') {
        Some((path, parameters)) => (path, format!("?{parameters}")),
        None => (file, String::new()),
    };
    format!("{}{parameters}", whole(Path::new(path)))
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
