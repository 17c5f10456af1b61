//! `query_experiences` and `submit_experience`: they decode the arguments, call the use case and encode
//! its result. `outcomes` has `report_outcome`.

pub(super) mod episodes;
pub(super) mod outcomes;

use futures::{FutureExt as _, future::BoxFuture};
use recall_kit_core::{
    access::Caller,
    admission::Admission,
    app::App,
    error::ServiceError,
    experiences,
    validation::{Query, QueryInput, validate_query, validate_submission_arguments},
};
use recall_kit_shared_types::{
    Envelope, ErrorBody, IDEMPOTENCY_KEY_META, QueryExperiencesData, QueryExperiencesRequest,
    RELEVANCE_PARTS_META, RelevanceParts, SubmitExperienceData, SubmitExperienceRequest, ToolName,
    applicability::{APPLIES_META, ENVIRONMENT_META},
};
use recall_kit_telemetry::chain;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    Annotations, Call, CallError, Object, Outcome, ToolDef,
    definition::{MAGNIFIER, OTHERS_WROTE, SHARE, icons, own},
    flag_in, invalid, kind_of, schemas,
};
use crate::tools::calls::large_answers::write_answer;

pub(super) fn query_tool() -> ToolDef {
    ToolDef {
        name: ToolName::QueryExperiences.as_str().to_owned(),
        title: Some("Search solved problems".to_owned()),
        description: format!(
            "Failing test, panic, crash, error message, broken build, hang, rejected push or command: find out \
             why, if the code at hand does not say it, and what solved it for others. Pass the message, identifiers \
             and versions, or a question in any language. Returns root causes and solutions, some 200 tokens each; \
             total 0: nothing relevant is known. Not for decisions (rekall_search) or how a library works \
             (get-library-docs). {OTHERS_WROTE}"
        ),
        input_schema: schemas::of_arguments::<QueryExperiencesRequest>(),
        output_schema: Some(schemas::of_answer::<Envelope<QueryExperiencesData>>()),
        annotations: Annotations {
            read_only_hint: true,
            destructive_hint: false,
            idempotent_hint: true,
            open_world_hint: false,
        },
        icons: icons(MAGNIFIER),
        for_admins: false,
        run: own(query),
    }
}

pub(super) fn submit_tool() -> ToolDef {
    ToolDef {
        name: ToolName::SubmitExperience.as_str().to_owned(),
        title: Some("Share a solved problem".to_owned()),
        description: "After you fixed a bug or an error: share the problem, its root cause and the solution \
        with others. Everyone on the server can read it. Ask the user first; remove secrets, personal data and \
        internal names from all fields."
            .to_owned(),
        input_schema: schemas::of_arguments::<SubmitExperienceRequest>(),
        output_schema: Some(schemas::of_answer::<Envelope<SubmitExperienceData>>()),
        annotations: Annotations {
            read_only_hint: false,
            destructive_hint: false,
            idempotent_hint: false,
            open_world_hint: false,
        },
        icons: icons(SHARE),
        for_admins: false,
        run: own(submit),
    }
}

fn query(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        let wants_parts = flag_in(&call.context.meta, RELEVANCE_PARTS_META)?;
        let wants_standings = outcomes::wants_standings(&call.context.meta)?;
        let environment = call.context.meta.get(ENVIRONMENT_META).cloned();
        let wants_applicability = environment.is_some();
        let query = match validate_query(query_input(call.arguments, environment)) {
            Ok(query) => query,
            Err(body) => return Ok(refused(*body)),
        };
        let (experiences, admission) = (&call.app.experiences, &call.app.admission);
        if !wants_parts && !wants_standings && !wants_applicability {
            let answer = experiences::query(experiences, query).await;
            return Ok(finish(admission, answer, Some(unescaped_bytes)).await);
        }
        let asked = query.clone();
        let answer = match wants_parts {
            true => {
                let explained = experiences::explained_query(experiences, query).await;
                explained.map(|(data, parts)| (data, Some(parts)))
            }
            false => {
                let answer = experiences::query(experiences, query).await;
                answer.map(|data| (data, None))
            }
        };
        let wanted = Wanted {
            standings: wants_standings,
            applicability: wants_applicability,
        };
        let asked = (&call.context.caller, asked);
        Ok(annotated(call.app, asked, answer, wanted).await)
    }
    .boxed()
}

fn submit(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        let (arguments, key) = (call.arguments, idempotency_key(&call.context.meta)?);
        let applies = call.context.meta.get(APPLIES_META).cloned();
        // Scanning a large text takes milliseconds, for which it must not block other requests.
        let validate = move || validate_submission_arguments(arguments, applies, key);
        let validated = tokio::task::spawn_blocking(validate).await;
        Ok(
            match validated.map_err(|_| ServiceError::Broken("the validation")) {
                Ok(Ok(submission)) => {
                    let caller = &call.context.caller;
                    let submitted =
                        experiences::submit(&call.app.experiences, caller, submission).await;
                    finish(&call.app.admission, submitted, None).await
                }
                Ok(Err(problems)) => refused(problems.body()),
                Err(error) => failed(&error),
            },
        )
    }
    .boxed()
}

