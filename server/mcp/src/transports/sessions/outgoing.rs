//! One event stream of a session: it numbers its events and stores the most recent ones for a client
//! whose connection breaks.

use std::{collections::VecDeque, time::Duration};

use rmcp::{
    model::ServerJsonRpcMessage, transport::streamable_http_server::session::ServerSseMessage,
};
use tokio::sync::mpsc::{self, OwnedPermit, Receiver, Sender};

/// The most events that wait for a reader, and the most that are stored.
pub(super) const CAPACITY: usize = 16;
/// How long a client should wait before it connects again.
const RETRY: Duration = Duration::from_secs(3);

/// A stream of events and its reader.
pub(super) struct Outgoing {
    /// The stream's number in the ids of its events; `None` for the session's standalone stream.
    number: Option<u64>,
    /// The index of the next event.
    next: u64,
    /// The most recent events with their indexes.
    recent: VecDeque<(u64, ServerSseMessage)>,
    reader: Option<Sender<ServerSseMessage>>,
    /// The number of readers so far.
    readers: u64,
}

/// The reader of a stream at one time; another reader may replace it.
pub(super) struct Reader {
    sender: Option<Sender<ServerSseMessage>>,
    number: u64,
}

/// The permission to send one event to a reader.
pub(super) struct Permit {
    permit: Option<OwnedPermit<ServerSseMessage>>,
    reader: u64,
}

impl Reader {
    /// Waits until the reader's queue has a free place, or the reader is gone.
    pub(super) async fn reserve(self) -> Permit {
        let permit = match self.sender {
            Some(sender) => sender.reserve_owned().await.ok(),
            None => None,
        };
        Permit {
            permit,
            reader: self.number,
        }
    }
}

impl Outgoing {
    /// Returns the standalone stream, for messages that belong to no call; rmcp sends its event 0.
    pub(super) fn of_session() -> Self {
        Self {
            number: None,
            next: 1,
            recent: VecDeque::new(),
            reader: None,
            readers: 0,
        }
    }

    /// Returns the stream of one call. Its first event tells the client the stream's number.
    pub(super) fn of_call(number: u64) -> (Self, Receiver<ServerSseMessage>) {
        let mut stream = Self {
            number: Some(number),
            next: 0,
            ..Self::of_session()
        };
        let first = ServerSseMessage::priming(stream.id(0), RETRY);
        stream.store(first);
        let events = stream.read_after(None);
        (stream, events)
    }

    /// Whether the stream has a reader.
    pub(super) fn is_read(&self) -> bool {
        self.reader.as_ref().is_some_and(|it| !it.is_closed())
    }

    /// Returns a new reader of the stored events after `index`, and of all later events. The previous
    /// reader's stream ends.
    pub(super) fn read_after(&mut self, index: Option<u64>) -> Receiver<ServerSseMessage> {
        let (sender, events) = mpsc::channel(CAPACITY);
        let missed = self.recent.iter().filter(|(at, _)| Some(*at) > index);
        for (_, event) in missed {
            // The queue is as long as the list of stored events, so none is lost.
            sender.try_send(event.clone()).ok();
        }
        self.reader = Some(sender);
        self.readers += 1;
        events
    }

    pub(super) fn reader(&self) -> Reader {
        Reader {
            sender: self.reader.clone(),
            number: self.readers,
        }
    }

    /// Sends a message to the reader of the permit, and stores it.
    ///
    /// *Errors*: the message, if another reader has replaced this one.
    pub(super) fn send(
        &mut self,
        message: Box<ServerJsonRpcMessage>,
        permit: Permit,
    ) -> Result<(), Box<ServerJsonRpcMessage>> {
        if permit.reader != self.readers {
            return Err(message);
        }
        let event = ServerSseMessage::new(self.id(self.next), *message);
        if let Some(permit) = permit.permit {
            permit.send(event.clone());
        }
        self.store(event);
        Ok(())
    }

    /// Drops the sender to a reader that is gone, which frees its queue.
    pub(super) fn drop_closed_reader(&mut self) {
        if !self.is_read() {
            self.reader = None;
        }
    }

    fn store(&mut self, event: ServerSseMessage) {
        if self.recent.len() >= CAPACITY {
            self.recent.pop_front();
        }
        self.recent.push_back((self.next, event));
        self.next += 1;
    }

    fn id(&self, index: u64) -> String {
        match self.number {
            Some(number) => format!("{index}/{number}"),
            None => index.to_string(),
        }
    }
}
