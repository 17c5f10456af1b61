//! The commands that read what servers know: `query`, `recall`, `knowledge`, `docs` and `show`.

mod card;
pub(crate) mod docs;
pub(crate) mod environment;
pub(crate) mod knowledge;
pub(crate) mod query;
pub(crate) mod recall;
pub(crate) mod show;

use recall_kit_client::{Error, Servers, Unanswered};

use super::{close_all, outbox};
use crate::{
    terminal::{
        controls::visible,
        interrupt::or_interrupted,
        printer::{DIM, Printer, YELLOW, styled},
        progress,
    },
    words::{Words, filled},
};

/// Waits for an answer, shows it, and ends the work with the servers. The answer is shown before the connections
/// are closed, which may take a while.
async fn answered<T>(
    servers: &Servers,
    asking: impl Future<Output = Result<T, Error>>,
    printer: &Printer,
    show: impl FnOnce(&T) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let words = Words::from_locale().results;
    let asking = progress::shown(asking, words.searching, printer);
    let shown = match or_interrupted(asking, words.dropped).await {
        Ok(Ok(answer)) => {
            let shown = show(&answer);
            outbox::flush_after_command(servers, printer).await;
            shown
        }
        Ok(Err(error)) => Err(error.into()),
        Err(interrupted) => Err(interrupted.into()),
    };
    close_all(servers).await;
    shown
}

/// Names the servers whose answers are missing.
fn warn_of(unanswered: &[Unanswered], printer: &Printer) {
    let words = Words::from_locale().results;
    for Unanswered { server, reason } in unanswered {
        let warning = filled(words.unanswered, &[&visible(server), &visible(reason)]);
        printer.urgent(&styled(YELLOW, warning));
    }
}

/// Says that nothing was found, and what to do next.
fn report_nothing(hint: &str, printer: &Printer) {
    let nothing = Words::from_locale().results.nothing;
    printer.info(&format!("{nothing}\n{}", styled(DIM, hint)));
}

/// Says how one of the results is opened.
fn report_how_to_open(printer: &Printer) {
    printer.info(&styled(DIM, Words::from_locale().reading.how_to_open));
}
