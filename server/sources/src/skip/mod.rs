//! Which files are not documentation, and the words for it.
//!
//! Names decide where they can, before a byte is read. What a person named himself is never skipped
//! for its name.

use std::fmt;

use recall_kit_documents::{decode, readers::is_readable};

/// Why a file or folder was not read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// Its name begins with a dot.
    Hidden,
    /// An ignore file of the folder names it.
    Ignored,
    /// A link, to something within the source where that is known.
    Link,
    /// A link to something outside the source.
    LinkOutside,
    /// A device, a pipe, a socket.
    Special,
    /// A folder of code of others.
    Vendored,
    /// A folder of tests or of what a build made.
    TestsOrBuild,
    /// What changed from version to version.
    Changelog,
    /// A licence.
    Licence,
    /// Versions of dependencies.
    LockFile,
    /// Who takes part, and how.
    Project,
    /// Images, fonts, sound, films.
    Media,
    /// It holds zero bytes, as no text does.
    Binary,
    /// It stands for a file that is kept elsewhere.
    LargeFilePointer,
    /// There is nothing in it.
    Empty,
    /// More bytes than are read of a file.
    TooLarge {
        /// Bytes.
        limit: u64,
    },
    /// Too many folders above it.
    TooDeep,
    /// No format that is read.
    Unsupported,
    /// What about its name cannot be shown or kept.
    Name(&'static str),
    /// A password is needed.
    Encrypted,
    /// Packed by a method that is not read.
    Compression,
    /// An earlier entry has the same name.
    Twice,
    /// The system's words for why it cannot be read.
    Unreadable(String),
    /// A linked page on another host than the page that links to it.
    OtherHost,
    /// A linked page beyond the most that are read.
    TooManyPages {
        /// How many are read.
        limit: usize,
    },
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::Hidden => "its name begins with a dot",
            Self::Ignored => "an ignore file names it",
            Self::Link => "it is a link, and links are not followed",
            Self::LinkOutside => "it is a link that leads out of the source",
            Self::Special => "it is not an ordinary file",
            Self::Vendored => "it holds code of others",
            Self::TestsOrBuild => "it holds tests or what a build made",
            Self::Changelog => "it says what changed, not how things are",
            Self::Licence => "it is a licence",
            Self::LockFile => "it lists versions of dependencies",
            Self::Project => "it is about who takes part in the project",
            Self::Media => "it is an image, a font, sound or film",
            Self::Binary => "it is binary",
            Self::LargeFilePointer => "its content is kept elsewhere (git LFS)",
            Self::Empty => "it is empty",
            Self::TooLarge { limit } => {
                return write!(f, "it is longer than {limit} bytes");
            }
            Self::TooDeep => "it lies in too many folders",
            Self::Unsupported => "its format is not read",
            Self::Name(what) => return write!(f, "its name {what}"),
            Self::Encrypted => "it is encrypted",
            Self::Compression => "it is packed by a method that is not read",
            Self::Twice => "an earlier entry has the same name",
            Self::Unreadable(why) => return write!(f, "it cannot be read: {why}"),
            Self::OtherHost => "it is on another host",
            Self::TooManyPages { limit } => {
                return write!(f, "only the first {limit} linked pages are read");
            }
        };
        f.write_str(words)
    }
}

/// Folders of code that others wrote.
const VENDORED: [&str; 10] = [
    "bower_components",
    "node_modules",
    "site-packages",
    "third-party",
    "third_party",
    "thirdparty",
    "vendor",
    "vendored",
    "venv",
    "virtualenv",
];
/// Folders of tests and of what builds make.
const TESTS_OR_BUILD: [&str; 11] = [
    "__pycache__",
    "__snapshots__",
    "__tests__",
    "build",
    "coverage",
    "dist",
    "fixtures",
    "target",
    "test",
    "testdata",
    "tests",
];
/// Where Sphinx puts copies of what it made its pages of, as text, beside the pages.
const COPIES: &str = "_sources";
/// Folders below which the names above are topics: `docs/build/caching.md`.
const DOCUMENTATION: [&str; 9] = [
    "book",
    "doc",
    "docs",
    "documentation",
    "guide",
    "html",
    "manual",
    "reference",
    "website",
];
const LOCK_FILES: [&str; 6] = [
    "go.sum",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "packages.lock.json",
    "pnpm-lock.yaml",
    "requirements.txt",
];
const MEDIA: [&str; 30] = [
    "aac", "avi", "avif", "bmp", "eot", "flac", "gif", "ico", "icns", "jpeg", "jpg", "m4a", "mkv",
    "mov", "mp3", "mp4", "ogg", "otf", "png", "psd", "svg", "svgz", "tif", "tiff", "ttf", "wav",
    "webm", "webp", "woff", "woff2",
];
const LARGE_FILE_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// The uppermost folder above a file that is skipped, and why.
pub(super) fn folders_of(path: &str) -> Option<(&str, SkipReason)> {
    let ends = path.match_indices('/').map(|(at, _)| at);
    ends.filter_map(|end| path.get(..end))
        .find_map(|folder| Some((folder, self::folder(folder)?)))
}

