//! Streams of answers that continue after their connection broke, until the client resumes them with
//! `Last-Event-ID`. rmcp stores a stream only until its answer, and the answer is exactly what a client
//! whose connection broke has missed.
//!
//! A client often notices before the server that its connection is gone. So a client may resume a stream
//! whose connection still seems to work, and a stream stays stored for a while after its last event was
//! written, since the client may not have received it.
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

/// How long a stream stays stored after it has ended.
const RETENTION: Duration = Duration::from_secs(60);
/// The most broken streams that are stored, over all sessions, and the most that were written to the
/// end; the oldest are removed first.
const MAX_STREAMS: usize = 64;
/// The same, for one session.
const MAX_PER_SESSION: usize = 8;
/// The most bytes of events of all stored streams, checked when a stream is added; the oldest streams
/// are removed first.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// The longest event that is stored, in bytes of JSON; a stream with a longer one cannot be resumed.
const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;
/// The most events that are stored of one stream; the oldest are removed first.
const MAX_EVENTS: usize = 256;
/// The most bytes of these events, as JSON; the oldest are removed first.
const MAX_STREAM_BYTES: usize = 2 * MAX_MESSAGE_BYTES;

/// The events of one stream, in order.
pub(super) type Events = Pin<Box<dyn Stream<Item = ServerSseMessage> + Send + Sync>>;

/// Streams that clients can resume.
#[derive(Clone, Default)]
pub(super) struct Replay(Arc<Mutex<Streams>>);

/// The session, and the stream's number in it.
type Key = (Arc<str>, u64);

/// The streams that have sent at least one event, by their state.
#[derive(Default)]
struct Streams {
    /// Read by a connection.
    live: HashMap<Key, Arc<LiveStream>>,
    /// Read by a task here, since their connection broke.
    broken: Recent,
    /// Written to the end.
    written: Recent,
}

/// The most recent streams in one state, in the order in which they were added.
#[derive(Default)]
struct Recent {
    streams: BTreeMap<u64, (Key, watch::Sender<History>)>,
    next: u64,
}

impl Recent {
    fn find(&self, key: &Key) -> Option<&watch::Sender<History>> {
        // A stream that broke again is here twice for a moment; the later entry has more events.
        let mut streams = self.streams.values().rev();
        let (_, history) = streams.find(|(other, _)| other == key)?;
        (!history.borrow().is_expired()).then_some(history)
    }

    /// Adds a stream; removes the oldest ones while there are too many.
    fn insert(&mut self, key: Key, history: watch::Sender<History>) -> u64 {
        self.streams
            .retain(|_, (_, history)| !history.borrow().is_expired());
        let mut of_session = self
            .streams
            .iter()
            .filter(|(_, ((session, _), _))| *session == key.0);
        let oldest_of_session = of_session.next().map(|(order, _)| *order);
        if of_session.count() + 1 >= MAX_PER_SESSION
            && let Some(oldest) = oldest_of_session
        {
            self.streams.remove(&oldest);
        }
        let bytes = history.borrow().bytes;
        while self.streams.len() >= MAX_STREAMS || self.bytes() + bytes > MAX_BYTES {
            if self.streams.pop_first().is_none() {
                break;
            }
        }
        let order = self.next;
        self.next += 1;
        self.streams.insert(order, (key, history));
        order
    }

    fn bytes(&self) -> usize {
        let streams = self.streams.values();
        streams.map(|(_, history)| history.borrow().bytes).sum()
    }

    fn remove_session(&mut self, session: &str) {
        self.streams
            .retain(|_, ((of, _), _)| of.as_ref() != session);
    }
}

/// A stream that a connection reads, and that can be taken from it.
struct LiveStream {
    /// `None` once it was taken, or has ended.
    stream: Mutex<Option<RecordedStream>>,
    /// Wakes the connection when the stream was taken.
    taken: AtomicWaker,
}

/// A stream with its history.
struct RecordedStream {
    events: Events,
    history: History,
}

impl LiveStream {
    fn stream(&self) -> MutexGuard<'_, Option<RecordedStream>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the stream from its connection, unless one of its events was too long to be stored.
    fn take_stream(&self) -> Option<RecordedStream> {
        let taken = self.stream().take_if(|stream| !stream.history.too_long);
        if taken.is_some() {
            self.taken.wake();
        }
        taken
    }
}

/// The stored events of one stream.
#[derive(Default)]
struct History {
    events: VecDeque<ServerSseMessage>,
    /// The size of the events together, as JSON.
    bytes: usize,
    /// Whether an event was too long to be stored.
    too_long: bool,
    ended: Option<Instant>,
}

impl History {
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

    /// Whether the stream ended too long ago to be resumed.
    fn is_expired(&self) -> bool {
        self.ended.is_some_and(|ended| ended.elapsed() >= RETENTION)
    }
}

