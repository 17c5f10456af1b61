//! What goes on between the sharing of one experience and whoever sits at the host: questions one
//! way, replies the other.
//!
//! How a question reaches the host is [`super::asking`]'s part.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use recall_kit_client::{Draft, Question, SampleError, Sampler, SanitizedDraft};
use rmcp::model::CallToolResult;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

/// How long a question waits for its answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(15 * 60);
/// How long a host's model may take.
const MODEL_PATIENCE: Duration = Duration::from_secs(120);

/// What is asked.
#[derive(Debug, Clone)]
pub(super) enum Ask {
    /// Whether this may be sent.
    Confirm(Box<Shown>),
    /// What it should say instead.
    Edit(Draft),
    /// What the host's model says.
    Sample(Question),
}

/// A sanitized draft, as a person is shown it.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) draft: SanitizedDraft,
    /// What the person should know besides.
    pub(super) notes: Vec<String>,
}

/// What comes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    /// Send it.
    Confirm,
    /// The person wants to change it.
    Edit,
    /// This is what it should say.
    Edited(Draft),
    /// The model's words.
    Sampled(Result<String, SampleError>),
    /// Nothing may be sent.
    No(Refusal),
}

/// Why there is no consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The user declined.
    Declined,
    /// The user answered that nothing is to be sent.
    Cancelled,
    /// The question was closed without an answer, or its call given up.
    Dismissed,
    TimedOut,
    /// The host is gone.
    Gone,
    /// The host failed to ask.
    NotAsked,
    /// It was edited too often.
    TooManyRounds,
}

impl Refusal {
    /// Says whether the user decided it, not whatever kept them from answering.
    pub(super) fn is_the_users(self) -> bool {
        matches!(self, Self::Declined | Self::Cancelled)
    }
}

/// What the sharing says while it goes on.
pub(super) enum Message {
    /// A question, and where its reply goes.
    Asked(Box<Ask>, oneshot::Sender<Reply>),
    /// How far it is.
    Progress { step: f64, message: &'static str },
}

/// The sharing's end.
pub(super) struct Line {
    messages: mpsc::Sender<Message>,
    is_sending: Arc<AtomicBool>,
}

impl Line {
    /// Asks and waits for the reply.
    pub(super) async fn ask(&self, ask: Ask) -> Reply {
        let patience = match ask {
            Ask::Sample(_) => MODEL_PATIENCE,
            Ask::Confirm(_) | Ask::Edit(_) => PATIENCE,
        };
        let (sender, reply) = oneshot::channel();
        if self
            .messages
            .send(Message::Asked(Box::new(ask), sender))
            .await
            .is_err()
        {
            return Reply::No(Refusal::Gone);
        }
        match tokio::time::timeout(patience, reply).await {
            Ok(Ok(reply)) => reply,
            Ok(Err(_)) => Reply::No(Refusal::Gone),
            Err(_) => Reply::No(Refusal::TimedOut),
        }
    }

    /// Notes whether there is consent and what was agreed to is on its way, which nothing stops.
    pub(super) fn sends(&self, is_sending: bool) {
        self.is_sending.store(is_sending, Ordering::SeqCst);
    }

    /// Tells how far it is, in steps.
    pub(super) async fn progress(&self, step: f64, message: &'static str) {
        // Nobody has to listen.
        let _ = self
            .messages
            .send(Message::Progress { step, message })
            .await;
    }
}

/// The host's model, asked through the line.
#[async_trait]
impl Sampler for Line {
    async fn sample(&self, question: &Question) -> Result<String, SampleError> {
        match self.ask(Ask::Sample(question.clone())).await {
            Reply::Sampled(said) => said,
            Reply::No(Refusal::Declined | Refusal::Cancelled | Refusal::Dismissed) => {
                Err(SampleError::Declined)
            }
            Reply::No(Refusal::TimedOut) => {
                let seconds = MODEL_PATIENCE.as_secs();
                Err(SampleError::Failed(format!("no answer in {seconds} s")))
            }
            _ => Err(SampleError::Failed("it gave no answer".to_owned())),
        }
    }
}

/// The sharing of one experience, which goes on between calls; given up when dropped.
pub(super) struct Flow {
    messages: mpsc::Receiver<Message>,
    task: JoinHandle<CallToolResult>,
    is_sending: Arc<AtomicBool>,
}

/// What comes next of a sharing.
pub(super) enum Step {
    Said(Message),
    /// It is over; none when it broke down.
    Done(Option<CallToolResult>),
}

impl Flow {
    /// Starts what `share` makes of its end of the line.
    pub(super) fn start<F>(share: impl FnOnce(Line) -> F) -> Self
    where
        F: Future<Output = CallToolResult> + Send + 'static,
    {
        let (sender, messages) = mpsc::channel(1);
        let is_sending = Arc::new(AtomicBool::new(false));
        let line = Line {
            messages: sender,
            is_sending: Arc::clone(&is_sending),
        };
        let task = tokio::spawn(share(line));
        Self {
            messages,
            task,
            is_sending,
        }
    }

    /// Gives the sharing up; says whether it may be sent all the same.
    pub(super) fn give_up(self) -> bool {
        self.task.abort();
        self.is_sending.load(Ordering::SeqCst)
    }

    /// Waits for what comes next.
    pub(super) async fn step(&mut self) -> Step {
        match self.messages.recv().await {
            Some(message) => Step::Said(message),
            None => Step::Done((&mut self.task).await.ok()),
        }
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        self.task.abort();
    }
}
