//! Direct answers equal the engines' byte for byte, and only ordinary requests are answered directly.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, Request, Response},
};
use http_body_util::BodyExt as _;
use recall_kit_core::{access::Caller, app::App};
use recall_kit_libraries::Libraries;
use recall_kit_settings::{EmbeddingProvider, Settings};
use recall_kit_telemetry::request_id::{self, RequestId};
use serde_json::{Value, json};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt as _;

use super::{STATELESS_VERSION, call};
use crate::{
    tools::{Features, handler},
    transports::{HttpState, NoPages, Shutdown, router},
};

async fn features() -> (Arc<Features>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings {
        data_dir: Some(folder.path().to_owned()),
        ..Settings::default()
    };
    settings.embeddings.provider = EmbeddingProvider::Off;
    (
        Features::new(Libraries::new(App::open(settings).await.unwrap())),
        folder,
    )
}

fn plain(name: &str, arguments: Value) -> Value {
    let params = json!({ "name": name, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params })
}

fn stateless(name: &str, arguments: Value) -> Value {
    let mut request = plain(name, arguments);
    request["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS_VERSION,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    request
}

const STATELESS_HEADERS: [(&str, &str); 4] = [
    ("content-type", "application/json"),
    ("mcp-protocol-version", STATELESS_VERSION),
    ("mcp-method", "tools/call"),
    ("mcp-name", "query_experiences"),
];

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let pair = |(name, value): &(&str, &str)| {
        (name.parse::<HeaderName>().unwrap(), value.parse().unwrap())
    };
    pairs.iter().map(pair).collect()
}