impl Replay {
    /// Wraps a stream so that its events are stored and it can continue without its connection.
    pub(super) fn record(&self, session: &str, events: Events) -> Recording {
        let history = History::default();
        let stream = RecordedStream { events, history };
        Recording {
            replay: self.clone(),
            session: session.into(),
            key: None,
            live: Arc::new(LiveStream {
                stream: Mutex::new(Some(stream)),
                taken: AtomicWaker::new(),
            }),
        }
    }

    /// Returns the stored and future events of a stream after an event, and takes the stream from the
    /// connection that read it; `None` when there is no such stream.
    pub(super) fn resume(&self, session: &str, last_event_id: &str) -> Option<Events> {
        let (index, number) = parse_event_id(last_event_id)?;
        let key = (session.into(), number);
        let mut streams = self.streams();
        let live = streams.live.get(&key);
        if let Some(stream) = live.and_then(|live| live.take_stream()) {
            streams.live.remove(&key);
            self.take_over(&mut streams, key.clone(), stream);
        }
        let history = streams.broken.find(&key);
        let history = history.or_else(|| streams.written.find(&key))?.subscribe();
        let events = stream::unfold((history, index), |(mut history, last)| async move {
            loop {
                let (next, ended) = {
                    let history = history.borrow_and_update();
                    let is_new = |event: &&ServerSseMessage| index_of(event) > Some(last);
                    (history.events.iter().find(is_new).cloned(), history.ended)
                };
                if let Some(event) = next {
                    let index = index_of(&event)?;
                    return Some((event, (history, index)));
                }
                if ended.is_some() || history.changed().await.is_err() {
                    return None;
                }
            }
        });
        Some(Box::pin(events))
    }

    /// Removes a session's streams.
    pub(super) fn remove_session(&self, session: &str) {
        let mut streams = self.streams();
        streams.live.retain(|(of, _), _| of.as_ref() != session);
        streams.broken.remove_session(session);
        streams.written.remove_session(session);
    }

    /// Starts a task that reads a stream in place of its connection.
    fn take_over(&self, streams: &mut Streams, key: Key, stream: RecordedStream) {
        // Without a runtime the server is about to exit.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let RecordedStream {
            mut events,
            history,
        } = stream;
        let history = watch::Sender::new(history);
        let order = streams.broken.insert(key, history.clone());
        let replay = self.clone();
        runtime.spawn(async move {
            while let Some(event) = events.next().await {
                history.send_modify(|history| history.push(event));
                if history.borrow().too_long {
                    replay.streams().broken.streams.remove(&order);
                    return;
                }
            }
            // Frees the stream's lease, and with it the id of its call.
            drop(events);
            history.send_modify(|history| history.ended = Some(Instant::now()));
        });
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the event's index and the stream's number that an event id contains.
pub(super) fn parse_event_id(id: &str) -> Option<(u64, u64)> {
    let (index, number) = id.split_once('/')?;
    Some((index.parse().ok()?, number.parse().ok()?))
}

fn index_of(event: &ServerSseMessage) -> Option<u64> {
    parse_event_id(event.event_id.as_deref()?).map(|(index, _)| index)
}

/// Returns the size of an event as JSON, in bytes; `None` if it is too long to be stored.
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

/// A stream that a connection reads and whose events are stored.
pub(super) struct Recording {
    replay: Replay,
    session: Arc<str>,
    /// Known from the first event on.
    key: Option<Key>,
    live: Arc<LiveStream>,
}

impl Recording {
    /// Makes the stream available for resuming, under the number in its first event.
    fn register(&mut self, first: &ServerSseMessage) {
        let Some((_, number)) = first.event_id.as_deref().and_then(parse_event_id) else {
            return;
        };
        let key = (Arc::clone(&self.session), number);
        let live = Arc::clone(&self.live);
        self.replay.streams().live.insert(key.clone(), live);
        self.key = Some(key);
    }

    /// Stores the stream as written, or as broken, when its connection ends.
    fn detach(&mut self, has_ended: bool) {
        let Some(key) = self.key.take() else { return };
        let mut streams = self.replay.streams();
        streams.live.remove(&key);
        let Some(mut stream) = self.live.take_stream() else {
            return;
        };
        if has_ended {
            stream.history.ended = Some(Instant::now());
            let history = watch::Sender::new(stream.history);
            streams.written.insert(key, history);
        } else {
            self.replay.take_over(&mut streams, key, stream);
        }
    }
}

impl Stream for Recording {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.live.taken.register(context.waker());
        let next = match &mut *self.live.stream() {
            None => return Poll::Ready(None),
            Some(RecordedStream { events, history }) => {
                let next = ready!(events.as_mut().poll_next(context));
                if let Some(event) = &next {
                    history.push(event.clone());
                }
                next
            }
        };
        match &next {
            Some(event) if self.key.is_none() => self.register(event),
            Some(_) => {}
            None => self.detach(true),
        }
        Poll::Ready(next)
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.detach(false);
    }
}

#[cfg(test)]
mod tests;
