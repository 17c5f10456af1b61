//! What of the project matters to the event: to a command and its output, or to a prompt.

use recall_kit_client::applicability::Environment;

use super::moments::Hooked;
use crate::{environment, hosts::Moment};

impl Hooked<'_> {
    /// Returns the environment of the event, for queries and reports.
    pub(super) async fn environment(&self) -> Option<Environment> {
        let texts = match &self.event.moment {
            Moment::Command(ran) => vec![ran.line.clone(), ran.output.clone()],
            Moment::Prompt(prompt) => vec![prompt.clone()],
            _ => return None,
        };
        environment::of(&self.config, self.event.folder.clone(), texts).await
    }
}
