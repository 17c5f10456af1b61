//! Ctrl-C and SIGTERM: what they stop, and what is known afterwards.

use std::{borrow::Cow, future::Future, io};

use tokio::signal;

/// What ended a command before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// A person pressed Ctrl-C.
    CtrlC,
    /// Another process sent SIGTERM.
    Term,
}

/// A command was ended before its time; the text says what that left behind.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: {left_behind}")]
pub(crate) struct Interrupted {
    by: Ended,
    left_behind: Cow<'static, str>,
}

impl Interrupted {
    pub(crate) fn by_ctrl_c(left_behind: impl Into<Cow<'static, str>>) -> Self {
        let (by, left_behind) = (Ended::CtrlC, left_behind.into());
        Self { by, left_behind }
    }

    /// Returns what it left behind.
    pub(crate) fn left_behind(&self) -> &str {
        &self.left_behind
    }

    /// Returns what shells report for a process that the signal ended.
    pub(crate) fn exit_code(&self) -> u8 {
        match self.by {
            Ended::CtrlC => 130,
            Ended::Term => 143,
        }
    }
}

/// Runs `work` until it ends or a person presses Ctrl-C.
///
/// *Errors*: [`Interrupted`] with `left_behind`.
pub(crate) async fn or_interrupted<T>(
    work: impl Future<Output = T>,
    left_behind: impl Into<Cow<'static, str>>,
) -> Result<T, Interrupted> {
    tokio::select! {
        biased;
        outcome = work => Ok(outcome),
        Ok(()) = signal::ctrl_c() => Err(Interrupted::by_ctrl_c(left_behind)),
    }
}

/// Runs `work` until it ends, a person presses Ctrl-C or SIGTERM comes.
///
/// From then on SIGTERM no longer ends the process by itself. So only commands that have something
/// to clean up and ask nothing use it: a prompt would not hear the signal.
///
/// *Errors*: [`Interrupted`] with `left_behind`.
pub(crate) async fn or_stopped<T>(
    work: impl Future<Output = T>,
    left_behind: &'static str,
) -> Result<T, Interrupted> {
    let mut term = Termination::listen();
    tokio::select! {
        biased;
        outcome = or_interrupted(work, left_behind) => outcome,
        () = term.came() => Err(Interrupted { by: Ended::Term, left_behind: left_behind.into() }),
    }
}

/// SIGTERM, where the platform has it.
struct Termination {
    #[cfg(unix)]
    signals: Option<signal::unix::Signal>,
}

impl Termination {
    /// Listens from now on. Where no handler can be installed the signal ends the process as it
    /// always did.
    fn listen() -> Self {
        Self {
            #[cfg(unix)]
            signals: signal::unix::signal(signal::unix::SignalKind::terminate()).ok(),
        }
    }

    async fn came(&mut self) {
        #[cfg(unix)]
        if let Some(signals) = &mut self.signals
            && signals.recv().await.is_some()
        {
            return;
        }
        std::future::pending().await
    }
}

/// Keeps Ctrl-C from killing the process while a prompt or an editor has the terminal: the prompt
/// reports it instead, and the terminal is left in order.
pub(crate) fn leave_to_prompts() -> io::Result<()> {
    // What counts is that a handler is installed; it stays when its stream is dropped.
    #[cfg(unix)]
    let _ = signal::unix::signal(signal::unix::SignalKind::interrupt())?;
    #[cfg(windows)]
    let _ = signal::windows::ctrl_c()?;
    Ok(())
}
