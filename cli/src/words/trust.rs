//! The texts about configuration files that were found by searching.

use recall_kit_client::{FoundFile, Standing};

use super::filled;
use crate::terminal::controls::visible;

/// The texts about such a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TrustWords {
    /// This and the next five have `{}` for the file. This one comes above the settings of a file.
    pub(crate) about: &'static str,
    pub(crate) new: &'static str,
    pub(crate) refused: &'static str,
    pub(crate) changed: &'static str,
    pub(crate) other_owner: &'static str,
    pub(crate) unreadable: &'static str,
    /// With `{}` for the file, and for the path that others may write to.
    pub(crate) open_to_others: &'static str,
    pub(crate) question: &'static str,
    pub(crate) no: &'static str,
    pub(crate) yes: &'static str,
    /// This and the next two have `{}` for the file.
    pub(crate) trusted: &'static str,
    pub(crate) revoked: &'static str,
    pub(crate) not_decided: &'static str,
    /// If there is no decision.
    pub(crate) none: &'static str,
    /// This and the next four are the states of a decision.
    pub(crate) is_trusted: &'static str,
    pub(crate) is_refused: &'static str,
    pub(crate) is_changed: &'static str,
    pub(crate) is_missing: &'static str,
    pub(crate) is_unusable: &'static str,
}

impl TrustWords {
    /// Returns the message that a file is ignored, and why.
    pub(crate) fn ignored(&self, file: &FoundFile) -> String {
        let path = visible(&file.path().display().to_string());
        let text = match file.standing() {
            Standing::Refused => self.refused,
            Standing::Changed => self.changed,
            Standing::OtherOwner => self.other_owner,
            Standing::Unreadable => self.unreadable,
            Standing::OpenToOthers(at) => {
                let at = visible(&at.display().to_string());
                return filled(self.open_to_others, &[&path, &at]);
            }
            _ => self.new,
        };
        filled(text, &[&path])
    }
}
