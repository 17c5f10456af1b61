//! How an agent starts this program.
//!
//! A person's own settings name the program by its path: editors that were started from a desktop do
//! not see what a shell adds to the `PATH`. Where the program on the `PATH` is this very file, that
//! path is taken, because it stays when a new version is installed. A project's settings are shared, so
//! they name the program alone.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use super::Scope;

/// The program's name without the platform's suffix.
pub(crate) const PROGRAM_NAME: &str = "recall-kit-client";
/// The command that serves MCP.
const MCP: &str = "mcp";

/// The program and the options that stand before its command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    /// A path, or a name that is looked for on the `PATH`.
    pub(crate) program: String,
    /// Such as `--server URL`.
    pub(crate) options: Vec<String>,
}

impl Call {
    /// Names this program.
    pub(crate) fn of_this_program(scope: Scope, options: Vec<String>) -> Self {
        let program = match scope {
            Scope::Project => PROGRAM_NAME.to_owned(),
            Scope::User => this_program().map_or_else(
                || PROGRAM_NAME.to_owned(),
                |path| path.to_string_lossy().into_owned(),
            ),
        };
        Self { program, options }
    }

    /// Reads an entry back; none where it starts something else.
    pub(crate) fn from_entry(command: &str, args: &[String]) -> Option<Self> {
        let (last, options) = args.split_last()?;
        (is_ours(command) && last == MCP).then(|| Self {
            program: command.to_owned(),
            options: options.to_vec(),
        })
    }

    /// Returns the arguments of an entry.
    pub(crate) fn mcp_args(&self) -> Vec<String> {
        let options = self.options.iter().cloned();
        options.chain([MCP.to_owned()]).collect()
    }

    /// Returns the program and its options as a shell takes them.
    pub(crate) fn in_shell(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.options);
        let words: Vec<String> = words.map(|word| quoted(word)).collect();
        words.join(" ")
    }
}

/// Says whether a command is this program, whichever copy of it.
pub(crate) fn is_ours(command: &str) -> bool {
    let name = command.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    name == PROGRAM_NAME
}

fn this_program() -> Option<PathBuf> {
    let running = env::current_exe().ok()?;
    let file_name = format!("{PROGRAM_NAME}{}", env::consts::EXE_SUFFIX);
    let search_path = env::var_os("PATH").unwrap_or_default();
    let is_the_same = |path: &PathBuf| same_file(path, &running);
    let on_path = env::split_paths(&search_path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(&file_name))
        .find(is_the_same);
    Some(on_path.unwrap_or(running))
}

fn same_file(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Quotes a word for a POSIX shell, which is what agents run hooks with; in double quotes, which the
/// shells of Windows understand as well.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-:=@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in word.chars() {
        if matches!(c, '"' | '\\' | '$' | '`') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}
