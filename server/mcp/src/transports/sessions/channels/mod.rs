//! What goes between a session's handler and its client: messages to the handler, and from it onto the
//! stream where each belongs.
//!
//! rmcp's own session manager gives every session a worker and seven channels, whose buffers take 70 kB
//! whether anything is said or not. Here messages are boxed, streams exist while something reads them, and a
//! session at rest has no handler's loop at all: [`Channels::suspend`] ends it, and the next request
//! starts it again.

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

/// Readers of the session's own stream besides the first: they hear nothing, but would not stop asking.
const MAX_SPARE: usize = 32;

/// Serves a handler over a transport until either ends.
pub(in crate::transports) type Serve =
    Arc<dyn Fn(HandlerTransport) -> BoxFuture<'static, ()> + Send + Sync>;

/// The handler has ended.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the session has ended")]
pub(in crate::transports) struct Ended;

/// The channels of one session.
pub(super) struct Channels {
    /// Starts the session's handler again.
    pub(super) serve: Serve,
    /// Held by whoever starts it.
    pub(super) starting: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

struct State {
    /// What the client said when it opened the session.
    hello: Option<Box<InitializeRequestParams>>,
    link: Option<Link>,
    /// How many links there have been.
    links: u64,
    is_suspended: bool,
    own: Outgoing,
    spare: VecDeque<Sender<ServerSseMessage>>,
    calls: HashMap<u64, Outgoing>,
    next_call: u64,
    by_id: HashMap<RequestId, u64>,
    by_token: HashMap<ProgressToken, u64>,
    /// What the handler asked the client and has no answer to.
    asked: HashSet<RequestId>,
}

/// A handler that runs.
struct Link {
    number: u64,
    to_handler: Sender<Box<ClientJsonRpcMessage>>,
    /// Takes the first thing the handler says: the answer to `initialize`.
    opening: Option<oneshot::Sender<ServerJsonRpcMessage>>,
    /// Cancelled with the link.
    connected: CancellationToken,
    _ended: DropGuard,
}

/// Where a message of the handler goes.
enum Route {
    Opening(oneshot::Sender<ServerJsonRpcMessage>),
    Own,
    Call(u64),
}

impl Channels {
    /// Returns the channels of a new session, and the handler's end of them.
    pub(super) fn new(serve: Serve) -> (Arc<Self>, HandlerTransport) {
        let channels = Arc::new(Self {
            serve,
            starting: tokio::sync::Mutex::default(),
            state: Mutex::new(State {
                hello: None,
                link: None,
                links: 0,
                is_suspended: false,
                own: Outgoing::of_session(),
                spare: VecDeque::new(),
                calls: HashMap::new(),
                next_call: 0,
                by_id: HashMap::new(),
                by_token: HashMap::new(),
                asked: HashSet::new(),
            }),
        });
        let transport = channels.connect();
        (channels, transport)
    }

    /// Links a handler that is about to run.
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

    /// Whether the handler ended because nothing went on.
    pub(super) fn is_suspended(&self) -> bool {
        self.state().is_suspended
    }

    /// Whether the session is over now that one of its handlers has ended: another one may run, or may be
    /// started when it is needed.
    pub(super) fn ends_with(&self, link: u64) -> bool {
        let state = self.state();
        state.links == link && !state.is_suspended
    }

    /// Ends the handler of a session in which nothing goes on; `false` where something does.
    pub(super) fn suspend(&self) -> bool {
        let mut state = self.state();
        let is_opening = state
            .link
            .as_ref()
            .is_none_or(|link| link.opening.is_some());
        let is_at_rest = state.calls.is_empty() && state.asked.is_empty() && !state.own.is_read();
        if is_opening || !is_at_rest {
            return false;
        }
        state.is_suspended = true;
        state.link = None;
        state.own.tidy();
        state.spare = VecDeque::new();
        state.calls = HashMap::new();
        state.by_id = HashMap::new();
        state.by_token = HashMap::new();
        state.asked = HashSet::new();
        true
    }

    /// Ends the handler and every stream.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.link = None;
        state.own = Outgoing::of_session();
        state.spare.clear();
        state.calls.clear();
    }

