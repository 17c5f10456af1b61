//! Removes invisible characters from everything that is sent to be stored, before any other check: they
//! hide instructions from people and secrets from rules.

use recall_kit_sanitizer::remove_invisible;

use super::{AddInput, SubmissionInput};

/// How many characters were removed from which fields.
#[derive(Debug, Default)]
struct Removed(Vec<(&'static str, usize)>);

impl Removed {
    fn clean_text(&mut self, field: &'static str, text: &mut Option<String>) {
        let count = text.as_mut().map_or(0, remove_invisible);
        self.count(field, count);
    }

    fn clean_list(&mut self, field: &'static str, list: &mut Option<Vec<String>>) {
        let elements = list.iter_mut().flatten();
        let count = elements.map(remove_invisible).sum();
        self.count(field, count);
    }

    fn count(&mut self, field: &'static str, count: usize) {
        if count > 0 {
            self.0.push((field, count));
        }
    }

    /// Returns the note, such as `invisible characters were removed: 2 from title, 1 from solution`.
    fn note(self) -> Option<String> {
        let fields = self.0.iter();
        let fields: Vec<String> = fields
            .map(|(field, count)| format!("{count} from {field}"))
            .collect();
        (!fields.is_empty())
            .then(|| format!("invisible characters were removed: {}", fields.join(", ")))
    }
}

impl SubmissionInput {
    /// Removes invisible characters from every field; returns a note if there were any.
    pub(super) fn remove_invisible(&mut self) -> Option<String> {
        let mut removed = Removed::default();
        removed.clean_text("title", &mut self.title);
        removed.clean_text("problem_description", &mut self.problem_description);
        removed.clean_text("root_cause", &mut self.root_cause);
        removed.clean_text("solution", &mut self.solution);
        removed.clean_text("context", &mut self.context);
        removed.clean_list("keywords", &mut self.keywords);
        removed.note()
    }
}

impl AddInput {
    /// Removes invisible characters from every field; returns a note if there were any.
    pub(super) fn remove_invisible(&mut self) -> Option<String> {
        let mut removed = Removed::default();
        removed.clean_text("title", &mut self.title);
        removed.clean_text("content", &mut self.content);
        removed.clean_list("tags", &mut self.tags);
        removed.clean_text("context", &mut self.context);
        removed.clean_text("project", &mut self.project);
        removed.note()
    }
}
