//! A TCP proxy that keeps what is sent through it, and holds it back until it may pass.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    task::JoinSet,
};

/// The running proxy; it ends when dropped.
#[derive(Debug)]
pub struct Recorder {
    port: u16,
    sent: Arc<Mutex<Vec<u8>>>,
    open: watch::Sender<bool>,
    _tasks: JoinSet<()>,
}

impl Recorder {
    /// Listens on a free port and forwards to `target`; what clients send waits while it is not
    /// open.
    pub async fn start(target: u16, is_open: bool) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free port");
        let port = listener.local_addr().expect("a bound listener").port();
        let sent = Arc::<Mutex<Vec<u8>>>::default();
        let open = watch::Sender::new(is_open);
        let (kept, gate) = (Arc::clone(&sent), open.clone());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                connections.spawn(forward(client, target, Arc::clone(&kept), gate.subscribe()));
            }
        });
        Self {
            port,
            sent,
            open,
            _tasks: tasks,
        }
    }

    /// Returns the URL of the server behind it.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// Lets pass what waits, and what follows.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// Returns what clients have sent so far.
    pub fn sent(&self) -> String {
        let sent = self.sent.lock().expect("nobody panics with it");
        String::from_utf8_lossy(&sent).into_owned()
    }
}

async fn forward(
    client: TcpStream,
    target: u16,
    kept: Arc<Mutex<Vec<u8>>>,
    mut gate: watch::Receiver<bool>,
) {
    let Ok(server) = TcpStream::connect(("127.0.0.1", target)).await else {
        return;
    };
    let (from_client, mut to_client) = client.into_split();
    let (mut from_server, to_server) = server.into_split();
    tokio::select! {
        () = record(from_client, to_server, kept, &mut gate) => {}
        _ = copy(&mut from_server, &mut to_client) => {}
    }
}

async fn record(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    kept: Arc<Mutex<Vec<u8>>>,
    gate: &mut watch::Receiver<bool>,
) {
    let mut read = vec![0; 65_536];
    while let Ok(length @ 1..) = from.read(&mut read).await {
        let sent = &read[..length];
        kept.lock()
            .expect("nobody panics with it")
            .extend_from_slice(sent);
        if gate.wait_for(|is_open| *is_open).await.is_err() || to.write_all(sent).await.is_err() {
            return;
        }
    }
}
