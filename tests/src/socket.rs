//! JSON-RPC over a WebSocket.

use futures::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{
        Error, Message, client::IntoClientRequest, handshake::client::Request, http::HeaderName,
        protocol::frame::coding::CloseCode,
    },
};

use crate::within_deadline;

/// An open WebSocket.
#[derive(Debug)]
pub struct Socket {
    stream: WebSocketStream<TcpStream>,
}

impl Socket {
    /// Opens a WebSocket at `/ws`, with further headers.
    ///
    /// # Errors
    /// The status that the server refused with.
    pub async fn open(port: u16, headers: &[(&str, &str)]) -> Result<Self, u16> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await;
        Self::open_on(stream.expect("the server listens"), request(port, headers)).await
    }

    /// Opens a WebSocket with a small receive buffer, so that unread answers pile up at the server.
    ///
    /// # Errors
    ///
    /// The status that the server refused with.
    pub async fn open_narrow(port: u16, headers: &[(&str, &str)]) -> Result<Self, u16> {
        let socket = TcpSocket::new_v4().expect("a socket");
        let small_buffer = socket.set_recv_buffer_size(4 * 1024);
        small_buffer.expect("a buffer may be small");
        let connecting = socket.connect(([127, 0, 0, 1], port).into());
        let stream = within_deadline("a connection", connecting).await;
        Self::open_on(stream.expect("the server listens"), request(port, headers)).await
    }

    async fn open_on(stream: TcpStream, request: Request) -> Result<Self, u16> {
        match within_deadline("a WebSocket", client_async(request, stream)).await {
            Ok((stream, _)) => Ok(Self { stream }),
            Err(Error::Http(answer)) => Err(answer.status().as_u16()),
            Err(error) => panic!("no WebSocket: {error}"),
        }
    }

    /// Sends a text; `false` when the server has closed the connection.
    pub async fn send(&mut self, text: impl Into<String>) -> bool {
        let sending = self.stream.send(Message::text(text.into()));
        within_deadline("sending", sending).await.is_ok()
    }

    /// Sends a request and returns the next message.
    pub async fn call(&mut self, request: &Value) -> Value {
        self.send(request.to_string()).await;
        self.receive().await.expect("the WebSocket is open")
    }

    /// Waits until data has arrived, and leaves it unread.
    pub async fn wait_for_data(&self) {
        let mut byte = [0];
        let peeking = self.stream.get_ref().peek(&mut byte);
        let came = within_deadline("the first byte", peeking).await;
        came.expect("the connection is open");
    }

    /// Waits for a message.
    ///
    /// # Errors
    /// The code that the server closed with, if it gave one.
    pub async fn receive(&mut self) -> Result<Value, Option<u16>> {
        loop {
            match within_deadline("a message", self.stream.next()).await {
                Some(Ok(Message::Text(text))) => {
                    return Ok(serde_json::from_str(&text).expect("messages are JSON"));
                }
                Some(Ok(Message::Close(frame))) => {
                    let code = frame.map(|frame| CloseCode::into(frame.code));
                    return Err(code);
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(None),
            }
        }
    }
}

fn request(port: u16, headers: &[(&str, &str)]) -> Request {
    let address = format!("ws://127.0.0.1:{port}/ws");
    let mut request = address.into_client_request().expect("the address is valid");
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a header name");
        let value = value.parse().expect("a header value");
        request.headers_mut().insert(name, value);
    }
    request
}
