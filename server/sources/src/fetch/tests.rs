//! A small web server for the tests of sources, and the tests of fetching.

#![allow(clippy::unwrap_used)]

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use crate::{
    Limits, Source, SourceKind, SourceOptions,
    tests::{error_text, lines, options, walked},
};

/// A response of the test server.
pub(crate) struct Response(String, Vec<u8>);

impl Response {
    pub(crate) fn ok(kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self(format!("200 OK\r\nContent-Type: {kind}"), body.into())
    }

    pub(crate) fn status(status: u16) -> Self {
        Self(format!("{status} No"), Vec::new())
    }

    pub(crate) fn redirect(to: &str) -> Self {
        Self(format!("302 Found\r\nLocation: {to}"), Vec::new())
    }
}

/// A web server on this machine, which ends with the tests.
pub(crate) struct Server {
    address: SocketAddr,
    requested: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server; `answer` gets the path and the head of a request.
    pub(crate) fn start(answer: impl Fn(&str, &str) -> Response + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requested = Arc::<Mutex<Vec<String>>>::default();
        let log = Arc::clone(&requested);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let head = head(&stream);
                let path = head.split(' ').nth(1).unwrap_or("/").to_owned();
                log.lock().unwrap().push(path.clone());
                let file = path.split('?').next().unwrap_or_default();
                let Response(status, body) = answer(file, &head);
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
                );
                // The client may have gone.
                (&stream)
                    .write_all(&[head.into_bytes(), body].concat())
                    .ok();
            }
        });
        Self { address, requested }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the paths that were requested since the last call.
    pub(crate) fn requested(&self) -> Vec<String> {
        std::mem::take(&mut self.requested.lock().unwrap())
    }
}

fn head(mut stream: &TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read > 0) {
        head.extend(byte);
    }
    String::from_utf8(head).unwrap()
}

fn allowed(scratch: &std::path::Path) -> SourceOptions {
    SourceOptions {
        allow_private_addresses: true,
        ..options(scratch)
    }
}

#[test]
fn private_addresses_are_rejected_unless_they_are_allowed() {
    let scratch = tempfile::tempdir().unwrap();
    let server = Server::start(|_, _| Response::ok("text/markdown", "# Title"));
    for url in [
        server.url("/a.md"),
        server.url("/a.md").replace("127.0.0.1", "localhost"),
        server
            .url("/a.md")
            .replace("127.0.0.1", "[::ffff:127.0.0.1]"),
    ] {
        let message = error_text(Source::open(&url, &options(scratch.path())));
        assert!(message.contains("not a public address"), "{url}: {message}");
    }
    assert_eq!(server.requested(), Vec::<String>::new());
    let source = Source::open(&server.url("/a.md"), &allowed(scratch.path())).unwrap();
    assert_eq!(source.described(None).unwrap().kind, SourceKind::File);
    assert_eq!(lines(&source, None).unwrap(), ["a.md"]);
    drop(source);
    assert_eq!(scratch.path().read_dir().unwrap().count(), 0);
}

#[test]
fn redirects_are_followed_checked_and_counted() {
    let scratch = tempfile::tempdir().unwrap();
    let server = Server::start(|path, _| match path.strip_prefix("/hop") {
        Some("0") => Response::ok("text/html; charset=utf-8", "<h1>Title</h1>"),
        Some("file") => Response::redirect("file:///etc/passwd"),
        Some(n) => Response::redirect(&format!("/hop{}", n.parse::<u32>().unwrap() - 1)),
        None => Response::redirect("http://[::]/"),
    });
    let open = |path: &str| Source::open(&server.url(path), &allowed(scratch.path()));
    assert_eq!(lines(&open("/hop5").unwrap(), None).unwrap(), ["hop0.html"]);
    assert!(error_text(open("/hop6")).contains("more than 5 redirects"));
    assert!(error_text(open("/hopfile")).contains("not on the web"));
}

