//! The settings of git that name files with rules: those of the machine, of the user and of a clone, with the files that they
//! include under the conditions of git.
//!
//! *Source*: git-config(1), "Includes" and "Conditional includes". Files that git would not read are not read either.

use std::{
    env,
    path::{Path, PathBuf},
};

use globset::GlobBuilder;

use crate::git_folder::{self, GitFolder, Text};

/// How deep files may include others; git itself gives up there.
const MAX_DEPTH: usize = 10;
/// The most files that are read.
const MAX_FILES: usize = 100;

/// A setting.
#[derive(Debug, PartialEq, Eq)]
struct Setting {
    /// In lower case, like the key.
    section: String,
    /// What stands in quotation marks behind it.
    subsection: String,
    key: String,
    value: String,
}

/// Reads settings for one repository.
pub(crate) struct Reader<'a> {
    root: &'a Path,
    /// What git knows of the repository, if it does.
    folder: Option<&'a GitFolder>,
    home: Option<PathBuf>,
    /// The addresses of remotes; `None` while they are not known.
    urls: Option<Vec<String>>,
    found: Found,
}

/// What was read.
#[derive(Default)]
struct Found {
    files: usize,
    excludes: Vec<PathBuf>,
    urls: Vec<String>,
    /// Whether a condition is about the addresses of remotes.
    asks_for_urls: bool,
}

/// Returns the files with rules of a clone and its user, besides `.gitignore`. Of those that `core.excludesFile` names, also
/// the ones that a later setting replaces: rather more is ignored than less. `None` if they cannot be known: a file cannot be
/// read, there are too many, or only git can tell what one means.
pub(crate) fn files_with_rules(root: &Path) -> Option<Vec<PathBuf>> {
    let folder = GitFolder::of(root)?;
    let (mut files, mut rules) = (of_user(), Vec::new());
    if let Some(folder) = &folder {
        files.push(folder.common.join("config"));
        files.push(folder.own.join("config.worktree"));
        rules.push(folder.common.join("info").join("exclude"));
    }
    let mut reader = Reader {
        root,
        folder: folder.as_ref(),
        home: env::home_dir(),
        urls: None,
        found: Found::default(),
    };
    reader.read_all(&files)?;
    if reader.found.asks_for_urls {
        let found = std::mem::take(&mut reader.found);
        reader.urls = Some(found.urls);
        reader.read_all(&files)?;
    }
    rules.extend(reader.found.excludes);
    Some(rules)
}

/// Returns the files of the machine and of the user, whether they exist or not.
fn of_user() -> Vec<PathBuf> {
    let path = |name: &str| {
        env::var_os(name)
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
    };
    let is_off = path("GIT_CONFIG_NOSYSTEM").is_some_and(|value| {
        let value = value.to_string_lossy().to_lowercase();
        !["0", "false", "no", "off"].contains(&value.as_str())
    });
    let system = path("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig"));
    let mut files: Vec<PathBuf> = Some(system).filter(|_| !is_off).into_iter().collect();
    if let Some(global) = path("GIT_CONFIG_GLOBAL") {
        files.push(global);
        return files;
    }
    let home = env::home_dir();
    let settings = path("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    files.extend(settings.map(|folder| folder.join("git").join("config")));
    files.extend(home.map(|folder| folder.join(".gitconfig")));
    files
}

impl Reader<'_> {
    fn read_all(&mut self, files: &[PathBuf]) -> Option<()> {
        files.iter().try_for_each(|file| self.read(file, 0))
    }

    /// Reads a file with those that it includes; `None` if what they say cannot be known.
    fn read(&mut self, file: &Path, depth: usize) -> Option<()> {
        self.found.files += 1;
        if depth > MAX_DEPTH || self.found.files > MAX_FILES {
            return None;
        }
        let text = match git_folder::read(file) {
            Text::Read(text) => text,
            Text::Absent => return Some(()),
            Text::Unreadable => return None,
        };
        for setting in settings(&text) {
            let Setting {
                section,
                subsection,
                key,
                value,
            } = &setting;
            match (section.as_str(), key.as_str()) {
                ("core", "excludesfile") if subsection.is_empty() && !value.is_empty() => {
                    let path = self.expanded(self.root, value)?;
                    self.found.excludes.push(path);
                }
                ("remote", "url") => self.found.urls.push(value.clone()),
                ("include", "path") if subsection.is_empty() => {
                    self.include(file, value, depth)?;
                }
                ("includeif", "path") if self.holds(subsection, file)? => {
                    self.include(file, value, depth)?;
                }
                _ => {}
            }
        }
        Some(())
    }

    fn include(&mut self, by: &Path, value: &str, depth: usize) -> Option<()> {
        let folder = by.parent().unwrap_or(self.root);
        let path = self.expanded(folder, value)?;
        self.read(&path, depth + 1)
    }

    /// Returns whether a condition holds; one that git does not know does not. `None` if only git can tell.
    fn holds(&mut self, condition: &str, file: &Path) -> Option<bool> {
        let (kind, pattern) = condition.split_once(':').unwrap_or((condition, ""));
        match (kind, pattern.strip_prefix("remote.*.url:")) {
            ("gitdir", _) => self.is_in(pattern, file, false),
            ("gitdir/i", _) => self.is_in(pattern, file, true),
            ("onbranch", _) => {
                let Some(folder) = self.folder else {
                    return Some(false);
                };
                match branch(&folder.own)? {
                    Head::Branch(branch) => matches(&with_rest(pattern), &branch, false),
                    Head::Detached => Some(false),
                }
            }
            ("hasconfig", Some(pattern)) => {
                self.found.asks_for_urls = true;
                let urls = self.urls.iter().flatten();
                let mut matched = urls.map(|url| matches(pattern, url, false));
                matched.try_fold(false, |any, one| Some(any || one?))
            }
            _ => Some(false),
        }
    }

    /// Returns whether the folder of git fits a pattern.
    fn is_in(&self, pattern: &str, file: &Path, any_case: bool) -> Option<bool> {
        let Some(folder) = self.folder else {
            return Some(false);
        };
        let pattern = match pattern.strip_prefix("./") {
            Some(rest) => written(&file.parent()?.join(rest))?,
            None if pattern.starts_with('~') => written(&self.expanded(self.root, pattern)?)?,
            None if Path::new(pattern).is_absolute() => pattern.to_owned(),
            None => format!("**/{pattern}"),
        };
        let pattern = with_rest(&pattern);
        let real = folder.own.canonicalize().ok();
        let places = [Some(folder.own.clone()), real];
        let mut matched = places.iter().flatten().map(|place| {
            let place = written(place)?;
            matches(&pattern, &place, any_case)
        });
        matched.try_fold(false, |any, one| Some(any || one?))
    }

    /// Returns the path that a value names; `None` if only git can tell.
    fn expanded(&self, folder: &Path, value: &str) -> Option<PathBuf> {
        if let Some(rest) = value.strip_prefix("~/") {
            return self.home.as_ref().map(|home| home.join(rest));
        }
        let is_plain = !value.starts_with('~') && !value.starts_with("%(");
        is_plain.then(|| folder.join(value))
    }
}

