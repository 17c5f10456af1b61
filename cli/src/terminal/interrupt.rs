//! Ctrl-C and SIGTERM: stopping a command, and reporting the state that it leaves.

use std::{borrow::Cow, future::Future, io};

use tokio::signal;

/// The signal that ended a command early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signal {
    /// A person pressed Ctrl-C.
    CtrlC,
    /// Another process sent SIGTERM.
    Term,
}

/// A command was ended early; the text describes the state that it left.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: {state}")]
pub(crate) struct Interrupted {
    by: Signal,
    state: Cow<'static, str>,
}

impl Interrupted {
    pub(crate) fn by_ctrl_c(state: impl Into<Cow<'static, str>>) -> Self {
        let (by, state) = (Signal::CtrlC, state.into());
        Self { by, state }
    }

    /// Returns the description of the state that the command left.
    pub(crate) fn state(&self) -> &str {
        &self.state
    }

    /// Returns the exit code that shells report for a process that the signal ended.
    pub(crate) fn exit_code(&self) -> u8 {
        match self.by {
            Signal::CtrlC => 130,
            Signal::Term => 143,
        }
    }
}

/// Runs `work` until it ends or a person presses Ctrl-C.
///
/// *Errors*: [`Interrupted`] with `state`.
pub(crate) async fn or_interrupted<T>(
    work: impl Future<Output = T>,
    state: impl Into<Cow<'static, str>>,
) -> Result<T, Interrupted> {
    tokio::select! {
        biased;
        outcome = work => Ok(outcome),
        Ok(()) = signal::ctrl_c() => Err(Interrupted::by_ctrl_c(state)),
    }
}

/// Runs `work` until it ends, a person presses Ctrl-C or SIGTERM comes.
///
/// From then on SIGTERM no longer ends the process by itself. So only commands that have something to clean
/// up and ask nothing use it: a prompt does not react to the signal.
///
/// *Errors*: [`Interrupted`] with `state`.
pub(crate) async fn or_stopped<T>(
    work: impl Future<Output = T>,
    state: &'static str,
) -> Result<T, Interrupted> {
    let mut term = Termination::listen();
    tokio::select! {
        biased;
        outcome = or_interrupted(work, state) => outcome,
        () = term.received() => Err(Interrupted { by: Signal::Term, state: state.into() }),
    }
}

/// SIGTERM, if the platform has it.
struct Termination {
    #[cfg(unix)]
    signals: Option<signal::unix::Signal>,
}

impl Termination {
    /// Installs a handler. If that fails, the signal still ends the process.
    fn listen() -> Self {
        Self {
            #[cfg(unix)]
            signals: signal::unix::signal(signal::unix::SignalKind::terminate()).ok(),
        }
    }

    async fn received(&mut self) {
        #[cfg(unix)]
        if let Some(signals) = &mut self.signals
            && signals.recv().await.is_some()
        {
            return;
        }
        std::future::pending().await
    }
}

/// Keeps Ctrl-C from killing the process while a prompt or an editor uses the terminal: the prompt reports it
/// instead, and the terminal is left in a usable state.
pub(crate) fn leave_to_prompts() -> io::Result<()> {
    // The handler stays installed when its stream is dropped.
    #[cfg(unix)]
    let _ = signal::unix::signal(signal::unix::SignalKind::interrupt())?;
    #[cfg(windows)]
    let _ = signal::windows::ctrl_c()?;
    Ok(())
}
