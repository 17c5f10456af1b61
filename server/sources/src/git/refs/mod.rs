//! The tags and branches of a repository.

use std::collections::BTreeMap;

use recall_kit_documents::by_version;
use recall_kit_nearest::nearest;

use crate::SourceError;

/// The most references that are stored; the rest cannot be requested.
const MAX_REFS: usize = 100_000;
/// The number of hexadecimal digits of an id: SHA-1 or SHA-256.
const ID_LENGTHS: [usize; 2] = [40, 64];
const TAGS: &str = "refs/tags/";
const HEADS: &str = "refs/heads/";
const HEAD: &str = "HEAD";

/// A version of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ref {
    /// `HEAD`, or a full name such as `refs/tags/v1.0.0`.
    pub(super) name: String,
    /// The commit id in hexadecimal.
    pub(super) commit: String,
}

/// The names of references and their commits.
#[derive(Debug, Default)]
pub(super) struct Refs {
    commits: BTreeMap<String, String>,
}

impl Refs {
    /// Parses lines `id peeled-id name`; the second field is empty except for annotated tags.
    pub(super) fn of_local(lines: &str, head: Option<&str>) -> Self {
        let mut refs = Self::default();
        for line in lines.lines() {
            let mut fields = line.split(' ');
            if let (Some(id), Some(peeled), Some(name)) =
                (fields.next(), fields.next(), fields.next())
            {
                refs.insert(name, if peeled.is_empty() { id } else { peeled });
            }
        }
        if let Some(head) = head {
            refs.insert(HEAD, head);
        }
        refs
    }

    /// Parses lines `id<tab>name`, in which the commit of an annotated tag follows as `name^{}`.
    pub(super) fn of_remote(lines: &str) -> Self {
        let mut refs = Self::default();
        for line in lines.lines() {
            if let Some((id, name)) = line.split_once('\t') {
                refs.insert(name.strip_suffix("^{}").unwrap_or(name), id);
            }
        }
        refs
    }

    /// Returns the number of digits of the ids, which depends on the repository's format.
    pub(super) fn id_length(&self) -> usize {
        self.commits.values().next().map_or(40, String::len)
    }

    /// Returns the tags, the oldest version first.
    pub(super) fn tags(&self) -> Vec<String> {
        let names = self.commits.keys();
        let mut tags: Vec<_> = names.filter_map(|name| name.strip_prefix(TAGS)).collect();
        tags.sort_by(|a, b| by_version(a, b));
        tags.into_iter().map(str::to_owned).collect()
    }

    /// Finds a tag, or else a branch, or else a commit that one of them points to.
    ///
    /// *Errors*: there is none; the error suggests the most similar name.
    pub(super) fn find(&self, at: Option<&str>) -> Result<Ref, SourceError> {
        let Some(at) = at.filter(|at| *at != HEAD) else {
            let found = self.get(HEAD.to_owned());
            return found.ok_or_else(|| unknown(HEAD, "; it has no commits yet".to_owned()));
        };
        let by_id = || {
            let mut all = self.commits.iter();
            let (name, _) = all.find(|(_, commit)| *commit == at)?;
            self.get(name.clone())
        };
        self.get(format!("{TAGS}{at}"))
            .or_else(|| self.get(format!("{HEADS}{at}")))
            .or_else(by_id)
            .ok_or_else(|| unknown(at, self.hint(at)))
    }

    fn get(&self, name: String) -> Option<Ref> {
        let commit = self.commits.get(&name)?.clone();
        Some(Ref { name, commit })
    }

    fn hint(&self, at: &str) -> String {
        let names = self.commits.keys();
        let short = names.filter_map(|name| {
            let tag = name.strip_prefix(TAGS);
            tag.or_else(|| name.strip_prefix(HEADS))
        });
        match nearest(at, short) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        }
    }

    /// Adds a reference, if git would allow its name.
    fn insert(&mut self, name: &str, id: &str) {
        let is_id = ID_LENGTHS.contains(&id.len()) && id.bytes().all(|b| b.is_ascii_hexdigit());
        let is_listed = name == HEAD || name.starts_with(TAGS) || name.starts_with(HEADS);
        if is_id && is_listed && is_name(name) && self.commits.len() < MAX_REFS {
            self.commits.insert(name.to_owned(), id.to_owned());
        }
    }
}

/// Whether git allows a reference name. Source: `git check-ref-format`.
fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && !part.ends_with('.')
            && !part.ends_with(".lock")
    };
    let forbidden = |c: char| c.is_control() || " ~^:?*[\\".contains(c);
    !name.contains(forbidden)
        && !name.contains("..")
        && !name.contains("@{")
        && name.split('/').all(is_part)
}

/// Returns the error for an unknown version; the name may contain anything, so it is made printable.
fn unknown(name: &str, hint: String) -> SourceError {
    let name = crate::skip::printable(name);
    SourceError::UnknownVersion { name, hint }
}

#[cfg(test)]
mod tests;
