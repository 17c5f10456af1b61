//! Questions to a person at a terminal.
//!
//! Questions are written to stderr; none is asked if stdin or stderr is not a terminal. In a list of choices,
//! Esc and `q` work like Ctrl-C.

use std::{
    fmt,
    io::{self, IsTerminal},
};

use console::Term;
use dialoguer::{
    Editor, MultiSelect, Select,
    theme::{ColorfulTheme, Theme as _},
};
use recall_kit_client::{Answer, Draft, RecallKitClient, SanitizedDraft, ServerUrl};

use crate::{
    draft_form,
    terminal::{
        controls::visible,
        interrupt::Interrupted,
        layout::Page,
        line_editor, preview,
        printer::{BOLD, DIM, Printer, YELLOW, styled},
    },
    words::{Words, filled},
};

/// The indices of the answers to a preview.
const CONFIRM: usize = 0;
const CANCEL: usize = 1;
const EDIT: usize = 2;

/// Returns whether a person can be asked.
pub(crate) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for a line that must not be blank.
pub(crate) fn required(question: &str) -> anyhow::Result<String> {
    checked(question, |text| match text.trim().is_empty() {
        true => Err(Words::from_locale().questions.required.to_owned()),
        false => Ok(()),
    })
}

/// Asks for a line; `None` if it is left blank.
pub(crate) fn optional(question: &str) -> anyhow::Result<Option<String>> {
    let optional = Words::from_locale().questions.optional;
    let text = checked(&format!("{question} {optional}"), |_| Ok(()))?;
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

/// Asks for a line until `check` accepts it; its error is shown.
pub(crate) fn checked(
    question: &str,
    check: impl Fn(&str) -> Result<(), String>,
) -> anyhow::Result<String> {
    let (term, theme) = (Term::stderr(), ColorfulTheme::default());
    let prompt = themed(|to| theme.format_input_prompt(to, question, None));
    let mut line = String::new();
    loop {
        line = answered(line_editor::read(&term, &prompt, &line))?;
        let summary = match check(&line) {
            Ok(()) => themed(|to| theme.format_input_prompt_selection(to, question, &line)),
            Err(problem) => {
                term.write_line(&themed(|to| theme.format_error(to, &problem)))?;
                continue;
            }
        };
        term.write_line(&Page::of_stderr().wrap(&summary, 0))?;
        return Ok(line);
    }
}

/// Asks for a secret until `check` accepts it; nothing of it is shown.
pub(crate) fn secret(
    question: &str,
    check: impl Fn(&str) -> Result<(), String>,
) -> anyhow::Result<String> {
    let (term, theme) = (Term::stderr(), ColorfulTheme::default());
    let prompt = themed(|to| theme.format_input_prompt(to, question, None));
    discard_typed_ahead();
    loop {
        let secret = answered(line_editor::read_hidden(&term, &prompt))?;
        let secret = secret.trim();
        match check(secret) {
            Ok(()) => return Ok(secret.to_owned()),
            Err(problem) => term.write_line(&themed(|to| theme.format_error(to, &problem)))?,
        }
    }
}

/// Returns the text that a theme writes.
fn themed(write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text);
    text
}

/// Asks for one of several items and returns its index.
pub(crate) fn choice(question: &str, items: &[&str]) -> anyhow::Result<usize> {
    let theme = ColorfulTheme::default();
    let select = Select::with_theme(&theme)
        .with_prompt(question)
        .items(items)
        .default(0);
    discard_typed_ahead();
    answered(select.interact_opt())?.ok_or_else(left)
}

/// Asks for any number of items, each with its default, and returns the indices.
pub(crate) fn choices(question: &str, items: &[(&str, bool)]) -> anyhow::Result<Vec<usize>> {
    let theme = ColorfulTheme::default();
    let select = MultiSelect::with_theme(&theme)
        .with_prompt(question)
        .items_checked(items.iter().copied());
    discard_typed_ahead();
    answered(select.interact_opt())?.ok_or_else(left)
}

