//! A scripted OpenAI-compatible endpoint. It gives a different answer to each request, and can fail in the ways
//! in which endpoints fail.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use crate::embeddings::{Request, read_request, respond};

/// What the endpoint does with a request.
#[derive(Debug, Clone)]
pub enum AiAnswer {
    /// The model answers with this text.
    Say(String),
    /// The model answers with this text, which is cut off at the token limit.
    CutOff(String),
    /// The model refuses to answer.
    Refuse,
    /// The endpoint rejects the request with a status, a `Retry-After` and an error code. The error message
    /// repeats the request.
    Fail(u16, Option<u32>, &'static str),
    /// The endpoint answers with this JSON instead of a completion.
    Foreign(Value),
    /// The connection breaks in the middle of the answer.
    Break,
    /// No answer is sent.
    Hang,
}

/// The requests received so far, and the answers still to give.
#[derive(Debug, Default)]
struct Script {
    answers: VecDeque<AiAnswer>,
    requests: Vec<Request>,
}

/// The running endpoint; it ends when dropped.
#[derive(Debug)]
pub struct AiEndpoint {
    port: u16,
    script: Arc<Mutex<Script>>,
    _task: JoinSet<()>,
}

impl AiEndpoint {
    /// Listens on a free port and gives the answers in order; the last one is repeated.
    pub async fn start(answers: &[AiAnswer]) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free port");
        let port = listener.local_addr().expect("a bound listener").port();
        let script = Arc::new(Mutex::new(Script {
            answers: answers.iter().cloned().collect(),
            requests: Vec::new(),
        }));
        let shared_script = Arc::clone(&script);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(serve(stream, Arc::clone(&shared_script)));
            }
        });
        Self {
            port,
            script,
            _task: task,
        }
    }

    /// Returns the `ai` section for a client's settings that uses this endpoint; `more` are further settings of
    /// the section.
    pub fn settings(&self, more: Value) -> Value {
        let mut settings = json!({
            "provider": "openai",
            "model": "scripted",
            "apiKey": "the-key-of-tests",
            "baseUrl": format!("http://127.0.0.1:{}/v1", self.port),
            // Longer than the default, since the machine may be busy.
            "timeout": 60_000,
        });
        let more = more.as_object().cloned().unwrap_or_default();
        let fields = settings.as_object_mut().expect("it is an object");
        fields.extend(more);
        settings
    }

    /// Returns the requests so far: the authorization header and the body of each.
    pub fn requests(&self) -> Vec<(String, Value)> {
        let script = self.script.lock().expect("nobody panics with it");
        let requests = script.requests.iter();
        requests
            .map(|request| (request.authorization.clone(), request.body.clone()))
            .collect()
    }
}

async fn serve(stream: TcpStream, script: Arc<Mutex<Script>>) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read_request(&mut stream).await {
        let answer = {
            let mut script = script.lock().expect("nobody panics with it");
            script.requests.push(request.clone());
            match script.answers.len() {
                0 | 1 => script.answers.front().cloned(),
                _ => script.answers.pop_front(),
            }
        };
        if !send_answer(&mut stream, answer.unwrap_or(AiAnswer::Hang), &request).await {
            return;
        }
    }
}

/// Answers a request; returns `false` if the connection ends with it.
async fn send_answer(
    stream: &mut BufReader<TcpStream>,
    answer: AiAnswer,
    request: &Request,
) -> bool {
    let completion = |message: Value, reason: &str| {
        let choice = json!({"index": 0, "message": message, "finish_reason": reason});
        json!({"id": "1", "object": "chat.completion", "model": "scripted", "choices": [choice]})
    };
    let message_of = |text: String| json!({"role": "assistant", "content": text});
    let (status, body) = match answer {
        AiAnswer::Say(text) => (200, completion(message_of(text), "stop")),
        AiAnswer::CutOff(text) => (200, completion(message_of(text), "length")),
        AiAnswer::Refuse => {
            let message = json!({"role": "assistant", "content": null, "refusal": "I will not"});
            (200, completion(message, "stop"))
        }
        AiAnswer::Foreign(body) => (200, body),
        AiAnswer::Hang => std::future::pending().await,
        AiAnswer::Break => {
            let half = "HTTP/1.1 200 Scripted\r\ncontent-length: 1000\r\n\r\n{\"choices\"";
            let _ = stream.get_mut().write_all(half.as_bytes()).await;
            return false;
        }
        AiAnswer::Fail(status, retry_after, code) => {
            let message = format!("refused: {} {}", request.authorization, request.body);
            let body = json!({"error": {"message": message, "code": code, "type": "scripted"}});
            let Some(seconds) = retry_after else {
                return respond(stream, status, &body).await;
            };
            let body = body.to_string();
            let length = body.len();
            let response = format!(
                "HTTP/1.1 {status} Scripted\r\nretry-after: {seconds}\r\n\
                 content-length: {length}\r\n\r\n{body}"
            );
            return stream
                .get_mut()
                .write_all(response.as_bytes())
                .await
                .is_ok();
        }
    };
    respond(stream, status, &body).await
}
