//! Servers that other machines reach through a proxy or by a name: who is admitted, and which address a call
//! counts for.

use recall_kit_tests::{Home, Launch, RawRest, Server, Socket, json_rpc, make_key};
use serde_json::json;

#[tokio::test]
async fn a_public_host_name_or_proxy_needs_a_key_or_explicit_consent() {
    for (setting, value) in [
        ("HOSTS", "memory.example.org"),
        ("TRUSTED_PROXIES", "10.0.0.0/8"),
    ] {
        let home = Home::new();
        let name = format!("RECALL_KIT_ACCESS__{setting}");
        let refused = Launch::new(&home).env(&name, value).run().await;
        assert_eq!(refused.code, Some(1), "{refused:?}");
        for words in [value, "keys create", "--access anonymous"] {
            assert!(
                refused.stderr.contains(words),
                "{words}: {}",
                refused.stderr
            );
        }
        let chosen = Launch::new(&home).env(&name, value);
        let server = chosen.args(&["--access", "anonymous"]).start().await;
        assert_eq!(ping(&server, &[]).await, 200);
        drop(server);
        make_key(&home, "team", "write").await;
        let server = Launch::new(&home).env(&name, value).start().await;
        assert_eq!(ping(&server, &[]).await, 401);
    }
}

/// Sends a call and returns the status of the answer.
async fn ping(server: &Server, headers: &[(&str, &str)]) -> u16 {
    let body = json_rpc("ping", json!({})).to_string();
    let rest = RawRest {
        headers,
        body: &body,
        ..RawRest::default()
    };
    server.ask(&rest.request("POST", "/rpc")).await.status
}

#[tokio::test]
async fn clients_of_a_trusted_proxy_are_rate_limited_separately() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_ACCESS__TRUSTED_PROXIES", "127.0.0.1,10.0.0.0/8")
        .env("RECALL_KIT_LIMITS__CALLS_PER_MINUTE", 2)
        .args(&["--access", "anonymous"])
        .start()
        .await;
    for list in [
        Some("203.0.113.1"),
        Some("127.0.0.1, 203.0.113.2, 10.1.1.1"),
        None,
    ] {
        let header = list.map(|list| ("x-forwarded-for", list));
        let headers: Vec<_> = header.into_iter().collect();
        for status in [200, 200, 429] {
            assert_eq!(ping(&server, &headers).await, status, "{list:?}");
        }
    }
}

#[tokio::test]
async fn forwarded_headers_from_untrusted_peers_are_ignored() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_LIMITS__CALLS_PER_MINUTE", 2)
        .start()
        .await;
    let mut statuses = Vec::new();
    for number in 1..=3 {
        let list = format!("203.0.113.{number}");
        statuses.push(ping(&server, &[("x-forwarded-for", &list)]).await);
    }
    assert_eq!(statuses, [200, 200, 429]);
}

/// Calls from this machine are not counted unless a limit is set for them. Calls through a proxy on this
/// machine are never treated as its own.
#[tokio::test]
async fn requests_through_a_proxy_never_count_as_local() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_ACCESS__TRUSTED_PROXIES", "127.0.0.1")
        .env("RECALL_KIT_LIMITS__SOCKETS", 2)
        .args(&["--access", "anonymous"])
        .start()
        .await;
    let open = async |headers: &[(&str, &str)]| Socket::open(server.port(), headers).await;
    let near = [("x-forwarded-for", "127.0.0.1")];
    let _first = open(&near).await.unwrap();
    assert_eq!(open(&near).await.err(), Some(503), "half of the sockets");
    assert!(open(&[("x-forwarded-for", "203.0.113.1")]).await.is_ok());
}
