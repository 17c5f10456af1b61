//! Decides which files are not documentation, and describes why.
//!
//! If possible, the name decides, before anything is read. A file that the user named is never skipped because
//! of its name.

use std::fmt;

use recall_kit_documents::{decode, readers::is_readable};

/// Why a file or folder was not read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// Its name begins with a dot.
    Hidden,
    /// It matches an ignore file of the folder.
    Ignored,
    /// A link; if its target is known, it is inside the source.
    Link,
    /// A link to something outside the source.
    LinkOutside,
    /// A device, a pipe, a socket.
    Special,
    /// A folder of third-party code.
    Vendored,
    /// A folder of tests or build output.
    TestsOrBuild,
    /// A changelog.
    Changelog,
    /// A licence.
    Licence,
    /// A list of dependency versions.
    LockFile,
    /// About contributors and contributing.
    Project,
    /// An image, font, audio or video file.
    Media,
    /// It contains zero bytes, which text does not.
    Binary,
    /// A placeholder for a file that is stored elsewhere.
    LargeFilePointer,
    /// It is empty.
    Empty,
    /// It exceeds the limit for a file.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// It is nested in too many folders.
    TooDeep,
    /// Its format is not supported.
    Unsupported,
    /// Its name cannot be displayed or stored; the text says why.
    Name(&'static str),
    /// It needs a password.
    Encrypted,
    /// Its compression method is not supported.
    Compression,
    /// An earlier entry has the same name.
    Twice,
    /// It cannot be read; the text is the system's error.
    Unreadable(String),
    /// A linked page on another host than the page that links to it.
    OtherHost,
    /// A linked page beyond the limit.
    TooManyPages {
        /// The limit.
        limit: usize,
    },
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::Hidden => "its name begins with a dot",
            Self::Ignored => "it matches an ignore file",
            Self::Link => "it is a link, and links are not followed",
            Self::LinkOutside => "it is a link to something outside the source",
            Self::Special => "it is not an ordinary file",
            Self::Vendored => "it contains third-party code",
            Self::TestsOrBuild => "it contains tests or build output",
            Self::Changelog => "it is a changelog",
            Self::Licence => "it is a licence",
            Self::LockFile => "it lists versions of dependencies",
            Self::Project => "it is about contributing to the project",
            Self::Media => "it is an image, font, audio or video file",
            Self::Binary => "it is binary",
            Self::LargeFilePointer => "its content is stored elsewhere (git LFS)",
            Self::Empty => "it is empty",
            Self::TooLarge { limit } => {
                return write!(f, "it is longer than {limit} bytes");
            }
            Self::TooDeep => "it is nested in too many folders",
            Self::Unsupported => "its format is not supported",
            Self::Name(what) => return write!(f, "its name {what}"),
            Self::Encrypted => "it is encrypted",
            Self::Compression => "its compression method is not supported",
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

/// Folders of third-party code.
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
/// Folders of tests and build output.
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
/// The folder in which Sphinx puts copies of its source texts beside the pages.
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

/// Returns the uppermost skipped folder above a file, and why it is skipped.
pub(super) fn folders_of(path: &str) -> Option<(&str, SkipReason)> {
    let ends = path.match_indices('/').map(|(at, _)| at);
    ends.filter_map(|end| path.get(..end))
        .find_map(|folder| Some((folder, self::folder(folder)?)))
}

/// Returns why a folder is skipped, given that its parents are not.
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

/// Returns why a file is skipped because of its name.
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

/// Returns why a file is skipped because of its contents.
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

/// Returns a name with escaped control characters, which could otherwise disturb a terminal.
pub(super) fn printable(name: &str) -> String {
    let escaped = |c: char| match c.is_control() {
        true => c.escape_default().collect::<String>(),
        false => c.to_string(),
    };
    name.chars().map(escaped).collect()
}

/// Recognizes files that every project has besides its documentation. `docs/history.md` may be about browsing:
/// ambiguous words count only in capitals or at the top level.
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

/// Whether the name without its extension is in capitals: `NEWS.md`.
fn is_capital(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    stem.chars().any(char::is_uppercase) && !stem.chars().any(char::is_lowercase)
}

/// Returns the extension in lower case, without the dot.
fn extension(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.rsplit_once('.')?;
    let is_extension = !stem.is_empty() && !extension.is_empty();
    is_extension.then(|| extension.to_lowercase())
}

/// Returns the name without its extension, in lower case.
fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = match extension(path) {
        // In `LICENSE-2.0` the end is a number, not a format.
        Some(_) if is_readable(path) => name.rsplit_once('.').map_or(name, |(stem, _)| stem),
        _ => name,
    };
    stem.to_lowercase()
}

#[cfg(test)]
mod tests;
