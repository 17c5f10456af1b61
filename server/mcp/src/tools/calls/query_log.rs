//! Logs the queries of agents for entries and documentation, for the insights: the text, the number of results
//! and the duration. Queries for experiences are logged where they are answered.
//!
//! Queries from the web pages are not logged, nor are requests for further pages of results.

use std::time::Instant;

use recall_kit_core::{
    error::ServiceError,
    experiences::insights::{Answered, QueryLog},
};
use recall_kit_store::QuestionFamily;

/// A query of an agent.
pub(crate) struct Question {
    /// The records that it searches.
    pub(crate) family: QuestionFamily,
    /// The text of the query.
    pub(crate) text: String,
}

/// Waits for an answer. If it answers a `question`, logs the query with what `found` returns: the number
/// of results, and the relevance of the best one if it is known.
pub(crate) async fn log_query<T>(
    log: &QueryLog,
    question: Option<Question>,
    answer: impl Future<Output = Result<T, ServiceError>>,
    found: impl FnOnce(&T) -> (u64, Option<f64>),
) -> Result<T, ServiceError> {
    let started = Instant::now();
    let answer = answer.await?;
    if let Some(Question { family, text }) = question {
        let (results, relevance) = found(&answer);
        let answered = Answered {
            results,
            relevance,
            took: started.elapsed(),
        };
        log.note(family, &text, answered);
    }
    Ok(answer)
}
