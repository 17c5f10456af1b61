//! Writes log lines to a bounded buffer, from which a separate thread writes them out.
//!
//! Logging never waits for the terminal or the pipe. When they do not keep up, further lines are dropped
//! and counted, and a line reports how many.

use std::{
    io::{self, Write},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tracing_subscriber::fmt::MakeWriter;

/// Bytes of lines that may wait to be written.
const CAPACITY: usize = 1024 * 1024;
/// Bytes of its buffer that an idle writer keeps allocated.
const IDLE_CAPACITY: usize = 64 * 1024;
/// How long the end of the program waits for the last lines.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

static DROPPED: AtomicU64 = AtomicU64::new(0);

/// Returns how many lines were dropped since the start.
pub fn dropped_lines() -> u64 {
    DROPPED.load(Ordering::Relaxed)
}

/// Accepts lines; clones share the buffer.
#[derive(Clone)]
pub(super) struct LineWriter(Arc<Shared>);

struct Shared {
    waiting: Mutex<Waiting>,
    /// Notified when lines wait to be written.
    has_lines: Condvar,
    /// Notified when everything was written after the buffer was closed.
    finished: Condvar,
}

#[derive(Default)]
struct Waiting {
    lines: Vec<u8>,
    dropped: u64,
    closed: bool,
    finished: bool,
}

impl LineWriter {
    /// Starts the thread. `notice` formats the line that reports how many were dropped.
    ///
    /// *Errors*: the thread cannot be started.
    pub(super) fn start<W>(output: W, notice: fn(u64) -> String) -> io::Result<Self>
    where
        W: Write + Send + 'static,
    {
        let writer = Self(Arc::new(Shared {
            waiting: Mutex::default(),
            has_lines: Condvar::new(),
            finished: Condvar::new(),
        }));
        let shared = Arc::clone(&writer.0);
        std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || shared.write_out(output, notice))?;
        Ok(writer)
    }

    /// Waits until all lines are written, but no longer than [`CLOSE_TIMEOUT`] for a stuck output.
    pub(super) fn close(&self) {
        let mut waiting = self.0.lock();
        waiting.closed = true;
        self.0.has_lines.notify_one();
        let written = self
            .0
            .finished
            .wait_timeout_while(waiting, CLOSE_TIMEOUT, |waiting| !waiting.finished);
        drop(written);
    }
}

impl Shared {
    // Ignores poisoning: nothing can panic half way through a change of the buffer.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_out<W: Write>(&self, mut output: W, notice: fn(u64) -> String) {
        let mut lines = Vec::new();
        loop {
            let mut waiting = self
                .has_lines
                .wait_while(self.lock(), |w| w.lines.is_empty() && !w.closed)
                .unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut lines, &mut waiting.lines);
            let dropped = std::mem::take(&mut waiting.dropped);
            if lines.is_empty() && dropped == 0 {
                waiting.finished = true;
                self.finished.notify_all();
                return;
            }
            drop(waiting);
            if dropped > 0 {
                lines.extend_from_slice(notice(dropped).as_bytes());
            }
            // There is nowhere to report a log that cannot be written.
            output.write_all(&lines).and_then(|()| output.flush()).ok();
            lines.clear();
            lines.shrink_to(IDLE_CAPACITY);
        }
    }
}

impl Write for &LineWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut waiting = self.0.lock();
        if waiting.closed || waiting.lines.len() + line.len() > CAPACITY {
            waiting.dropped += 1;
            DROPPED.fetch_add(1, Ordering::Relaxed);
        } else {
            waiting.lines.extend_from_slice(line);
            self.0.has_lines.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LineWriter {
    type Writer = &'a LineWriter;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}
