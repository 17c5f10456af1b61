//! Citations, as they leave this machine: only if the settings want it, and none whose path has anything in it that the
//! sanitizer removes.

use recall_kit_sanitizer::RuleGroup;
use recall_kit_shared_types::knowledge::{
    CITATIONS_META, Citation, citation_limits::MAX_CITATIONS,
};
use rmcp::model::RequestMetaObject;

use crate::{CitationsMode, RecallKitClient};

impl RecallKitClient {
    /// Adds the files that an entry is about to the `_meta` of a call, without those that must not leave.
    pub(crate) fn add_citations(&self, citations: &[Citation], meta: &mut RequestMetaObject) {
        let citations = citations.iter();
        let citations = citations.filter(|one| self.may_be_cited(one));
        let citations: Vec<&Citation> = citations.take(MAX_CITATIONS).collect();
        let value = serde_json::to_value(&citations).ok();
        if let Some(value) = value.filter(|_| !citations.is_empty()) {
            meta.0.insert(CITATIONS_META.to_owned(), value);
        }
    }

    /// Requests the citations of the results of a search, so that the files can be compared.
    pub(crate) fn request_citations(&self, meta: &mut RequestMetaObject) {
        if self.config.citations == CitationsMode::On {
            meta.0.insert(CITATIONS_META.to_owned(), true.into());
        }
    }

    /// Returns whether a citation may leave this machine: the settings want it, it is one that servers take, and the sanitizer
    /// finds nothing in its path.
    pub fn may_be_cited(&self, citation: &Citation) -> bool {
        let Citation { path, sha256 } = citation;
        self.config.citations == CitationsMode::On
            && Citation::path_fault(path).is_none()
            && Citation::is_sha256(sha256)
            && self
                .sanitizer
                .sanitize_outgoing_text(&RuleGroup::REMOVAL, path)
                == *path
    }

    /// Returns whether the sanitizer finds a key or a password in the text of a file.
    pub fn has_key(&self, text: &str) -> bool {
        let groups = [RuleGroup::RemoveApiKeys];
        self.sanitizer.sanitize_outgoing_text(&groups, text) != text
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::ClientConfig;

    fn client(citations: CitationsMode) -> RecallKitClient {
        let config = ClientConfig {
            citations,
            ..ClientConfig::default()
        };
        RecallKitClient::new(config).unwrap()
    }

    fn citation(path: &str) -> Citation {
        Citation {
            path: path.to_owned(),
            sha256: "0123456789abcdef".repeat(4),
        }
    }

    #[test]
    fn only_paths_without_secrets_leave_and_only_if_the_settings_want_it() {
        let on = client(CitationsMode::On);
        let token = ["ghp", "_", "x7Kq2LmN9pRs4TuV6wXy8ZaB1cDe3FgH5jKl"].concat();
        let paths = [
            "src/pool.rs",
            "../a.rs",
            &format!("{token}/a.rs"),
            "docs/größe.md",
        ];
        let cited: Vec<Citation> = paths.iter().map(|path| citation(path)).collect();
        let sent = |client: &RecallKitClient, cited: &[Citation]| {
            let mut meta = RequestMetaObject::new();
            client.add_citations(cited, &mut meta);
            meta.0.get(CITATIONS_META).cloned()
        };
        let expected = serde_json::json!([citation("src/pool.rs"), citation("docs/größe.md")]);
        assert_eq!(sent(&on, &cited), Some(expected));
        assert_eq!(sent(&on, &cited[1..2]), None);
        assert_eq!(sent(&client(CitationsMode::Off), &cited), None);
    }
}
