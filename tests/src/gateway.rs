//! A gateway in front of a server. It passes requests on, but can be set to answer the calls of one tool
//! itself.

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

/// The running gateway; it ends when dropped.
#[derive(Debug)]
pub struct Gateway {
    port: u16,
    answer: watch::Sender<Option<GatewayAnswer>>,
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
        let answer = watch::Sender::new(None);
        let current_answer = answer.subscribe();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                connections.spawn(pass(client, (tool, target), current_answer.clone()));
            }
        });
        Self {
            port,
            answer,
            _tasks: tasks,
        }
    }

    /// Returns the URL of the server behind the gateway.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// Answers the calls with `answer` from now on; `None` passes them on.
    pub fn set_answer(&self, answer: Option<GatewayAnswer>) {
        self.answer.send_replace(answer);
    }
}

async fn pass(
    mut client: TcpStream,
    (tool, target): (&str, u16),
    current_answer: watch::Receiver<Option<GatewayAnswer>>,
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
                let answer = *current_answer.borrow();
                if let Some(answer) = answer && request.contains(&called) {
                    let response = response(answer, &request);
                    let _ = client.write_all(response.as_bytes()).await;
                    return;
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
