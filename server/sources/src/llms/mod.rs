//! An `llms.txt` and the pages that it links to.
//!
//! Source: the proposal at llmstxt.org. Only pages with the same scheme, host and port are read.

use std::{collections::HashSet, io::Read as _, ops::ControlFlow};

use recall_kit_documents::{decode, readers::is_readable};
use tempfile::NamedTempFile;
use url::Url;

use super::{
    SkipReason, SourceError,
    fetch::{FetchRequest, Fetched, Fetcher},
    gather::Gather,
};

/// The most bytes of the list itself.
const MAX_LIST: u64 = 10 * 1024 * 1024;

/// A fetched list, with the fetcher for its pages.
#[derive(Debug)]
pub(super) struct Pages {
    fetcher: Fetcher,
    list: Fetched,
    file: NamedTempFile,
}

/// Whether a URL is that of such a list; `llms-full.txt` contains the whole text itself.
pub(super) fn is_index(url: &Url) -> bool {
    url.path().ends_with("/llms.txt")
}

impl Pages {
    pub(super) fn new(fetcher: Fetcher, list: Fetched, file: NamedTempFile) -> Self {
        Self {
            fetcher,
            list,
            file,
        }
    }

    /// Visits the list and its pages in the order of the list. A page that cannot be fetched is skipped.
    pub(super) fn walk(&self, gather: &mut Gather<'_>) -> Result<(), SourceError> {
        let path = self.file.path();
        let mut bytes = Vec::new();
        let read =
            std::fs::File::open(path).and_then(|file| file.take(MAX_LIST).read_to_end(&mut bytes));
        read.map_err(|error| SourceError::unreadable(path, error))?;
        let links = links(&decode::decode(&bytes).text, &self.list.url);
        gather.count()?;
        if gather.deliver(&path_of(&self.list.url), bytes)?.is_break() {
            return Ok(());
        }
        let mut read = 0;
        for url in links {
            gather.count()?;
            let path = path_of(&url);
            if url.origin() != self.list.url.origin() {
                gather.skip(url.as_str(), SkipReason::OtherHost);
            } else if read >= gather.limits.pages {
                let limit = gather.limits.pages;
                gather.skip(path, SkipReason::TooManyPages { limit });
            } else {
                read += 1;
                if self.page(&url, &path, gather)?.is_break() {
                    break;
                }
            }
        }
        Ok(())
    }

    fn page(
        &self,
        url: &Url,
        path: &str,
        gather: &mut Gather<'_>,
    ) -> Result<ControlFlow<()>, SourceError> {
        let limit = gather.limits.file_bytes;
        let mut bytes = Vec::new();
        let wanted = FetchRequest {
            url,
            limit,
            stay: true,
        };
        let reason = match self.fetcher.get(wanted, &mut bytes) {
            Ok(page) => {
                let path = page.named(path);
                if is_readable(&path) {
                    return gather.deliver(&path, bytes);
                }
                SkipReason::Unsupported
            }
            Err(SourceError::TooMuch { .. }) => SkipReason::TooLarge { limit },
            Err(SourceError::Fetch { reason, .. }) => SkipReason::Unreadable(reason),
            // A server that no longer responds, or moved to a private address: no more pages can be read.
            Err(error) => return Err(error),
        };
        gather.skip(path, reason);
        Ok(ControlFlow::Continue(()))
    }
}

/// Returns the distinct targets of the Markdown links of a list.
fn links(text: &str, list: &Url) -> Vec<Url> {
    let mut seen = HashSet::from([list.clone()]);
    let targets = text.match_indices("](").filter_map(|(at, open)| {
        let rest = text.get(at + open.len()..)?;
        let end = rest.find([')', ' ', '\n'])?;
        let mut url = list.join(rest.get(..end)?.trim_matches(['<', '>'])).ok()?;
        url.set_fragment(None);
        url.set_username("").ok();
        url.set_password(None).ok();
        matches!(url.scheme(), "http" | "https").then_some(url)
    });
    targets.filter(|url| seen.insert(url.clone())).collect()
}

/// Returns a path for a page, from its URL without decoding escapes.
fn path_of(url: &Url) -> String {
    let path = url.path().trim_start_matches('/');
    let parts = path.split('/').filter(|part| !part.is_empty());
    let mut path = parts.collect::<Vec<_>>().join("/");
    if url.path().ends_with('/') {
        path.push_str(if path.is_empty() { "index" } else { "/index" });
    }
    if let Some(query) = url.query() {
        path.push_str(&format!("_{}", query.replace(['/', '\\'], "_")));
    }
    path
}

#[cfg(test)]
mod tests;
