//! `ingest-library`: reads documentation into a library, for administrators.
//!
//! The tool exists if the settings allow it, and only callers with the scope `admin` can see it.

use futures::{FutureExt as _, future::BoxFuture};
use recall_kit_libraries::{
    ingest::Progress, ingest_for_client::ingest_for_client, validate_ingest,
};
use recall_kit_settings::IngestSources;
use recall_kit_shared_types::{
    ToolName,
    libraries::{IngestLibraryData, IngestLibraryRequest},
};
use serde_json::Value;

use super::{
    Annotations, Arguments, Call, CallError, Outcome, ToolDef,
    definition::{BOOKS, icons, own},
    invalid, kind_of, libraries, schemas,
};

const FIELDS: [&str; 6] = [
    "libraryName",
    "source",
    "version",
    "at",
    "makeDefault",
    "description",
];

pub(super) fn tool(allowed: IngestSources) -> ToolDef {
    let from = match allowed {
        IngestSources::All => "a web address or a path on the server's machine",
        _ => "a web address",
    };
    ToolDef {
        name: ToolName::IngestLibrary.as_str().to_owned(),
        title: Some("Ingest documentation".to_owned()),
        description: format!(
            "Ingest a library's documentation from {from}. An existing version is replaced atomically; \
             a run that fails changes nothing."
        ),
        input_schema: schemas::of_documented_arguments::<IngestLibraryRequest>(),
        output_schema: Some(schemas::of_documented_answer::<IngestLibraryData>()),
        annotations: Annotations {
            read_only_hint: false,
            destructive_hint: true,
            idempotent_hint: true,
            open_world_hint: true,
        },
        icons: icons(BOOKS),
        for_admins: true,
        run: own(run),
    }
}

fn run(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        let mut arguments = Arguments::of(call.arguments, &FIELDS)?;
        let library = arguments.text("libraryName")?;
        let source = arguments.text("source")?;
        let (library_name, source) = match validate_ingest(library, source) {
            Ok(required) => required,
            Err(body) => return Ok(libraries::finish::<IngestLibraryData>(Err(body.into()))),
        };
        let request = IngestLibraryRequest {
            library_name,
            source,
            version: arguments.text("version")?,
            at: arguments.text("at")?,
            make_default: match arguments.value("makeDefault") {
                None | Some(Value::Null) => None,
                Some(Value::Bool(value)) => Some(value),
                Some(other) => {
                    let found = kind_of(&other);
                    let details = format!("argument `makeDefault` must be a boolean, not {found}");
                    return Err(invalid(details));
                }
            },
            description: arguments.text("description")?,
        };
        let client = call.context.client.clone();
        let report = move |progress: &Progress| {
            let Some(client) = &client else { return };
            let Progress {
                total,
                files,
                chunks,
                left,
            } = progress;
            let message = format!("{files} files read, {left} skipped, {chunks} chunks");
            let total = total.map(|total| total as f64);
            client.progress(progress.done() as f64, total, Some(message));
        };
        Ok(libraries::finish(
            ingest_for_client(call.libraries, &call.context.caller, request, report).await,
        ))
    }
    .boxed()
}
