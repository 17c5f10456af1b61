//! Streams of answers that go on after their connection broke, until the client takes them up again
//! with `Last-Event-ID`. rmcp's own memory of a stream ends with the answer, which is just what a
//! client that was cut off has missed.
//!
//! Source: MCP specification, "Resumability and Redelivery".

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use futures::{Stream, StreamExt as _, stream};
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use tokio::sync::watch;

/// How long an answer is kept for a client that was cut off.
const KEPT_FOR: Duration = Duration::from_secs(60);
/// Broken streams that are kept at once, over all sessions; the oldest go first.
const MAX_BROKEN: usize = 64;
/// The same, of one session.
const MAX_BROKEN_OF_ONE: usize = 8;
/// The longest message that is kept, in bytes of JSON; a longer one ends what is kept of its stream.
const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;
/// Events that are kept of one stream; the oldest go first.
const MAX_EVENTS: usize = 256;

/// The events of one stream, in order.
pub(super) type Events = Pin<Box<dyn Stream<Item = ServerSseMessage> + Send + Sync>>;

/// Streams whose connection broke.
#[derive(Clone, Default)]
pub(super) struct Replay(Arc<Mutex<Broken>>);

/// The streams in the order they broke in.
#[derive(Default)]
struct Broken {
    streams: BTreeMap<u64, (Key, watch::Sender<Kept>)>,
    next: u64,
}

impl Broken {
    fn find(&self, key: &Key) -> Option<&watch::Sender<Kept>> {
        // A stream that broke again is there twice for a moment; the later one knows more.
        let mut streams = self.streams.values().rev();
        streams.find(|(of, _)| of == key).map(|(_, kept)| kept)
    }

    /// Takes a stream in, in place of the oldest where there are too many.
    fn insert(&mut self, key: Key, kept: watch::Sender<Kept>) -> u64 {
        let mut of_session = self.streams.iter().filter(|(_, ((of, _), _))| *of == key.0);
        let oldest_of_session = of_session.next().map(|(order, _)| *order);
        if of_session.count() + 1 >= MAX_BROKEN_OF_ONE
            && let Some(oldest) = oldest_of_session
        {
            self.streams.remove(&oldest);
        }
        if self.streams.len() >= MAX_BROKEN {
            self.streams.pop_first();
        }
        let order = self.next;
        self.next += 1;
        self.streams.insert(order, (key, kept));
        order
    }
}

/// The session, and the stream's number in it.
type Key = (Arc<str>, u64);

/// What is kept of one stream.
#[derive(Default)]
struct Kept {
    events: Vec<ServerSseMessage>,
    ended: bool,
}

impl Kept {
    fn push(&mut self, event: ServerSseMessage) {
        if self.events.len() >= MAX_EVENTS {
            self.events.remove(0);
        }
        self.events.push(event);
    }
}

impl Replay {
    /// Passes a stream on and remembers it, so that it can go on without its connection.
    pub(super) fn remember(&self, session: &str, events: Events) -> Remembered {
        Remembered {
            replay: self.clone(),
            session: session.into(),
            events: Some(events),
            kept: Kept::default(),
        }
    }

    /// Returns what a broken stream said after an event, and what it will say; `None` when there is
    /// no such stream.
    pub(super) fn resume(&self, session: &str, last_event_id: &str) -> Option<Events> {
        let (index, number) = place(last_event_id)?;
        let kept = self.broken().find(&(session.into(), number))?.subscribe();
        let events = stream::unfold((kept, index), |(mut kept, last)| async move {
            loop {
                let (next, ended) = {
                    let kept = kept.borrow_and_update();
                    let is_new = |event: &&ServerSseMessage| index_of(event) > Some(last);
                    (kept.events.iter().find(is_new).cloned(), kept.ended)
                };
                if let Some(event) = next {
                    let index = index_of(&event)?;
                    return Some((event, (kept, index)));
                }
                if ended || kept.changed().await.is_err() {
                    return None;
                }
            }
        });
        Some(Box::pin(events))
    }

    /// Forgets a session's streams.
    pub(super) fn forget(&self, session: &str) {
        let mut broken = self.broken();
        broken
            .streams
            .retain(|_, ((of, _), _)| of.as_ref() != session);
    }

    /// Keeps listening to a stream whose connection broke.
    fn take_over(&self, session: Arc<str>, mut events: Events, kept: Kept) {
        let number = kept.events.first().and_then(|event| {
            let (_, number) = place(event.event_id.as_deref()?)?;
            Some(number)
        });
        // Outside the runtime the server is about to end.
        let (Some(number), Ok(runtime)) = (number, tokio::runtime::Handle::try_current()) else {
            return;
        };
        if !kept.events.iter().all(is_kept) {
            return;
        }
        let kept = watch::Sender::new(kept);
        let order = self.broken().insert((session, number), kept.clone());
        let replay = self.clone();
        runtime.spawn(async move {
            while let Some(event) = events.next().await {
                if !is_kept(&event) {
                    replay.broken().streams.remove(&order);
                    return;
                }
                kept.send_modify(|kept| kept.push(event));
            }
            // What the stream held, the id of its call above all, is free again.
            drop(events);
            kept.send_modify(|kept| kept.ended = true);
            tokio::time::sleep(KEPT_FOR).await;
            replay.broken().streams.remove(&order);
        });
    }

    fn broken(&self) -> MutexGuard<'_, Broken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An event's place as its id says it: its index, and its stream's number.
fn place(id: &str) -> Option<(u64, u64)> {
    let (index, number) = id.split_once('/')?;
    Some((index.parse().ok()?, number.parse().ok()?))
}

fn index_of(event: &ServerSseMessage) -> Option<u64> {
    place(event.event_id.as_deref()?).map(|(index, _)| index)
}

/// Whether an event is short enough to be kept.
fn is_kept(event: &ServerSseMessage) -> bool {
    struct Counted(usize);
    impl std::io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            let fits = self.0 <= MAX_MESSAGE_BYTES;
            let too_long = || std::io::Error::from(std::io::ErrorKind::FileTooLarge);
            fits.then_some(bytes.len()).ok_or_else(too_long)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let message = event.message.as_deref();
    message.is_none_or(|message| serde_json::to_writer(Counted(0), message).is_ok())
}

/// A stream on its way to the client.
pub(super) struct Remembered {
    replay: Replay,
    session: Arc<str>,
    /// `None` once it has ended.
    events: Option<Events>,
    kept: Kept,
}

impl Stream for Remembered {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(events) = &mut self.events else {
            return Poll::Ready(None);
        };
        let next = std::task::ready!(events.as_mut().poll_next(context));
        match &next {
            Some(event) => self.kept.push(event.clone()),
            None => self.events = None,
        }
        Poll::Ready(next)
    }
}

impl Drop for Remembered {
    fn drop(&mut self) {
        if let Some(events) = self.events.take() {
            let (session, kept) = (Arc::clone(&self.session), std::mem::take(&mut self.kept));
            self.replay.take_over(session, events, kept);
        }
    }
}

#[cfg(test)]
mod tests;