async fn text(response: Response<Body>) -> (HeaderMap, String) {
    let (head, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    (head.headers, String::from_utf8(body.to_vec()).unwrap())
}

/// Checks that `request` is answered directly, that `twin` is left to its engine, and that both answers
/// are the same.
async fn check_same(
    features: &Arc<Features>,
    pairs: &[(&str, &str)],
    request: &Value,
    twin: &Value,
) {
    let mut headers = headers(pairs);
    let caller = Caller::local();
    let request = request.to_string();
    let calling = call(features, &caller, &headers, request.as_bytes());
    let direct = request_id::scope(RequestId::parse("same").unwrap(), calling).await;
    let (direct_head, direct) = text(direct.unwrap()).await;
    let twin = twin.to_string();
    assert!(
        call(features, &Caller::local(), &headers, twin.as_bytes())
            .await
            .is_none(),
        "{twin}"
    );
    headers.insert("host", "localhost".parse().unwrap());
    headers.insert(request_id::HEADER, "same".parse().unwrap());
    let mut posted = Request::post("/mcp").body(Body::from(twin)).unwrap();
    *posted.headers_mut() = headers;
    let handlers = handler::factory(Arc::clone(features), Caller::unknown());
    let shutdown = Shutdown {
        now: CancellationToken::new(),
        finished: CancellationToken::new(),
        answering: TaskTracker::new(),
    };
    let state = HttpState::new(Arc::clone(features), Arc::new(NoPages), shutdown, handlers);
    let state = Arc::new(state);
    let (engine_head, engine) = text(router(state).oneshot(posted).await.unwrap()).await;
    assert_eq!(direct, engine.trim_start_matches('[').trim_end_matches(']'));
    assert_eq!(direct_head["content-type"], engine_head["content-type"]);
}

#[tokio::test]
async fn direct_answers_equal_those_of_the_engines() {
    let (features, _folder) = features().await;
    for arguments in [
        json!({ "keywords": "x \"quoted\" \u{7} ü" }),
        json!({ "keywords": "" }),
        json!({ "kexwords": "x" }),
        json!({ "keywords": "x", "limit": 99 }),
        Value::Null,
    ] {
        let request = plain("query_experiences", arguments.clone());
        let twin = json!([request]);
        check_same(&features, &[], &request, &twin).await;

        let request = stateless("query_experiences", arguments);
        let mut twin = request.clone();
        twin["params"]["_meta"]["progressToken"] = json!(1);
        check_same(&features, &STATELESS_HEADERS, &request, &twin).await;
    }
}

/// Checks that a request is left to the engines.
async fn check_left(features: &Arc<Features>, pairs: &[(&str, &str)], request: &str) {
    let answered = call(
        features,
        &Caller::local(),
        &headers(pairs),
        request.as_bytes(),
    )
    .await;
    assert!(answered.is_none(), "{pairs:?} {request}");
}

#[tokio::test]
async fn unusual_requests_are_left_to_the_engines() {
    let (features, _folder) = features().await;
    let ordinary = plain("query_experiences", json!({ "keywords": "x" }));
    let twists: [fn(&mut Value); 10] = [
        |request| request["id"] = json!(1.5),
        |request| request["id"] = json!(-1),
        |request| request["id"] = json!(null),
        |request| request["id"] = json!("\n"),
        |request| request["id"] = json!([1]),
        |request| request["jsonrpc"] = json!("1.0"),
        |request| request["method"] = json!("tools/list"),
        |request| request["more"] = json!(1),
        |request| request["params"]["name"] = json!("no_such_tool"),
        |request| request["params"]["arguments"] = json!([1]),
    ];
    for twist in twists {
        let mut request = ordinary.clone();
        twist(&mut request);
        check_left(&features, &[], &request.to_string()).await;
    }
    let mut notification = ordinary.clone();
    notification.as_object_mut().unwrap().remove("id");
    let ordinary = ordinary.to_string();
    for request in [
        &notification.to_string(),
        &format!("[{ordinary}]"),
        &ordinary.replace("\"x\"", r#""\ud800""#),
        &ordinary.replace("\"id\":7", "\"id\":7,\"id\":8"),
        &ordinary.replace("\"id\":7", "\"id\":07"),
        &format!("{ordinary}}}"),
        "",
    ] {
        check_left(&features, &[], request).await;
    }
    check_left(&features, &[("mcp-session-id", "x")], &ordinary).await;
    check_left(&features, &STATELESS_HEADERS, &ordinary).await;
}

#[tokio::test]
async fn a_stateless_call_with_extra_or_missing_parts_is_left_to_the_engine() {
    let (features, _folder) = features().await;
    let ordinary = stateless("query_experiences", json!({ "keywords": "x" }));
    let meta = "io.modelcontextprotocol/";
    for (name, value) in [
        ("protocolVersion", json!("2025-11-25")),
        ("clientCapabilities", json!(5)),
        ("clientInfo", json!({ "name": 5 })),
        ("logLevel", json!("debug")),
    ] {
        let mut request = ordinary.clone();
        request["params"]["_meta"][format!("{meta}{name}")] = value;
        check_left(&features, &STATELESS_HEADERS, &request.to_string()).await;
    }
    let ordinary = ordinary.to_string();
    check_left(&features, &[], &ordinary).await;
    for (index, other) in [
        (0, "text/plain"),
        (1, "2027-01-01"),
        (2, "tools/list"),
        (3, "submit_experience"),
    ] {
        let mut pairs = STATELESS_HEADERS.to_vec();
        let name = pairs[index].0;
        pairs[index].1 = other;
        check_left(&features, &pairs, &ordinary).await;
        pairs.remove(index);
        if name != "mcp-protocol-version" {
            check_left(&features, &pairs, &ordinary).await;
        }
    }
    for extra in [("mcp-name", "query_experiences"), ("mcp-param-x", "1")] {
        let mut pairs = STATELESS_HEADERS.to_vec();
        pairs.push(extra);
        let mut headers = headers(&pairs[..4]);
        headers.append(extra.0, extra.1.parse().unwrap());
        let answered = call(&features, &Caller::local(), &headers, ordinary.as_bytes()).await;
        assert!(answered.is_none(), "{extra:?}");
    }
}
