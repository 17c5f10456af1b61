//! An OpenTelemetry collector on loopback: receives and stores what a server sends over OTLP/HTTP.

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

use crate::within_deadline;

/// The running collector; it ends when dropped.
#[derive(Debug)]
pub struct TraceCollector {
    port: u16,
    batches: watch::Receiver<Vec<Batch>>,
    _task: JoinSet<()>,
}

/// The content of one request.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The request line, such as `POST /v1/traces HTTP/1.1`.
    pub request_line: String,
    /// The body: protobuf, in which names and texts appear as plain bytes.
    pub body: Vec<u8>,
}

impl Batch {
    /// Returns whether the body contains these bytes.
    pub fn contains(&self, bytes: impl AsRef<[u8]>) -> bool {
        let bytes = bytes.as_ref();
        self.body.windows(bytes.len()).any(|window| window == bytes)
    }
}

impl TraceCollector {
    /// Listens on a free port and answers every request with this status.
    pub async fn start(status: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free port");
        let port = listener.local_addr().expect("a bound listener").port();
        let (sender, batches) = watch::channel(Vec::new());
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(serve(stream, status, sender.clone()));
            }
        });
        Self {
            port,
            batches,
            _task: task,
        }
    }

    /// Returns the address to configure.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Waits until at least `count` requests came, and returns them.
    pub async fn batches(&self, count: usize) -> Vec<Batch> {
        let mut batches = self.batches.clone();
        let came = batches.wait_for(|all| all.len() >= count);
        let came = within_deadline(&format!("{count} batches of spans"), came).await;
        came.expect("the collector runs").clone()
    }
}

async fn serve(stream: TcpStream, status: u16, batches: watch::Sender<Vec<Batch>>) {
    let mut stream = BufReader::new(stream);
    while let Some(batch) = read_request(&mut stream).await {
        batches.send_modify(|all| all.push(batch));
        let answer = format!("HTTP/1.1 {status} Scripted\r\ncontent-length: 0\r\n\r\n");
        if stream.get_mut().write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> Option<Batch> {
    let mut batch = Batch::default();
    stream.read_line(&mut batch.request_line).await.ok()?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.parse().ok()?;
        }
    }
    batch.body = vec![0; length];
    stream.read_exact(&mut batch.body).await.ok()?;
    Some(batch)
}
