//! JSON-RPC over a WebSocket.

use futures::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{
        Error, Message, client::IntoClientRequest, http::HeaderName,
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
        let address = format!("ws://127.0.0.1:{port}/ws");
        let mut request = address.into_client_request().expect("the address is valid");
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("a header name");
            let value = value.parse().expect("a header value");
            request.headers_mut().insert(name, value);
        }
        let stream = TcpStream::connect(("127.0.0.1", port)).await;
        let stream = stream.expect("the server listens");
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
