//! Experiences that resemble a draft, so that a person sees before the yes that something like it is there already.
//!
//! Only an ordinary query leaves this machine: the sanitized title and problem, as keywords.

#[cfg(test)]
mod tests;

use std::time::Duration;

use futures::FutureExt as _;
use recall_kit_shared_types::{QueryExperiencesData, ToolName};
use rmcp::model::RequestMetaObject;

use crate::{
    Error, FormattedExperience, QueryRequest, QueryResults, RecallKitClient, SanitizedDraft,
    Servers,
    connection::{ToolCall, answer},
    object,
};

/// The lowest relevance of what is shown: from there on a record is more likely an answer than not.
const LEAST_RELEVANCE: f64 = 0.5;
/// The most records that are shown.
const MOST: u32 = 3;
/// How long a draft waits for the answer.
const TIMEOUT: Duration = Duration::from_secs(2);

impl Servers {
    /// Returns the experiences that resemble a draft most, best first, of the server that it would be sent to: at
    /// most three. Returns none if `searchOnSubmit` is off, or if the server does not answer within two seconds;
    /// there are no retries.
    pub async fn similar(&self, draft: &SanitizedDraft) -> Vec<FormattedExperience> {
        if !self.chosen().config().search_on_submit {
            return Vec::new();
        }
        let draft = draft.request();
        let text = format!("{}\n{}", draft.title, draft.problem_description);
        let request = QueryRequest::from_text(text).with_limit(MOST);
        let asked = self.chosen_within(TIMEOUT, move |client| client.query_once(request).boxed());
        match asked.await {
            Some(Ok(mut found)) => {
                found.retain_from(LEAST_RELEVANCE);
                found.experiences
            }
            Some(Err(error)) => {
                tracing::debug!(%error, "similar experiences are not known");
                Vec::new()
            }
            None => Vec::new(),
        }
    }
}

impl RecallKitClient {
    /// Like [`RecallKitClient::query`], with one attempt, without the AI, and without an entry in the error log.
    async fn query_once(&self, request: QueryRequest) -> Result<QueryResults, Error> {
        let call = ToolCall {
            tool: ToolName::QueryExperiences.to_string(),
            arguments: object(&request.into_wire(&self.sanitizer)),
            meta: RequestMetaObject::new(),
        };
        let called = self.attempt(async |connection| connection.call(call).await);
        let data: QueryExperiencesData = answer::read(called.await?, &self.target.url)?;
        Ok(data.into())
    }
}
