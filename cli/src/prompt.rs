//! Questions to a person at a terminal.
//!
//! Every question is drawn on stderr; none is asked where stdin or stderr is no terminal.

use std::io::{self, IsTerminal};

use dialoguer::{Editor, Input, MultiSelect, Select, theme::ColorfulTheme};
use recall_kit_client::{Answer, Draft, SanitizedDraft};

use crate::{
    draft_form,
    interrupt::Interrupted,
    printer::{BOLD, Printer, YELLOW, styled},
    words::Words,
};

/// Says whether someone is there to be asked.
pub(crate) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for a line that must not be blank.
pub(crate) fn required(question: &str) -> anyhow::Result<String> {
    let theme = ColorfulTheme::default();
    let input = Input::<String>::with_theme(&theme)
        .with_prompt(question)
        .validate_with(|text: &String| match text.trim().is_empty() {
            true => Err(Words::from_locale().questions.required),
            false => Ok(()),
        });
    answered(input.interact_text())
}

/// Asks for a line; none when it is left blank.
pub(crate) fn optional(question: &str) -> anyhow::Result<Option<String>> {
    let theme = ColorfulTheme::default();
    let input = Input::<String>::with_theme(&theme)
        .with_prompt(format!(
            "{question} {}",
            Words::from_locale().questions.optional
        ))
        .allow_empty(true);
    let text = answered(input.interact_text())?;
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

/// Asks for a line, offering a default; `check` says what is wrong with it.
pub(crate) fn with_default(
    question: &str,
    default: String,
    check: impl Fn(&String) -> Result<(), String>,
) -> anyhow::Result<String> {
    let theme = ColorfulTheme::default();
    let input = Input::with_theme(&theme)
        .with_prompt(question)
        .default(default)
        .validate_with(check);
    answered(input.interact_text())
}

/// Asks for one of several items and returns its index.
pub(crate) fn choice(question: &str, items: &[&str]) -> anyhow::Result<usize> {
    let theme = ColorfulTheme::default();
    let select = Select::with_theme(&theme)
        .with_prompt(question)
        .items(items)
        .default(0);
    answered(select.interact())
}

/// Asks for any of several items, each with its default, and returns the indices.
pub(crate) fn choices(question: &str, items: &[(&str, bool)]) -> anyhow::Result<Vec<usize>> {
    let theme = ColorfulTheme::default();
    let select = MultiSelect::with_theme(&theme)
        .with_prompt(question)
        .items_checked(items.iter().copied());
    answered(select.interact())
}

/// Shows a sanitized draft and asks what to do with it, in the protocol's words. `remarks` say what to
/// look at in it.
pub(crate) fn answer(
    draft: &SanitizedDraft,
    remarks: &[String],
    printer: &Printer,
) -> anyhow::Result<Answer> {
    let words = Words::from_locale();
    let note = words.removal_note(draft);
    let note = match draft.is_sanitizer_on() {
        true => note,
        false => styled(YELLOW, note),
    };
    let fields = words.fields(draft);
    printer.urgent(&format!(
        "\n{}\n\n{fields}\n\n{note}\n",
        styled(BOLD, words.question)
    ));
    for remark in remarks {
        printer.urgent(&format!("{} {remark}", styled(YELLOW, "!")));
    }
    let items = [words.confirm, words.cancel, words.edit];
    let theme = ColorfulTheme::default();
    let select = Select::with_theme(&theme).items(items).default(0);
    match answered(select.interact())? {
        0 => Ok(Answer::Confirm),
        1 => Ok(Answer::Cancel),
        _ => edited(draft.request().clone().into(), printer),
    }
}

/// Opens a draft in `$EDITOR`, until what comes back is a draft or the person gives up.
pub(crate) fn edited(draft: Draft, printer: &Printer) -> anyhow::Result<Answer> {
    let words = Words::from_locale();
    let mut text = draft_form::write(&draft);
    loop {
        let saved = match Editor::new().extension(".md").edit(&text) {
            Ok(saved) => saved,
            Err(error) => {
                printer.urgent(&format!("{}: {error}", words.questions.no_editor));
                None
            }
        };
        let Some(saved) = saved else {
            // Left without saving: the draft stands as it was and is shown again.
            return Ok(Answer::Edit(draft));
        };
        match draft_form::read(&saved) {
            Ok(draft) => return Ok(Answer::Edit(draft)),
            Err(problem) => {
                printer.urgent(&problem.in_words(&words.questions));
                let answers = [words.questions.edit_again, words.cancel];
                if choice(words.questions.what_now, &answers)? == 1 {
                    return Ok(Answer::Cancel);
                }
                text = saved;
            }
        }
    }
}

/// Turns Ctrl-C in a prompt into [`Interrupted`].
fn answered<T>(answer: dialoguer::Result<T>) -> anyhow::Result<T> {
    match answer {
        Ok(answer) => Ok(answer),
        Err(dialoguer::Error::IO(error)) if error.kind() == io::ErrorKind::Interrupted => {
            // A selection hides the cursor and does not bring it back when it is interrupted.
            let _ = console::Term::stderr().show_cursor();
            Err(Interrupted::by_ctrl_c(Words::from_locale().questions.nothing_sent).into())
        }
        Err(dialoguer::Error::IO(error)) => Err(error.into()),
    }
}
