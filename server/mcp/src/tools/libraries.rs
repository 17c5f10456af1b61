//! The two tools of documentation libraries: they decode the arguments, call the use case and encode
//! its result.
//!
//! An answer is a plain object; a failure is [`recall_kit_shared_types::knowledge::KnowledgeFailure`].

use futures::{FutureExt as _, future::BoxFuture};
use recall_kit_core::error::ServiceError;
use recall_kit_libraries::{DocsInput, docs, search, validate_docs, validate_library_name};
use recall_kit_shared_types::{
    ToolName,
    libraries::{LibraryDocsData, LibraryDocsRequest, SearchLibrariesData, SearchLibrariesRequest},
};
use recall_kit_store::QuestionFamily;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Annotations, Arguments, Call, CallError, Outcome, ToolDef,
    definition::{BOOKS, OTHERS_WROTE, icons, own},
    schemas,
};
use crate::tools::calls::query_log::{Question, log_query};

type Run = for<'a> fn(Call<'a>) -> BoxFuture<'a, Result<Outcome, CallError>>;

/// Returns the tools in the order of `tools/list`.
pub(super) fn tools() -> Vec<ToolDef> {
    vec![
        define::<SearchLibrariesRequest, SearchLibrariesData>(
            ToolName::SearchLibraries,
            "Find a documentation library",
            "Find out whether documentation of a library was read in, and in which versions, by a name or \
             purpose; all libraries without a name. Returns libraryId and versions, to narrow \
             get-library-docs down.",
            run_search,
        ),
        define::<LibraryDocsRequest, LibraryDocsData>(
            ToolName::GetLibraryDocs,
            "Read a library's documentation",
            "How to call a library or package: functions, methods, arguments, options; explanations (info) and \
             examples (code), in the version the team uses. Not for errors. At most maxTokens.",
            run_docs,
        ),
    ]
}

fn define<Request: JsonSchema, Data: JsonSchema>(
    name: ToolName,
    title: &str,
    description: &str,
    run: Run,
) -> ToolDef {
    ToolDef {
        name: name.as_str().to_owned(),
        title: Some(title.to_owned()),
        description: format!("{description} {OTHERS_WROTE}"),
        input_schema: schemas::of_documented_arguments::<Request>(),
        output_schema: Some(schemas::of_documented_answer::<Data>()),
        annotations: Annotations {
            read_only_hint: true,
            destructive_hint: false,
            idempotent_hint: true,
            open_world_hint: false,
        },
        icons: icons(BOOKS),
        for_admins: false,
        run: own(run),
    }
}

fn run_search(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        let mut arguments = Arguments::of(call.arguments, &["libraryName"])?;
        Ok(
            match validate_library_name(arguments.text("libraryName")?) {
                Ok(name) => {
                    let question = name.clone().map(|text| Question {
                        family: QuestionFamily::Libraries,
                        text,
                    });
                    let answer = search(call.libraries, name.as_deref());
                    let log = &call.app.insights.query_log;
                    finish(log_query(log, question, answer, found).await)
                }
                Err(body) => finish::<SearchLibrariesData>(Err(body.into())),
            },
        )
    }
    .boxed()
}

fn run_docs(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        const FIELDS: [&str; 6] = ["topic", "libraryId", "version", "mode", "page", "maxTokens"];
        let mut arguments = Arguments::of(call.arguments, &FIELDS)?;
        let input = DocsInput {
            topic: arguments.text("topic")?,
            library: arguments.value("libraryId"),
            version: arguments.text("version")?,
            mode: arguments.text("mode")?,
            page: arguments.value("page"),
            max_tokens: arguments.value("maxTokens"),
        };
        Ok(match validate_docs(input) {
            Ok(query) => {
                let question = (query.page == 1).then(|| Question {
                    family: QuestionFamily::Libraries,
                    text: query.topics.join(", "),
                });
                let answer = docs(call.libraries, query);
                let found = |data: &LibraryDocsData| (data.documents.len() as u64, None);
                finish(log_query(&call.app.insights.query_log, question, answer, found).await)
            }
            Err(body) => finish::<LibraryDocsData>(Err(body.into())),
        })
    }
    .boxed()
}

/// Returns the number of results and the best score, for the query log.
fn found(data: &SearchLibrariesData) -> (u64, Option<f64>) {
    let libraries = &data.libraries;
    (
        libraries.len() as u64,
        libraries.first().map(|best| best.score),
    )
}

/// Encodes the result of the use case.
pub(super) fn finish<T: Serialize>(result: Result<T, ServiceError>) -> Outcome {
    Outcome::plain_object(result, |_| {})
}
