//! Streams of answers that go on after their connection broke, until the client takes them up again
//! with `Last-Event-ID`. rmcp's own memory of a stream ends with the answer, which is just what a
//! client that was cut off has missed.
//!
//! A client often knows first that its connection is gone. So a stream is handed to whoever takes it
//! up, also from a connection that seems to work, and is kept for a while after its last event was
//! written: perhaps into the void.
//!
//! Source: MCP specification, "Resumability and Redelivery".

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use futures::{Stream, StreamExt as _, stream, task::AtomicWaker};
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use tokio::{sync::watch, time::Instant};

/// How long an answer is kept for a client that was cut off.
const KEPT_FOR: Duration = Duration::from_secs(60);
/// Broken streams that are kept at once, over all sessions, and as many that were written to the end;
/// the oldest go first.
const MAX_STREAMS: usize = 64;
/// The same, of one session.
const MAX_OF_ONE: usize = 8;
/// Bytes of what streams had said when they came in, of all of them together; the oldest go first.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// The longest message that is kept, in bytes of JSON; a longer one ends what is kept of its stream.
const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;
/// Events that are kept of one stream; the oldest go first.
const MAX_EVENTS: usize = 256;
/// Their bytes together, as JSON; the oldest go first.
const MAX_STREAM_BYTES: usize = 2 * MAX_MESSAGE_BYTES;

/// The events of one stream, in order.
pub(super) type Events = Pin<Box<dyn Stream<Item = ServerSseMessage> + Send + Sync>>;

/// Streams that can be taken up again.
#[derive(Clone, Default)]
pub(super) struct Replay(Arc<Mutex<Streams>>);

/// The session, and the stream's number in it.
type Key = (Arc<str>, u64);

/// Where streams are that have said something.
#[derive(Default)]
struct Streams {
    /// On their way to a connection.
    live: HashMap<Key, Arc<Line>>,
    /// Listened to here, as their connection broke.
    broken: Ring,
    /// Written to the end.
    written: Ring,
}

/// The newest streams of a kind, in the order they came in.
#[derive(Default)]
struct Ring {
    streams: BTreeMap<u64, (Key, watch::Sender<Kept>)>,
    next: u64,
}

impl Ring {
    fn find(&self, key: &Key) -> Option<&watch::Sender<Kept>> {
        // A stream that broke again is there twice for a moment; the later one knows more.
        let mut streams = self.streams.values().rev();
        let (_, kept) = streams.find(|(of, _)| of == key)?;
        (!kept.borrow().is_over()).then_some(kept)
    }

    /// Takes a stream in, in place of the oldest where there are too many.
    fn insert(&mut self, key: Key, kept: watch::Sender<Kept>) -> u64 {
        self.streams.retain(|_, (_, kept)| !kept.borrow().is_over());
        let mut of_session = self.streams.iter().filter(|(_, ((of, _), _))| *of == key.0);
        let oldest_of_session = of_session.next().map(|(order, _)| *order);
        if of_session.count() + 1 >= MAX_OF_ONE
            && let Some(oldest) = oldest_of_session
        {
            self.streams.remove(&oldest);
        }
        while self.streams.len() >= MAX_STREAMS || self.bytes() + kept.borrow().bytes > MAX_BYTES {
            if self.streams.pop_first().is_none() {
                break;
            }
        }
        let order = self.next;
        self.next += 1;
        self.streams.insert(order, (key, kept));
        order
    }

    fn bytes(&self) -> usize {
        let streams = self.streams.values();
        streams.map(|(_, kept)| kept.borrow().bytes).sum()
    }

    fn forget(&mut self, session: &str) {
        self.streams
            .retain(|_, ((of, _), _)| of.as_ref() != session);
    }
}

/// A stream on its way to a connection, from which it can be taken.
struct Line {
    /// `None` once it was taken, or has ended.
    carried: Mutex<Option<Carried>>,
    /// Wakes the connection when the stream was taken.
    taken: AtomicWaker,
}

/// A stream, and what it has said.
struct Carried {
    events: Events,
    kept: Kept,
}

impl Line {
    fn carried(&self) -> MutexGuard<'_, Option<Carried>> {
        self.carried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the stream, unless something it said was too long to be kept.
    fn take_whole(&self) -> Option<Carried> {
        let taken = self.carried().take_if(|carried| !carried.kept.too_long);
        if taken.is_some() {
            self.taken.wake();
        }
        taken
    }
}

/// What is kept of one stream.
#[derive(Default)]
struct Kept {
    events: VecDeque<ServerSseMessage>,
    /// Of the events together, as JSON.
    bytes: usize,
    /// Whether an event was too long.
    too_long: bool,
    ended: Option<Instant>,
}

impl Kept {
    fn push(&mut self, event: ServerSseMessage) {
        let Some(bytes) = bytes_of(&event) else {
            self.too_long = true;
            return;
        };
        self.bytes += bytes;
        self.events.push_back(event);
        while self.events.len() > MAX_EVENTS || self.bytes > MAX_STREAM_BYTES {
            let oldest = self.events.pop_front();
            self.bytes -= oldest.as_ref().and_then(bytes_of).unwrap_or_default();
        }
    }