/// Why a folder is skipped whose parents are not.
pub(super) fn folder(path: &str) -> Option<SkipReason> {
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = name.to_lowercase();
    if name.starts_with('.') {
        return Some(SkipReason::Hidden);
    }
    if VENDORED.contains(&name.as_str()) {
        return Some(SkipReason::Vendored);
    }
    let is_topic = || {
        let above = above.to_lowercase();
        above.split('/').any(|name| DOCUMENTATION.contains(&name))
    };
    let is_aside = name == COPIES || TESTS_OR_BUILD.contains(&name.as_str()) && !is_topic();
    is_aside.then_some(SkipReason::TestsOrBuild)
}

/// Why a file is skipped for its name.
pub(super) fn file(path: &str) -> Option<SkipReason> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_lowercase();
    if name.starts_with('.') {
        return Some(SkipReason::Hidden);
    }
    let extension = extension(path).unwrap_or_default();
    if LOCK_FILES.contains(&lower.as_str()) || extension == "lock" {
        return Some(SkipReason::LockFile);
    }
    if let Some(reason) = chore(path, name) {
        return Some(reason);
    }
    if MEDIA.contains(&extension.as_str()) {
        return Some(SkipReason::Media);
    }
    (!is_readable(path)).then_some(SkipReason::Unsupported)
}

/// Why a file is skipped for what is in it.
pub(super) fn content(path: &str, bytes: &[u8]) -> Option<SkipReason> {
    if bytes.is_empty() {
        return Some(SkipReason::Empty);
    }
    if extension(path).as_deref() == Some("pdf") {
        return None;
    }
    if memchr::memchr(0, bytes).is_some() && !decode::is_utf16(bytes) {
        return Some(SkipReason::Binary);
    }
    bytes
        .starts_with(LARGE_FILE_POINTER)
        .then_some(SkipReason::LargeFilePointer)
}

/// A name without the control characters that would disturb a terminal.
pub(super) fn printable(name: &str) -> String {
    let escaped = |c: char| match c.is_control() {
        true => c.escape_default().collect::<String>(),
        false => c.to_string(),
    };
    name.chars().map(escaped).collect()
}

/// Files that every project has besides its documentation. `docs/history.md` may be about browsing:
/// words that name other things too count only in capitals or at the top.
fn chore(path: &str, name: &str) -> Option<SkipReason> {
    let stem = stem(path);
    let words = stem.replace(['-', '_', ' ', '.'], "");
    let stands_out = !path.contains('/') || is_capital(name);
    match words.as_str() {
        "changelog" | "releasenotes" | "changelogs" => Some(SkipReason::Changelog),
        "changes" | "history" | "news" | "releases" | "release" if stands_out => {
            Some(SkipReason::Changelog)
        }
        "unlicense" | "licence" | "license" | "copying" => Some(SkipReason::Licence),
        _ if stands_out && is_licence(&words) => Some(SkipReason::Licence),
        "contributors" | "codeofconduct" | "codeowners" => Some(SkipReason::Project),
        "authors" | "maintainers" | "contributing" | "governance" | "security" if stands_out => {
            Some(SkipReason::Project)
        }
        _ => None,
    }
}

fn is_licence(words: &str) -> bool {
    let begins = ["licence", "license", "copying", "copyright", "notice"];
    begins.iter().any(|begin| words.starts_with(begin))
}

/// Whether the name without its extension has capitals only: `NEWS.md`.
fn is_capital(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    stem.chars().any(char::is_uppercase) && !stem.chars().any(char::is_lowercase)
}

/// In lower case, without the dot.
fn extension(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.rsplit_once('.')?;
    let is_extension = !stem.is_empty() && !extension.is_empty();
    is_extension.then(|| extension.to_lowercase())
}

/// In lower case.
fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = match extension(path) {
        // `LICENSE-2.0` ends in a number, not in a format.
        Some(_) if is_readable(path) => name.rsplit_once('.').map_or(name, |(stem, _)| stem),
        _ => name,
    };
    stem.to_lowercase()
}

#[cfg(test)]
mod tests;
