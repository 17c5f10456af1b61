//! The dialogue between the sharing of one experience and the user at the host: questions in one direction, replies in
//! the other.
//!
//! [`super::asking`] passes the questions to the host.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use recall_kit_client::{Draft, InvalidLine, Question, SampleError, Sampler, SanitizedDraft};
use rmcp::model::CallToolResult;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

/// How long a question waits for its answer.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// How long a host's model may take.
const MODEL_TIMEOUT: Duration = Duration::from_secs(120);

/// A question.
#[derive(Debug, Clone)]
pub(super) enum Ask {
    /// To the user: may this be sent?
    Confirm(Box<Shown>),
    /// To the user: a form to change the draft.
    Edit(Draft),
    /// To the host's model.
    Sample(Question),
}

/// A sanitized draft, as it is shown to the user.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) draft: SanitizedDraft,
    /// Further notes for the user.
    pub(super) notes: Vec<String>,
}

/// The reply to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    /// Send it.
    Confirm,
    /// The user wants to change it.
    Edit,
    /// The changed draft, and the line about where it applies that cannot be read, and so changed nothing.
    Edited(Box<Draft>, Option<InvalidLine>),
    /// The model's answer.
    Sampled(Result<String, SampleError>),
    /// Nothing may be sent.
    No(Refusal),
}

/// The reason why there is no consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The user declined.
    Declined,
    /// The user chose to send nothing.
    Cancelled,
    /// The question was closed without an answer, or its call was cancelled.
    Dismissed,
    /// There was no answer in time.
    TimedOut,
    /// The host is gone.
    Gone,
    /// The host failed to ask.
    NotAsked,
    /// It was edited too often.
    TooManyRounds,
}

impl Refusal {
    /// Returns whether the user decided it, rather than something that prevented an answer.
    pub(super) fn is_by_user(self) -> bool {
        matches!(self, Self::Declined | Self::Cancelled)
    }
}

/// A message of a running sharing.
pub(super) enum Message {
    /// A question, and the channel for its reply.
    Question(Box<Ask>, oneshot::Sender<Reply>),
    /// The progress.
    Progress { step: f64, message: &'static str },
}

/// The sharing's end of the dialogue.
pub(super) struct Dialogue {
    messages: mpsc::Sender<Message>,
    is_sending: Arc<AtomicBool>,
}

impl Dialogue {
    /// Asks and waits for the reply.
    pub(super) async fn ask(&self, ask: Ask) -> Reply {
        let limit = match ask {
            Ask::Sample(_) => MODEL_TIMEOUT,
            Ask::Confirm(_) | Ask::Edit(_) => ANSWER_TIMEOUT,
        };
        let (sender, reply) = oneshot::channel();
        if self
            .messages
            .send(Message::Question(Box::new(ask), sender))
            .await
            .is_err()
        {
            return Reply::No(Refusal::Gone);
        }
        match tokio::time::timeout(limit, reply).await {
            Ok(Ok(reply)) => reply,
            Ok(Err(_)) => Reply::No(Refusal::Gone),
            Err(_) => Reply::No(Refusal::TimedOut),
        }
    }

    /// Records whether a confirmed experience is being sent, which cannot be stopped.
    pub(super) fn set_sending(&self, is_sending: bool) {
        self.is_sending.store(is_sending, Ordering::SeqCst);
    }

    /// Reports the progress, in steps.
    pub(super) async fn progress(&self, step: f64, message: &'static str) {
        // An error means that nobody receives it.
        let _ = self
            .messages
            .send(Message::Progress { step, message })
            .await;
    }
}

/// Asks the host's model through the dialogue.
#[async_trait]
impl Sampler for Dialogue {
    async fn sample(&self, question: &Question) -> Result<String, SampleError> {
        match self.ask(Ask::Sample(question.clone())).await {
            Reply::Sampled(answer) => answer,
            Reply::No(Refusal::Declined | Refusal::Cancelled | Refusal::Dismissed) => {
                Err(SampleError::Declined)
            }
            Reply::No(Refusal::TimedOut) => {
                let seconds = MODEL_TIMEOUT.as_secs();
                Err(SampleError::Failed(format!("no answer in {seconds} s")))
            }
            _ => Err(SampleError::Failed("it gave no answer".to_owned())),
        }
    }
}

/// The sharing of one experience, which continues between calls; it is cancelled when dropped.
pub(super) struct Sharing {
    messages: mpsc::Receiver<Message>,
    task: JoinHandle<CallToolResult>,
    is_sending: Arc<AtomicBool>,
}

/// The next step of a sharing.
pub(super) enum Step {
    Message(Message),
    /// It has ended; `None` if its task failed.
    Done(Option<CallToolResult>),
}

impl Sharing {
    /// Starts `share` with its end of the dialogue.
    pub(super) fn start<F>(share: impl FnOnce(Dialogue) -> F) -> Self
    where
        F: Future<Output = CallToolResult> + Send + 'static,
    {
        let (sender, messages) = mpsc::channel(1);
        let is_sending = Arc::new(AtomicBool::new(false));
        let dialogue = Dialogue {
            messages: sender,
            is_sending: Arc::clone(&is_sending),
        };
        let task = tokio::spawn(share(dialogue));
        Self {
            messages,
            task,
            is_sending,
        }
    }

    /// Cancels the sharing. Returns whether the experience may be sent nevertheless.
    pub(super) fn cancel(self) -> bool {
        self.task.abort();
        self.is_sending.load(Ordering::SeqCst)
    }

    /// Waits for the next step.
    pub(super) async fn step(&mut self) -> Step {
        match self.messages.recv().await {
            Some(message) => Step::Message(message),
            None => Step::Done((&mut self.task).await.ok()),
        }
    }
}

impl Drop for Sharing {
    fn drop(&mut self) {
        self.task.abort();
    }
}
