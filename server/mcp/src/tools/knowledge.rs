//! The nine tools of the knowledge base: they decode the arguments, call the use case and encode its
//! result.
//!
//! An answer is a plain object; a failure is [`recall_kit_shared_types::knowledge::KnowledgeFailure`].

use futures::{FutureExt as _, future::BoxFuture};
use recall_kit_core::{
    admission::Admission,
    error::ServiceError,
    knowledge::{
        entries::{self, Reading},
        links, suggestions,
    },
    validation::{
        AddInput, SearchInput, validate_add, validate_limit, validate_relation, validate_search,
        validate_topic,
    },
};
use recall_kit_shared_types::{
    ErrorCode, ToolName,
    knowledge::{
        AcceptData, AddData, AddRequest, CITATIONS_META, DecideRequest, EntryData, HelpData,
        HelpRequest, LinkData, LinkRequest, RejectData, SearchData, SearchRequest, ShowRequest,
        SuggestGeneralizeData, SuggestLinksData, SuggestRequest, UNCOUNTED_META,
        knowledge_limits::SUGGESTION_LIMIT,
    },
};
use recall_kit_store::QuestionFamily;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Annotations, Arguments, Call, CallError, Outcome, ToolDef,
    definition::{BOOK, OTHERS_WROTE, icons, own},
    experiences::idempotency_key,
    help::help,
    schemas,
};
use crate::tools::{
    calls::{
        large_answers::write_answer,
        query_log::{Question, log_query},
    },
    flag_in,
};

/// A tool's entry in `tools/list`, without its schemas.
struct About {
    name: ToolName,
    title: &'static str,
    description: &'static str,
    annotations: Annotations,
}

/// The annotations of tools that only read.
pub(super) const READS: Annotations = Annotations {
    read_only_hint: true,
    destructive_hint: false,
    idempotent_hint: true,
    open_world_hint: false,
};
/// The annotations of tools that add something.
const WRITES: Annotations = Annotations {
    read_only_hint: false,
    destructive_hint: false,
    idempotent_hint: false,
    open_world_hint: false,
};

type Run = for<'a> fn(Call<'a>) -> BoxFuture<'a, Result<Outcome, CallError>>;

/// Returns the tools in the order of `tools/list`.
pub(super) fn tools() -> Vec<ToolDef> {
    let about = |name, title, description, annotations| About {
        name,
        title,
        description,
        annotations,
    };
    vec![
        define::<HelpRequest, HelpData>(
            about(
                ToolName::RekallHelp,
                "Knowledge base: guide",
                "How to use the knowledge base: what to search, write down and link. Some 500 tokens; read it \
                 before your first rekall_add.",
                READS,
            ),
            run_help,
        ),
        define::<SearchRequest, SearchData>(
            about(
                ToolName::RekallSearch,
                "Search the knowledge base",
                "Search what our team settled and agreed on, in its own notes: decisions, conventions, \
                 configuration, patterns, pitfalls, known bugs. Use it before you build, choose or set \
                 something up here; for an error, query_experiences comes first. Compact: some 150 tokens.",
                READS,
            ),
            run_search,
        ),
        define::<AddRequest, AddData>(
            about(
                ToolName::RekallAdd,
                "Add to the knowledge base",
                "Remember for the whole team: a decision, a rule, a fact, what must always or never be done. \
                 Ask the user first; whoever sees the project reads it. Not for a solved problem: \
                 submit_experience.",
                WRITES,
            ),
            run_add,
        ),
        define::<ShowRequest, EntryData>(
            about(
                ToolName::RekallShow,
                "Show an entry",
                "Given an id, show the complete entry stored under it.",
                READS,
            ),
            run_show,
        ),
        define::<SuggestRequest, SuggestLinksData>(
            about(
                ToolName::RekallSuggestLinks,
                "Suggested links",
                "List the suggested links: pairs of entries that the server found alike and nobody decided on; empty \
                 means none.",
                READS,
            ),
            run_suggest_links,
        ),
        define::<SuggestRequest, SuggestGeneralizeData>(
            about(
                ToolName::RekallSuggestGeneralize,
                "Suggested generalisations",
                "Generalize: list groups of similar entries that one entry with what they have in common could replace; \
                 empty means none.",
                READS,
            ),
            run_suggest_generalize,
        ),
        define::<LinkRequest, LinkData>(
            about(
                ToolName::RekallLink,
                "Link two entries",
                "Link two entries; the source supersedes (the target becomes obsolete), is derived from, \
                 contradicts or is related to the target.",
                WRITES,
            ),
            run_link,
        ),
        define::<DecideRequest, AcceptData>(
            about(
                ToolName::RekallAcceptSuggestion,
                "Accept a suggestion",
                "Accept a suggestion: creates the proposed link between two entries, or returns the \
                 shell command that drafts the general entry.",
                WRITES,
            ),
            run_accept,
        ),
        define::<DecideRequest, RejectData>(
            about(
                ToolName::RekallRejectSuggestion,
                "Reject a suggestion",
                "Say no to a suggestion for good.",
                // A rejection is permanent.
                Annotations {
                    destructive_hint: true,
                    ..WRITES
                },
            ),
            run_reject,
        ),
    ]
}

