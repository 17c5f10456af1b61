//! Parses what the user gave as a source: a path, a web address or the address of a git repository.

use std::path::PathBuf;

use url::Url;

use super::{SourceError, sent::SENT};

/// A parsed source.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Location {
    Path(PathBuf),
    Git(Url),
    Web(Url),
}

/// Hosts on which `/owner/project` is a repository.
const FORGES: [&str; 4] = ["bitbucket.org", "codeberg.org", "github.com", "gitlab.com"];

impl Location {
    /// Parses a text.
    ///
    /// *Errors*: it is empty, or a URL that is not supported.
    pub(super) fn parse(text: &str) -> Result<Self, SourceError> {
        let refuse = |typed: &str, reason| {
            let typed = typed.to_owned();
            Err(SourceError::Typed { typed, reason })
        };
        let text = text.trim();
        if text.is_empty() {
            return refuse(text, "give a path or a URL");
        }
        if text.starts_with(SENT) {
            return refuse(
                text,
                "it was uploaded with a browser; upload it there again",
            );
        }
        if !text.contains("://") {
            return match is_scp(text) && !PathBuf::from(text).exists() {
                true => refuse(
                    "the ssh address",
                    "ssh is not supported; give the https:// address, or clone the repository and give \
                     its folder",
                ),
                false => Ok(Self::Path(PathBuf::from(text))),
            };
        }
        let (is_git, address) = match text.strip_prefix("git+") {
            Some(address) => (true, address),
            None => (false, text),
        };
        let Ok(mut url) = Url::parse(address) else {
            return refuse("the URL", "it is not a valid URL; check the spelling");
        };
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            let reason =
                "only https:// and http:// are supported; give a path for files on this machine";
            return refuse(&without_credentials(&url), reason);
        }
        if is_page_about_files(&url) {
            let reason = "it is a page about files; give the address of the repository, or of the \
                          file itself (raw)";
            return refuse(&without_credentials(&url), reason);
        }
        url.set_fragment(None);
        Ok(match is_git || is_repository(&url) {
            true => Self::Git(url),
            false => Self::Web(url),
        })
    }
}

/// Returns a URL without user name and password.
pub(super) fn without_credentials(url: &Url) -> String {
    let mut url = url.clone();
    // Both fail only for URLs that cannot contain any.
    url.set_password(None).ok();
    url.set_username("").ok();
    url.to_string()
}

/// Whether a text has git's form `user@host:path`.
fn is_scp(text: &str) -> bool {
    let host = text.split_once(':').map(|(host, _)| host);
    host.is_some_and(|host| host.contains('@') && !host.contains('/'))
}

fn is_repository(url: &Url) -> bool {
    let path = url.path().trim_end_matches('/');
    if path.ends_with(".git") {
        return true;
    }
    is_forge(url) && path.matches('/').count() == 2
}

/// Whether a URL is that of a page such as `/owner/project/tree/…`, also after the `/-/` of GitLab.
fn is_page_about_files(url: &Url) -> bool {
    let parts = url.path().split('/').filter(|part| !part.is_empty());
    let page = parts.skip(2).find(|part| *part != "-");
    is_forge(url) && page.is_some_and(|page| ["blob", "src", "tree"].contains(&page))
}

fn is_forge(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let host = host.strip_prefix("www.").unwrap_or(host);
        FORGES.contains(&host)
    })
}

#[cfg(test)]
mod tests;
