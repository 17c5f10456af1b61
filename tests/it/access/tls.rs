//! TLS from certificate files: the server serves it, or refuses to start with a message.

use rcgen::{KeyPair, generate_simple_self_signed};
use recall_kit_tests::{Home, Launch, McpSession, RawConnection, RawRest, Wire, experience};
use serde_json::json;

const CERTIFICATE: &str = "RECALL_KIT_TLS__CERTIFICATE";
const KEY: &str = "RECALL_KIT_TLS__KEY";

#[tokio::test]
async fn a_certificate_and_its_key_enable_https() {
    let home = Home::new();
    let certificate = write_pair(&home);
    let server = Launch::new(&home)
        .env(CERTIFICATE, "certificate.pem")
        .env(KEY, "key.pem")
        .start()
        .await;
    let base = server.wire.base().to_owned();
    assert!(base.starts_with("https://127.0.0.1:"), "{base}");
    let wire = Wire::trusting(&base, &certificate);
    wire.submit(experience("Over TLS")).await;
    assert_eq!(wire.query("tls").await["total"], 1);
    let session = McpSession::open(&wire, "/mcp", "2025-11-25").await;
    let tools = session.request("tools/list", json!({})).await;
    assert!(tools["result"]["tools"].is_array(), "{tools}");

    let stranger = Wire::new(&base);
    let refused = stranger.try_send(reqwest::Method::GET, "/healthz", &[], "");
    refused.await.expect_err("nobody signed the certificate");
    let mut plain = RawConnection::open(server.port()).await;
    plain
        .send(RawRest::default().request("GET", "/healthz"))
        .await;
    assert!(!plain.closed().await.contains("HTTP/"), "no plain HTTP");
    assert_eq!(wire.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn files_that_are_no_certificate_and_key_pair_are_refused_at_start() {
    let home = Home::new();
    write_pair(&home);
    let other = KeyPair::generate().unwrap().serialize_pem();
    home.write("other.pem", other);
    home.write("empty.pem", "");
    home.write("text.pem", "no PEM at all");
    for (certificate, key, words) in [
        ("certificate.pem", "", "give both or none"),
        ("", "key.pem", "give both or none"),
        ("missing.pem", "key.pem", "missing.pem"),
        ("certificate.pem", "missing.pem", "missing.pem"),
        ("empty.pem", "key.pem", "empty.pem holds no certificate"),
        ("text.pem", "key.pem", "text.pem holds no certificate"),
        ("key.pem", "key.pem", "key.pem holds no certificate"),
        ("certificate.pem", "certificate.pem", "certificate.pem"),
        ("certificate.pem", "empty.pem", "empty.pem"),
        ("certificate.pem", "other.pem", "together"),
    ] {
        let mut launch = Launch::new(&home);
        for (name, file) in [(CERTIFICATE, certificate), (KEY, key)] {
            if !file.is_empty() {
                launch = launch.env(name, file);
            }
        }
        let output = launch.run().await;
        output.expect_code(1);
        let stderr = &output.stderr;
        assert!(stderr.starts_with("error: cannot serve TLS: "), "{stderr}");
        assert!(stderr.contains(words), "{certificate:?} {key:?}: {stderr}");
        assert!(!stderr.contains("listening on"), "{stderr}");
    }
}

/// Writes a self-signed certificate and its key; returns the certificate.
fn write_pair(home: &Home) -> String {
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let pair = generate_simple_self_signed(names).unwrap();
    let certificate = pair.cert.pem();
    home.write("certificate.pem", &certificate);
    home.write("key.pem", pair.signing_key.serialize_pem());
    certificate
}
