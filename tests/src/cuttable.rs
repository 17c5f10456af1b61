//! A TCP proxy whose network can fail: data stops while connections stay open, as with an unplugged cable, or
//! the connections break.

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

/// What happens to data that is to be forwarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Data passes.
    Open,
    /// Data from clients passes; the server's answers wait.
    Unanswered,
    /// Data waits.
    Cut,
    /// The connection ends.
    Broken,
}

/// Forwards everything to a port, unless the line is cut.
#[derive(Debug)]
pub struct CuttableProxy {
    port: u16,
    line: watch::Sender<Line>,
    _tasks: JoinSet<()>,
}

impl CuttableProxy {
    /// Listens on a free port and forwards to `target`.
    pub async fn start(target: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free port");
        let port = listener.local_addr().expect("a bound listener").port();
        let (line, follow) = watch::channel(Line::Open);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                connections.spawn(forward(client, target, follow.clone()));
            }
        });
        Self {
            port,
            line,
            _tasks: tasks,
        }
    }

    /// Returns the port to connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// From now on only data from clients passes, no answers.
    pub fn hold_answers(&self) {
        self.line.send_replace(Line::Unanswered);
    }

    /// From now on nothing passes.
    pub fn cut(&self) {
        self.line.send_replace(Line::Cut);
    }

    /// Ends every connection, also new ones.
    pub fn break_off(&self) {
        self.line.send_replace(Line::Broken);
    }

    /// Lets everything pass again, also data that waited.
    pub fn restore(&self) {
        self.line.send_replace(Line::Open);
    }
}

async fn forward(client: TcpStream, target: u16, mut line: watch::Receiver<Line>) {
    if !may_pass(&mut line, Side::Client).await {
        return;
    }
    let Ok(server) = TcpStream::connect(("127.0.0.1", target)).await else {
        return;
    };
    let (client_reads, client_writes) = client.into_split();
    let (server_reads, server_writes) = server.into_split();
    tokio::select! {
        () = pass((client_reads, Side::Client), server_writes, line.clone()) => {}
        () = pass((server_reads, Side::Server), client_writes, line.clone()) => {}
        _ = line.wait_for(|line| *line == Line::Broken) => {}
    }
}

/// The sender of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Client,
    Server,
}

/// Waits until data from a side may pass; returns `false` if it never will.
async fn may_pass(line: &mut watch::Receiver<Line>, side: Side) -> bool {
    let waits = |line: &Line| match line {
        Line::Cut => true,
        Line::Unanswered => side == Side::Server,
        Line::Open | Line::Broken => false,
    };
    let decided = line.wait_for(|line| !waits(line)).await;
    decided.is_ok_and(|line| *line != Line::Broken)
}

async fn pass(
    (mut from, side): (impl AsyncRead + Unpin, Side),
    mut to: impl AsyncWrite + Unpin,
    mut line: watch::Receiver<Line>,
) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(read) = from.read(&mut buffer).await {
        if read == 0 || !may_pass(&mut line, side).await {
            return;
        }
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
