//! Settings of what an operator can add to the server's own tools: programs, resources, prompts.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Secret;

/// Which of the server's own tools `tools/list` names. All of them can be called either way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolProfile {
    /// The few that are enough for most work; they cost an agent fewer tokens.
    Core,
    /// All.
    #[default]
    Full,
}

/// The server's own tools that are listed, and further tools.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolSettings {
    /// Which of the server's own tools are listed.
    pub profile: ToolProfile,
    /// Whether lists have the schemas of answers and the icons, also for calls that do not ask for them.
    pub output_schemas: bool,
    /// Whether the example tool `calculator_add` is offered.
    pub calculator: bool,
    /// External programs that are offered as tools.
    pub programs: Vec<ProgramSettings>,
}

/// An external program offered as a tool. The arguments are written to its standard input as one JSON
/// object; its standard output is the result. No shell is involved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramSettings {
    /// The tool's name.
    pub name: String,
    /// The tool's display name; `name` when left out.
    pub title: Option<String>,
    /// What it does and when to use it, for agents.
    pub description: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// JSON Schema of the arguments; anything is accepted when left out.
    #[serde(default)]
    pub input_schema: Map<String, Value>,
    /// JSON Schema of the result; free text when left out.
    pub output_schema: Option<Map<String, Value>>,
    /// How long a call may take, in milliseconds.
    #[serde(default = "ProgramSettings::default_timeout_ms")]
    pub timeout_ms: u64,
    /// How large the output of a call may be, in bytes.
    #[serde(default = "ProgramSettings::default_output_bytes")]
    pub output_bytes: u32,
    /// How many calls may run at once; further calls are rejected.
    #[serde(default = "ProgramSettings::default_at_once")]
    pub at_once: u32,
    /// The program's working directory; the server's own when left out.
    pub working_dir: Option<PathBuf>,
    /// The program's environment besides `PATH`, `HOME` and the locale.
    #[serde(default)]
    pub env: BTreeMap<String, Secret>,
    /// Whether a call changes nothing (MCP: `readOnlyHint`).
    #[serde(default)]
    pub read_only: bool,
    /// Whether a call may change or remove existing data (`destructiveHint`).
    #[serde(default)]
    pub destructive: bool,
    /// Whether repeating a call has no further effect (`idempotentHint`).
    #[serde(default)]
    pub idempotent: bool,
    /// Whether a call reaches beyond this machine (`openWorldHint`).
    #[serde(default)]
    pub open_world: bool,
}

impl ProgramSettings {
    const fn default_timeout_ms() -> u64 {
        30_000
    }

    const fn default_at_once() -> u32 {
        8
    }

    const fn default_output_bytes() -> u32 {
        1024 * 1024
    }
}

/// A resource: a text from the settings, a file, or every file below a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourceSettings {
    /// Its address: `file:///path/to/file`, `file:///path/to/folder/`, or any other for a text.
    pub uri: String,
    /// Its name; the last part of the address when left out.
    pub name: Option<String>,
    /// What it holds.
    pub description: Option<String>,
    /// Its media type; by the file's extension when left out.
    pub mime_type: Option<String>,
    /// The text itself, for addresses other than `file://`.
    pub text: Option<String>,
}

/// A prompt template.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptSettings {
    /// Its name.
    pub name: String,
    /// Its display name.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// What the user fills in.
    #[serde(default)]
    pub arguments: Vec<PromptArgumentSettings>,
    /// The messages; `{name}` stands for the argument of that name, `{{name}}` for `{name}` itself.
    pub messages: Vec<PromptMessageSettings>,
}

/// An argument of a prompt template.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptArgumentSettings {
    /// Its name.
    pub name: String,
    /// What to fill in.
    pub description: Option<String>,
    /// Whether the prompt needs it.
    #[serde(default)]
    pub required: bool,
    /// Values to suggest while the user types.
    #[serde(default)]
    pub values: Vec<String>,
}

/// A message of a prompt template.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptMessageSettings {
    /// Whose message it is.
    #[serde(default)]
    pub role: PromptRole,
    /// The text.
    pub text: String,
}

/// Whose message it is in a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PromptRole {
    /// The person.
    #[default]
    User,
    /// The agent.
    Assistant,
}

/// One item of each list, so that the tree of known keys includes the keys of list items.
pub(super) fn samples() -> (ToolSettings, ResourceSettings, PromptSettings) {
    let text = || Some(String::new());
    let program = ProgramSettings {
        name: String::new(),
        title: text(),
        description: String::new(),
        command: Vec::new(),
        input_schema: Map::new(),
        output_schema: Some(Map::new()),
        timeout_ms: ProgramSettings::default_timeout_ms(),
        output_bytes: ProgramSettings::default_output_bytes(),
        at_once: ProgramSettings::default_at_once(),
        working_dir: Some(PathBuf::new()),
        env: BTreeMap::new(),
        read_only: false,
        destructive: false,
        idempotent: false,
        open_world: false,
    };
    let resource = ResourceSettings {
        uri: String::new(),
        name: text(),
        description: text(),
        mime_type: text(),
        text: text(),
    };
    let prompt = PromptSettings {
        name: String::new(),
        title: text(),
        description: text(),
        arguments: vec![PromptArgumentSettings {
            description: text(),
            ..PromptArgumentSettings::default()
        }],
        messages: vec![PromptMessageSettings::default()],
    };
    let tools = ToolSettings {
        profile: ToolProfile::default(),
        output_schemas: false,
        calculator: false,
        programs: vec![program],
    };
    (tools, resource, prompt)
}
