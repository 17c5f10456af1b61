//! How an agent starts this program.
//!
//! The user's own settings contain the path of the program: editors that were started from a desktop do not have the
//! additions of a shell to the `PATH`. If the program on the `PATH` is this file, the path on the `PATH` is used,
//! because it stays the same when a new version is installed. A project's settings are shared, so they contain only
//! the name of the program. A program that a package runner keeps in its cache may be gone tomorrow, so the settings
//! contain the runner instead.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use super::Scope;

/// The program's name without the platform's suffix.
pub(crate) const PROGRAM_NAME: &str = "recall-kit-client";
/// The command that serves MCP.
const MCP: &str = "mcp";

/// The scope of this program's packages.
const SCOPE: &str = "@recall-kit";
/// The runners of packages, each with the command that runs this program.
const RUNNERS: [&[&str]; 2] = [&["npx", "-y", "@recall-kit/cli"], &["uvx", "recall-kit"]];

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
        let running = this_program();
        if let Some(runner) = running.as_deref().and_then(runner_of) {
            return Self::through(runner, options);
        }
        let program = match scope {
            Scope::Project => PROGRAM_NAME.to_owned(),
            Scope::User => running.map_or_else(
                || PROGRAM_NAME.to_owned(),
                |path| path.to_string_lossy().into_owned(),
            ),
        };
        Self { program, options }
    }

    /// Returns the call through a runner of packages.
    pub(super) fn through(runner: &[&str], options: Vec<String>) -> Self {
        let mut words = runner.iter().map(|word| (*word).to_owned());
        let program = words.next().unwrap_or_default();
        Self {
            program,
            options: words.chain(options).collect(),
        }
    }

    /// Parses an entry; `None` if it starts another program.
    pub(crate) fn from_entry(command: &str, args: &[String]) -> Option<Self> {
        let (last, options) = args.split_last()?;
        let words = || std::iter::once(command).chain(options.iter().map(String::as_str));
        let is_runner = |runner: &&[&str]| words().take(runner.len()).eq(runner.iter().copied());
        let is_ours = is_ours(command) || RUNNERS.iter().any(is_runner);
        (is_ours && last == MCP).then(|| Self {
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
        let words: Vec<String> = words.map(|word| quoted(word, cfg!(windows))).collect();
        words.join(" ")
    }
}

/// Returns the name of the runner of packages that a command line starts; `None` if it starts none.
pub(crate) fn runner_in_shell(line: &str) -> Option<&'static str> {
    let words = words_of(line);
    let is_started = |runner: &&&[&str]| {
        let words = words.iter().map(String::as_str);
        words.take(runner.len()).eq(runner.iter().copied())
    };
    RUNNERS.iter().find(is_started)?.first().copied()
}

/// Returns whether a command line in a shell, up to its command, starts this program: it begins with the program or
/// with a runner and the package.
pub(crate) fn is_ours_in_shell(line: &str) -> bool {
    let words = words_of(line);
    // PowerShell is told to run a quoted text.
    let words = words.strip_prefix(&["&".to_owned()]).unwrap_or(&words);
    let is_runner = |runner: &&[&str]| {
        let words = words.iter().map(String::as_str);
        words.take(runner.len()).eq(runner.iter().copied())
    };
    words.first().is_some_and(|program| is_ours(program)) || RUNNERS.iter().any(is_runner)
}

/// Returns the words of a line as [`quoted`] writes them, on any system.
pub(crate) fn words_of(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', Some('"')) => {
                // A path of Windows has the sign itself.
                let escaped = chars.next_if(|c| "\"\\$`".contains(*c));
                word.get_or_insert_default().push(escaped.unwrap_or(c));
            }
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Returns the runner that keeps a program in its cache; `None` for a program that stays.
///
/// npx has packages in `_npx`, and pnpm and bun in `dlx` and `bunx-…`, each with `node_modules` somewhere below; uv has
/// them in `uv/archive-v0`, `uv/environments-v2` and the like.
pub(crate) fn runner_of(program: &Path) -> Option<&'static [&'static str]> {
    let [npx, uvx] = RUNNERS;
    let parts: Vec<_> = program
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    let is_package_below = |at: usize| {
        let below = parts.iter().skip(at + 1);
        let mut pairs = below.clone().zip(below.skip(1));
        pairs.any(|(folder, scope)| folder == "node_modules" && scope == SCOPE)
    };
    let is_below_uv = |at: usize| at > 0 && parts.get(at - 1).is_some_and(|part| part == "uv");
    parts.iter().enumerate().find_map(|(at, part)| {
        let is_version = |name: &str| {
            let version = part.strip_prefix(name);
            version.is_some_and(|it| !it.is_empty() && it.chars().all(|c| c.is_ascii_digit()))
        };
        let is_of_npm = ["_npx", "dlx"].contains(&&**part) || part.starts_with("bunx-");
        let is_of_uv = is_version("archive-v") || is_version("environments-v");
        match () {
            () if is_of_npm && is_package_below(at) => Some(npx),
            () if is_of_uv && is_below_uv(at) => Some(uvx),
            () => None,
        }
    })
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

/// Quotes a word for the shell with which agents run hooks. On Windows that is `cmd`, PowerShell or Git's `sh`: only a
/// path with slashes between double quotes is the same in all of them.
pub(super) fn quoted(word: &str, is_windows: bool) -> String {
    let is_plain = |c: char| {
        // `cmd` takes what follows a slash for an option.
        c.is_ascii_alphanumeric() || "._-:=@".contains(c) || (c == '/' && !is_windows)
    };
    let is_package = word.starts_with("@recall-kit/");
    if is_package || !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in word.chars() {
        match c {
            '\\' if is_windows => quoted.push('/'),
            // No file has one in its name.
            '"' if is_windows => {}
            '"' | '\\' | '$' | '`' if !is_windows => quoted.extend(['\\', c]),
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