/// What is checked out.
enum Head {
    Branch(String),
    /// A commit, and no branch.
    Detached,
}

/// The branch that repositories name whose branches are not in files: only git knows the real one.
const PLACEHOLDER: &str = ".invalid";

/// Returns what is checked out; `None` if only git can tell.
fn branch(folder: &Path) -> Option<Head> {
    let Text::Read(head) = git_folder::read(&folder.join("HEAD")) else {
        return None;
    };
    let Some(reference) = head.strip_prefix("ref:") else {
        return Some(Head::Detached);
    };
    match reference.trim().strip_prefix("refs/heads/") {
        Some(PLACEHOLDER) => None,
        Some(branch) => Some(Head::Branch(branch.to_owned())),
        None => Some(Head::Detached),
    }
}

/// Returns a path as patterns have it.
fn written(path: &Path) -> Option<String> {
    let path = path.to_str()?;
    Some(if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    })
}

/// Returns a pattern that means everything below it if it ends with a slash.
fn with_rest(pattern: &str) -> String {
    let rest = if pattern.ends_with('/') { "**" } else { "" };
    format!("{pattern}{rest}")
}

/// Returns whether a text fits a pattern of git; `None` if the pattern cannot be read.
fn matches(pattern: &str, text: &str, any_case: bool) -> Option<bool> {
    // Git does not know alternatives in braces.
    let pattern = pattern.replace('{', "[{]").replace('}', "[}]");
    let glob = GlobBuilder::new(&pattern)
        .literal_separator(true)
        .case_insensitive(any_case)
        .build();
    Some(glob.ok()?.compile_matcher().is_match(text))
}

/// Returns the settings in a text. A line that is none is left out.
fn settings(text: &str) -> Vec<Setting> {
    let (mut section, mut subsection) = (String::new(), String::new());
    let mut settings = Vec::new();
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim().to_owned();
        // A backslash at the end continues the line.
        while (line.len() - line.trim_end_matches('\\').len()) % 2 == 1
            && !line.starts_with(['#', ';'])
            && let Some(more) = lines.next()
        {
            line.pop();
            line.push_str(more);
        }
        let mut rest = line.as_str();
        if let Some((name, sub, behind)) = header(rest) {
            (section, subsection, rest) = (name, sub, behind);
        }
        let Some((key, value)) = rest.split_once('=') else {
            continue;
        };
        settings.push(Setting {
            section: section.clone(),
            subsection: subsection.clone(),
            key: key.trim().to_lowercase(),
            value: unquoted(value.trim()),
        });
    }
    settings
}

/// Returns the section and the subsection of a header, and what is behind it.
fn header(line: &str) -> Option<(String, String, &str)> {
    let inner = line.strip_prefix('[')?;
    let end = inner.find([']', '"'])?;
    let name = inner.get(..end)?.trim();
    if inner.get(end..)?.starts_with(']') {
        let (section, subsection) = name.split_once('.').unwrap_or((name, ""));
        let behind = inner.get(end + 1..)?.trim();
        return Some((section.to_lowercase(), subsection.to_lowercase(), behind));
    }
    let quoted = inner.get(end + 1..)?;
    let (mut subsection, mut is_escaped) = (String::new(), false);
    for (at, c) in quoted.char_indices() {
        match c {
            '\\' if !is_escaped => is_escaped = true,
            '"' if !is_escaped => {
                let behind = quoted.get(at + 1..)?.trim().strip_prefix(']')?.trim();
                return Some((name.to_lowercase(), subsection, behind));
            }
            c => {
                subsection.push(c);
                is_escaped = false;
            }
        }
    }
    None
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
