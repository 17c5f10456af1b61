//! One skill (SEP-2640): a directory of files that are served as resources.

use std::sync::LazyLock;

use rmcp::{
    ErrorData,
    model::{Resource, Skill, SkillFrontmatter, SkillResource, SkillResources},
};
use serde_json::json;

use crate::fixture;

const NAME: &str = "count-words";
const DESCRIPTION: &str = "Counts the words of a text";
const DIRECTORY: &str = "skill://count-words";
const MAIN: &str = "skill://count-words/SKILL.md";
const SUBDIRECTORY: &str = "skill://count-words/references";
const REFERENCE: &str = "skill://count-words/references/words.md";

const MAIN_TEXT: &str = "---
name: count-words
description: Counts the words of a text
---

Split the text at white space and count the parts. See references/words.md.
";
const REFERENCE_TEXT: &str = "A word is what stands between white space.\n";

/// Returns the skill.
pub(crate) fn skill() -> &'static Skill {
    static SKILL: LazyLock<Skill> = LazyLock::new(|| {
        let files = [(MAIN, MAIN_TEXT), (REFERENCE, REFERENCE_TEXT)]
            .map(|(uri, text)| SkillResource::from_bytes(uri, text.as_bytes()));
        Skill::new(
            MAIN,
            SkillFrontmatter::new(NAME, DESCRIPTION),
            SkillResources::Files(files.to_vec()),
        )
    });
    &SKILL
}

/// Finds a skill by the URI of its main file.
///
/// *Errors*: invalid parameters, if there is no such skill.
pub(crate) fn find(uri: &str) -> Result<Skill, ErrorData> {
    if uri == MAIN {
        Ok(skill().clone())
    } else {
        Err(ErrorData::invalid_params(
            format!("there is no skill {uri}"),
            None,
        ))
    }
}

/// Returns the main file as a resource that can be listed.
pub(crate) fn main_file() -> Resource {
    fixture(json!({
        "uri": MAIN,
        "name": NAME,
        "description": DESCRIPTION,
        "mimeType": "text/markdown",
    }))
}

/// Returns the direct children of a directory.
///
/// *Errors*: invalid parameters, if the URI is not that of a directory.
pub(crate) fn children(uri: &str) -> Result<Vec<Resource>, ErrorData> {
    match uri.trim_end_matches('/') {
        DIRECTORY => Ok(vec![
            main_file(),
            fixture(json!({
                "uri": SUBDIRECTORY,
                "name": "references",
                "mimeType": "inode/directory",
            })),
        ]),
        SUBDIRECTORY => Ok(vec![fixture(json!({
            "uri": REFERENCE,
            "name": "words.md",
            "mimeType": "text/markdown",
        }))]),
        _ => Err(ErrorData::invalid_params(
            format!("{uri} is no directory"),
            None,
        )),
    }
}

/// Returns the text of a file; `None` if there is no file with that URI.
pub(crate) fn text(uri: &str) -> Option<&'static str> {
    match uri {
        MAIN => Some(MAIN_TEXT),
        REFERENCE => Some(REFERENCE_TEXT),
        _ => None,
    }
}
