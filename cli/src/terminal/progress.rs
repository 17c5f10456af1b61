//! Shows a spinner at a terminal while the program waits, once that takes longer than a moment.

use std::{
    future::Future,
    io::{self, IsTerminal as _},
    pin::pin,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal::printer::Printer;

/// The delay before the spinner is shown.
const DELAY: Duration = Duration::from_millis(300);
const TICK: Duration = Duration::from_millis(100);

/// Waits for `work` and shows `text` on stderr meanwhile, if that is a terminal and `--quiet` is not set.
pub(crate) async fn shown<T>(
    work: impl Future<Output = T>,
    text: &'static str,
    printer: &Printer,
) -> T {
    if printer.is_quiet() || !io::stderr().is_terminal() {
        return work.await;
    }
    let mut work = pin!(work);
    tokio::select! {
        biased;
        outcome = &mut work => return outcome,
        () = tokio::time::sleep(DELAY) => {}
    }
    let _spinner = Spinner::start(text);
    work.await
}

/// A spinner that is removed when it is dropped, even if the wait is cancelled.
struct Spinner(ProgressBar);

impl Spinner {
    fn start(text: &'static str) -> Self {
        let spinner = ProgressBar::new_spinner().with_message(text);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            spinner.set_style(style);
        }
        spinner.enable_steady_tick(TICK);
        Self(spinner)
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
