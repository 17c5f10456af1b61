//! Checks whether a file can be changed only by its user.
//!
//! On Windows this would be in access control lists, which are not read: there only the hash protects a
//! trusted file.

use std::{fs::File, io, path::Path};

use super::Standing;

/// Returns why another user may have written the open file at `canonical`; `None` if that is not possible.
#[cfg(unix)]
pub(super) fn fault(file: &File, canonical: &Path) -> io::Result<Option<Standing>> {
    use std::{fs, os::unix::fs::MetadataExt as _};

    let user = rustix::process::geteuid().as_raw();
    let metadata = file.metadata()?;
    if metadata.uid() != user {
        return Ok(Some(Standing::OtherOwner));
    }
    if is_open_to_others(&metadata) {
        return Ok(Some(Standing::OpenToOthers(canonical.to_owned())));
    }
    for (height, dir) in canonical.ancestors().skip(1).enumerate() {
        let metadata = fs::metadata(dir)?;
        let is_ours = metadata.uid() == user || metadata.uid() == 0;
        // In a sticky folder such as /tmp no user can rename the folders of others.
        let is_sticky = height > 0 && metadata.mode() & 0o1000 != 0;
        if !is_ours || (is_open_to_others(&metadata) && !is_sticky) {
            return Ok(Some(Standing::OpenToOthers(dir.to_owned())));
        }
    }
    Ok(None)
}

/// Returns whether other users may write. A group with the same number as the owner is the owner's private
/// group: many systems create one for each user and allow it to write.
#[cfg(unix)]
fn is_open_to_others(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let mode = metadata.mode();
    mode & 0o002 != 0 || (mode & 0o020 != 0 && metadata.gid() != metadata.uid())
}

#[cfg(not(unix))]
pub(super) fn fault(_file: &File, _canonical: &Path) -> io::Result<Option<Standing>> {
    Ok(None)
}
