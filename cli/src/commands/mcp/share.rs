//! The sharing of one experience: summarize, sanitize, ask, send. Nothing is sent without consent.

use std::sync::Arc;

use recall_kit_client::{
    Answer, Conversation, Decision, Draft, Error, InvalidLine, MadeBy, SanitizedDraft,
};
use rmcp::model::CallToolResult;

use super::{
    agent::Agent,
    answers,
    delivery::{self, Delivered},
    dialogue::{Ask, Dialogue, Refusal, Reply, Shown},
};
use crate::{
    applies,
    commands::{outbox::OutboxEntry, submit::similar, summarize},
    words::filled,
};

/// The maximum number of times that a draft is shown; hosts of 2026-07-28 allow ten rounds.
const MAX_ROUNDS: usize = 8;

/// What the agent wants to share.
pub(super) enum ShareRequest {
    /// A draft that the agent wrote.
    Draft(Draft),
    /// A conversation to summarize.
    Conversation {
        /// The conversation.
        conversation: Conversation,
        /// Whether the host provides a model.
        host_has_model: bool,
        /// The fields that the agent wrote, which override the summary.
        fields: Draft,
    },
}

/// Shares an experience and returns the answer for the agent.
pub(super) async fn share(
    agent: Arc<Agent>,
    request: ShareRequest,
    dialogue: Dialogue,
) -> CallToolResult {
    let (draft, notes) = match create_draft(&agent, request, &dialogue).await {
        Ok(created) => created,
        Err(error) => return answers::failed(&error),
    };
    if let Some(blank) = answers::blank_field(&draft) {
        return answers::incomplete(blank);
    }
    let draft = agent.client().prepare(draft);
    let similar = similar::remarks(&agent.servers, &draft, &agent.words).await;
    if agent.client().config().sends_unasked() {
        return send_unasked(&agent, draft, similar, &dialogue).await;
    }
    let mut shown = proposed(&agent, draft).await;
    shown.notes.splice(0..0, notes.into_iter().chain(similar));
    ask_and_send(&agent, shown, &dialogue).await
}

/// Sends a draft without asking, where the settings allow it. What may be private is not sent, because nobody sees it.
async fn send_unasked(
    agent: &Arc<Agent>,
    draft: SanitizedDraft,
    similar: Vec<String>,
    dialogue: &Dialogue,
) -> CallToolResult {
    let installed = applies::installed(agent.client(), &draft).await;
    let private = draft.maybe_private(&installed);
    let draft = draft.without_private(&installed);
    let note = note(agent, &draft, &private, &similar);
    match draft.confirm_unasked(agent.client().config()) {
        Ok(confirmed) => {
            dialogue.set_sending(true);
            let delivered = delivery::deliver(agent, confirmed, agent.new_outbox_entry()).await;
            answers::delivered(&delivered, Some(&note))
        }
        // Unreachable while the settings stay the same.
        Err(draft) => ask_and_send(agent, proposed(agent, *draft).await, dialogue).await,
    }
}

/// Proposes where a draft applies. If an agent stated it, a note names the lines that may be private.
async fn proposed(agent: &Agent, draft: SanitizedDraft) -> Shown {
    let installed = applies::installed(agent.client(), &draft).await;
    let private = draft.maybe_private(&installed);
    let words = agent.words.applies;
    let note = (draft.is_stated() && !private.is_empty())
        .then(|| filled(words.maybe_private, &[&private.join("; ")]));
    Shown {
        draft: draft.propose(installed),
        notes: note.into_iter().collect(),
    }
}

/// Asks until there is an answer, and sends what was confirmed. What the server rejects is shown again, and
/// stays in the outbox until another text is confirmed.
async fn ask_and_send(agent: &Arc<Agent>, mut shown: Shown, dialogue: &Dialogue) -> CallToolResult {
    let mut entry = agent.new_outbox_entry();
    for _ in 0..MAX_ROUNDS {
        let (answer, problem) = match consent(&shown, dialogue).await {
            Ok(answer) => answer,
            Err(refusal) => return not_sent(refusal, entry),
        };
        let removed = shown.draft.removed().to_vec();
        let confirmed = match shown.draft.confirm(answer) {
            Decision::Send(confirmed) => confirmed,
            Decision::Review(draft) => {
                let blank = answers::blank_field(&draft.request().clone().into());
                let blank_note = |field| filled(agent.words.questions.blank, &[&field]);
                let problem = problem.map(|problem| agent.words.applies.message(&problem));
                shown = proposed(agent, draft).await;
                let notes = blank.map(blank_note).into_iter().chain(problem);
                shown.notes.splice(0..0, notes);
                continue;
            }
            Decision::Drop => return not_sent(Refusal::Cancelled, entry),
        };
        dialogue.set_sending(true);
        match delivery::deliver(agent, confirmed.clone(), entry).await {
            Delivered::NotStored(error, rejected) if error.is_about_text() => {
                dialogue.set_sending(false);
                entry = *rejected;
                let draft = agent.client().prepare(confirmed.into_draft());
                shown = proposed(agent, draft.after(&removed)).await;
                shown.notes.insert(0, error.to_string());
            }
            delivered => return answers::delivered(&delivered, None),
        }
    }
    not_sent(Refusal::TooManyRounds, entry)
}

