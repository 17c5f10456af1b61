//! Judges what may be the user name of a person.

use crate::keep;
use crate::secrets::chosen::words::OWNERS;
use crate::secrets::value;

/// Whether a user name may be a person's: not a role, a service or a placeholder.
pub fn is_user(name: &str) -> bool {
    let plain = name.trim_matches(['.', '-', '_']);
    plain.chars().count() >= 2
        && !keep::user(plain)
        && !value::is_placeholder(plain)
        && !value::is_reference(name)
        && !plain.bytes().all(|b| b.is_ascii_digit())
        && !plain.contains(['{', '}', '$', '%', '*', '<', '('])
        && !is_member_or_file(plain)
}

/// `self.username`, `notes.txt`: what a program calls a user, or no user.
fn is_member_or_file(name: &str) -> bool {
    name.split_once('.')
        .is_some_and(|(first, _)| OWNERS.contains(&first))
        || name
            .rsplit_once('.')
            .is_some_and(|(_, extension)| keep::file_extension(extension))
}
