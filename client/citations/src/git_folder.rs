//! The folder in which git keeps what it knows of a clone, and the files with rules that it names. In a linked worktree and in a
//! submodule, `.git` is a file that names this folder.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// The maximum size of a file with rules or settings. *Unit*: bytes.
const MAX_BYTES: u64 = 1 << 20;

/// What is in a small file.
pub(crate) enum Text {
    Read(String),
    /// There is no such file.
    Absent,
    /// It is too large, is no regular file, is not UTF-8, or cannot be read.
    Unreadable,
}

/// Reads a small text file.
pub(crate) fn read(path: &Path) -> Text {
    match path.metadata() {
        Err(error) if is_absence(&error) => Text::Absent,
        Ok(metadata) if metadata.is_file() && metadata.len() <= MAX_BYTES => {
            fs::read_to_string(path).map_or(Text::Unreadable, Text::Read)
        }
        Ok(_) | Err(_) => Text::Unreadable,
    }
}

/// Whether an error says that there is no such file.
pub(crate) fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Returns the files with rules of a clone, besides `.gitignore`; `None` if they cannot be known.
pub(crate) fn files_with_rules(root: &Path) -> Option<Vec<PathBuf>> {
    let Some(own) = of(root)? else {
        return Some(Vec::new());
    };
    let common = match read(&own.join("commondir")) {
        Text::Read(path) => own.join(path.trim()),
        Text::Absent => own.clone(),
        Text::Unreadable => return None,
    };
    let mut files = vec![common.join("info").join("exclude")];
    for settings in [common.join("config"), own.join("config.worktree")] {
        match read(&settings) {
            Text::Read(text) => {
                for value in excludes_files(&text) {
                    files.push(expanded(root, &value)?);
                }
            }
            Text::Absent => {}
            Text::Unreadable => return None,
        }
    }
    Some(files)
}

/// Returns the folder that git uses for a root; nothing if git does not know the root, `None` if it cannot be known.
#[allow(clippy::option_option)]
fn of(root: &Path) -> Option<Option<PathBuf>> {
    let mark = root.join(".git");
    match mark.metadata() {
        Ok(metadata) if metadata.is_dir() => Some(Some(mark)),
        Ok(_) => match read(&mark) {
            Text::Read(text) => {
                let path = text.strip_prefix("gitdir:")?.trim();
                let folder = root.join(path);
                folder.is_dir().then_some(Some(folder))
            }
            Text::Absent | Text::Unreadable => None,
        },
        Err(error) if is_absence(&error) => Some(None),
        Err(_) => None,
    }
}

/// Returns the values of `core.excludesFile` in settings of git.
fn excludes_files(text: &str) -> Vec<String> {
    let mut is_core = false;
    let mut values = Vec::new();
    for line in text.lines() {
        let mut line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            let Some((section, rest)) = header.split_once(']') else {
                continue;
            };
            is_core = section.trim().eq_ignore_ascii_case("core");
            line = rest.trim();
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        if is_core && key.trim().eq_ignore_ascii_case("excludesfile") {
            values.push(unquoted(value.trim()));
        }
    }
    values
}

/// Returns a value without quotes, escapes and a comment behind it.
fn unquoted(value: &str) -> String {
    let (mut text, mut is_quoted) = (String::new(), false);
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => is_quoted = !is_quoted,
            '\\' => text.extend(chars.next()),
            '#' | ';' if !is_quoted => break,
            c => text.push(c),
        }
    }
    text.trim_end().to_owned()
}

/// Returns the path that a value names; `None` if only git can tell.
fn expanded(root: &Path, value: &str) -> Option<PathBuf> {
    if let Some(rest) = value.strip_prefix("~/") {
        return env::home_dir().map(|home| home.join(rest));
    }
    let is_plain = !value.starts_with('~') && !value.starts_with("%(");
    is_plain.then(|| root.join(value))
}
