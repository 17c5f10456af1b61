//! Tests of reading and splitting together.

mod bad_input;
mod examples;
mod formats;
mod properties;

use super::{
    chunks::{self, Chunk},
    readers::{self, ReadError, Reading, Skip},
};

/// Returns the chunks of a file, or why it was skipped.
fn chunks_of(path: &str, bytes: &[u8]) -> Result<Result<Vec<Chunk>, Skip>, ReadError> {
    Ok(match readers::read(path, bytes)? {
        Reading::Document(document) => Ok(chunks::cut(path, &document)),
        Reading::Skipped(skip) => Err(skip),
    })
}

/// Returns the chunks of a text that can be read.
fn cut(path: &str, text: &str) -> Vec<Chunk> {
    chunks_of(path, text.as_bytes())
        .expect("no error")
        .expect("not skipped")
}
