//! A TCP proxy that drops answers: the server has stored the submission, but its client never gets the answer.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

use crate::within_deadline;

/// Forwards everything to a server, except the first acknowledgements of submissions.
#[derive(Debug)]
pub struct AnswerDroppingProxy {
    port: u16,
    state: watch::Sender<State>,
    _tasks: JoinSet<()>,
}

#[derive(Debug)]
struct State {
    /// The port to forward to; connections wait while there is none.
    target: Option<u16>,
    /// The number of answers still to be dropped.
    drops: usize,
    /// The number of answers dropped so far.
    lost: usize,
}

impl AnswerDroppingProxy {
    /// Listens on a free port and forwards to `target`, dropping the first `drops` answers. After each drop it
    /// holds back connections until [`resume`](Self::resume).
    pub async fn start(target: u16, drops: usize) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free port");
        let port = listener.local_addr().expect("a bound listener").port();
        let (state, _) = watch::channel(State {
            target: Some(target),
            drops,
            lost: 0,
        });
        let shared = state.clone();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                connections.spawn(connect(client, shared.clone()));
            }
        });
        Self {
            port,
            state,
            _tasks: tasks,
        }
    }

    /// Returns the port to connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Waits until `number` answers were dropped.
    pub async fn lost(&self, number: usize) {
        let mut state = self.state.subscribe();
        let lost = state.wait_for(|state| state.lost >= number);
        let _ = within_deadline("an answer to be lost", lost).await;
    }

    /// Forwards to `target` from now on.
    pub fn resume(&self, target: u16) {
        self.state.send_modify(|state| state.target = Some(target));
    }
}

async fn connect(client: TcpStream, state: watch::Sender<State>) {
    let mut ready = state.subscribe();
    let target = ready.wait_for(|state| state.target.is_some()).await;
    let Some(target) = target.ok().and_then(|state| state.target) else {
        return;
    };
    if let Ok(server) = TcpStream::connect(("127.0.0.1", target)).await {
        forward(client, server, &state).await;
    }
}

/// Copies in both directions. After a submission it buffers the answer until it is recognisable as an
/// acknowledgement, and then closes the connection instead of sending it.
async fn forward(mut client: TcpStream, mut server: TcpStream, state: &watch::Sender<State>) {
    let (mut up, mut down) = (vec![0; 65_536], vec![0; 65_536]);
    let mut sent = Vec::new();
    let mut buffered = Vec::new();
    loop {
        tokio::select! {
            read = client.read(&mut up) => {
                let Ok(read @ 1..) = read else { return };
                sent.extend_from_slice(&up[..read]);
                if server.write_all(&up[..read]).await.is_err() { return }
            }
            read = server.read(&mut down) => {
                let Ok(read @ 1..) = read else { return };
                buffered.extend_from_slice(&down[..read]);
                let armed = state.borrow().drops > 0;
                if armed && contains(&sent, b"\"submit_experience\"") {
                    if contains(&buffered, b"published") {
                        state.send_modify(|state| {
                            state.target = None;
                            state.drops -= 1;
                            state.lost += 1;
                        });
                        return;
                    }
                    continue;
                }
                if client.write_all(&buffered).await.is_err() { return }
                buffered.clear();
            }
        }
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle)
}
