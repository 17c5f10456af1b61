//! A scripted OpenAI-compatible chat endpoint on loopback.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::{
    io::BufReader,
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use crate::embeddings::{Request, read_request, respond};

/// What the endpoint does with every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatScript {
    /// Answers with this text.
    Say(&'static str),
    /// Answers with this status and an error object that repeats the request.
    Refuse(u16),
    /// Answers with a refusal of the model.
    Decline,
    /// Answers with this text, cut off at the token limit.
    CutOff(&'static str),
    /// Answers with JSON that is no chat completion.
    Foreign,
}

/// The running endpoint; it ends when dropped.
#[derive(Debug)]
pub struct ChatEndpoint {
    port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
    _task: JoinSet<()>,
}

impl ChatEndpoint {
    /// Listens on a free port.
    pub async fn start(script: ChatScript) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free port");
        let port = listener.local_addr().expect("a bound listener").port();
        let requests = Arc::<Mutex<Vec<Request>>>::default();
        let seen = Arc::clone(&requests);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(serve(stream, script, Arc::clone(&seen)));
            }
        });
        Self {
            port,
            requests,
            _task: task,
        }
    }

    /// Returns the settings of a server or command that uses this endpoint.
    pub fn settings(&self) -> String {
        format!(
            "[ai]\nprovider = \"openai\"\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"scripted\"\n\
             api_key = \"the-key-of-tests\"\n",
            self.port
        )
    }

    /// Returns the requests so far: the authorization header and the body of each.
    pub fn requests(&self) -> Vec<(String, Value)> {
        let requests = self.requests.lock().expect("nobody panics with it");
        let requests = requests.iter();
        requests
            .map(|one| (one.authorization.clone(), one.body.clone()))
            .collect()
    }
}

async fn serve(stream: TcpStream, script: ChatScript, requests: Arc<Mutex<Vec<Request>>>) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read_request(&mut stream).await {
        let (status, body) = answer(script, &request);
        requests
            .lock()
            .expect("nobody panics with it")
            .push(request);
        if !respond(&mut stream, status, &body).await {
            return;
        }
    }
}

fn answer(script: ChatScript, request: &Request) -> (u16, Value) {
    let completion = |message: Value, reason: &str| {
        json!({
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        })
    };
    let message_of = |text: &str| json!({"role": "assistant", "content": text});
    match script {
        ChatScript::Say(text) => (200, completion(message_of(text), "stop")),
        ChatScript::CutOff(text) => (200, completion(message_of(text), "length")),
        ChatScript::Decline => {
            let message = json!({"role": "assistant", "content": null, "refusal": "I will not"});
            (200, completion(message, "stop"))
        }
        ChatScript::Foreign => (200, json!({"hello": "world"})),
        ChatScript::Refuse(status) => {
            let message = format!("refused: {} {}", request.authorization, request.body);
            (
                status,
                json!({"error": {"message": message, "type": "scripted"}}),
            )
        }
    }
}
