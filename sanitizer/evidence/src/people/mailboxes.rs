//! E-mail addresses: whose they are, and which look like one.

use crate::keep;
use crate::places::hosts;
use crate::secrets::value;

/// Whether this is somebody's e-mail address.
pub fn is_email(before: &str, address: &str, after: &str) -> bool {
    let Some((local, domain)) = address
        .rsplit_once('@')
        .or_else(|| address.rsplit_once("%40"))
    else {
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
    let lower = domain.to_ascii_lowercase();
    // At a public project or company an address is somebody's, unless many read it.
    let is_public = keep::host(&lower) && !hosts::is_placeholder(&lower);
    let is_shared = !is_public || is_shared_mailbox(local, &lower);
    let domain_kept = hosts::is_kept(domain) && !keep::mail(domain) && is_shared;
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
        && !is_file(domain, tld)
        && !role
        && !value::is_placeholder(local)
}

/// Whether what follows the at sign names a file: `icon@2x.png`, `notes@2024.md`.
fn is_file(domain: &str, tld: &str) -> bool {
    /// Top-level domains of countries that are extensions of files, too.
    const COUNTRIES: &[&str] = &["pl", "rs", "md", "py", "sh", "cc", "ps", "ml", "so"];
    let numbered = domain.starts_with(|c: char| c.is_ascii_digit());
    keep::file_extension(tld) && (numbered || !COUNTRIES.contains(&&*tld.to_ascii_lowercase()))
}

/// Whether several people read a mailbox: that of a role, a team or a list.
fn is_shared_mailbox(local: &str, domain: &str) -> bool {
    const SHARED: &[&str] = &[
        "abuse",
        "admin",
        "admins",
        "announce",
        "billing",
        "board",
        "bug",
        "bugs",
        "build",
        "careers",
        "chat",
        "commit",
        "commits",
        "community",
        "conduct",
        "contact",
        "core",
        "dev",
        "devel",
        "developer",
        "developers",
        "discuss",
        "docs",
        "editor",
        "editors",
        "events",
        "feedback",
        "general",
        "hello",
        "help",
        "helpdesk",
        "hostmaster",
        "info",
        "infra",
        "issues",
        "jobs",
        "legal",
        "list",
        "lists",
        "mail",
        "maint",
        "maintainer",
        "maintainers",
        "marketing",
        "media",
        "mirror",
        "mirrors",
        "news",
        "noc",
        "office",
        "ops",
        "owner",
        "owners",
        "packages",
        "packaging",
        "patches",
        "press",
        "privacy",
        "project",
        "qa",
        "release",
        "releases",
        "report",
        "request",
        "sales",
        "security",
        "service",
        "services",
        "staff",
        "submit",
        "support",
        "team",
        "test",
        "translations",
        "user",
        "users",
        "web",
        "webmaster",
        "www",
    ];
    let local = local.to_ascii_lowercase();
    let name = local.split('+').next().unwrap_or_default();
    // A person's names stand between dots: `mary.jobs` is no mailbox of a department.
    let is_role = |part: &str| part.split(['-', '_']).any(|word| SHARED.contains(&word));
    let of_list = ["list.", "lists.", "groups.", "bugs.", "ml."];
    name.split('.').all(is_role)
        || of_list.iter().any(|list| domain.starts_with(list))
        || domain == "googlegroups.com"
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

#[cfg(test)]
mod tests {
    use super::is_email;

    #[test]
    fn a_persons_address_goes_whatever_the_domain() {
        let at = |local: &str, domain: &str| is_email("", &[local, domain].join("@"), "");
        for domain in [
            "oakmere-clinic.net",
            "debian.org",
            "intel.com",
            "gentoo.org",
            "oakmere-klinika.pl",
            "oakmere.com.py",
        ] {
            assert!(at("yusuf.khoury", domain), "{domain}");
            assert!(at("yusuf.dev+inbox", domain), "{domain}");
        }
        for (local, domain) in [
            ("python-dev", "python.org"),
            ("security", "debian.org"),
            ("qa.team+urgent", "debian.org"),
            ("users", "httpd.apache.org"),
            ("anything", "lists.debian.org"),
            ("git", "github.com"),
            ("yusuf.khoury", "example.com"),
            ("notes", "2024.md"),
            ("icon", "large.png"),
        ] {
            assert!(!at(local, domain), "{local} at {domain}");
        }
    }
}
