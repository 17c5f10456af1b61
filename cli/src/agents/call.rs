//! How an agent starts this program.
//!
//! The user's own settings contain the path of the program: editors that were started from a desktop do not have the
//! additions of a shell to the `PATH`. If the program on the `PATH` is this file, the path on the `PATH` is used,
//! because it stays the same when a new version is installed. A project's settings are shared, so they contain only
//! the name of the program.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use super::Scope;

/// The program's name without the platform's suffix.
pub(crate) const PROGRAM_NAME: &str = "recall-kit-client";
/// The command that serves MCP.
const MCP: &str = "mcp";

/// The program, and the options before its command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    /// A path, or a name that is searched on the `PATH`.
    pub(crate) program: String,
    /// Options such as `--server URL`.
    pub(crate) options: Vec<String>,
}

impl Call {
    /// Returns the call of this program.
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

    /// Parses an entry; `None` if it starts another program.
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

    /// Returns the program and its options, quoted for a shell.
    pub(crate) fn in_shell(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.options);
        let words: Vec<String> = words.map(|word| quoted(word)).collect();
        words.join(" ")
    }
}

/// Returns whether a command is any copy of this program.
pub(crate) fn is_ours(command: &str) -> bool {
    let name = command.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    name == PROGRAM_NAME
}

fn this_program() -> Option<PathBuf> {
    let running = env::current_exe().ok()?;
    Some(lasting_path(running, PROGRAM_NAME))
}

/// Returns the path of the same file on the `PATH`, under this name without the platform's suffix, if there is one.
pub(crate) fn lasting_path(program: PathBuf, name: &str) -> PathBuf {
    let file_name = format!("{name}{}", env::consts::EXE_SUFFIX);
    let search_path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&search_path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(&file_name))
        .find(|path| same_file(path, &program));
    on_path.unwrap_or(program)
}

fn same_file(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Quotes a word for a POSIX shell, with which agents run hooks; uses double quotes, which the shells of Windows also
/// accept.
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
