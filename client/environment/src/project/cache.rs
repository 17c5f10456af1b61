//! What lock files said when they were read last, by their paths, times and sizes, in one file of the user.
//!
//! The file has names and versions of packages, no addresses. It is readable only for the user, and is replaced as a
//! whole. What of it is damaged is read again.

use std::{
    collections::{BTreeMap, HashMap},
    io::Write as _,
    ops::Range,
    path::{Path, PathBuf},
};

use crate::{
    files::{self, Stamp},
    locks::Problem,
    package::{Ecosystem, Origin, Package},
};

/// The first line; another one is that of another version.
const HEAD: &str = "recall-kit environment 1\n";
/// The maximum size of the file. *Unit*: bytes.
const MAX_BYTES: usize = 8 << 20;
/// Problems that stay the same while a file does not change.
const PROBLEMS: [Problem; 5] = [
    Problem::TooLarge,
    Problem::NotText,
    Problem::Malformed,
    Problem::TooManyPackages,
    Problem::TooManyFiles,
];
const ORIGINS: [(Origin, &str); 5] = [
    (Origin::Registry, "r"),
    (Origin::OtherRegistry, "o"),
    (Origin::Git, "g"),
    (Origin::Local, "l"),
    (Origin::Unknown, "u"),
];

/// Tells whether a package of an ecosystem matters.
pub(crate) type IsWanted<'a> = dyn Fn(Ecosystem, &str) -> bool + 'a;

/// What reading a file brought.
pub(crate) type Content = Result<Vec<Package>, Problem>;

/// What is known of the files.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    path: Option<PathBuf>,
    text: String,
    /// Where the entry of a file is in the text.
    entries: HashMap<PathBuf, Range<usize>>,
    /// Entries that are new.
    added: BTreeMap<PathBuf, String>,
}

impl Cache {
    /// Reads the file; without one, or if it is damaged, nothing is known.
    pub(crate) fn open(path: Option<PathBuf>) -> Self {
        let text = path.as_deref().and_then(|path| {
            let text = files::read(path, MAX_BYTES as u64).ok()??;
            text.starts_with(HEAD).then_some(text)
        });
        let text = text.unwrap_or_default();
        let mut entries = HashMap::new();
        let mut at = HEAD.len();
        // `F SIZE PATH`, then as many bytes.
        while let Some(line) = text.get(at..).and_then(|rest| rest.split_once('\n')) {
            let mut fields = line.0.splitn(3, '\t');
            let (Some("F"), Some(size), Some(path)) = (fields.next(), fields.next(), fields.next())
            else {
                break;
            };
            let begin = at + line.0.len() + 1;
            let end = size
                .parse()
                .ok()
                .and_then(|size: usize| begin.checked_add(size));
            let Some(end) = end.filter(|end| text.is_char_boundary(*end)) else {
                break;
            };
            entries.insert(PathBuf::from(path), begin..end);
            at = end;
        }
        Self {
            path,
            text,
            entries,
            added: BTreeMap::new(),
        }
    }

    /// Returns what a file with this state said, if neither it nor a file that it leads to has changed. Public packages
    /// that are not wanted are left out.
    pub(crate) fn get(
        &self,
        path: &Path,
        kind: &str,
        stamp: Stamp,
        is_wanted: Option<&IsWanted<'_>>,
    ) -> Option<Content> {
        let range = self.entries.get(path)?.clone();
        let mut lines = self.text.get(range)?.lines();
        let mut head = lines.next()?.split('\t');
        if head.next()? != kind || stamp_of(&mut head)? != stamp {
            return None;
        }
        let problem = head.next()?;
        let mut packages = Vec::new();
        for line in lines {
            match line.strip_prefix("O\t") {
                Some(other) => {
                    let mut fields = other.splitn(3, '\t');
                    let stamp = stamp_of(&mut fields)?;
                    if stamp != files::stamp(Path::new(fields.next()?)) {
                        return None;
                    }
                }
                None if is_left_out(line, is_wanted) => {}
                None => packages.push(package_of(line)?),
            }
        }
        if problem == "-" {
            return Some(Ok(packages));
        }
        let problem = problem
            .parse()
            .ok()
            .and_then(|at: usize| PROBLEMS.get(at).copied());
        problem.map(Err)
    }

    /// Keeps what a file said.
    pub(crate) fn add(
        &mut self,
        path: &Path,
        kind: &str,
        stamp: Stamp,
        others: &BTreeMap<PathBuf, Stamp>,
        content: &Content,
    ) {
        if let Some(entry) = entry(kind, stamp, others, content).filter(|_| plain(path).is_some()) {
            self.added.insert(path.to_owned(), entry);
        }
    }