/// A server on this machine cannot have a public address, so the two steps of following a redirect are tested
/// separately: finding its target, and requesting that.
#[test]
fn a_redirect_to_a_private_address_is_rejected() {
    let scratch = tempfile::tempdir().unwrap();
    let inside = Server::start(|_, _| Response::ok("text/plain", "secret"));
    let url = url::Url::parse(&inside.url("/a.txt")).unwrap();
    let fetcher = super::Fetcher::new(&url, &options(scratch.path())).unwrap();
    let response = http::Response::builder()
        .status(302)
        .header("Location", inside.url("/a.txt"))
        .body("")
        .unwrap();
    let from = url::Url::parse("http://docs.example.org/a.txt").unwrap();
    let to = super::redirected(&from, &response.into()).unwrap();
    let wanted = super::FetchRequest {
        url: &to,
        limit: 100,
        stay: false,
    };
    let message = error_text(fetcher.get(wanted, &mut Vec::new()));
    assert!(message.contains("not a public address"), "{message}");
    assert_eq!(inside.requested(), Vec::<String>::new());
}

#[test]
fn responses_are_limited_and_errors_contain_no_password() {
    let scratch = tempfile::tempdir().unwrap();
    let server = Server::start(|path, request| {
        let signed = request
            .to_lowercase()
            .contains("authorization: basic yw5uonmzy3izda==");
        match path {
            "/a.md" if signed => Response::ok("text/markdown", "x".repeat(101)),
            _ => Response::status(404),
        }
    });
    let mut options = allowed(scratch.path());
    options.limits = Limits {
        download_bytes: 100,
        ..Limits::default()
    };
    let url = |path: &str| server.url(path).replace("http://", "http://ann:s3cr3t@");
    let message = error_text(Source::open(&url("/a.md"), &options));
    assert_eq!(
        message,
        "the source has more than 100 bytes of a download; give a part of it"
    );
    let message = error_text(Source::open(&url("/b.md"), &options));
    let public_url = server.url("/b.md");
    assert_eq!(
        message,
        format!("{public_url} cannot be read: the server answered with status 404 Not Found")
    );
    options.limits.download_bytes = 101;
    let source = Source::open(&url("/a.md"), &options).unwrap();
    assert_eq!(source.described(None).unwrap().origin, server.url("/a.md"));
    assert!(!format!("{source:?}").contains("s3cr3t"));
    // No server listens there.
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let message = error_text(Source::open(
        &format!("http://ann:s3cr3t@{closed}/x"),
        &options,
    ));
    assert!(
        message.contains("no connection could be made") && !message.contains("s3cr3t"),
        "{message}"
    );
}

#[test]
fn a_password_is_only_sent_to_its_own_server() {
    let scratch = tempfile::tempdir().unwrap();
    let is_signed = |request: &str| request.to_lowercase().contains("authorization:");
    let other = Server::start(move |_, request| match is_signed(request) {
        true => Response::status(500),
        false => Response::ok("text/markdown", "# Title"),
    });
    let to = other.url("/a.md");
    let server = Server::start(move |path, request| match (path, is_signed(request)) {
        ("/near", true) => Response::redirect("/far"),
        ("/far", true) => Response::redirect(&to),
        _ => Response::status(401),
    });
    let url = server.url("/near").replace("http://", "http://ann:s3cr3t@");
    let source = Source::open(&url, &allowed(scratch.path())).unwrap();
    assert_eq!(lines(&source, None).unwrap(), ["a.md"]);
    assert_eq!(server.requested(), ["/near", "/far"]);
}

#[test]
fn a_silent_server_is_a_timeout() {
    let scratch = tempfile::tempdir().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut options = allowed(scratch.path());
    options.limits.timeout = std::time::Duration::from_millis(50);
    let url = format!("http://{}/a.md", silent.local_addr().unwrap());
    let message = error_text(Source::open(&url, &options));
    assert!(message.contains("took longer than"), "{message}");
    let options = allowed(scratch.path());
    options.stop.cancel();
    let message = error_text(Source::open(&url, &options));
    assert_eq!(message, "reading was cancelled");
}

#[test]
fn archives_are_recognized_by_content_and_sources_open_within_a_runtime() {
    let scratch = tempfile::tempdir().unwrap();
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(1);
    tar.append_data(&mut header, "docs/a.md", b"a".as_slice())
        .unwrap();
    let tar = tar.into_inner().unwrap();
    let server = Server::start(move |_, _| Response::ok("application/octet-stream", tar.clone()));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let source = Source::open(&server.url("/download?id=1"), &allowed(scratch.path())).unwrap();
        assert_eq!(source.described(None).unwrap().kind, SourceKind::Archive);
        let (files, _) = walked(&source, None).unwrap();
        assert_eq!(files, [("docs/a.md".to_owned(), b"a".to_vec())]);
    });
}
