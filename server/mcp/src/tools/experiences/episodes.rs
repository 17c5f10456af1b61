//! `report_episode`, by which programs beside an agent say how a failing command came to work again. `tools/list` does
//! not show it, since agents have no use for it.

use futures::{FutureExt as _, future::BoxFuture};
use recall_kit_core::{
    experiences::{insights::recalls::report_episode, outcomes::principal},
    validation::validate_episode_arguments,
};
use recall_kit_shared_types::{
    Envelope, ToolName,
    episodes::{ReportEpisodeData, ReportEpisodeRequest},
};

use super::{finish, refused};
use crate::tools::{
    Annotations, Call, CallError, Outcome, ToolDef,
    definition::{CHECK, icons, own},
    schemas,
};

/// The definition of the tool.
pub(in crate::tools) fn tool() -> ToolDef {
    ToolDef {
        name: ToolName::ReportEpisode.as_str().to_owned(),
        title: Some("Report an episode".to_owned()),
        description: "For programs: count how a failing command came to work again.".to_owned(),
        input_schema: schemas::of_documented_arguments::<ReportEpisodeRequest>(),
        output_schema: Some(schemas::of_answer::<Envelope<ReportEpisodeData>>()),
        annotations: Annotations {
            read_only_hint: false,
            destructive_hint: false,
            idempotent_hint: true,
            open_world_hint: false,
        },
        icons: icons(CHECK),
        for_admins: false,
        run: own(report),
    }
}

fn report(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        let (app, caller) = (call.app, &call.context.caller);
        Ok(match validate_episode_arguments(call.arguments) {
            Ok(report) => {
                let reported = async {
                    let principal = principal(&app.outcomes, caller).await?;
                    report_episode(&app.insights, caller, (principal, report)).await
                };
                finish(&app.admission, reported.await, None).await
            }
            Err(problems) => refused(problems.body()),
        })
    }
    .boxed()
}
