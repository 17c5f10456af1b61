//! The sanitizer as the settings configure it: rule groups, user-defined rules, an allow list.
//!
//! [`crate::Draft::sanitize`] also removes what servers reject.

use std::{fmt, sync::Arc};

use recall_kit_sanitizer::{Custom, RuleGroup, Sanitized, Sanitizer};

use crate::config::{ConfigError, SanitizerConfig};

/// A sanitizer built from [`SanitizerConfig`]; cheap to clone.
#[derive(Clone, Default)]
pub struct ConfiguredSanitizer {
    settings: SanitizerConfig,
    /// `None` stands for the built-in rules alone.
    own: Option<Arc<Sanitizer>>,
}

impl ConfiguredSanitizer {
    /// Creates the sanitizer. This runs each user-defined rule over its examples.
    ///
    /// *Errors*: [`ConfigError::OwnRule`].
    pub fn new(settings: SanitizerConfig) -> Result<Self, ConfigError> {
        if settings.custom.is_empty() && settings.allow.is_empty() {
            return Ok(Self {
                settings,
                own: None,
            });
        }
        let custom = Custom {
            rules: settings.custom.clone(),
            allow: settings.allow.clone(),
        };
        let own = Sanitizer::with(custom)
            .map_err(|cause| ConfigError::own_rule(&settings.custom, cause))?;
        Ok(Self {
            settings,
            own: Some(Arc::new(own)),
        })
    }

    /// Returns the settings it was built from.
    pub fn settings(&self) -> &SanitizerConfig {
        &self.settings
    }

    /// Returns the rules, for a caller that chooses the groups.
    pub fn rules(&self) -> &Sanitizer {
        self.own.as_deref().unwrap_or(Sanitizer::builtin())
    }

    /// Sanitizes a text as the settings say; returns it unchanged while the sanitizer is off.
    pub fn sanitize(&self, text: &str) -> Sanitized {
        self.with(&self.settings.groups(), text)
    }

    /// Sanitizes texts that leave this machine without being shown to a person first. Removes what the
    /// given groups find in all of them together, and then API keys, whatever the settings and the allow
    /// list say.
    pub(crate) fn sanitize_outgoing(&self, groups: &[RuleGroup], texts: &[&str]) -> Vec<String> {
        let clean = |sanitizer: &Sanitizer, texts: &[&str], groups: &[RuleGroup]| -> Vec<String> {
            let clean = sanitizer.sanitize_all(texts, groups).into_iter();
            clean.map(|clean| clean.text).collect()
        };
        let first = clean(self.rules(), texts, groups);
        if self.own.is_none() && groups.contains(&RuleGroup::RemoveApiKeys) {
            return first;
        }
        let first: Vec<&str> = first.iter().map(String::as_str).collect();
        clean(Sanitizer::builtin(), &first, &[RuleGroup::RemoveApiKeys])
    }

    /// Like [`Self::sanitize_outgoing`], for one text.
    pub(crate) fn sanitize_outgoing_text(&self, groups: &[RuleGroup], text: &str) -> String {
        let clean = self.sanitize_outgoing(groups, &[text]).pop();
        clean.expect("one text gives one result")
    }

    /// Removes from a text what the given groups find.
    pub(crate) fn with(&self, groups: &[RuleGroup], text: &str) -> Sanitized {
        self.rules().sanitize(text, groups)
    }
}

impl PartialEq for ConfiguredSanitizer {
    /// Equal settings make equal sanitizers.
    fn eq(&self, other: &Self) -> bool {
        self.settings == other.settings
    }
}

impl Eq for ConfiguredSanitizer {}

impl fmt::Debug for ConfiguredSanitizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ConfiguredSanitizer")
            .field(&self.settings)
            .finish()
    }
}
