//! A scripted OpenAI-compatible embeddings endpoint on loopback.

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

use crate::{meaning, within_deadline};

/// What the endpoint does with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Answers with one vector for each text; texts that share a topic get similar vectors.
    Answer,
    /// Answers with the vectors of [`crate::meaning`].
    Meaning,
    /// Answers with this status and an error object.
    Refuse(u16),
    /// Reads the request and does not answer until the script changes.
    Hang,
    /// Answers like [`Script::Answer`], except if a text contains this word; then like [`Script::Hang`].
    HangOn(&'static str),
}

/// The running endpoint; it ends when dropped.
#[derive(Debug)]
pub struct EmbeddingsEndpoint {
    port: u16,
    script: watch::Sender<Script>,
    requests: watch::Receiver<Vec<Request>>,
    _task: JoinSet<()>,
}

/// A request as the endpoint saw it.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) authorization: String,
    pub(crate) body: Value,
}

/// Words of the same topic in several languages, which a real model would recognise.
const TOPICS: [&[&str]; 3] = [
    &["docker", "container", "容器", "conteneur"],
    &["certificate", "tls", "证书", "certificat"],
    &["invoice", "tax", "发票", "facture"],
];

/// The number of floats in each vector.
const DIMENSIONS: usize = 16;

impl EmbeddingsEndpoint {
    /// Listens on a free port.
    pub async fn start(script: Script) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free port");
        let port = listener.local_addr().expect("a bound listener").port();
        let (script, follow) = watch::channel(script);
        let (sender, requests) = watch::channel(Vec::new());
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(serve(stream, follow.clone(), sender.clone()));
            }
        });
        Self {
            port,
            script,
            requests,
            _task: task,
        }
    }

    /// Returns the base URL to configure.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Changes the script from now on, also for requests that hang.
    pub fn set_script(&self, script: Script) {
        self.script.send_replace(script);
    }

    /// Waits for a request whose body contains `needle`, and returns its authorization header.
    pub async fn received(&self, needle: &str) -> String {
        let mut requests = self.requests.clone();
        let seen =
            requests.wait_for(|all| all.iter().any(|one| one.body.to_string().contains(needle)));
        let seen = within_deadline(&format!("an embedding of {needle:?}"), seen).await;
        let seen = seen.expect("the endpoint runs");
        let request = seen
            .iter()
            .find(|one| one.body.to_string().contains(needle));
        request.map_or_else(String::new, |request| request.authorization.clone())
    }
}

async fn serve(
    stream: TcpStream,
    mut script: watch::Receiver<Script>,
    requests: watch::Sender<Vec<Request>>,
) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read_request(&mut stream).await {
        let input = request.body["input"].clone();
        requests.send_modify(|all| all.push(request));
        let goes_on = |script: &Script| match script {
            Script::Hang => false,
            Script::HangOn(word) => !input.to_string().contains(word),
            Script::Answer | Script::Meaning | Script::Refuse(_) => true,
        };
        let changed = script.wait_for(goes_on).await;
        let Some(current) = changed.ok().map(|script| *script) else {
            return;
        };
        let (status, body) = match current {
            Script::Refuse(status) => (
                status,
                json!({"error": {"message": "refused by script", "type": "server_error"}}),
            ),
            Script::Meaning => (200, answer(&input, meaning)),
            _ => (200, answer(&input, |text| embed(text).to_vec())),
        };
        if !respond(&mut stream, status, &body).await {
            return;
        }
    }
}

/// Answers with JSON; returns `false` if the client has closed the connection.
pub(crate) async fn respond(stream: &mut BufReader<TcpStream>, status: u16, body: &Value) -> bool {
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let response = [head.as_bytes(), body.as_bytes()].concat();
    stream.get_mut().write_all(&response).await.is_ok()
}

/// Reads a request with a JSON body; returns `None` at the end of the connection.
pub(crate) async fn read_request(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let (mut length, mut authorization) = (0, String::new());
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            if line.trim_end().is_empty() {
                break;
            }
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => authorization = value.to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    let body = serde_json::from_slice(&body).ok()?;
    Some(Request {
        authorization,
        body,
    })
}

fn answer(input: &Value, embed: impl Fn(&str) -> Vec<f32>) -> Value {
    let texts: Vec<&str> = match input {
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    let data: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| json!({"object": "embedding", "index": index, "embedding": embed(text)}))
        .collect();
    json!({
        "object": "list",
        "model": "scripted",
        "data": data,
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    })
}

/// Returns a vector with one axis per topic; a text without a topic lies on an axis chosen by its bytes.
fn embed(text: &str) -> [f32; DIMENSIONS] {
    let text = text.to_lowercase();
    let mut vector = [0.01; DIMENSIONS];
    let topic = TOPICS
        .iter()
        .position(|words| words.iter().any(|word| text.contains(word)));
    let axis = topic.unwrap_or_else(|| {
        let sum: usize = text.bytes().map(usize::from).sum();
        TOPICS.len() + sum % (DIMENSIONS - TOPICS.len())
    });
    vector[axis] = 1.0;
    vector
}
