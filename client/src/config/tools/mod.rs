//! `tools`: what agents are offered through `recall-kit-client mcp`.
//!
//! A list is the older form of `{"others": [...]}`.

mod citations;
mod environment;
mod hooks;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::keys::{OTHER_TOOLS, TOOLS};

pub use citations::CitationsMode;
pub use environment::EnvironmentMode;
pub use hooks::{HooksConfig, OutcomesMode};

/// Which tools an agent is shown; all of them can be called either way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolProfile {
    /// The few that are enough for most work; they cost an agent fewer tokens.
    #[default]
    Core,
    /// All.
    Full,
}

/// What agents are offered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ToolsConfig {
    /// Which of RecallKit's own tools are listed.
    pub profile: ToolProfile,
    /// Tools besides RecallKit's own, such as programs of the server.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
}

impl ToolsConfig {
    /// Whether everything has its default.
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Converts a list of tools in the settings of a file to the newer form.
pub(super) fn with_section(mut settings: Value) -> Value {
    let tools = settings.get_mut(TOOLS);
    if let Some(tools) = tools.filter(|tools| tools.is_array()) {
        *tools = json!({ OTHER_TOOLS: tools.take() });
    }
    settings
}