/// Shows a sanitized draft and its recipient, and asks what to do with it. `remarks` are hints on what to check.
/// The draft is sent only if the user chooses that: the cursor starts on [`CANCEL`], and leaving the question
/// never sends.
pub(crate) fn answer(
    client: &RecallKitClient,
    draft: &SanitizedDraft,
    remarks: &[String],
    printer: &Printer,
) -> anyhow::Result<Answer> {
    let (words, page) = (Words::from_locale(), Page::of_stderr());
    let note = page.wrap(&words.removal_note(draft), 0);
    let note = match draft.is_sanitizer_on() {
        true => note,
        false => styled(YELLOW, note),
    };
    let fields = preview::fields(draft, &words, page);
    let recipient = page.wrap(&recipient(client, &words), 0);
    printer.urgent(&format!(
        "\n{}\n\n{fields}\n\n{note}\n{recipient}\n",
        styled(BOLD, words.share_question)
    ));
    for remark in remarks {
        printer.urgent(&page.wrap(&format!("{} {remark}", styled(YELLOW, "!")), 0));
    }
    printer.urgent(&styled(DIM, words.questions.keys));
    let items = [words.confirm, words.cancel, words.edit];
    let theme = ColorfulTheme::default();
    let select = Select::with_theme(&theme).items(items).default(CANCEL);
    discard_typed_ahead();
    match answered(select.interact_opt())? {
        Some(CONFIRM) => Ok(Answer::Confirm),
        Some(EDIT) => edited(draft.to_draft(), printer),
        _ => Ok(Answer::Cancel),
    }
}

/// Describes where a draft would be sent, and who can find it there.
fn recipient(client: &RecallKitClient, words: &Words) -> String {
    let url = client.server_url();
    if *url == ServerUrl::Local {
        return words.questions.stays_here.to_owned();
    }
    let server = match client.name() {
        Some(name) => format!("{name} ({url})"),
        None => url.to_string(),
    };
    filled(words.questions.goes_to, &[&visible(&server)])
}

/// Opens a draft in `$EDITOR` until the saved text is a valid draft or the user cancels.
pub(crate) fn edited(draft: Draft, printer: &Printer) -> anyhow::Result<Answer> {
    let words = Words::from_locale();
    let mut text = draft_form::write(&draft);
    loop {
        let saved = match Editor::new().extension(".md").edit(&text) {
            Ok(saved) => saved,
            Err(error) => {
                let colon = words.colon();
                printer.urgent(&format!("{}{colon} {error}", words.questions.no_editor));
                None
            }
        };
        let Some(saved) = saved else {
            // Closed without saving: the draft is unchanged and is shown again.
            return Ok(Answer::Edit(draft));
        };
        match draft_form::read(&saved, draft.applies.as_ref()) {
            Ok(draft) => return Ok(Answer::Edit(draft)),
            Err(problem) => {
                printer.urgent(&visible(&problem.message(&words)));
                let answers = [words.questions.edit_again, words.cancel];
                if choice(words.questions.what_now, &answers)? == 1 {
                    return Ok(Answer::Cancel);
                }
                text = saved;
            }
        }
    }
}

/// Discards the keys that were pressed before the question was visible: they were meant for something else. If a
/// platform cannot do that, such keys alone still do not send anything.
fn discard_typed_ahead() {
    #[cfg(unix)]
    let _ = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush);
}

/// Turns Ctrl-C in a prompt into [`Interrupted`].
fn answered<T>(answer: Result<T, impl Into<dialoguer::Error>>) -> anyhow::Result<T> {
    answer.map_err(|error| match error.into() {
        dialoguer::Error::IO(error) if error.kind() == io::ErrorKind::Interrupted => {
            // A selection hides the cursor and does not bring it back when it is interrupted.
            let _ = Term::stderr().show_cursor();
            left()
        }
        dialoguer::Error::IO(error) => error.into(),
    })
}

/// Returns the error for a question that was left without an answer.
fn left() -> anyhow::Error {
    Interrupted::by_ctrl_c(Words::from_locale().questions.nothing_sent).into()
}
