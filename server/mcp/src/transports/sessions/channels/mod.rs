//! The channels between a session's handler and its client: they pass the client's messages to the
//! handler, and each message of the handler to the stream that it belongs to.
//!
//! rmcp's own session manager gives every session a worker and seven channels, whose buffers take 70 kB
//! even if the session is idle. Here messages are boxed, a stream's queue exists only while it is read,
//! and an idle session has no handler loop: [`Channels::suspend`] ends it, and the next request starts it
//! again.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures::future::{BoxFuture, ready};
use rmcp::{
    RoleServer,
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, GetExtensions as _, GetMeta as _,
        InitializeRequestParams, ProgressToken, RequestId, ServerJsonRpcMessage,
        ServerNotification,
    },
    service::OriginatingRequestId,
    transport::{Transport, streamable_http_server::session::ServerSseMessage},
};
use tokio::sync::{
    mpsc::{self, Receiver, Sender},
    oneshot,
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::outgoing::{CAPACITY, Outgoing};
use crate::tools::handler::Connection;

/// The most additional readers of a session's standalone stream. They receive no messages, but their
/// connections are left open, since a client whose stream ends connects again.
const MAX_SPARE: usize = 32;

/// A function that serves a handler over a transport until either ends.
pub(in crate::transports) type Serve =
    Arc<dyn Fn(HandlerTransport) -> BoxFuture<'static, ()> + Send + Sync>;

/// The error that a session's handler has ended.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the session has ended")]
pub(in crate::transports) struct Ended;

/// The channels of one session.
pub(super) struct Channels {
    /// Serves the session's handler, also again after it was suspended.
    pub(super) serve: Serve,
    /// Locked while the handler is started.
    pub(super) starting: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

struct State {
    /// The parameters of the client's `initialize` request.
    initialize_params: Option<Box<InitializeRequestParams>>,
    link: Option<Link>,
    /// The number of links so far.
    links: u64,
    is_suspended: bool,
    /// The stream of messages that belong to no call.
    standalone: Outgoing,
    /// Additional readers of that stream.
    spare: VecDeque<Sender<ServerSseMessage>>,
    /// The streams of unanswered calls, by the call's number.
    calls: HashMap<u64, Outgoing>,
    next_call: u64,
    by_id: HashMap<RequestId, u64>,
    by_token: HashMap<ProgressToken, u64>,
    /// Requests of the handler that the client has not answered.
    pending: HashSet<RequestId>,
}

/// The connection to a running handler.
struct Link {
    number: u64,
    to_handler: Sender<Box<ClientJsonRpcMessage>>,
    /// Receives the handler's first message: the answer to `initialize`.
    opening: Option<oneshot::Sender<ServerJsonRpcMessage>>,
    /// Cancelled when the link is dropped.
    connected: CancellationToken,
    _ended: DropGuard,
}

/// The destination of a message from the handler.
enum Route {
    Opening(oneshot::Sender<ServerJsonRpcMessage>),
    Standalone,
    Call(u64),
}

impl Channels {
    /// Returns the channels of a new session, and the handler's end of them.
    pub(super) fn new(serve: Serve) -> (Arc<Self>, HandlerTransport) {
        let channels = Arc::new(Self {
            serve,
            starting: tokio::sync::Mutex::default(),
            state: Mutex::new(State {
                initialize_params: None,
                link: None,
                links: 0,
                is_suspended: false,
                standalone: Outgoing::of_session(),
                spare: VecDeque::new(),
                calls: HashMap::new(),
                next_call: 0,
                by_id: HashMap::new(),
                by_token: HashMap::new(),
                pending: HashSet::new(),
            }),
        });
        let transport = channels.connect();
        (channels, transport)
    }

    /// Creates a link, and returns its end for a handler that is about to run.
    pub(super) fn connect(self: &Arc<Self>) -> HandlerTransport {
        let (to_handler, messages) = mpsc::channel(CAPACITY);
        let connected = CancellationToken::new();
        let mut state = self.state();
        state.is_suspended = false;
        state.links += 1;
        let number = state.links;
        state.link = Some(Link {
            number,
            to_handler,
            opening: None,
            _ended: connected.clone().drop_guard(),
            connected,
        });
        HandlerTransport {
            channels: Arc::clone(self),
            messages,
            link: number,
        }
    }

    /// Whether the handler ended because the session was idle.
    pub(super) fn is_suspended(&self) -> bool {
        self.state().is_suspended
    }

    /// Whether the session is over now that the handler of this link has ended. It is not if another
    /// handler was started, or if the session is suspended.
    pub(super) fn ends_with(&self, link: u64) -> bool {
        let state = self.state();
        state.links == link && !state.is_suspended
    }

    /// Ends the handler of an idle session; returns `false` if the session is not idle.
    pub(super) fn suspend(&self) -> bool {
        let mut state = self.state();
        let is_opening = state
            .link
            .as_ref()
            .is_none_or(|link| link.opening.is_some());
        let is_idle =
            state.calls.is_empty() && state.pending.is_empty() && !state.standalone.is_read();
        if is_opening || !is_idle {
            return false;
        }
        state.is_suspended = true;
        state.link = None;
        state.standalone.drop_closed_reader();
        state.spare = VecDeque::new();
        state.calls = HashMap::new();
        state.by_id = HashMap::new();
        state.by_token = HashMap::new();
        state.pending = HashSet::new();
        true
    }

    /// Ends the handler and every stream.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.link = None;
        state.standalone = Outgoing::of_session();
        state.spare.clear();
        state.calls.clear();
    }

    /// Sends the `initialize` request to the handler, and returns its answer.
    ///
    /// *Errors*: [`Ended`].
    pub(super) async fn open(
        &self,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Ended> {
        let (opening, answer) = oneshot::channel();
        {
            let mut state = self.state();
            if let ClientJsonRpcMessage::Request(call) = &message
                && let ClientRequest::InitializeRequest(request) = &call.request
            {
                state.initialize_params = Some(Box::new(request.params.clone()));
            }
            state.link.as_mut().ok_or(Ended)?.opening = Some(opening);
        }
        self.send(message).await?;
        answer.await.map_err(|_| Ended)
    }

    /// Returns the parameters of the client's `initialize` request.
    pub(super) fn initialize_params(&self) -> Option<InitializeRequestParams> {
        self.state().initialize_params.as_deref().cloned()
    }

    /// Passes a call to the handler and returns the stream of its answer.
    ///
    /// *Errors*: [`Ended`].
    pub(super) async fn call(
        &self,
        message: ClientJsonRpcMessage,
    ) -> Result<Receiver<ServerSseMessage>, Ended> {
        let (number, events) = self.state().add_call(&message);
        match self.send(message).await {
            Ok(()) => Ok(events),
            Err(ended) => {
                self.state().remove_call(number);
                Err(ended)
            }
        }
    }

    /// Passes a message that is not a call to the handler: a notification, or an answer.
    ///
    /// *Errors*: [`Ended`].
    pub(super) async fn pass(&self, mut message: ClientJsonRpcMessage) -> Result<(), Ended> {
        {
            let mut state = self.state();
            state.note(&message);
            if is_initialized(&message)
                && let Some(link) = &state.link
            {
                message.insert_extension(Connection::new(link.connected.clone()));
            }
        }
        self.send(message).await
    }

    async fn send(&self, message: ClientJsonRpcMessage) -> Result<(), Ended> {
        let handler = {
            let state = self.state();
            state.link.as_ref().ok_or(Ended)?.to_handler.clone()
        };
        let sent = handler.send(Box::new(message)).await;
        sent.map_err(|_| Ended)
    }

    /// Returns the session's standalone stream; the events after `after` if a client resumes it.
    pub(super) fn listen(&self, after: Option<u64>) -> Receiver<ServerSseMessage> {
        let mut state = self.state();
        if !state.standalone.is_read() {
            return state.standalone.read_after(after);
        }
        let (sender, events) = mpsc::channel(1);
        state.spare.retain(|spare| !spare.is_closed());
        if state.spare.len() >= MAX_SPARE {
            state.spare.pop_front();
        }
        state.spare.push_back(sender);
        events
    }

    /// Returns the events of a call's stream after the event `after`; `None` if the call was answered.
    pub(super) fn resume(&self, call: u64, after: u64) -> Option<Receiver<ServerSseMessage>> {
        let mut state = self.state();
        let stream = state.calls.get_mut(&call)?;
        Some(stream.read_after(Some(after)))
    }

    /// Sends a message of the handler to its stream, once the stream's reader can accept it.
    async fn deliver(&self, message: ServerJsonRpcMessage, route: Route) {
        let call = match route {
            Route::Opening(answer) => {
                answer.send(message).ok();
                return;
            }
            Route::Standalone => None,
            Route::Call(number) => Some(number),
        };
        let is_answer = matches!(
            message,
            ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)
        );
        let mut message = Box::new(message);
        loop {
            // A cancelled call no longer has a stream.
            let Some(reader) = self.state().stream(call).map(|stream| stream.reader()) else {
                return;
            };
            let permit = reader.reserve().await;
            let mut state = self.state();
            let Some(stream) = state.stream(call) else {
                return;
            };
            match stream.send(message, permit) {
                Ok(()) => {
                    if let (Some(number), true) = (call, is_answer) {
                        state.remove_call(number);
                    }
                    return;
                }
                Err(unsent) => message = unsent,
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add_call(&mut self, message: &ClientJsonRpcMessage) -> (u64, Receiver<ServerSseMessage>) {
        let number = self.next_call;
        self.next_call += 1;
        let (stream, events) = Outgoing::of_call(number);
        if let ClientJsonRpcMessage::Request(call) = message {
            // rmcp answers only one of two calls with the same id. The earlier call has no reader any
            // more, or this one would have been refused.
            if let Some(earlier) = self.by_id.get(&call.id).copied() {
                self.remove_call(earlier);
            }
            self.by_id.insert(call.id.clone(), number);
            if let Some(token) = call.request.get_meta().get_progress_token() {
                self.by_token.insert(token, number);
            }
        }
        self.calls.insert(number, stream);
        (number, events)
    }

    fn remove_call(&mut self, number: u64) {
        self.calls.remove(&number);
        self.by_id.retain(|_, call| *call != number);
        self.by_token.retain(|_, call| *call != number);
    }

    /// Records which call the client cancels, or which request it answers.
    fn note(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Notification(message) => {
                if let ClientNotification::CancelledNotification(cancelled) = &message.notification
                    && let Some(id) = &cancelled.params.request_id
                    && let Some(number) = self.by_id.get(id).copied()
                {
                    self.remove_call(number);
                }
            }
            ClientJsonRpcMessage::Response(answer) => {
                self.pending.remove(&answer.id);
            }
            ClientJsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.pending.remove(id);
                }
            }
            ClientJsonRpcMessage::Request(_) => {}
        }
    }

    fn stream(&mut self, call: Option<u64>) -> Option<&mut Outgoing> {
        match call {
            Some(number) => self.calls.get_mut(&number),
            None => Some(&mut self.standalone),
        }
    }

    /// Decides where a message of the handler goes. Source: MCP, "Streamable HTTP", and SEP-2260: a
    /// request that the handler sends while it answers a call goes to that call's stream.
    fn route(&mut self, message: &ServerJsonRpcMessage) -> Route {
        let opening = self.link.as_mut().and_then(|link| link.opening.take());
        if let Some(answer) = opening {
            return Route::Opening(answer);
        }
        let call = match message {
            ServerJsonRpcMessage::Request(message) => {
                self.pending.insert(message.id.clone());
                let origin = message.request.extensions().get::<OriginatingRequestId>();
                origin.and_then(|origin| self.by_id.get(&origin.0))
            }
            ServerJsonRpcMessage::Notification(message) => match &message.notification {
                ServerNotification::ProgressNotification(progress) => {
                    self.by_token.get(&progress.params.progress_token)
                }
                ServerNotification::CancelledNotification(cancelled) => {
                    let id = cancelled.params.request_id.as_ref();
                    id.and_then(|id| self.by_id.get(id))
                }
                _ => None,
            },
            ServerJsonRpcMessage::Response(answer) => self.by_id.get(&answer.id),
            ServerJsonRpcMessage::Error(error) => {
                error.id.as_ref().and_then(|id| self.by_id.get(id))
            }
        };
        call.map_or(Route::Standalone, |number| Route::Call(*number))
    }
}

/// Whether a message is `notifications/initialized`.
pub(super) fn is_initialized(message: &ClientJsonRpcMessage) -> bool {
    matches!(
        message,
        ClientJsonRpcMessage::Notification(message)
            if matches!(message.notification, ClientNotification::InitializedNotification(_))
    )
}

/// The handler's end of a session's channels.
pub(in crate::transports) struct HandlerTransport {
    channels: Arc<Channels>,
    messages: Receiver<Box<ClientJsonRpcMessage>>,
    link: u64,
}

impl HandlerTransport {
    /// Returns the number of its link, for [`Channels::ends_with`].
    pub(super) fn link(&self) -> u64 {
        self.link
    }
}

impl Transport<RoleServer> for HandlerTransport {
    type Error = Infallible;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        let route = self.channels.state().route(&message);
        let channels = Arc::clone(&self.channels);
        async move {
            channels.deliver(message, route).await;
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.recv().await.map(|message| *message)
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Infallible>> + Send {
        ready(Ok(()))
    }
}

impl Drop for HandlerTransport {
    fn drop(&mut self) {
        // The handler is gone, so later messages to it fail instead of waiting.
        let mut state = self.channels.state();
        if state
            .link
            .as_ref()
            .is_some_and(|link| link.number == self.link)
        {
            state.link = None;
        }
    }
}

#[cfg(test)]
mod tests;