/// Returns the answer that nothing was sent. If the user declined, what the server rejected before is removed from the
/// outbox.
fn not_sent(refusal: Refusal, mut entry: OutboxEntry) -> CallToolResult {
    if refusal.is_by_user() {
        entry.remove();
    }
    answers::not_sent(refusal, entry.stored())
}

/// Shows a draft and waits for the user's answer, and for the line that cannot be read if it was edited.
async fn consent(
    shown: &Shown,
    dialogue: &Dialogue,
) -> Result<(Answer, Option<InvalidLine>), Refusal> {
    match dialogue.ask(Ask::Confirm(Box::new(shown.clone()))).await {
        Reply::Confirm => Ok((Answer::Confirm, None)),
        Reply::Edited(draft, problem) => Ok((Answer::Edit(*draft), problem)),
        Reply::Edit => {
            let draft = shown.draft.to_draft();
            match dialogue.ask(Ask::Edit(draft)).await {
                Reply::Edited(draft, problem) => Ok((Answer::Edit(*draft), problem)),
                Reply::No(refusal) => Err(refusal),
                _ => Err(Refusal::NotAsked),
            }
        }
        Reply::No(refusal) => Err(refusal),
        Reply::Sampled(_) => Err(Refusal::NotAsked),
    }
}

/// Creates the draft, and notes for the user on how it was created.
async fn create_draft(
    agent: &Agent,
    request: ShareRequest,
    dialogue: &Dialogue,
) -> Result<(Draft, Vec<String>), Error> {
    let (conversation, host_has_model, fields) = match request {
        ShareRequest::Draft(draft) => return Ok((draft, Vec::new())),
        ShareRequest::Conversation {
            conversation,
            host_has_model,
            fields,
        } => (conversation, host_has_model, fields),
    };
    dialogue
        .progress(1.0, agent.words.questions.summarizing)
        .await;
    let host = host_has_model.then_some(dialogue as &dyn recall_kit_client::Sampler);
    let summary = agent.client().summarize(&conversation, host).await?;
    dialogue
        .progress(2.0, agent.words.questions.summarized)
        .await;
    let (words, mut notes) = (agent.words.questions, summarize::remarks(&summary));
    match &summary.made_by {
        MadeBy::Ai { model } => notes.insert(0, filled(words.written_by, &[model])),
        MadeBy::Host => notes.insert(0, words.written_by_host.to_owned()),
        MadeBy::Extraction => {}
    }
    Ok((overridden(summary.draft, fields), notes))
}

/// Overrides the fields of a draft by those of another that are not blank.
fn overridden(draft: Draft, fields: Draft) -> Draft {
    let text = |old: String, new: String| match new.trim().is_empty() {
        true => old,
        false => new,
    };
    Draft {
        title: text(draft.title, fields.title),
        problem_description: text(draft.problem_description, fields.problem_description),
        root_cause: fields.root_cause.or(draft.root_cause),
        solution: text(draft.solution, fields.solution),
        context: fields.context.or(draft.context),
        keywords: match fields.keywords.is_empty() {
            true => draft.keywords,
            false => fields.keywords,
        },
        applies: fields.applies.or(draft.applies),
    }
}

/// Returns the note on why the user was not asked, on what the sanitizer did, on what may be private, and on what is
/// there already, because the user did not see it.
fn note(agent: &Agent, draft: &SanitizedDraft, private: &[String], similar: &[String]) -> String {
    let words = &agent.words;
    let mut note = format!(
        "{}. {}",
        words.questions.sent_unasked,
        words.removal_note(draft)
    );
    if !private.is_empty() {
        note.push('\n');
        note.push_str(&filled(words.applies.not_sent, &[&private.join("; ")]));
    }
    for line in similar {
        note.push('\n');
        note.push_str(line);
    }
    note
}
