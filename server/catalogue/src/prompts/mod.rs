//! Prompt templates: the server's own and those from the settings.

mod own;

use recall_kit_settings::{
    PromptArgumentSettings, PromptMessageSettings, PromptRole, PromptSettings,
};

pub use self::own::own;
use crate::CatalogueError;

/// The most values that a completion suggests. Source: MCP specification, "Completion".
pub const MAX_SUGGESTED: usize = 100;
/// The longest value of an argument, in bytes.
const MAX_VALUE_BYTES: usize = 64 * 1024;

/// A checked prompt template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Its name; 1–128 bytes.
    pub name: String,
    /// Its display name.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Its arguments.
    pub arguments: Vec<PromptArgumentSettings>,
    /// The messages, with `{name}` where an argument goes; at least one.
    pub messages: Vec<PromptMessageSettings>,
}

/// Why a prompt could not be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// A required argument is missing.
    #[error("argument `{0}` is required")]
    Missing(String),
    /// An argument that the prompt does not have.
    #[error("unknown argument `{given}`; the arguments are {known}")]
    Unknown {
        /// The argument's name, truncated to 80 characters.
        given: String,
        /// The prompt's arguments.
        known: String,
    },
    /// An argument is longer than 64 KiB.
    #[error("argument `{0}` is longer than {MAX_VALUE_BYTES} bytes")]
    TooLong(String),
}

impl Prompt {
    /// Creates a prompt from its settings.
    ///
    /// *Errors*: [`CatalogueError::Entry`] for an empty name, no message, an invalid or repeated
    /// argument, or a placeholder without an argument.
    pub fn new(settings: &PromptSettings) -> Result<Self, CatalogueError> {
        let prompt = Self {
            name: settings.name.clone(),
            title: settings.title.clone(),
            description: settings.description.clone(),
            arguments: settings.arguments.clone(),
            messages: settings.messages.clone(),
        };
        prompt.check()?;
        Ok(prompt)
    }

    fn check(&self) -> Result<(), CatalogueError> {
        let wrong = |reason: String| CatalogueError::Entry {
            kind: "prompts",
            name: self.name.clone(),
            reason,
        };
        if self.name.trim().is_empty() || self.name.len() > 128 {
            return Err(wrong("a prompt's name is 1-128 bytes".to_owned()));
        }
        for (at, argument) in self.arguments.iter().enumerate() {
            let name = &argument.name;
            if !is_placeholder(name) {
                return Err(wrong(format!(
                    "argument `{name}`: a name is letters, digits and `_`"
                )));
            }
            let mut before = self.arguments.iter().take(at);
            if before.any(|other| other.name == *name) {
                return Err(wrong(format!("argument `{name}` appears twice")));
            }
        }
        if self.messages.is_empty() {
            return Err(wrong("a prompt needs at least one message".to_owned()));
        }
        for message in &self.messages {
            let strange = parts(&message.text).find_map(|part| match part {
                Part::Placeholder(name) if self.argument(name).is_none() => Some(name),
                _ => None,
            });
            if let Some(name) = strange {
                return Err(wrong(format!(
                    "`{{{name}}}` is not an argument; declare it, or write {{{{{name}}}}} for the \
                     text itself"
                )));
            }
        }
        Ok(())
    }

    /// Returns an argument by name.
    pub fn argument(&self, name: &str) -> Option<&PromptArgumentSettings> {
        self.arguments.iter().find(|argument| argument.name == name)
    }