/// Defines a tool. The descriptions of all but the guide and the rejection say that the answer contains
/// texts of others.
fn define<Request: JsonSchema, Data: JsonSchema>(about: About, run: Run) -> ToolDef {
    ToolDef {
        name: about.name.as_str().to_owned(),
        title: Some(about.title.to_owned()),
        description: match about.name {
            ToolName::RekallHelp | ToolName::RekallRejectSuggestion => about.description.to_owned(),
            _ => format!("{} {OTHERS_WROTE}", about.description),
        },
        input_schema: schemas::of_documented_arguments::<Request>(),
        output_schema: Some(schemas::of_documented_answer::<Data>()),
        annotations: about.annotations,
        icons: icons(BOOK),
        for_admins: false,
        run: own(run),
    }
}

fn run_help(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        let mut arguments = Arguments::of(call.arguments, &["topic"])?;
        let topic = validate_topic(arguments.text("topic")?);
        Ok(finish(topic.map(help).map_err(ServiceError::from)))
    }
    .boxed()
}

fn run_search(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        const FIELDS: [&str; 5] = ["query", "context", "limit", "type", "project"];
        let mut arguments = Arguments::of(call.arguments, &FIELDS)?;
        let input = SearchInput {
            query: arguments.text("query")?,
            context: arguments.text("context")?,
            limit: arguments.value("limit"),
            kind: arguments.text("type")?,
            project: arguments.text("project")?,
            citations: flag_in(&call.context.meta, CITATIONS_META)?,
        };
        Ok(match validate_search(input) {
            Ok(search) => {
                let question = Question {
                    family: QuestionFamily::Knowledge,
                    text: search.query.clone(),
                };
                let answer = entries::search(&call.app.knowledge, &call.context.caller, search);
                let found =
                    |data: &SearchData| (data.total, data.results.first().map(|one| one.score));
                finish_large(
                    &call.app.admission,
                    log_query(&call.app.insights.query_log, Some(question), answer, found).await,
                )
                .await
            }
            Err(body) => finish::<SearchData>(Err(body.into())),
        })
    }
    .boxed()
}

fn run_add(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        const FIELDS: [&str; 8] = [
            "type",
            "title",
            "content",
            "tags",
            "context",
            "project",
            "confidence",
            "memory_type",
        ];
        let mut arguments = Arguments::of(call.arguments, &FIELDS)?;
        let input = AddInput {
            kind: arguments.text("type")?,
            title: arguments.text("title")?,
            content: arguments.text("content")?,
            tags: arguments.texts("tags")?,
            context: arguments.text("context")?,
            project: arguments.text("project")?,
            confidence: arguments.value("confidence"),
            memory_type: arguments.text("memory_type")?,
            citations: call.context.meta.get(CITATIONS_META).cloned(),
            idempotency_key: idempotency_key(&call.context.meta)?,
        };
        // Scanning a large text takes milliseconds, for which it must not block other requests.
        let validated = tokio::task::spawn_blocking(move || validate_add(input)).await;
        Ok(
            match validated.map_err(|_| ServiceError::Broken("the validation")) {
                Ok(Ok(addition)) => {
                    finish(entries::add(&call.app.knowledge, &call.context.caller, addition).await)
                }
                Ok(Err(problems)) => finish::<AddData>(Err(problems.into())),
                Err(error) => finish::<AddData>(Err(error)),
            },
        )
    }
    .boxed()
}

