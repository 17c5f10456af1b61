//! What a person reads in dialogues, messages and reports, in the person's language: one table per
//! language.
//!
//! Errors and their hints stay English, so that they can be searched for. Source of the confirmation
//! screen: client protocol, "用户确认".

mod ages;
mod chinese;
mod demo;
mod doctor;
mod english;
mod french;
mod kinds;
mod outbox;
mod results;
mod sanitize;
#[cfg(test)]
mod tests;
mod trust;

use std::env;

use recall_kit_client::SanitizedDraft;

use crate::terminal::controls::visible;

pub(crate) use ages::Ages;
use chinese::CHINESE;
pub(crate) use demo::DemoWords;
pub(crate) use doctor::DoctorWords;
use english::ENGLISH;
use french::FRENCH;
pub(crate) use kinds::Kinds;
pub(crate) use outbox::OutboxWords;
pub(crate) use results::ResultWords;
pub(crate) use sanitize::SanitizeWords;
pub(crate) use trust::TrustWords;

/// The words of one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Words {
    /// Asks whether to save the experience that an agent has just made.
    pub(crate) question: &'static str,
    /// Asks the same where the user typed the command.
    pub(crate) share_question: &'static str,
    /// Whether a colon has a space before it, which does not break.
    pub(crate) has_spaced_colons: bool,
    pub(crate) title: &'static str,
    pub(crate) problem: &'static str,
    pub(crate) root_cause: &'static str,
    pub(crate) solution: &'static str,
    pub(crate) context: &'static str,
    pub(crate) keywords: &'static str,
    pub(crate) confirm: &'static str,
    pub(crate) cancel: &'static str,
    pub(crate) edit: &'static str,
    /// Opens the list of what was removed.
    pub(crate) removed: &'static str,
    /// The kinds of what is removed.
    pub(crate) kinds: Kinds,
    pub(crate) nothing_removed: &'static str,
    pub(crate) sanitizer_off: &'static str,
    /// Opens the list of what was removed although the allow list lets it through.
    pub(crate) overruled: &'static str,
    /// What goes although the rules do not list it.
    pub(crate) demanded: &'static str,
    /// Stands before the number of an entry of the allow list.
    pub(crate) allow_entry: &'static str,
    pub(crate) cancelled: &'static str,
    pub(crate) questions: Questions,
    pub(crate) init: InitWords,
    pub(crate) agents: AgentWords,
    pub(crate) results: ResultWords,
    pub(crate) outbox: OutboxWords,
    pub(crate) sanitize: SanitizeWords,
    pub(crate) doctor: DoctorWords,
    pub(crate) demo: DemoWords,
    pub(crate) trust: TrustWords,
}

/// What questions and their answers have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Questions {
    /// Stands behind what need not be answered.
    pub(crate) optional: &'static str,
    pub(crate) required: &'static str,
    pub(crate) what_now: &'static str,
    pub(crate) try_again: &'static str,
    /// Keep it in the outbox.
    pub(crate) send_later: &'static str,
    pub(crate) edit_again: &'static str,
    pub(crate) give_up: &'static str,
    pub(crate) gave_up: &'static str,
    /// Where it was kept for later.
    pub(crate) not_stored_yet: &'static str,
    /// What an interruption left behind.
    pub(crate) nothing_sent: &'static str,
    pub(crate) no_editor: &'static str,
    /// With `{}` for the server that it goes to, and who can read it there.
    pub(crate) goes_to: &'static str,
    /// The same of the program on this machine.
    pub(crate) stays_here: &'static str,
    /// Which keys answer a question.
    pub(crate) keys: &'static str,
    /// Opens the text that is edited; the headings below it are the same in every language.
    pub(crate) form: &'static str,
    /// Where the settings agreed to it.
    pub(crate) sent_unasked: &'static str,
    /// When sending was interrupted or the answer was lost: it is one message, and it may have
    /// arrived.
    pub(crate) unknown: &'static str,
    /// Where nothing was sent, because the server was not reached.
    pub(crate) not_reached: &'static str,
    /// What a person has to know to choose between trying again and not.
    pub(crate) safe_to_repeat: &'static str,
    /// What a person has to know before changing what may have been stored.
    pub(crate) second_record: &'static str,
    /// With `{}` for the model that wrote a draft.
    pub(crate) written_by: &'static str,
    pub(crate) written_by_host: &'static str,
    /// With `{}` for a field.
    pub(crate) blank: &'static str,
    /// With `{}` for a field, which has no heading any more.
    pub(crate) heading_missing: &'static str,
    /// Stands before what an interruption left behind.
    pub(crate) interrupted: &'static str,
    /// How far a sharing is.
    pub(crate) summarizing: &'static str,
    pub(crate) summarized: &'static str,
}