    /// Whether nobody will come for it any more.
    fn is_over(&self) -> bool {
        self.ended.is_some_and(|ended| ended.elapsed() >= KEPT_FOR)
    }
}

impl Replay {
    /// Passes a stream on and remembers it, so that it can go on without its connection.
    pub(super) fn remember(&self, session: &str, events: Events) -> Remembered {
        let kept = Kept::default();
        Remembered {
            replay: self.clone(),
            session: session.into(),
            key: None,
            line: Arc::new(Line {
                carried: Mutex::new(Some(Carried { events, kept })),
                taken: AtomicWaker::new(),
            }),
        }
    }

    /// Returns what a stream said after an event, and what it will say, to nobody else from now on;
    /// `None` when there is no such stream.
    pub(super) fn resume(&self, session: &str, last_event_id: &str) -> Option<Events> {
        let (index, number) = place(last_event_id)?;
        let key = (session.into(), number);
        let mut streams = self.streams();
        let line = streams.live.get(&key);
        if let Some(carried) = line.and_then(|line| line.take_whole()) {
            streams.live.remove(&key);
            self.take_over(&mut streams, key.clone(), carried);
        }
        let kept = streams.broken.find(&key);
        let kept = kept.or_else(|| streams.written.find(&key))?.subscribe();
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
                if ended.is_some() || kept.changed().await.is_err() {
                    return None;
                }
            }
        });
        Some(Box::pin(events))
    }

    /// Forgets a session's streams.
    pub(super) fn forget(&self, session: &str) {
        let mut streams = self.streams();
        streams.live.retain(|(of, _), _| of.as_ref() != session);
        streams.broken.forget(session);
        streams.written.forget(session);
    }

    /// Listens to a stream instead of its connection.
    fn take_over(&self, streams: &mut Streams, key: Key, carried: Carried) {
        // Outside the runtime the server is about to end.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let Carried { mut events, kept } = carried;
        let kept = watch::Sender::new(kept);
        let order = streams.broken.insert(key, kept.clone());
        let replay = self.clone();
        runtime.spawn(async move {
            while let Some(event) = events.next().await {
                kept.send_modify(|kept| kept.push(event));
                if kept.borrow().too_long {
                    replay.streams().broken.streams.remove(&order);
                    return;
                }
            }
            // What the stream held, the id of its call above all, is free again.
            drop(events);
            kept.send_modify(|kept| kept.ended = Some(Instant::now()));
        });
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An event's place as its id says it: its index, and its stream's number.
pub(super) fn place(id: &str) -> Option<(u64, u64)> {
    let (index, number) = id.split_once('/')?;
    Some((index.parse().ok()?, number.parse().ok()?))
}

fn index_of(event: &ServerSseMessage) -> Option<u64> {
    place(event.event_id.as_deref()?).map(|(index, _)| index)
}

/// Returns how long an event is as JSON; `None` where it is too long to be kept.
fn bytes_of(event: &ServerSseMessage) -> Option<usize> {
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
    let mut counted = Counted(0);
    if let Some(message) = event.message.as_deref() {
        serde_json::to_writer(&mut counted, message).ok()?;
    }
    Some(counted.0)
}

/// A stream on its way to the client.
pub(super) struct Remembered {
    replay: Replay,
    session: Arc<str>,
    /// Known from its first event on.
    key: Option<Key>,
    line: Arc<Line>,
}

impl Remembered {
    /// Lets others take the stream, when its first event says which one it is.
    fn announce(&mut self, first: &ServerSseMessage) {
        let Some((_, number)) = first.event_id.as_deref().and_then(place) else {
            return;
        };
        let key = (Arc::clone(&self.session), number);
        let line = Arc::clone(&self.line);
        self.replay.streams().live.insert(key.clone(), line);
        self.key = Some(key);
    }

    /// Hands the stream over as its connection ends, to those who may come for the rest of it.
    fn leave(&mut self, has_ended: bool) {
        let Some(key) = self.key.take() else { return };
        let mut streams = self.replay.streams();
        streams.live.remove(&key);
        let Some(mut carried) = self.line.take_whole() else {
            return;
        };
        if has_ended {
            carried.kept.ended = Some(Instant::now());
            let kept = watch::Sender::new(carried.kept);
            streams.written.insert(key, kept);
        } else {
            self.replay.take_over(&mut streams, key, carried);
        }
    }
}

impl Stream for Remembered {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.line.taken.register(context.waker());
        let next = match &mut *self.line.carried() {
            None => return Poll::Ready(None),
            Some(Carried { events, kept }) => {
                let next = ready!(events.as_mut().poll_next(context));
                if let Some(event) = &next {
                    kept.push(event.clone());
                }
                next
            }
        };
        match &next {
            Some(event) if self.key.is_none() => self.announce(event),
            Some(_) => {}
            None => self.leave(true),
        }
        Poll::Ready(next)
    }
}

impl Drop for Remembered {
    fn drop(&mut self) {
        self.leave(false);
    }
}

#[cfg(test)]
mod tests;
