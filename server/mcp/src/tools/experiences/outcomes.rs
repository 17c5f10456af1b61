//! `report_outcome`, and the standings that queries return under their key of `_meta`.

use std::collections::BTreeMap;

use futures::{FutureExt as _, future::BoxFuture};
use recall_kit_core::{
    access::Caller,
    app::App,
    error::ServiceError,
    experiences::{
        applicability::{applicability, known_applies},
        outcomes,
    },
    validation::validate_outcome_arguments,
};
use recall_kit_shared_types::{
    Envelope, ToolName,
    applicability::{APPLICABILITY_META, APPLIES_META, ENVIRONMENT_META, Environment},
    outcomes::{
        EVIDENCE_META, RECALL_META, RecallStandings, ReportOutcomeData, ReportOutcomeRequest,
    },
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{failed, finish, idempotency_key, refused};
use crate::tools::{
    Annotations, Call, CallError, Object, Outcome, ToolDef,
    definition::{CHECK, icons, own},
    flag_in, schemas,
};

/// The definition of the tool.
pub(in crate::tools) fn tool() -> ToolDef {
    ToolDef {
        name: ToolName::ReportOutcome.as_str().to_owned(),
        title: Some("Report whether it helped".to_owned()),
        description:
            "Say whether a solution worked when you tried it. Reports affect the order of results."
                .to_owned(),
        input_schema: schemas::undescribed(
            schemas::of_documented_arguments::<ReportOutcomeRequest>(),
        ),
        output_schema: Some(schemas::of_answer::<Envelope<ReportOutcomeData>>()),
        annotations: Annotations {
            read_only_hint: false,
            destructive_hint: false,
            idempotent_hint: false,
            open_world_hint: false,
        },
        icons: icons(CHECK),
        for_admins: false,
        run: own(report),
    }
}

fn report(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        let context = call.context;
        let key = idempotency_key(&context.meta)?;
        let said = |key: &str| context.meta.get(key).cloned();
        let told = (said(EVIDENCE_META), said(ENVIRONMENT_META));
        let arguments = call.arguments;
        // Scanning a note takes a millisecond, for which it must not block other requests.
        let validate = move || validate_outcome_arguments(arguments, told, key);
        let validated = tokio::task::spawn_blocking(validate).await;
        Ok(
            match validated.map_err(|_| ServiceError::Broken("the validation")) {
                Ok(Ok(report)) => {
                    let reported = outcomes::report(&call.app.outcomes, &context.caller, report);
                    finish(&call.app.admission, reported.await, None).await
                }
                Ok(Err(problems)) => refused(problems.body()),
                Err(error) => failed(&error),
            },
        )
    }
    .boxed()
}

/// Whether a call asks for the standings of its results.
///
/// *Errors*: [`RpcError::InvalidParams`](recall_kit_shared_types::RpcError) if it does with anything but a boolean.
pub(in crate::tools) fn wants_standings(meta: &Object) -> Result<bool, CallError> {
    flag_in(meta, RECALL_META)
}

/// Records a recall, and returns the key and the value of `_meta` with the standings of its results, each given by its
/// experience and the id that the answer has for it.
///
/// *Errors*: those of the database.
pub(in crate::tools) async fn standings_meta(
    app: &App,
    caller: &Caller,
    (query, results): (&str, &[(Uuid, String)]),
) -> Result<(String, Value), ServiceError> {
    let ids: Vec<Uuid> = results.iter().map(|(id, _)| *id).collect();
    let mut standings = outcomes::standings(&app.outcomes, &ids).await?;
    let recall = outcomes::note_recall(&app.outcomes, caller, (query, ids)).await?;
    let standings: BTreeMap<_, _> = results
        .iter()
        .filter_map(|(id, shown)| Some((shown.clone(), standings.remove(id)?)))
        .collect();
    let standings = RecallStandings {
        recall_id: recall.to_string(),
        standings,
    };
    Ok((RECALL_META.to_owned(), json!(standings)))
}

/// Returns the keys and the values of `_meta` with where the results of a question apply, and how they fit the
/// environment of the one who asks.
pub(in crate::tools) fn applicability_meta(
    app: &App,
    asked: (&str, &Environment),
    results: &[(Uuid, String)],
) -> [(String, Value); 2] {
    let fits = applicability(&app.experiences, asked, results);
    let applies = known_applies(&app.experiences, results);
    [
        (APPLICABILITY_META.to_owned(), json!(fits)),
        (APPLIES_META.to_owned(), json!(applies)),
    ]
}
