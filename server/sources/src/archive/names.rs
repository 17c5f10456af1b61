//! Names of entries of archives, converted to paths within the source.

use crate::{SkipReason, SourceError, skip};

/// The result of checking an entry's name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// A path within the source.
    Path(String),
    /// The top-level folder.
    Root,
    /// Harmless, but the entry is skipped.
    Skipped(SkipReason),
}

/// Converts a name to a path: parts separated by `/`, none of them empty, `.` or `..`.
///
/// *Errors*: the name would leave the folder that the archive is unpacked to. An archive with such a name is
/// malicious, so its other entries are not read either.
pub(super) fn path(name: &[u8]) -> Result<Name, SourceError> {
    let lossy = String::from_utf8_lossy(name);
    if let Some(reason) = unsafe_reason(&lossy) {
        let entry = skip::printable(&lossy);
        return Err(SourceError::UnsafeEntry { entry, reason });
    }
    let Ok(name) = std::str::from_utf8(name) else {
        return Ok(Name::Skipped(SkipReason::Name("is not UTF-8")));
    };
    if name.chars().any(char::is_control) {
        return Ok(Name::Skipped(SkipReason::Name("has control characters")));
    }
    let parts = name.split(['/', '\\']);
    let parts = parts.filter(|part| !part.is_empty() && *part != ".");
    let path = parts.collect::<Vec<_>>().join("/");
    Ok(match path.is_empty() {
        true => Name::Root,
        false => Name::Path(path),
    })
}

/// Returns why a name is unsafe. Some programs write `\` instead of `/`, so it is treated as a separator.
fn unsafe_reason(name: &str) -> Option<&'static str> {
    let mut characters = name.chars();
    let has_drive = matches!(
        (characters.next(), characters.next()),
        (Some(letter), Some(':')) if letter.is_ascii_alphabetic()
    );
    if name.contains('\0') {
        Some("has a zero byte in it")
    } else if name.starts_with(['/', '\\']) {
        Some("begins at the root of the file system")
    } else if has_drive {
        Some("begins with the letter of a drive")
    } else if name.split(['/', '\\']).any(|part| part == "..") {
        Some("leads out of the archive (`..`)")
    } else {
        None
    }
}
