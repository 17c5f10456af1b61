//! A raw connection, byte by byte: for requests that no well-behaved client would send, and for streams.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

use crate::within_deadline;

/// A connection to a server on this machine; data read beyond an answer is kept for the next one.
#[derive(Debug)]
pub struct RawConnection {
    stream: TcpStream,
    received: Vec<u8>,
}

/// An answer as it came over the wire.
#[derive(Debug, Clone)]
pub struct RawAnswer {
    /// The status code.
    pub status: u16,
    /// Status line and headers, in lower case.
    pub head: String,
    /// The whole body; chunked bodies as they came, with the chunk sizes. Empty for an event stream.
    pub body: String,
}

impl RawAnswer {
    /// Returns a header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(": "));
        headers
            .find(|(header_name, _)| *header_name == name)
            .map(|(_, value)| value)
    }
}

impl RawConnection {
    /// Connects.
    pub async fn open(port: u16) -> Self {
        Self::try_open(port).await.expect("the server listens")
    }

    /// Connects.
    ///
    /// # Errors
    ///
    /// The error of the system if the connection is refused.
    pub async fn try_open(port: u16) -> std::io::Result<Self> {
        let connecting = TcpStream::connect(("127.0.0.1", port));
        let stream = within_deadline("a connection", connecting).await?;
        // Otherwise small requests would wait for the acknowledgement of the previous one.
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            received: Vec::new(),
        })
    }

    /// Connects with a small receive buffer, so that unread answers pile up at the server.
    pub async fn open_narrow(port: u16) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        let small_buffer = socket.set_recv_buffer_size(4 * 1024);
        small_buffer.expect("a buffer may be small");
        let connecting = socket.connect(([127, 0, 0, 1], port).into());
        let connected = within_deadline("a connection", connecting).await;
        Self {
            stream: connected.expect("the server listens"),
            received: Vec::new(),
        }
    }

    /// Sends bytes; `false` when the server has closed the connection.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        let sending = self.stream.write_all(bytes.as_ref());
        within_deadline("sending", sending).await.is_ok()
    }

    /// Sends a request that ends with its headers or carries a body, and returns the answer.
    pub async fn request(&mut self, method: &str, target: &str, rest: &RawRest<'_>) -> RawAnswer {
        let request = rest.request(method, target);
        self.send(request).await;
        let answer = self.answer().await;
        answer.unwrap_or_else(|| panic!("no answer to {method} {target}"))
    }

    /// Reads the next answer; `None` when the server closes the connection without one.
    pub async fn answer(&mut self) -> Option<RawAnswer> {
        let head = self.until("\r\n\r\n").await.ok()?.to_ascii_lowercase();
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let mut answer = RawAnswer {
            status,
            head,
            body: String::new(),
        };
        if let Some(length) = answer.header("content-length") {
            let length = length.parse().expect("a length is a number");
            answer.body = self.read_length(length).await?;
        } else if answer.header("transfer-encoding") == Some("chunked")
            && answer.header("content-type") != Some("text/event-stream")
        {
            answer.body = self.until("\r\n0\r\n\r\n").await.ok()?;
        }
        Some(answer)
    }

    /// Reads up to and including a text.
    ///
    /// # Errors
    ///
    /// The data that came instead, if the server closes the connection first.
    pub async fn until(&mut self, needle: &str) -> Result<String, String> {
        let mut searched = 0;
        loop {
            let from = self.received.get(searched..).unwrap_or_default();
            if let Some(at) = find(from, needle.as_bytes()) {
                let end = searched + at + needle.len();
                let text = self.received.drain(..end).collect::<Vec<u8>>();
                return Ok(String::from_utf8_lossy(&text).into_owned());
            }
            searched = self.received.len().saturating_sub(needle.len());
            if !self.read().await {
                return Err(String::from_utf8_lossy(&std::mem::take(&mut self.received)).into());
            }
        }
    }

    /// Waits until the server closes the connection, and returns the data that came before.
    pub async fn closed(&mut self) -> String {
        while self.read().await {}
        String::from_utf8_lossy(&std::mem::take(&mut self.received)).into_owned()
    }

    async fn read_length(&mut self, length: usize) -> Option<String> {
        while self.received.len() < length {
            if !self.read().await {
                return None;
            }
        }
        let bytes = self.received.drain(..length).collect::<Vec<u8>>();
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads some more; `false` at the end.
    async fn read(&mut self) -> bool {
        let mut chunk = [0; 16 * 1024];
        let reading = self.stream.read(&mut chunk);
        match within_deadline("the server's answer", reading).await {
            Ok(count) if count > 0 => {
                self.received.extend_from_slice(&chunk[..count]);
                true
            }
            // A reset counts as the end.
            _ => false,
        }
    }
}

/// The parts of a request besides its first line; by default a valid host and no body.
#[derive(Debug, Clone, Copy)]
pub struct RawRest<'a> {
    /// The value of the Host header; `None` leaves the header out.
    pub host: Option<&'a str>,
    /// Further headers.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body; a `content-length` header is added.
    pub body: &'a str,
}

impl Default for RawRest<'_> {
    fn default() -> Self {
        Self {
            host: Some("localhost"),
            headers: &[],
            body: "",
        }
    }
}

impl RawRest<'_> {
    /// Returns the whole request.
    pub fn request(&self, method: &str, target: &str) -> String {
        let host = self.host.map(|host| format!("host: {host}\r\n"));
        let headers: String = self
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        let body = self.body;
        let length = match (method, body) {
            (_, "") if method != "POST" => String::new(),
            _ => format!("content-length: {}\r\n", body.len()),
        };
        let host = host.unwrap_or_default();
        format!("{method} {target} HTTP/1.1\r\n{host}{headers}{length}\r\n{body}")
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}