    /// Fills in the messages. An absent optional argument leaves nothing, and a line that has only such
    /// placeholders, apart from a label, is removed.
    ///
    /// *Errors*: [`PromptError`] for arguments that are missing, unknown or too long.
    pub fn fill(
        &self,
        values: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<Vec<(PromptRole, String)>, PromptError> {
        for (name, value) in values {
            if self.argument(name).is_none() {
                let known: Vec<&str> = self.arguments.iter().map(|a| a.name.as_str()).collect();
                return Err(PromptError::Unknown {
                    given: name.chars().take(80).collect(),
                    known: known.join(", "),
                });
            }
            if value
                .as_str()
                .is_some_and(|text| text.len() > MAX_VALUE_BYTES)
            {
                return Err(PromptError::TooLong(name.clone()));
            }
        }
        let value = |name: &str| match values.get(name) {
            Some(serde_json::Value::String(text)) => text.trim().to_owned(),
            Some(serde_json::Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        };
        let missing = self
            .arguments
            .iter()
            .find(|argument| argument.required && value(&argument.name).is_empty());
        if let Some(argument) = missing {
            return Err(PromptError::Missing(argument.name.clone()));
        }
        let filled = self.messages.iter().map(|message| {
            let lines = message
                .text
                .lines()
                .filter_map(|line| fill_line(line, value));
            (message.role, lines.collect::<Vec<_>>().join("\n"))
        });
        Ok(filled.collect())
    }

    /// Returns the values of an argument that match the typed text, at most [`MAX_SUGGESTED`], and
    /// how many there are.
    pub fn suggest(&self, argument: &str, typed: &str) -> (Vec<String>, usize) {
        let values = self.argument(argument).map(|argument| &argument.values);
        suggest(values.into_iter().flatten().map(String::as_str), typed)
    }
}

/// Returns the values that start with the typed text, then those that contain it, at most
/// [`MAX_SUGGESTED`], and how many there are.
pub fn suggest<'a>(
    values: impl Iterator<Item = &'a str> + Clone,
    typed: &str,
) -> (Vec<String>, usize) {
    let typed = typed.to_lowercase();
    let starts = |value: &&str| value.to_lowercase().starts_with(&typed);
    let contains = |value: &&str| !starts(value) && value.to_lowercase().contains(&typed);
    let first = values.clone().filter(starts);
    let found: Vec<&str> = first.chain(values.filter(contains)).collect();
    let total = found.len();
    let shown = found.into_iter().take(MAX_SUGGESTED);
    (shown.map(str::to_owned).collect(), total)
}

/// Fills in one line; `None` if all of its placeholders are empty and only a label is left.
fn fill_line(line: &str, value: impl Fn(&str) -> String) -> Option<String> {
    let (mut filled, mut placeholders, mut empty) = (String::new(), 0, 0);
    for part in parts(line) {
        match part {
            Part::Text(text) => filled.push_str(text),
            Part::Placeholder(name) => {
                let value = value(name);
                placeholders += 1;
                empty += usize::from(value.is_empty());
                filled.push_str(&value);
            }
        }
    }
    let left = filled.trim();
    let is_only_label = left.is_empty() || left.ends_with(':');
    (placeholders == 0 || empty < placeholders || !is_only_label).then_some(filled)
}

enum Part<'a> {
    Text(&'a str),
    Placeholder(&'a str),
}

/// Splits a template into text and placeholders; `{{name}}` stands for the text `{name}`.
fn parts(template: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = template;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, after)) = rest
            .strip_prefix("{{")
            .and_then(|inner| inner.split_once("}}"))
            && is_placeholder(name)
        {
            let literal = rest.get(1..name.len() + 3).unwrap_or_default();
            rest = after;
            return Some(Part::Text(literal));
        }
        if let Some((name, after)) = rest
            .strip_prefix('{')
            .and_then(|inner| inner.split_once('}'))
            && is_placeholder(name)
        {
            rest = after;
            return Some(Part::Placeholder(name));
        }
        let skip = rest.chars().next().map_or(0, char::len_utf8);
        let tail = rest.get(skip..).unwrap_or_default();
        let end = skip + tail.find(['{', '}']).unwrap_or(tail.len());
        let (text, after) = rest.split_at(end);
        rest = after;
        Some(Part::Text(text))
    })
}

/// Only a plain name is a placeholder, so that a template can contain JSON and code.
fn is_placeholder(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests;
