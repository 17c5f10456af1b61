//! A TCP proxy that records what clients send, and can hold it back.

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
    /// Listens on a free port and forwards to `target`; data from clients waits while the proxy is not open.
    pub async fn start(target: u16, is_open: bool) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free port");
        let port = listener.local_addr().expect("a bound listener").port();
        let sent = Arc::<Mutex<Vec<u8>>>::default();
        let open = watch::Sender::new(is_open);
        let (recorded, gate) = (Arc::clone(&sent), open.clone());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                connections.spawn(forward(
                    client,
                    target,
                    Arc::clone(&recorded),
                    gate.subscribe(),
                ));
            }
        });
        Self {
            port,
            sent,
            open,
            _tasks: tasks,
        }
    }

    /// Returns the URL of the server behind the proxy.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// Lets waiting and later data pass.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// Returns everything that clients have sent so far.
    pub fn sent(&self) -> String {
        let sent = self.sent.lock().expect("nobody panics with it");
        String::from_utf8_lossy(&sent).into_owned()
    }
}

async fn forward(
    client: TcpStream,
    target: u16,
    recorded: Arc<Mutex<Vec<u8>>>,
    mut gate: watch::Receiver<bool>,
) {
    let Ok(server) = TcpStream::connect(("127.0.0.1", target)).await else {
        return;
    };
    let (from_client, mut to_client) = client.into_split();
    let (mut from_server, to_server) = server.into_split();
    tokio::select! {
        () = record(from_client, to_server, recorded, &mut gate) => {}
        _ = copy(&mut from_server, &mut to_client) => {}
    }
}

async fn record(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    recorded: Arc<Mutex<Vec<u8>>>,
    gate: &mut watch::Receiver<bool>,
) {
    let mut read = vec![0; 65_536];
    while let Ok(length @ 1..) = from.read(&mut read).await {
        let sent = &read[..length];
        recorded
            .lock()
            .expect("nobody panics with it")
            .extend_from_slice(sent);
        if gate.wait_for(|is_open| *is_open).await.is_err() || to.write_all(sent).await.is_err() {
            return;
        }
    }
}