fn run_show(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        let mut arguments = Arguments::of(call.arguments, &["id"])?;
        let id = arguments.text("id")?.unwrap_or_default();
        let reading = match flag_in(&call.context.meta, UNCOUNTED_META)? {
            true => Reading::Lookup,
            false => Reading::Opening,
        };
        let caller = &call.context.caller;
        let shown = entries::show(&call.app.knowledge, caller, (&id, reading)).await;
        Ok(finish_large(&call.app.admission, shown).await)
    }
    .boxed()
}

fn run_suggest_links(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        let mut arguments = Arguments::of(call.arguments, &["limit"])?;
        Ok(
            match validate_limit(arguments.value("limit"), SUGGESTION_LIMIT) {
                Ok(limit) => finish(
                    suggestions::pending_links(&call.app.knowledge, &call.context.caller, limit)
                        .await,
                ),
                Err(body) => finish::<SuggestLinksData>(Err(body.into())),
            },
        )
    }
    .boxed()
}

fn run_suggest_generalize(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        let mut arguments = Arguments::of(call.arguments, &["limit"])?;
        Ok(
            match validate_limit(arguments.value("limit"), SUGGESTION_LIMIT) {
                Ok(limit) => finish(
                    suggestions::pending_generalizations(
                        &call.app.knowledge,
                        &call.context.caller,
                        limit,
                    )
                    .await,
                ),
                Err(body) => finish::<SuggestGeneralizeData>(Err(body.into())),
            },
        )
    }
    .boxed()
}

fn run_link(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        const FIELDS: [&str; 3] = ["source_id", "target_id", "relation_type"];
        let mut arguments = Arguments::of(call.arguments, &FIELDS)?;
        let source = arguments.text("source_id")?.unwrap_or_default();
        let target = arguments.text("target_id")?.unwrap_or_default();
        Ok(match validate_relation(arguments.text("relation_type")?) {
            Ok(relation) => finish(
                links::link(
                    &call.app.knowledge,
                    &call.context.caller,
                    (&source, &target),
                    relation,
                )
                .await,
            ),
            Err(body) => finish::<LinkData>(Err(body.into())),
        })
    }
    .boxed()
}

fn run_accept(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        let mut arguments = Arguments::of(call.arguments, &["suggestion_id"])?;
        let id = arguments.text("suggestion_id")?.unwrap_or_default();
        Ok(finish(
            suggestions::accept(&call.app.knowledge, &call.context.caller, &id).await,
        ))
    }
    .boxed()
}

fn run_reject(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move {
        let mut arguments = Arguments::of(call.arguments, &["suggestion_id"])?;
        let id = arguments.text("suggestion_id")?.unwrap_or_default();
        Ok(finish(
            suggestions::reject(&call.app.knowledge, &call.context.caller, &id).await,
        ))
    }
    .boxed()
}

/// Encodes the result of the use case, which may be large.
async fn finish_large<T>(admission: &Admission, result: Result<T, ServiceError>) -> Outcome
where
    T: Serialize + Send + 'static,
{
    let written = match result {
        Ok(data) => write_answer(admission, data, None).await,
        Err(error) => Err(error),
    };
    written.unwrap_or_else(|error| finish::<T>(Err(error)))
}

/// Encodes the result of the use case.
fn finish<T: Serialize>(result: Result<T, ServiceError>) -> Outcome {
    Outcome::plain_object(result, |body| {
        // These tools have no code `DATABASE_ERROR`.
        if body.code == ErrorCode::DatabaseError {
            body.code = ErrorCode::InternalError;
        }
    })
}