    /// Asks the handler to open the session, and returns its answer.
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
                && let ClientRequest::InitializeRequest(hello) = &call.request
            {
                state.hello = Some(Box::new(hello.params.clone()));
            }
            state.link.as_mut().ok_or(Ended)?.opening = Some(opening);
        }
        self.send(message).await?;
        answer.await.map_err(|_| Ended)
    }

    /// Returns what the client said when it opened the session.
    pub(super) fn hello(&self) -> Option<InitializeRequestParams> {
        self.state().hello.as_deref().cloned()
    }

    /// Passes a call on and returns the stream of its answer.
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

    /// Passes on what is no call: a notification, or an answer.
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

    /// Returns the session's own stream; after an event where a client comes back to it.
    pub(super) fn listen(&self, after: Option<u64>) -> Receiver<ServerSseMessage> {
        let mut state = self.state();
        if !state.own.is_read() {
            return state.own.read_after(after);
        }
        let (sender, events) = mpsc::channel(1);
        state.spare.retain(|spare| !spare.is_closed());
        if state.spare.len() >= MAX_SPARE {
            state.spare.pop_front();
        }
        state.spare.push_back(sender);
        events
    }

    /// Returns what a call's stream says after an event; `None` where it has been answered.
    pub(super) fn resume(&self, call: u64, after: u64) -> Option<Receiver<ServerSseMessage>> {
        let mut state = self.state();
        let stream = state.calls.get_mut(&call)?;
        Some(stream.read_after(Some(after)))
    }

    /// Puts a message of the handler onto its stream, once there is room for it.
    async fn deliver(&self, message: ServerJsonRpcMessage, route: Route) {
        let call = match route {
            Route::Opening(answer) => {
                answer.send(message).ok();
                return;
            }
            Route::Own => None,
            Route::Call(number) => Some(number),
        };
        let is_answer = matches!(
            message,
            ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)
        );
        let mut message = Box::new(message);
        loop {
            // A call that was cancelled has no stream any more.
            let Some(reader) = self.state().stream(call).map(|stream| stream.reader()) else {
                return;
            };
            let room = reader.room().await;
            let mut state = self.state();
            let Some(stream) = state.stream(call) else {
                return;
            };
            match stream.send(message, room) {
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
            // rmcp answers only one of two calls with one id. Nobody reads the earlier one any more, or this
            // one would have been refused.
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
        self.by_id.retain(|_, of| *of != number);
        self.by_token.retain(|_, of| *of != number);
    }

    /// Notes what the client cancels and answers.
    fn note(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Notification(said) => {
                if let ClientNotification::CancelledNotification(cancelled) = &said.notification
                    && let Some(id) = &cancelled.params.request_id
                    && let Some(number) = self.by_id.get(id).copied()
                {
                    self.remove_call(number);
                }
            }
            ClientJsonRpcMessage::Response(answer) => {
                self.asked.remove(&answer.id);
            }
            ClientJsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.asked.remove(id);
                }
            }
            ClientJsonRpcMessage::Request(_) => {}
        }
    }

    fn stream(&mut self, call: Option<u64>) -> Option<&mut Outgoing> {
        match call {
            Some(number) => self.calls.get_mut(&number),
            None => Some(&mut self.own),
        }
    }

    /// Decides where a message of the handler goes. Source: MCP, "Streamable HTTP", and SEP-2260: what
    /// the handler asks while it answers a call goes onto that call's stream.
    fn route(&mut self, message: &ServerJsonRpcMessage) -> Route {
        let opening = self.link.as_mut().and_then(|link| link.opening.take());
        if let Some(answer) = opening {
            return Route::Opening(answer);
        }
        let call = match message {
            ServerJsonRpcMessage::Request(asked) => {
                self.asked.insert(asked.id.clone());
                let origin = asked.request.extensions().get::<OriginatingRequestId>();
                origin.and_then(|origin| self.by_id.get(&origin.0))
            }
            ServerJsonRpcMessage::Notification(said) => match &said.notification {
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
        call.map_or(Route::Own, |number| Route::Call(*number))
    }
}

/// Whether a client says that it is ready.
pub(super) fn is_initialized(message: &ClientJsonRpcMessage) -> bool {
    matches!(
        message,
        ClientJsonRpcMessage::Notification(said)
            if matches!(said.notification, ClientNotification::InitializedNotification(_))
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
        // Nobody waits for a handler that is gone.
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
