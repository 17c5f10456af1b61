//! Which files of a repository may be named to others: those that git does not ignore and whose names do not look like those
//! of secrets. The hash of a short secret can be guessed.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path},
};

use crate::{
    git_folder::{self, Text},
    git_settings,
};

/// Folders in which programs keep secrets, and that of git.
const FOLDERS: [&str; 9] = [
    ".git", ".jj", ".ssh", ".aws", ".azure", ".gcloud", ".gnupg", ".kube", ".docker",
];
/// Files in which programs keep secrets.
const FILES: [&str; 18] = [
    ".my.cnf",
    ".mylogin.cnf",
    ".s3cfg",
    "auth.json",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pypirc",
    ".pgpass",
    ".htpasswd",
    ".git-credentials",
    ".dockercfg",
    ".vault_pass",
    ".boto",
    "kubeconfig",
    "wp-config.php",
];
/// How the names of private keys of SSH begin.
const SSH_KEYS: [&str; 4] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
/// What the names of copies and of local variants of a file end with.
const COPIES: [&str; 7] = [
    ".bak", ".old", ".orig", ".backup", ".local", ".example", "~",
];
/// Extensions of files with keys or secrets.
const EXTENSIONS: [&str; 18] = [
    "pem", "key", "p8", "pk8", "p12", "pfx", "pkcs12", "jks", "keystore", "kdbx", "ppk", "asc",
    "gpg", "age", "tfstate", "tfvars", "ovpn", "env",
];
/// Words in the names of files with secrets and of their folders, if the files are not source text.
const WORDS: [&str; 9] = [
    "secret",
    "credential",
    "password",
    "passwd",
    "apikey",
    "api_key",
    "service-account",
    "service_account",
    "serviceaccount",
];
/// Extensions of data.
const DATA: [&str; 15] = [
    "",
    "json",
    "jsonc",
    "yaml",
    "yml",
    "toml",
    "ini",
    "cfg",
    "conf",
    "config",
    "properties",
    "xml",
    "txt",
    "csv",
    "enc",
];

/// Whether a path looks like that of a secret.
pub(crate) fn looks_secret(path: &str) -> bool {
    let path = path.to_lowercase();
    let mut parts: Vec<&str> = path.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    if parts.iter().any(|folder| FOLDERS.contains(folder)) {
        return true;
    }
    let name = without_copies(name);
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, extension),
        _ => (name, ""),
    };
    let has_word = |part: &str| WORDS.iter().any(|word| part.contains(word));
    let is_named_so = has_word(stem) || parts.iter().any(|folder| has_word(folder));
    name.starts_with(".env")
        || FILES.contains(&name)
        || SSH_KEYS.iter().any(|key| name.starts_with(key))
        || EXTENSIONS.contains(&extension)
        || (DATA.contains(&extension) && is_named_so)
}

/// Returns the name of the file of which a file is a copy or a local variant.
fn without_copies(mut name: &str) -> &str {
    let shorter = |name: &str| {
        let rest = COPIES.iter().find_map(|end| name.strip_suffix(end));
        rest.filter(|rest| !rest.is_empty()).map(str::len)
    };
    while let Some(rest) = shorter(name).and_then(|length| name.get(..length)) {
        name = rest;
    }
    name
}

/// The rules of git in a repository, as far as they were needed.
pub(crate) struct Rules<'a> {
    root: &'a Path,
    /// Of the user, and of this clone.
    general: Vec<Option<Gitignore>>,
    /// Those of each folder; `None` if they cannot be read.
    of_folders: HashMap<PathBuf, Option<Gitignore>>,
}

impl<'a> Rules<'a> {
    pub(crate) fn new(root: &'a Path) -> Self {
        // Those of the clone apply beside those of the user: rather more is ignored than less.
        let mut general = match gitconfig_excludes_path() {
            Some(path) => vec![read(root, &path)],
            None => Vec::new(),
        };
        match git_settings::files_with_rules(root) {
            Some(files) => general.extend(files.iter().map(|path| read(root, path))),
            None => general.push(None),
        }
        Self {
            root,
            general,
            of_folders: HashMap::new(),
        }
    }

    /// Whether a file may be named to others; `path` is from the root, with `/`.
    pub(crate) fn may_be_cited(&mut self, path: &str) -> bool {
        !looks_secret(path) && !self.is_ignored(path)
    }

    /// Whether git ignores a file or one of its folders. What rules say that cannot be read is not known: then it does.
    fn is_ignored(&mut self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|(at, _)| at);
        let ends: Vec<usize> = ends.chain([path.len()]).collect();
        ends.iter().any(|end| {
            let part = path.get(..*end).unwrap_or(path);
            self.is_itself_ignored(part, *end < path.len())
        })
    }

    fn is_itself_ignored(&mut self, path: &str, is_folder: bool) -> bool {
        let full = self.root.join(path);
        // The rules of the nearest folder decide.
        let folders = full.ancestors().skip(1);
        let folders = folders.take_while(|folder| folder.starts_with(self.root));
        for folder in folders {
            let rules = self
                .of_folders
                .entry(folder.to_owned())
                .or_insert_with(|| read(folder, &folder.join(".gitignore")));
            match rules.as_ref().map(|rules| rules.matched(&full, is_folder)) {
                None | Some(Match::Ignore(_)) => return true,
                Some(Match::Whitelist(_)) => return false,
                Some(Match::None) => {}
            }
        }
        self.general.iter().any(|rules| match rules {
            Some(rules) => rules.matched(Path::new(path), is_folder).is_ignore(),
            None => true,
        })
    }
}

/// Reads the rules of a file for a folder; none if there is no such file, `None` if it cannot be read.
fn read(folder: &Path, path: &Path) -> Option<Gitignore> {
    let text = match git_folder::read(path) {
        Text::Read(text) => text,
        Text::Absent => return Some(Gitignore::empty()),
        Text::Unreadable => return None,
    };
    let mut rules = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        // A wrong line is skipped, as git does.
        let _ = rules.add_line(None, line);
    }
    rules.build().ok()
}
