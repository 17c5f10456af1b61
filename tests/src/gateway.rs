//! A gateway in front of a server. It passes requests on, but can be set to answer the calls of one tool
//! itself.

use std::future::pending;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

/// The gateway's answer to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The type of the body.
    pub content_type: &'static str,
    /// The body; `$id` is replaced by the number of the request.
    pub body: &'static str,
}

/// What the gateway does with a call of the tool.
#[derive(Debug, Clone, Copy)]
enum Reaction {
    PassOn,
    Answer(GatewayAnswer),
    Hold,
}

/// The running gateway; it ends when dropped.
#[derive(Debug)]
pub struct Gateway {
    port: u16,
    reaction: watch::Sender<Reaction>,
    _tasks: JoinSet<()>,
}

impl Gateway {
    /// Listens on a free port and passes requests on to `target`; can be set to answer submissions.
    pub async fn start(target: u16) -> Self {
        Self::answering("submit_experience", target).await
    }

    /// Listens on a free port and passes requests on to `target`; can be set to answer the calls of `tool`.
    pub async fn answering(tool: &'static str, target: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free port");
        let port = listener.local_addr().expect("a bound listener").port();
        let reaction = watch::Sender::new(Reaction::PassOn);
        let current = reaction.subscribe();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                connections.spawn(pass(client, (tool, target), current.clone()));
            }
        });
        Self {
            port,
            reaction,
            _tasks: tasks,
        }
    }

    /// Returns the URL of the server behind the gateway.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// Answers the calls with `answer` from now on; `None` passes them on.
    pub fn set_answer(&self, answer: Option<GatewayAnswer>) {
        let reaction = answer.map_or(Reaction::PassOn, Reaction::Answer);
        self.reaction.send_replace(reaction);
    }

    /// Neither passes on nor answers the calls from now on.
    pub fn hold(&self) {
        self.reaction.send_replace(Reaction::Hold);
    }
}

async fn pass(
    mut client: TcpStream,
    (tool, target): (&str, u16),
    current: watch::Receiver<Reaction>,
) {
    let called = format!("\"{tool}\"");
    let Ok(mut server) = TcpStream::connect(("127.0.0.1", target)).await else {
        return;
    };
    let (mut up, mut down) = (vec![0; 65_536], vec![0; 65_536]);
    let mut request = String::new();
    loop {
        tokio::select! {
            read = client.read(&mut up) => {
                let Ok(read @ 1..) = read else { return };
                request.push_str(&String::from_utf8_lossy(&up[..read]));
                let reaction = *current.borrow();
                match reaction {
                    Reaction::Answer(answer) if request.contains(&called) => {
                        let response = response(answer, &request);
                        let _ = client.write_all(response.as_bytes()).await;
                        return;
                    }
                    Reaction::Hold if request.contains(&called) => pending::<()>().await,
                    _ => {}
                }
                if server.write_all(&up[..read]).await.is_err() { return }
            }
            read = server.read(&mut down) => {
                let Ok(read @ 1..) = read else { return };
                request.clear();
                if client.write_all(&down[..read]).await.is_err() { return }
            }
        }
    }
}

fn response(answer: GatewayAnswer, request: &str) -> String {
    let number = request.split_once("\"id\":").map_or("", |(_, rest)| rest);
    let end = number.find(|c: char| !c.is_ascii_digit());
    let body = answer.body.replace("$id", &number[..end.unwrap_or(0)]);
    format!(
        "HTTP/1.1 {} Told\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        answer.status,
        answer.content_type,
        body.len(),
    )
}
