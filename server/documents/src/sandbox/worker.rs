//! The reading process: receives files on standard input and sends documents on standard output.

use std::{
    io, thread,
    time::{Duration, Instant},
};

use super::{
    MEGABYTE, frame,
    limits::{ActiveLimits, WorkerLimits},
    process::Answer,
};
use crate::readers::{self, MAX_BYTES, ReadError};

/// The message of a process if the system rejects its limits.
pub(super) const REFUSED: &str = "the limits cannot be set";
/// The stack size of the reading thread: valid files are nested deeper than a default stack allows.
const STACK_BYTES: usize = 16 * 1024 * 1024;
/// The longest path of a file, in bytes.
const MAX_PATH_BYTES: usize = 64 * 1024;
/// The longest response, in bytes: more than the text of a book.
pub(super) const MAX_ANSWER_BYTES: usize = 64 * MEGABYTE as usize;

/// Reads files until standard input ends.
///
/// A panic of a reader ends the process, and the sandbox notices that.
///
/// *Errors*: the limits cannot be set, a pipe broke, or a reader panicked.
pub fn serve(limits: WorkerLimits) -> io::Result<()> {
    let reading = thread::Builder::new()
        .name("reader".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || read_all(limits))?;
    reading
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("the reader panicked")))
}

fn read_all(limits: WorkerLimits) -> io::Result<()> {
    let limits = ActiveLimits::set(limits)
        .map_err(|error| io::Error::other(format!("{REFUSED}: {error}")))?;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut busy = Duration::ZERO;
    while let Some(path) = frame::read(&mut input, MAX_PATH_BYTES)? {
        let bytes = frame::read(&mut input, MAX_BYTES)?;
        let bytes = bytes.ok_or(io::ErrorKind::UnexpectedEof)?;
        limits.grant(busy)?;
        let started = Instant::now();
        let read = readers::read(&String::from_utf8_lossy(&path), &bytes);
        drop(bytes);
        let mut answer = encoded(&Answer {
            read,
            is_worn: limits.is_worn(),
        })?;
        if answer.len() > MAX_ANSWER_BYTES {
            let read = Err(ReadError::new("the file has too much text"));
            answer = encoded(&Answer {
                read,
                is_worn: true,
            })?;
        }
        busy += started.elapsed();
        frame::write(&mut output, &answer)?;
    }
    Ok(())
}

fn encoded(answer: &Answer) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec(answer)?)
}
