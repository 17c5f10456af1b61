//! A draft as text for an editor: one heading per field, with the field's text below it.

#[cfg(test)]
mod tests;

use recall_kit_client::{Claims, Draft, InvalidLine};

use crate::{
    applies,
    words::{Words, filled},
};

const FIELDS: [&str; 7] = [
    "title",
    "problem",
    "root cause",
    "solution",
    "context",
    AFTER_CONTEXT,
    "applies to",
];

/// The field after the context.
const AFTER_CONTEXT: &str = "keywords";

/// Why an edited text cannot be read as a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FormError {
    /// A heading is missing.
    HeadingMissing(&'static str),
    /// A required field is blank.
    Blank(&'static str),
    /// A line about where it applies cannot be read.
    Applies(InvalidLine),
}

impl FormError {
    /// Returns the message for the user.
    pub(crate) fn message(&self, words: &Words) -> String {
        match self {
            Self::HeadingMissing(field) => filled(words.questions.heading_missing, &[field]),
            Self::Blank(field) => filled(words.questions.blank, &[field]),
            Self::Applies(error) => words.applies.message(error),
        }
    }
}

/// Writes a draft as text for an editor.
pub(crate) fn write(draft: &Draft) -> String {
    let keywords = draft.keywords.join(", ");
    let applies = draft.applies.as_ref().map(Claims::to_lines);
    let applies = applies.unwrap_or_default().join("\n");
    let texts = [
        draft.title.as_str(),
        &draft.problem_description,
        draft.root_cause.as_deref().unwrap_or_default(),
        &draft.solution,
        draft.context.as_deref().unwrap_or_default(),
        &keywords,
        &applies,
    ];
    let mut form = Words::from_locale().questions.form.to_owned();
    for (field, text) in FIELDS.iter().zip(texts) {
        form.push_str(&format!("\n=== {field} ===\n{}\n", text.trim_end()));
    }
    form
}

/// Reads an edited text; `applies` is where the draft was said to apply before. Each heading is recognized once, in
/// order; the one after the context is the last such line of the text, so that a context may contain lines that look
/// like headings.
pub(crate) fn read(form: &str, applies: Option<&Claims>) -> Result<Draft, FormError> {
    let mut texts: [String; FIELDS.len()] = Default::default();
    let mut current: Option<&mut String> = None;
    let mut expected = FIELDS.iter().zip(texts.iter_mut()).peekable();
    let lines: Vec<&str> = form.lines().collect();
    let keywords_at = lines
        .iter()
        .rposition(|line| is_heading(line, AFTER_CONTEXT));
    for (at, line) in lines.into_iter().enumerate() {
        let heading = expected.next_if(|(field, _)| {
            is_heading(line, field) && (**field != AFTER_CONTEXT || Some(at) == keywords_at)
        });
        match (heading, current.as_mut()) {
            (Some((_, text)), _) => current = Some(text),
            (None, Some(text)) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    if let Some((field, _)) = expected.next() {
        return Err(FormError::HeadingMissing(field));
    }
    let [
        title,
        problem,
        root_cause,
        solution,
        context,
        keywords,
        lines,
    ] = texts;
    Ok(Draft {
        title: required(title, "title")?,
        problem_description: required(problem, "problem")?,
        root_cause: optional(root_cause),
        solution: required(solution, "solution")?,
        context: optional(context),
        keywords: keywords
            .split([',', '\n'])
            .map(|word| word.trim().to_owned())
            .filter(|word| !word.is_empty())
            .collect(),
        applies: applies::read_edited(&lines, applies).map_err(FormError::Applies)?,
    })
}

fn is_heading(line: &str, field: &str) -> bool {
    line.trim() == format!("=== {field} ===")
}

fn required(text: String, field: &'static str) -> Result<String, FormError> {
    optional(text).ok_or(FormError::Blank(field))
}

fn optional(text: String) -> Option<String> {
    // The indentation of the first line stays; blank lines before it are removed when the draft is sanitized.
    let text = text.trim_end().to_owned();
    (!text.is_empty()).then_some(text)
}
