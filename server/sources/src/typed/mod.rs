//! What a person typed as a source: a path, a web address, the address of a git repository.

use std::path::PathBuf;

use url::Url;

use super::{SourceError, sent::SENT};

/// What a person meant.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Typed {
    Path(PathBuf),
    Git(Url),
    Web(Url),
}

/// Hosts whose `/owner/project` is a repository.
const FORGES: [&str; 4] = ["bitbucket.org", "codeberg.org", "github.com", "gitlab.com"];

impl Typed {
    /// *Errors*: it is empty, or a URL that is not read.
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
            return refuse(text, "it was sent from a browser; send it again there");
        }
        if !text.contains("://") {
            return match is_scp(text) && !PathBuf::from(text).exists() {
                true => refuse(
                    "an address of ssh",
                    "ssh is not used; give the https:// address, or clone the repository and give \
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
            return refuse(
                "the URL",
                "it is not written as a URL; look for typing errors",
            );
        };
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            let reason =
                "only https:// and http:// are read; give a path for what is on this machine";
            return refuse(&shown(&url), reason);
        }
        if is_page_about_files(&url) {
            let reason = "it is a page about files; give the address of the repository, or of the \
                          file itself (raw)";
            return refuse(&shown(&url), reason);
        }
        url.set_fragment(None);
        Ok(match is_git || is_repository(&url) {
            true => Self::Git(url),
            false => Self::Web(url),
        })
    }
}

/// A URL without user name and password.
pub(super) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // Both fail only for URLs that cannot have any.
    url.set_password(None).ok();
    url.set_username("").ok();
    url.to_string()
}

/// `user@host:path`, as git takes it.
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

/// `/owner/project/tree/…` and the like, also behind the `/-/` of GitLab.
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
