//! The server's own prompts.

use recall_kit_settings::{PromptArgumentSettings, PromptMessageSettings, PromptRole};

use super::Prompt;

/// Suggestions for the argument `technology`.
pub(super) const TECHNOLOGIES: [&str; 40] = [
    "android",
    "angular",
    "aws",
    "azure",
    "bash",
    "c",
    "c#",
    "c++",
    "css",
    "dart",
    "django",
    "docker",
    "elixir",
    "flutter",
    "git",
    "go",
    "gradle",
    "html",
    "ios",
    "java",
    "javascript",
    "kotlin",
    "kubernetes",
    "linux",
    "mysql",
    "next.js",
    "node.js",
    "php",
    "postgresql",
    "python",
    "react",
    "redis",
    "ruby",
    "rust",
    "spring",
    "sqlite",
    "swift",
    "terraform",
    "typescript",
    "vue",
];

/// Returns the server's own prompts.
pub fn own() -> Vec<Prompt> {
    vec![
        search_before_debugging(),
        capture_experience(),
        review_experience(),
    ]
}

fn search_before_debugging() -> Prompt {
    Prompt {
        name: "search_before_debugging".to_owned(),
        title: Some("Search before debugging".to_owned()),
        description: Some(
            "Look for an experience of the same error before debugging it".to_owned(),
        ),
        arguments: vec![
            argument(
                "error",
                "The error message or the unexpected behaviour",
                true,
                &[],
            ),
            argument(
                "technology",
                "Language, framework or tool",
                false,
                &TECHNOLOGIES,
            ),
        ],
        messages: vec![from_user(
            "Before debugging, find out whether somebody solved this already.\n\
             \n\
             Error: {error}\n\
             Technology: {technology}\n\
             \n\
             1. Call query_experiences with the message itself: keep error codes, identifiers and \
             versions, leave out paths, line numbers and values that only exist here.\n\
             2. If total is 0, try once more with the two or three words that say most.\n\
             3. Compare each result's root cause with what is seen here. Say which one fits and why, \
             or that none does. Do not apply a solution whose cause was not confirmed.\n\
             4. If nothing fits, debug as usual, and offer to share the solution afterwards.",
        )],
    }
}

fn capture_experience() -> Prompt {
    Prompt {
        name: "capture_experience".to_owned(),
        title: Some("Capture an experience".to_owned()),
        description: Some(
            "Turn what was just solved into an experience that others can use".to_owned(),
        ),
        arguments: vec![
            argument(
                "focus",
                "What to capture, when the conversation solved several things",
                false,
                &[],
            ),
            argument(
                "technology",
                "Language, framework or tool",
                false,
                &TECHNOLOGIES,
            ),
        ],
        messages: vec![from_user(
            "Write down what we just solved so that a stranger with the same problem finds and \
             understands it.\n\
             Focus: {focus}\n\
             Technology: {technology}\n\
             \n\
             - title: the problem in one line, with the error code or the message's key words.\n\
             - problem_description: what was seen, and under which circumstances.\n\
             - root_cause: why it happened; leave it out rather than guess.\n\
             - solution: the steps that worked, commands and code included, checked in this \
             conversation.\n\
             - context: the shortest code that shows it, if any.\n\
             - keywords: 3 to 8 words that somebody would search for.\n\
             \n\
             Remove secrets, names of people, hosts, paths and anything internal. Show me the draft \
             and wait for my yes before you call submit_experience.",
        )],
    }
}

fn review_experience() -> Prompt {
    Prompt {
        name: "review_experience".to_owned(),
        title: Some("Review an experience".to_owned()),
        description: Some(
            "Check a draft before it is shared: correct, complete, findable, clean".to_owned(),
        ),
        arguments: vec![argument(
            "experience",
            "The draft, as text or JSON",
            true,
            &[],
        )],
        messages: vec![from_user(
            "Review this experience before it is shared.\n\
             \n\
             {experience}\n\
             \n\
             Answer four questions, each with what to change:\n\
             1. Correct: does the solution follow from the root cause, and was it seen to work?\n\
             2. Complete: could a stranger repeat it without this conversation?\n\
             3. Findable: does the title carry the error's own words; are the keywords what somebody \
             would type? Does query_experiences know this problem already?\n\
             4. Clean: secrets, personal data, internal names, hosts or paths left anywhere?\n\
             \n\
             End with the corrected experience, or with one sentence why it should not be shared.",
        )],
    }
}

fn argument(
    name: &str,
    description: &str,
    required: bool,
    values: &[&str],
) -> PromptArgumentSettings {
    PromptArgumentSettings {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        required,
        values: values.iter().map(ToString::to_string).collect(),
    }
}

fn from_user(text: &str) -> PromptMessageSettings {
    PromptMessageSettings {
        role: PromptRole::User,
        text: text.to_owned(),
    }
}
