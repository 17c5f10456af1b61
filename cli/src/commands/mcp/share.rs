//! Sharing one experience: summarize, sanitize, ask, send. Nothing is sent before there is consent.

use std::sync::Arc;

use recall_kit_client::{Answer, Conversation, Decision, Draft, Error, MadeBy, SanitizedDraft};
use rmcp::model::CallToolResult;

use super::{
    agent::Agent,
    answers,
    delivery::{self, Delivered},
    dialogue::{Ask, Line, Refusal, Reply, Shown},
};
use crate::{
    commands::{outbox::Held, summarize},
    words::filled,
};

/// How often a draft may be shown; hosts of 2026-07-28 drive ten rounds.
const MAX_ROUNDS: usize = 8;

/// What is to be shared.
pub(super) enum Wish {
    /// What the agent wrote.
    Draft(Draft),
    /// What it is to be made of.
    Conversation {
        /// The conversation.
        conversation: Conversation,
        /// Whether the host has a model to lend.
        host_has_model: bool,
        /// What the agent wrote, which wins over the summary.
        given: Draft,
    },
}

/// Shares an experience and says what came of it.
pub(super) async fn share(agent: Arc<Agent>, wish: Wish, line: Line) -> CallToolResult {
    let (draft, notes) = match drafted(&agent, wish, &line).await {
        Ok(drafted) => drafted,
        Err(error) => return answers::failed(&error),
    };
    if let Some(blank) = answers::blank_field(&draft) {
        return answers::incomplete(blank);
    }
    let shown = Shown {
        draft: agent.client().prepare(draft),
        notes,
    };
    match shown.draft.clone().confirm_unasked(agent.client().config()) {
        Ok(confirmed) => {
            let note = note(&agent, &shown.draft);
            line.sends(true);
            let delivered = delivery::deliver(&agent, confirmed, agent.nothing_held()).await;
            answers::delivered(&delivered, Some(&note))
        }
        Err(_) => ask_and_send(&agent, shown, &line).await,
    }
}

/// Asks until there is an answer, and sends what was agreed to. What the server refuses is shown
/// again, and stays in the outbox until another text is agreed to.
async fn ask_and_send(agent: &Arc<Agent>, mut shown: Shown, line: &Line) -> CallToolResult {
    let mut held = agent.nothing_held();
    for _ in 0..MAX_ROUNDS {
        let answer = match consent(&shown, line).await {
            Ok(answer) => answer,
            Err(refusal) => return ended(refusal, held),
        };
        let removed = shown.draft.removed().to_vec();
        let confirmed = match shown.draft.confirm(answer) {
            Decision::Send(confirmed) => confirmed,
            Decision::Review(draft) => {
                let blank = answers::blank_field(&draft.request().clone().into());
                let blank_note = |field| filled(agent.words.questions.blank, &[&field]);
                let notes = blank.map(blank_note).into_iter().collect();
                shown = Shown { draft, notes };
                continue;
            }
            Decision::Drop => return ended(Refusal::Cancelled, held),
        };
        line.sends(true);
        match delivery::deliver(agent, confirmed.clone(), held).await {
            Delivered::NotStored(error, refused) if error.is_about_text() => {
                line.sends(false);
                held = *refused;
                let draft = agent.client().prepare(confirmed.into_draft());
                shown = Shown {
                    draft: draft.after(&removed),
                    notes: vec![error.to_string()],
                };
            }
            delivered => return answers::delivered(&delivered, None),
        }
    }
    ended(Refusal::TooManyRounds, held)
}

/// Nothing more is sent. What the server refused before goes from the outbox if the user said no.
fn ended(refusal: Refusal, mut held: Held) -> CallToolResult {
    if refusal.is_the_users() {
        held.over();
    }
    answers::not_sent(refusal, held.kept())
}

/// Shows a draft and waits for what the person says.
async fn consent(shown: &Shown, line: &Line) -> Result<Answer, Refusal> {
    match line.ask(Ask::Confirm(Box::new(shown.clone()))).await {
        Reply::Confirm => Ok(Answer::Confirm),
        Reply::Edited(draft) => Ok(Answer::Edit(draft)),
        Reply::Edit => {
            let draft = shown.draft.request().clone().into();
            match line.ask(Ask::Edit(draft)).await {
                Reply::Edited(draft) => Ok(Answer::Edit(draft)),
                Reply::No(refusal) => Err(refusal),
                _ => Err(Refusal::NotAsked),
            }
        }
        Reply::No(refusal) => Err(refusal),
        Reply::Sampled(_) => Err(Refusal::NotAsked),
    }
}

/// Makes the draft, and what a person should know of how it was made.
async fn drafted(agent: &Agent, wish: Wish, line: &Line) -> Result<(Draft, Vec<String>), Error> {
    let (conversation, host_has_model, given) = match wish {
        Wish::Draft(draft) => return Ok((draft, Vec::new())),
        Wish::Conversation {
            conversation,
            host_has_model,
            given,
        } => (conversation, host_has_model, given),
    };
    line.progress(1.0, agent.words.questions.summarizing).await;
    let host = host_has_model.then_some(line as &dyn recall_kit_client::Sampler);
    let summary = agent.client().summarize(&conversation, host).await?;
    line.progress(2.0, agent.words.questions.summarized).await;
    let (words, mut notes) = (agent.words.questions, summarize::remarks(&summary));
    match &summary.made_by {
        MadeBy::Ai { model } => notes.insert(0, filled(words.written_by, &[model])),
        MadeBy::Host => notes.insert(0, words.written_by_host.to_owned()),
        MadeBy::Extraction => {}
    }
    Ok((overlaid(summary.draft, given), notes))
}

/// Lays what was written over a draft, field by field.
fn overlaid(draft: Draft, over: Draft) -> Draft {
    let text = |below: String, above: String| match above.trim().is_empty() {
        true => below,
        false => above,
    };
    Draft {
        title: text(draft.title, over.title),
        problem_description: text(draft.problem_description, over.problem_description),
        root_cause: over.root_cause.or(draft.root_cause),
        solution: text(draft.solution, over.solution),
        context: over.context.or(draft.context),
        keywords: match over.keywords.is_empty() {
            true => draft.keywords,
            false => over.keywords,
        },
    }
}

/// Says why nobody was asked, and what the sanitizer did, which nobody was shown.
fn note(agent: &Agent, draft: &SanitizedDraft) -> String {
    let words = &agent.words;
    format!(
        "{}. {}",
        words.questions.sent_unasked,
        words.removal_note(draft)
    )
}
