//! Serializes answers; large ones wait for their turn in the fair queue and use a blocking thread.

use std::io;

use recall_kit_core::{
    admission::{
        Admission,
        answer_turns::{self, SMALL},
    },
    error::ServiceError,
};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::tools::Outcome;

/// The most bytes that one byte of text takes as JSON: `\u0000`.
const MAX_ESCAPED: usize = 6;

/// Creates the outcome of an answer, like [`Outcome::structured`]. `unescaped` is the size of its JSON without escapes,
/// in bytes, if that is known: a small answer is then written without a limit, which saves parsing it again.
///
/// *Errors*: [`ServiceError::Broken`] if serializing panics.
pub(crate) async fn write_answer<T: Serialize + Send + 'static>(
    admission: &Admission,
    answer: T,
    unescaped: Option<usize>,
) -> Result<Outcome, ServiceError> {
    if unescaped.is_some_and(|bytes| bytes.saturating_mul(MAX_ESCAPED) <= SMALL) {
        return Ok(Outcome::structured(&answer, false));
    }
    if let Some(json) = small(&answer) {
        return Ok(Outcome::of_json(json, false));
    }
    answer_turns::wait(admission).await;
    let writing = tokio::task::spawn_blocking(move || Outcome::structured(&answer, false));
    writing
        .await
        .map_err(|_| ServiceError::Broken("the answer"))
}

/// Returns the JSON of an answer of at most [`SMALL`] bytes; `None` for a larger one.
fn small(answer: &impl Serialize) -> Option<Box<RawValue>> {
    let mut json = Bounded::default();
    serde_json::to_writer(&mut json, answer).ok()?;
    RawValue::from_string(String::from_utf8(json.0).ok()?).ok()
}

/// A buffer of at most [`SMALL`] bytes.
#[derive(Default)]
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > SMALL {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{SMALL, small};

    #[test]
    fn only_answers_up_to_the_limit_are_small() {
        let of_length = |length: usize| small(&json!("x".repeat(length - 2)));
        assert_eq!(of_length(SMALL).map(|json| json.get().len()), Some(SMALL));
        assert!(of_length(SMALL + 1).is_none());
    }
}
