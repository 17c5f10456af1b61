//! `ingest-library`: documentation read into a library, for administrators.
//!
//! It is there where the settings allow it, and only callers with the scope `admin` see it.

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
    definition::{SHELF, icons, own},
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
        title: Some("Read documentation in".to_owned()),
        description: format!(
            "Read a library's documentation in from {from}. A version that is there is replaced in one \
             step; a run that fails changes nothing."
        ),
        input_schema: schemas::of_documented_arguments::<IngestLibraryRequest>(),
        output_schema: Some(schemas::of_documented_answer::<IngestLibraryData>()),
        annotations: Annotations {
            read_only_hint: false,
            destructive_hint: true,
            idempotent_hint: true,
            open_world_hint: true,
        },
        icons: icons(SHELF),
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
        let wanted = IngestLibraryRequest {
            library_name,
            source,
            version: arguments.text("version")?,
            at: arguments.text("at")?,
            make_default: match arguments.value("makeDefault") {
                None | Some(Value::Null) => None,
                Some(Value::Bool(wanted)) => Some(wanted),
                Some(other) => {
                    let found = kind_of(&other);
                    let words = format!("argument `makeDefault` must be a boolean, not {found}");
                    return Err(invalid(words));
                }
            },
            description: arguments.text("description")?,
        };
        let client = call.context.client.clone();
        let heard = move |heard: &Progress| {
            let Some(client) = &client else { return };
            let Progress {
                total,
                files,
                chunks,
                left,
            } = heard;
            let words = format!("{files} files read, {left} passed over, {chunks} chunks");
            let total = total.map(|total| total as f64);
            client.progress(heard.done() as f64, total, Some(words));
        };
        Ok(libraries::finish(
            ingest_for_client(call.libraries, &call.context.caller, wanted, heard).await,
        ))
    }
    .boxed()
}