    /// Writes the file if something is new: what is new first, then the rest, up to the maximum size. A cache that
    /// cannot be written is not needed.
    pub(crate) fn save(self) {
        let Some(path) = self.path.as_deref().filter(|_| !self.added.is_empty()) else {
            return;
        };
        let mut text = HEAD.to_owned();
        let mut push = |path: &Path, body: &str| {
            let Some(path) = plain(path) else { return };
            let line = format!("F\t{}\t{path}\n", body.len());
            if text.len() + line.len() + body.len() <= MAX_BYTES {
                text.push_str(&line);
                text.push_str(body);
            }
        };
        for (path, body) in &self.added {
            push(path, body);
        }
        let mut kept: Vec<(&PathBuf, &Range<usize>)> = self.entries.iter().collect();
        kept.sort_unstable_by_key(|(_, range)| range.start);
        for (path, range) in kept {
            if !self.added.contains_key(path) {
                push(path, self.text.get(range.clone()).unwrap_or_default());
            }
        }
        // Errors are of no consequence: it is read again next time.
        let _ = write(path, &text);
    }
}

/// Writes a file that only the user can read, at once.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().ok_or(std::io::ErrorKind::NotFound)?;
    std::fs::create_dir_all(folder)?;
    // Temporary files are readable only for the user.
    let mut file = tempfile::Builder::new()
        .prefix("unfinished-")
        .tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

/// Returns a path as it is written; `None` if it cannot be.
fn plain(path: &Path) -> Option<&str> {
    path.to_str()
        .filter(|path| !path.contains(['\t', '\n', '\r']))
}

fn stamp_text(stamp: Stamp) -> String {
    match stamp {
        Some((changed, size)) => format!("{changed}\t{size}"),
        None => "-\t-".to_owned(),
    }
}

fn stamp_of<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<Stamp> {
    match (fields.next()?, fields.next()?) {
        ("-", "-") => Some(None),
        (changed, size) => Some(Some((changed.parse().ok()?, size.parse().ok()?))),
    }
}

/// Returns the text of an entry; `None` if it cannot be kept.
fn entry(
    kind: &str,
    stamp: Stamp,
    others: &BTreeMap<PathBuf, Stamp>,
    content: &Content,
) -> Option<String> {
    let problem = match content {
        Ok(_) => "-".to_owned(),
        Err(problem) => PROBLEMS.iter().position(|it| it == problem)?.to_string(),
    };
    let mut text = format!("{kind}\t{}\t{problem}\n", stamp_text(stamp));
    for (path, stamp) in others {
        text.push_str(&format!("O\t{}\t{}\n", stamp_text(*stamp), plain(path)?));
    }
    for package in content.as_deref().unwrap_or_default() {
        let origin = ORIGINS
            .iter()
            .find(|(origin, _)| *origin == package.origin)?
            .1;
        let is_direct = match package.is_direct {
            Some(true) => "d",
            Some(false) => "t",
            None => "-",
        };
        let version = package.version.as_deref().unwrap_or("-");
        let ecosystem = package.ecosystem.as_str();
        text.push_str(&format!(
            "{ecosystem}\t{origin}\t{is_direct}\t{version}\t{}\n",
            package.name
        ));
    }
    Some(text)
}

/// Returns whether a line has a package that is not wanted, and that says nothing about others: what is private does.
fn is_left_out(line: &str, is_wanted: Option<&IsWanted<'_>>) -> bool {
    let left_out = || {
        let (ecosystem, rest) = line.split_once('\t')?;
        let (_, name) = rest.rsplit_once('\t')?;
        let is_private = !rest.starts_with("r\t") && !rest.starts_with("u\t");
        Some(!is_private && !is_wanted?(Ecosystem::named(ecosystem)?, name))
    };
    left_out().unwrap_or(false)
}

fn package_of(line: &str) -> Option<Package> {
    let mut fields = line.splitn(5, '\t');
    let ecosystem = Ecosystem::named(fields.next()?)?;
    let origin = fields.next()?;
    let origin = ORIGINS.iter().find(|(_, word)| *word == origin)?.0;
    let is_direct = match fields.next()? {
        "d" => Some(true),
        "t" => Some(false),
        _ => None,
    };
    let version = fields.next()?;
    let version = (version != "-").then(|| version.to_owned());
    let name = fields.next()?.to_owned();
    Some(Package {
        ecosystem,
        name,
        version,
        origin,
        is_direct,
    })
}