fn query_input(mut arguments: Object, environment: Option<Value>) -> QueryInput {
    QueryInput {
        environment,
        keywords: arguments.remove("keywords"),
        limit: arguments.remove("limit"),
        offset: arguments.remove("offset"),
        others: arguments,
    }
}

/// Returns the idempotency key of a call, with which a repeated call stores its record only once.
///
/// *Errors*: [`RpcError::InvalidParams`](recall_kit_shared_types::RpcError) if it is not a string.
pub(super) fn idempotency_key(meta: &Object) -> Result<Option<String>, CallError> {
    match meta.get(IDEMPOTENCY_KEY_META) {
        None => Ok(None),
        Some(Value::String(key)) => Ok(Some(key.clone())),
        Some(other) => Err(invalid(format!(
            "`_meta.{IDEMPOTENCY_KEY_META}` must be a string, not {}",
            kind_of(other)
        ))),
    }
}

/// The most bytes of a record's JSON, or of the envelope's, besides its texts: names, punctuation and numbers.
const OTHER_BYTES: usize = 512;
/// The bytes of a keyword's JSON besides its text: quotation marks and a comma.
const KEYWORD_BYTES: usize = 3;

/// Returns the size of an answer's JSON in bytes, if no text needs escapes, or a little more.
fn unescaped_bytes(answer: &QueryExperiencesData) -> usize {
    let records = answer
        .experiences
        .iter()
        .map(|record| OTHER_BYTES + record.text_bytes() + record.keywords.len() * KEYWORD_BYTES);
    OTHER_BYTES + records.sum::<usize>()
}

/// Encodes the result of the use case in an envelope; `unescaped_bytes` returns the size of its JSON without escapes,
/// where that is cheap to know.
async fn finish<T>(
    admission: &Admission,
    result: Result<T, ServiceError>,
    unescaped_bytes: Option<fn(&T) -> usize>,
) -> Outcome
where
    T: Serialize + Send + 'static,
{
    let written = match result {
        Ok(data) => {
            let bytes = unescaped_bytes.map(|bytes| bytes(&data));
            write_answer(admission, Envelope::ok(data), bytes).await
        }
        Err(error) => Err(error),
    };
    written.unwrap_or_else(|error| failed(&error))
}

/// What a query wants to know about its records besides their texts.
#[derive(Clone, Copy)]
struct Wanted {
    standings: bool,
    applicability: bool,
}

/// Encodes the result of a query, with the parts of its relevances, the standings of its records and how they fit an
/// environment in `_meta` where that is wanted.
async fn annotated(
    app: &App,
    (caller, query): (&Caller, Query),
    result: Result<(QueryExperiencesData, Option<Vec<RelevanceParts>>), ServiceError>,
    wanted: Wanted,
) -> Outcome {
    let annotate = async {
        let (data, parts) = result?;
        let mut meta = Object::new();
        if let Some(parts) = parts {
            meta.insert(RELEVANCE_PARTS_META.to_owned(), json!(parts));
        }
        let ids = data.experiences.iter().map(|record| &record.id);
        let ids: Vec<(Uuid, String)> = ids
            .filter_map(|id| Some((id.parse().ok()?, id.clone())))
            .collect();
        if wanted.standings {
            let recalled = (query.keywords.as_str(), ids.as_slice());
            meta.extend([outcomes::standings_meta(app, caller, recalled).await?]);
        }
        if wanted.applicability {
            let asked = (query.keywords.as_str(), &query.environment);
            meta.extend(outcomes::applicability_meta(app, asked, &ids));
        }
        Ok((data, meta))
    };
    match annotate.await {
        Ok((data, meta)) => Outcome {
            meta: Some(meta),
            ..finish(&app.admission, Ok(data), Some(unescaped_bytes)).await
        },
        Err(error) => failed(&error),
    }
}

/// Encodes a failure in an envelope; logs it if it is a fault of the server.
fn failed(error: &ServiceError) -> Outcome {
    if error.is_fault() {
        tracing::error!(error = chain(error), "an experiences call failed");
    }
    refused(error.body())
}

fn refused(body: ErrorBody) -> Outcome {
    Outcome::structured(&Envelope::<Value>::failed(body), true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use recall_kit_shared_types::ExperienceRecord;

    #[test]
    fn the_size_of_an_answer_is_not_underestimated() {
        let record = ExperienceRecord {
            id: "018f0000-0000-7000-8000-000000000000".to_owned(),
            title: "t".to_owned(),
            problem_description: "p".to_owned(),
            root_cause: None,
            solution: "s".to_owned(),
            context: None,
            keywords: vec!["k".to_owned(); 100],
            query_count: u64::MAX,
            created_at: "2026-11-27T00:00:00.123456Z".to_owned(),
            relevance_score: -1.234_567_890_123_456_7e-300,
        };
        let answer = QueryExperiencesData {
            experiences: vec![record; 100],
            total: u64::MAX,
            limit: 100,
            offset: u32::MAX,
        };
        let estimate = unescaped_bytes(&answer);
        let json = serde_json::to_string(&Envelope::ok(answer)).unwrap();
        assert!(json.len() <= estimate, "{} > {estimate}", json.len());
    }
}
