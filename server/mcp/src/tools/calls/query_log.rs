//! What is noted about every question of an agent: what was asked, how much was found and how quickly.
//!
//! People who look around through the pages are not counted, nor is who turns to a further page.

use std::{sync::Arc, time::Instant};

use recall_kit_core::{app::App, error::ServiceError, experiences::insights::Answered};
use recall_kit_store::QuestionFamily;

/// A question of an agent.
pub(crate) struct Question {
    /// What it is about.
    pub(crate) family: QuestionFamily,
    /// What was asked.
    pub(crate) text: String,
}

/// Waits for the answer to a question, where it is one, and notes how much was `found`: how many
/// results, and the relevance of the best one where it is known.
pub(crate) async fn noted<T>(
    app: &Arc<App>,
    question: Option<Question>,
    answer: impl Future<Output = Result<T, ServiceError>>,
    found: impl FnOnce(&T) -> (u64, Option<f64>),
) -> Result<T, ServiceError> {
    let began = Instant::now();
    let answer = answer.await?;
    if let Some(Question { family, text }) = question {
        let (results, relevance) = found(&answer);
        let answered = Answered {
            results,
            relevance,
            took: began.elapsed(),
        };
        app.asked.note(app, family, &text, answered);
    }
    Ok(answer)
}
