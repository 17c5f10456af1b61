//! One event stream of a session: it numbers its events, and keeps the last of them for a client whose
//! connection breaks.

use std::{collections::VecDeque, time::Duration};

use rmcp::{
    model::ServerJsonRpcMessage, transport::streamable_http_server::session::ServerSseMessage,
};
use tokio::sync::mpsc::{self, OwnedPermit, Receiver, Sender};

/// Events that wait for a reader, and events that are kept.
pub(super) const CAPACITY: usize = 16;
/// How long a client waits before it connects again.
const RETRY: Duration = Duration::from_secs(3);

/// A stream of events and its reader.
pub(super) struct Outgoing {
    /// In its events' ids; the session's own stream has none.
    number: Option<u64>,
    /// The index of the next event.
    next: u64,
    kept: VecDeque<(u64, ServerSseMessage)>,
    reader: Option<Sender<ServerSseMessage>>,
    /// How many readers there have been.
    readers: u64,
}

/// Where an event of a stream goes: to this reader, unless it was replaced meanwhile.
pub(super) struct Reader {
    sender: Option<Sender<ServerSseMessage>>,
    number: u64,
}

/// Room for one event.
pub(super) struct Room {
    permit: Option<OwnedPermit<ServerSseMessage>>,
    reader: u64,
}

impl Reader {
    /// Waits until the reader takes another event, or is gone.
    pub(super) async fn room(self) -> Room {
        let permit = match self.sender {
            Some(sender) => sender.reserve_owned().await.ok(),
            None => None,
        };
        Room {
            permit,
            reader: self.number,
        }
    }
}

impl Outgoing {
    /// Returns the stream of messages that belong to no call; rmcp sends event 0 of it.
    pub(super) fn of_session() -> Self {
        Self {
            number: None,
            next: 1,
            kept: VecDeque::new(),
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
        stream.keep(first);
        let events = stream.read_after(None);
        (stream, events)
    }

    /// Whether somebody reads it.
    pub(super) fn is_read(&self) -> bool {
        self.reader.as_ref().is_some_and(|it| !it.is_closed())
    }

    /// Returns what is kept of the events after one, and those to come; whoever read it before reads no
    /// more.
    pub(super) fn read_after(&mut self, index: Option<u64>) -> Receiver<ServerSseMessage> {
        let (sender, events) = mpsc::channel(CAPACITY);
        let missed = self.kept.iter().filter(|(at, _)| Some(*at) > index);
        for (_, event) in missed {
            // No more are kept than there is room for.
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

    /// Sends a message.
    ///
    /// *Errors*: the message, where another reader has come since there was room.
    pub(super) fn send(
        &mut self,
        message: Box<ServerJsonRpcMessage>,
        room: Room,
    ) -> Result<(), Box<ServerJsonRpcMessage>> {
        if room.reader != self.readers {
            return Err(message);
        }
        let event = ServerSseMessage::new(self.id(self.next), *message);
        if let Some(permit) = room.permit {
            permit.send(event.clone());
        }
        self.keep(event);
        Ok(())
    }

    /// Lets go of a reader that is gone.
    pub(super) fn tidy(&mut self) {
        if !self.is_read() {
            self.reader = None;
        }
    }

    fn keep(&mut self, event: ServerSseMessage) {
        if self.kept.len() >= CAPACITY {
            self.kept.pop_front();
        }
        self.kept.push_back((self.next, event));
        self.next += 1;
    }

    fn id(&self, index: u64) -> String {
        match self.number {
            Some(number) => format!("{index}/{number}"),
            None => index.to_string(),
        }
    }
}
