//! Judges what may name a person: user names, names, e-mail addresses, phone numbers.

use crate::syntax::tail;
use crate::{hosts, keep, value};

/// Whether a user name may be a person's: not a role, a service or a placeholder.
pub(crate) fn is_user(name: &str) -> bool {
    let plain = name.trim_matches(['.', '-', '_']);
    plain.chars().count() >= 2
        && !keep::user(plain)
        && !value::is_placeholder(plain)
        && !value::is_reference(name)
        && !plain.bytes().all(|b| b.is_ascii_digit())
        && !plain.contains(['{', '}', '$', '%', '*', '<', '('])
}

/// Whether this is a person's name: words that begin with capitals, or ideographs.
pub(crate) fn is_name(name: &str) -> bool {
    let name = name.trim();
    let lower = name.to_ascii_lowercase();
    let robot = [
        "[bot]",
        "github",
        "actions",
        "dependabot",
        "renovate",
        "your",
        "name",
        "doe",
        "example",
        "team",
        "contributors",
        "user",
        "anonymous",
        "unknown",
        "redacted",
    ]
    .iter()
    .any(|word| lower.contains(word));
    let robot = robot || keep::user(name) || !name.starts_with(char::is_alphabetic);
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 2
        && !robot
        && !value::is_reference(name)
        && !value::is_placeholder(name)
        && !name.contains(['{', '$', '<', '=', '(', '@'])
}

/// Whether this is somebody's e-mail address.
pub(crate) fn is_email(before: &str, address: &str, after: &str) -> bool {
    let Some((local, domain)) = address.rsplit_once('@') else {
        return false;
    };
    let tld = domain.rsplit('.').next().unwrap_or_default();
    let word = before
        .rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '('))
        .next()
        .unwrap_or_default();
    let in_url = word
        .split_once("://")
        .is_some_and(|(_, authority)| !authority.contains('/'));
    let remote = after.starts_with(":/") || after.starts_with(":~") || in_remote_command(before);
    let domain_kept = hosts::is_kept(domain) && !keep::mail(domain);
    let robot = [
        "noreply",
        "no-reply",
        "donotreply",
        "notifications",
        "git",
        "root",
        "postmaster",
        "mailer-daemon",
    ]
    .contains(&local);
    let role = keep::user(local) && hosts::is_kept(domain);
    !in_url
        && !remote
        && !domain_kept
        && !robot
        && !keep::file_extension(tld)
        && !role
        && !value::is_placeholder(local)
}

/// Whether the line is an `ssh`, `scp` or `rsync` command so far.
fn in_remote_command(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.split(|c: char| c.is_whitespace() || matches!(c, '"' | '`' | '\''))
        .any(|word| {
            [
                "ssh",
                "scp",
                "rsync",
                "sftp",
                "mosh",
                "ssh-copy-id",
                "autossh",
                "sshfs",
            ]
            .contains(&word)
        })
}

/// Whether digits grouped like this are a phone number: 8–15 digits, not reserved for fiction.
pub(crate) fn is_phone(before: &str, text: &str, after: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let reserved = digits.ends_with("5550100") || digits.contains("55501") && digits.len() <= 11;
    let varied = digits
        .bytes()
        .collect::<std::collections::BTreeSet<_>>()
        .len()
        > 2;
    let american = text.starts_with("+1");
    let dialled =
        !american || digits.len() == 11 && digits.get(1..2).is_some_and(|area| area >= "2");
    let limit = [
        "2147483647",
        "2147483648",
        "4294967295",
        "9223372036854775807",
    ]
    .contains(&digits.as_str());
    let joined = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+');
    let follows = after.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    (8..=15).contains(&digits.len())
        && dialled
        && !limit
        && varied
        && !reserved
        && !follows
        && (!before.ends_with(joined)
            || !before.is_ascii() && before.ends_with(|c: char| !c.is_ascii()))
}

/// Whether eleven digits are a mainland mobile number: in quotes or beside Chinese.
pub(crate) fn is_chinese_mobile(before: &str, text: &str, after: &str) -> bool {
    let near = tail(before, 24);
    let line = near.rsplit('\n').next().unwrap_or_default();
    let quoted = before.ends_with(['"', '\'']) && after.starts_with(['"', '\'']);
    (quoted || !line.is_ascii()) && is_phone(before, text, after)
}

/// Whether the user of a URL may be a person; one at an example host is an example.
pub(crate) fn is_url_user(name: &str, after: &str) -> bool {
    let host = after.rsplit_once('@').map_or(after, |(_, host)| host);
    let host = host
        .split(['/', ':', '?', '"', '\'', ' ', '\n'])
        .next()
        .unwrap_or_default();
    is_user(name)
        && !host.contains("example")
        && !host.contains("localhost")
        && !host.starts_with("127.")
}