/// The dialogue of `init`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InitWords {
    pub(crate) place: &'static str,
    pub(crate) this_project: &'static str,
    pub(crate) all_projects: &'static str,
    /// Stands behind a file's name.
    pub(crate) exists: &'static str,
    pub(crate) keep: &'static str,
    pub(crate) overwrite: &'static str,
    /// With `{}` for the file that stays.
    pub(crate) kept: &'static str,
    /// Asks where the experiences are.
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
    /// Stands before a file's name.
    pub(crate) wrote: &'static str,
    /// Stands before a command.
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
    /// Where Ctrl-C ended the question which agents to set up.
    pub(crate) none_set_up: &'static str,
    /// Where none of the agents has anything to be taken out.
    pub(crate) nothing_to_remove: &'static str,
    /// Stand behind a file's name.
    pub(crate) up_to_date: &'static str,
    pub(crate) nothing_of_ours: &'static str,
    /// Stands before a file's name, as do the next two.
    pub(crate) deleted: &'static str,
    pub(crate) backup: &'static str,
    /// Says that agents read their settings when they start.
    pub(crate) restart: &'static str,
    /// Stands before what a person can paste.
    pub(crate) by_hand: &'static str,
    /// Where an agent's rules cannot be written.
    pub(crate) no_rules: &'static str,
    /// Tells how to share what an agent solved.
    pub(crate) share: &'static str,
}

impl Words {
    /// What programs read.
    pub(crate) const fn for_programs() -> Self {
        ENGLISH
    }

    /// Every language.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 3] = [ENGLISH, CHINESE, FRENCH];

    /// Picks the language of the process's locale; English where it is no other of these.
    pub(crate) fn from_locale() -> Self {
        Self::of(&locale())
    }

    /// Picks the language of a locale such as `fr_CH.UTF-8`.
    pub(crate) fn of(locale: &str) -> Self {
        match locale.split(['_', '-', '.', '@']).next() {
            Some("zh") => CHINESE,
            Some("fr") => FRENCH,
            _ => ENGLISH,
        }
    }

    /// Returns what stands between a name and what it names.
    pub(crate) fn colon(&self) -> &'static str {
        match self.has_spaced_colons {
            true => "\u{a0}:",
            false => ":",
        }
    }

    /// Lays out a sanitized draft as `Title: …` and so on.
    pub(crate) fn fields(&self, draft: &SanitizedDraft) -> String {
        self.fields_as(draft, visible)
    }

    /// The same with each text as `shown` gives it.
    pub(crate) fn fields_as(
        &self,
        draft: &SanitizedDraft,
        shown: impl Fn(&str) -> String,
    ) -> String {
        let request = draft.request();
        let keywords = request.keywords.as_ref().map(|words| words.join(", "));
        let fields = [
            (self.title, Some(&request.title)),
            (self.problem, Some(&request.problem_description)),
            (self.root_cause, request.root_cause.as_ref()),
            (self.solution, Some(&request.solution)),
            (self.context, request.context.as_ref()),
            (self.keywords, keywords.as_ref()),
        ];
        let lines = fields.into_iter().filter_map(|(label, text)| {
            let text = text?;
            let gap = if text.contains('\n') { "\n" } else { " " };
            Some(format!("{label}{}{gap}{}", self.colon(), shown(text)))
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Says what the sanitizer did to a draft.
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
        if !draft.demanded().is_empty() {
            let demanded = self.kinds.list(draft.demanded());
            note.push_str(&format!("\n{}{colon} {demanded}", self.demanded));
        }
        if !draft.overruled().is_empty() {
            let overruled = draft.overruled().iter().map(|it| {
                format!(
                    "{} ({}, {} {})",
                    self.kinds.said(&it.kind),
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

/// Returns the process's locale, else the system's: Windows sets no variables, and neither do
/// programs that were started from a desktop of macOS. Nothing where there is none.
pub(crate) fn locale() -> String {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter();
    let mut set = names.filter_map(|name| env::var(name).ok().filter(|value| !value.is_empty()));
    set.next()
        .or_else(sys_locale::get_locale)
        .unwrap_or_default()
}

/// Puts values into a text, one for each `{}`.
pub(crate) fn filled(text: &str, values: &[&dyn std::fmt::Display]) -> String {
    let mut values = values.iter();
    let mut parts = text.split("{}");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if let Some(value) = values.next() {
            filled.push_str(&value.to_string());
        }
        filled.push_str(part);
    }
    filled
}
