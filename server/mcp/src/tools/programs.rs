//! Tools that run the external programs of the settings.

use std::sync::Arc;

use futures::{FutureExt as _, future::BoxFuture};
use recall_kit_catalogue::programs::{Program, Report};
use recall_kit_shared_types::RpcError;
use recall_kit_telemetry::chain;
use serde_json::{Value, json};

use super::{
    Annotations, Call, CallError, Object, Outcome, ToolDef,
    definition::{TERMINAL, icons},
    invalid,
};

pub(super) fn tool(program: &Arc<Program>) -> ToolDef {
    let settings = &program.settings;
    // Clients treat a schema without a type as an error.
    let object = |schema: &Object| {
        let mut schema = schema.clone();
        schema.entry("type").or_insert_with(|| json!("object"));
        Value::Object(schema)
    };
    let run = Arc::clone(program);
    ToolDef {
        name: settings.name.clone(),
        title: Some(settings.title.as_ref().unwrap_or(&settings.name).clone()),
        description: settings.description.clone(),
        input_schema: object(&settings.input_schema),
        output_schema: settings.output_schema.as_ref().map(object),
        annotations: Annotations {
            read_only_hint: settings.read_only,
            destructive_hint: settings.destructive,
            idempotent_hint: settings.idempotent,
            open_world_hint: settings.open_world,
        },
        icons: icons(TERMINAL),
        for_admins: false,
        run: Arc::new(move |call| answer(Arc::clone(&run), call)),
    }
}

fn answer(program: Arc<Program>, call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        let arguments = Value::Object(call.arguments);
        if let Some(faults) = program.faults(&arguments) {
            return Err(invalid(format!(
                "the arguments do not match the tool's schema: {faults}"
            )));
        }
        let client = call.context.client.clone();
        let report = |report| {
            let Some(client) = &client else { return };
            match report {
                Report::Progress {
                    progress,
                    total,
                    message,
                } => client.progress(progress, total, message),
                Report::Line(line) => client.log(program.name(), &line),
            }
        };
        Ok(match program.run(&arguments, report).await {
            Ok(answer) => {
                let structured = answer.json.as_ref();
                let mut outcome = match structured {
                    Some(json) => Outcome::structured(json, answer.failed),
                    None => Outcome::words(String::new(), answer.failed),
                };
                outcome.text = answer.text;
                if let Some(failure) = answer.failure {
                    if !outcome.text.is_empty() {
                        outcome.text.push_str("\n\n");
                    }
                    outcome.text.push_str(&failure);
                }
                outcome
            }
            Err(error) => {
                tracing::warn!(
                    tool.name = program.name(),
                    error = chain(&error),
                    "a program failed"
                );
                return Err(CallError {
                    cause: RpcError::ToolFailed,
                    details: error.to_string(),
                });
            }
        })
    }
    .boxed()
}
