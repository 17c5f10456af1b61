//! The texts of dialogues, messages and reports in the user's language: one table per language.
//!
//! Errors and their hints stay English, so that they can be searched for.

mod chinese;
mod demo;
mod doctor;
mod english;
mod french;
mod import;
mod kinds;
mod outbox;
mod reading;
mod results;
mod sanitize;
mod setup;
#[cfg(test)]
mod tests;
mod trust;

use std::env;

use recall_kit_client::SanitizedDraft;
use recall_kit_i18n::Language;
pub(crate) use recall_kit_i18n::filled;

use crate::terminal::controls::visible;

use chinese::CHINESE;
pub(crate) use demo::DemoWords;
pub(crate) use doctor::DoctorWords;
use english::ENGLISH;
use french::FRENCH;
pub(crate) use import::ImportWords;
pub(crate) use kinds::Kinds;
pub(crate) use outbox::OutboxWords;
pub(crate) use reading::ReadingWords;
pub(crate) use results::{AppliesWords, EnvironmentWords, ResultWords, StandingWords};
pub(crate) use sanitize::SanitizeWords;
pub(crate) use setup::SetupWords;
pub(crate) use trust::TrustWords;

/// The texts of one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Words {
    /// Asks whether to save an experience that comes from an agent.
    pub(crate) question: &'static str,
    /// Asks the same if the user has typed the command.
    pub(crate) share_question: &'static str,
    /// Whether a colon has a non-breaking space before it.
    pub(crate) has_spaced_colons: bool,
    pub(crate) title: &'static str,
    pub(crate) problem: &'static str,
    pub(crate) root_cause: &'static str,
    pub(crate) solution: &'static str,
    pub(crate) context: &'static str,
    pub(crate) keywords: &'static str,
    pub(crate) applies: AppliesWords,
    pub(crate) confirm: &'static str,
    pub(crate) cancel: &'static str,
    pub(crate) edit: &'static str,
    /// Label of the list of what was removed.
    pub(crate) removed: &'static str,
    /// The kinds of what is removed.
    pub(crate) kinds: Kinds,
    pub(crate) nothing_removed: &'static str,
    pub(crate) sanitizer_off: &'static str,
    /// Label of the list of what was removed although the allow list permits it.
    pub(crate) overruled: &'static str,
    /// Label of the list of what was removed although the rules do not list it.
    pub(crate) demanded: &'static str,
    /// Comes before the number of an entry of the allow list.
    pub(crate) allow_entry: &'static str,
    pub(crate) cancelled: &'static str,
    pub(crate) questions: Questions,
    pub(crate) init: InitWords,
    pub(crate) agents: AgentWords,
    pub(crate) setup: SetupWords,
    pub(crate) results: ResultWords,
    pub(crate) standings: StandingWords,
    pub(crate) reading: ReadingWords,
    pub(crate) outbox: OutboxWords,
    pub(crate) sanitize: SanitizeWords,
    pub(crate) doctor: DoctorWords,
    pub(crate) environment: EnvironmentWords,
    pub(crate) demo: DemoWords,
    pub(crate) trust: TrustWords,
    pub(crate) import: ImportWords,
}

/// The texts of questions and their answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Questions {
    /// Comes after an optional question.
    pub(crate) optional: &'static str,
    pub(crate) required: &'static str,
    pub(crate) what_now: &'static str,
    pub(crate) try_again: &'static str,
    /// Stores it in the outbox.
    pub(crate) send_later: &'static str,
    pub(crate) edit_again: &'static str,
    pub(crate) give_up: &'static str,
    pub(crate) gave_up: &'static str,
    /// If it is in the outbox.
    pub(crate) not_stored_yet: &'static str,
    /// The state after an interruption.
    pub(crate) nothing_sent: &'static str,
    pub(crate) no_editor: &'static str,
    /// With `{}` for the server that it is sent to; says who can find it there.
    pub(crate) goes_to: &'static str,
    /// The same for the program on this machine.
    pub(crate) stays_here: &'static str,
    /// The keys that answer a question.
    pub(crate) keys: &'static str,
    /// Introduces the text in the editor; the headings below it are the same in every language.
    pub(crate) form: &'static str,
    /// If the settings agreed instead of the user.
    pub(crate) sent_unasked: &'static str,
    /// If sending was interrupted or the answer was lost: the experience may have been stored.
    pub(crate) unknown: &'static str,
    /// If nothing was sent because the server was not reached.
    pub(crate) not_reached: &'static str,
    /// Says that trying again is safe.
    pub(crate) safe_to_repeat: &'static str,
    /// Warns before an experience is changed that may have been stored.
    pub(crate) second_record: &'static str,
    /// With `{}` for the model that wrote a draft.
    pub(crate) written_by: &'static str,
    pub(crate) written_by_host: &'static str,
    /// With `{}` for a field.
    pub(crate) blank: &'static str,
    /// With `{}` for a field whose heading is missing.
    pub(crate) heading_missing: &'static str,
    /// Comes before the state after an interruption.
    pub(crate) interrupted: &'static str,
    /// The progress of a sharing.
    pub(crate) summarizing: &'static str,
    pub(crate) summarized: &'static str,
}

