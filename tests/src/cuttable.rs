//! A TCP proxy whose network can be cut: connections stay open and nothing passes, as when a cable is out.

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

/// Forwards everything to a port, unless it is cut.
#[derive(Debug)]
pub struct CuttableProxy {
    port: u16,
    is_whole: watch::Sender<bool>,
    _tasks: JoinSet<()>,
}

impl CuttableProxy {
    /// Listens on a free port and forwards to `target`.
    pub async fn start(target: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free port");
        let port = listener.local_addr().expect("a bound listener").port();
        let (is_whole, follow) = watch::channel(true);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                connections.spawn(forward(client, target, follow.clone()));
            }
        });
        Self {
            port,
            is_whole,
            _tasks: tasks,
        }
    }

    /// Returns the port to connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Lets nothing pass any more.
    pub fn cut(&self) {
        self.is_whole.send_replace(false);
    }

    /// Lets everything pass again, also what waited.
    pub fn mend(&self) {
        self.is_whole.send_replace(true);
    }
}

async fn forward(client: TcpStream, target: u16, mut is_whole: watch::Receiver<bool>) {
    if is_whole.wait_for(|whole| *whole).await.is_err() {
        return;
    }
    let Ok(server) = TcpStream::connect(("127.0.0.1", target)).await else {
        return;
    };
    let (client_reads, client_writes) = client.into_split();
    let (server_reads, server_writes) = server.into_split();
    tokio::select! {
        () = pass(client_reads, server_writes, is_whole.clone()) => {}
        () = pass(server_reads, client_writes, is_whole) => {}
    }
}

async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut is_whole: watch::Receiver<bool>,
) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(read) = from.read(&mut buffer).await {
        if read == 0 || is_whole.wait_for(|whole| *whole).await.is_err() {
            return;
        }
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
