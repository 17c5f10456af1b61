//! `recall`: decodes the arguments, asks all three families at once, and encodes the answer.
//!
//! An answer is a plain object; a failure is [`recall_kit_shared_types::knowledge::KnowledgeFailure`].

use std::time::Instant;

use futures::{FutureExt as _, future::BoxFuture};
use recall_kit_core::{
    access::Caller,
    app::App,
    error::ServiceError,
    experiences::insights::Answered,
    knowledge::recall::{Recall, answer, candidates},
    validation::{RecallInput, validate_recall},
};
use recall_kit_libraries::{Libraries, recall as documentation};
use recall_kit_shared_types::{
    ToolName,
    applicability::ENVIRONMENT_META,
    recall::{RecallData, RecallFamily, RecallRequest},
};
use recall_kit_store::QuestionFamily;
use uuid::Uuid;

use super::{
    Arguments, Call, CallError, Object, Outcome, ToolDef,
    definition::{MAGNIFIER, OTHERS_WROTE, icons, own},
    experiences::outcomes,
    knowledge::READS,
    schemas,
};

/// The definition of the tool.
pub(super) fn tool() -> ToolDef {
    ToolDef {
        name: ToolName::Recall.as_str().to_owned(),
        title: Some("Recall".to_owned()),
        description: format!(
            "Ask everything at once: solved problems, the team's decisions and conventions, documentation. Use it at an error or odd behaviour, before a decision, and for \
             how a library works; not for what the code at hand says. At most 600 tokens; each result has \
             the call that opens it. {OTHERS_WROTE}"
        ),
        input_schema: schemas::of_documented_arguments::<RecallRequest>(),
        output_schema: Some(schemas::of_documented_answer::<RecallData>()),
        annotations: READS,
        icons: icons(MAGNIFIER),
        for_admins: false,
        run: own(run),
    }
}

fn run(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        const FIELDS: [&str; 4] = ["query", "project", "library", "limit"];
        let mut arguments = Arguments::of(call.arguments, &FIELDS)?;
        let input = RecallInput {
            query: arguments.text("query")?,
            project: arguments.text("project")?,
            library: arguments.text("library")?,
            limit: arguments.value("limit"),
            environment: call.context.meta.get(ENVIRONMENT_META).cloned(),
        };
        let wants_applicability = input.environment.is_some();
        let wants_standings = outcomes::wants_standings(&call.context.meta)?;
        let caller = &call.context.caller;
        let query = input.query.clone().unwrap_or_default();
        let annotated = async {
            let recall = validate_recall(input)?;
            let environment = recall.environment.clone();
            let (data, listed) = recalled(call.app, call.libraries, caller, recall).await?;
            let mut meta = Object::new();
            if wants_standings {
                let recalled = (query.as_str(), listed.as_slice());
                meta.extend([outcomes::standings_meta(call.app, caller, recalled).await?]);
            }
            if wants_applicability {
                let asked = (query.as_str(), &environment);
                meta.extend(outcomes::applicability_meta(call.app, asked, &listed));
            }
            Ok((data, meta))
        };
        let (answered, meta) = match annotated.await {
            Ok((data, meta)) => (Ok(data), Some(meta).filter(|meta| !meta.is_empty())),
            Err(error) => (Err(error), None),
        };
        Ok(Outcome {
            meta,
            ..Outcome::plain_object(answered, |_| {})
        })
    }
    .boxed()
}

/// Asks the families, and notes the question for the insights of the family that answered it best. Also returns the
/// experiences of the answer, see [`answer`].
async fn recalled(
    app: &App,
    libraries: &Libraries,
    caller: &Caller,
    recall: Recall,
) -> Result<(RecallData, Vec<(Uuid, String)>), ServiceError> {
    let started = Instant::now();
    let (mut found, documentation) = futures::try_join!(
        candidates(&app.knowledge, caller, &recall),
        documentation::candidates(libraries, &recall),
    )?;
    found.extend(documentation);
    let text = recall.query.clone();
    let (data, listed) = answer(&app.experiences, caller, recall, found);
    let best = data.results.first();
    let answered = Answered {
        results: data.results.len() as u64,
        relevance: best.map(|best| best.score),
        took: started.elapsed(),
    };
    let family = match best.map(|best| best.family) {
        None | Some(RecallFamily::Experience) => QuestionFamily::Experiences,
        Some(RecallFamily::Knowledge) => QuestionFamily::Knowledge,
        Some(RecallFamily::Library) => QuestionFamily::Libraries,
    };
    app.insights.query_log.note(family, &text, answered);
    Ok((data, listed))
}