/// The dialogue of `init`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InitWords {
    pub(crate) place: &'static str,
    pub(crate) this_project: &'static str,
    pub(crate) all_projects: &'static str,
    /// Comes after a file's name.
    pub(crate) exists: &'static str,
    pub(crate) keep: &'static str,
    pub(crate) overwrite: &'static str,
    /// With `{}` for the file that is kept.
    pub(crate) kept: &'static str,
    /// Asks where the memory is.
    pub(crate) server: &'static str,
    pub(crate) on_this_machine: &'static str,
    pub(crate) on_a_server: &'static str,
    /// Asks for a server's URL.
    pub(crate) server_url: &'static str,
    pub(crate) what_is_removed: &'static str,
    pub(crate) api_keys: &'static str,
    pub(crate) urls: &'static str,
    pub(crate) personal_info: &'static str,
    pub(crate) variables: &'static str,
    pub(crate) on_submit: &'static str,
    pub(crate) ask_first: &'static str,
    pub(crate) send_unasked: &'static str,
    /// Comes before a file's name.
    pub(crate) wrote: &'static str,
    /// Comes before a command.
    pub(crate) next: &'static str,
}

/// The dialogue of `init --agent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AgentWords {
    pub(crate) which: &'static str,
    pub(crate) write: &'static str,
    pub(crate) yes: &'static str,
    pub(crate) no: &'static str,
    pub(crate) nothing_written: &'static str,
    /// If Ctrl-C ended the question which agents to set up.
    pub(crate) none_set_up: &'static str,
    /// If there is nothing to remove from any of the agents.
    pub(crate) nothing_to_remove: &'static str,
    /// This and the next come after a file's name.
    pub(crate) up_to_date: &'static str,
    pub(crate) nothing_of_ours: &'static str,
    /// This and the next come before a file's name.
    pub(crate) deleted: &'static str,
    pub(crate) backup: &'static str,
    /// Says that agents read their settings when they start.
    pub(crate) restart: &'static str,
    /// Comes before text that the user can paste.
    pub(crate) by_hand: &'static str,
    /// If an agent's rules cannot be written.
    pub(crate) no_rules: &'static str,
    /// Says how to share a problem that an agent solved.
    pub(crate) share: &'static str,
    /// With `{}` for an id.
    pub(crate) ask_outcome: &'static str,
}

impl Words {
    /// Returns the texts for programs.
    pub(crate) const fn for_programs() -> Self {
        ENGLISH
    }

    /// Every language.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 3] = [ENGLISH, CHINESE, FRENCH];

    /// Returns the texts in the language of the process's locale; English if there are none.
    pub(crate) fn from_locale() -> Self {
        Self::of(&locale())
    }

    /// Returns the texts in the language of a locale such as `fr_CH.UTF-8`; English if there are none.
    pub(crate) fn of(locale: &str) -> Self {
        match Language::of(locale).unwrap_or_default() {
            Language::English => ENGLISH,
            Language::Chinese => CHINESE,
            Language::French => FRENCH,
        }
    }

    /// Returns the colon between a label and its value.
    pub(crate) fn colon(&self) -> &'static str {
        match self.has_spaced_colons {
            true => "\u{a0}:",
            false => ":",
        }
    }

    /// Formats a sanitized draft as `Title: …` and so on.
    pub(crate) fn fields(&self, draft: &SanitizedDraft) -> String {
        self.fields_as(draft, visible)
    }

    /// Like [`Self::fields`], with each text formatted by `shown`.
    pub(crate) fn fields_as(
        &self,
        draft: &SanitizedDraft,
        shown: impl Fn(&str) -> String,
    ) -> String {
        let request = draft.request();
        let keywords = request.keywords.as_ref().map(|words| words.join(", "));
        let applies = draft.applies().map(|claims| match claims.is_empty() {
            true => self.applies.nothing.to_owned(),
            false => claims.to_lines().join("; "),
        });
        let fields = [
            (self.title, Some(&request.title)),
            (self.problem, Some(&request.problem_description)),
            (self.root_cause, request.root_cause.as_ref()),
            (self.solution, Some(&request.solution)),
            (self.context, request.context.as_ref()),
            (self.keywords, keywords.as_ref()),
            (self.applies.label, applies.as_ref()),
        ];
        let lines = fields.into_iter().filter_map(|(label, text)| {
            let text = text?;
            let gap = if text.contains('\n') { "\n" } else { " " };
            Some(format!("{label}{}{gap}{}", self.colon(), shown(text)))
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Describes what the sanitizer did to a draft.
    pub(crate) fn removal_note(&self, draft: &SanitizedDraft) -> String {
        if !draft.is_sanitizer_on() {
            return self.sanitizer_off.to_owned();
        }
        if draft.removed().is_empty() {
            return self.nothing_removed.to_owned();
        }
        let colon = self.colon();
        let removed = self.kinds.list(draft.removed());
        let mut note = format!("{}{colon} {removed}", self.removed);
        if !draft.left_out().is_empty() {
            let left_out = draft.left_out().join("; ");
            note.push('\n');
            note.push_str(&filled(self.applies.left_out, &[&left_out]));
        }
        if !draft.demanded().is_empty() {
            let demanded = self.kinds.list(draft.demanded());
            note.push_str(&format!("\n{}{colon} {demanded}", self.demanded));
        }
        if !draft.overruled().is_empty() {
            let overruled = draft.overruled().iter().map(|it| {
                format!(
                    "{} ({}, {} {})",
                    self.kinds.name_of(&it.kind),
                    it.field,
                    self.allow_entry,
                    it.entry
                )
            });
            let overruled = overruled.collect::<Vec<_>>().join(", ");
            note.push_str(&format!("\n{}{colon} {overruled}", self.overruled));
        }
        note
    }
}

/// Returns the process's locale, else the system's: on Windows, and in programs that were started from the macOS
/// desktop, the variables are not set. Returns an empty string if there is none.
pub(crate) fn locale() -> String {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter();
    let mut set = names.filter_map(|name| env::var(name).ok().filter(|value| !value.is_empty()));
    set.next()
        .or_else(sys_locale::get_locale)
        .unwrap_or_default()
}
