//! The static files of the pages: embedded in the program, compressed once, cached by browsers for a year.
//!
//! The files are in `server/web/assets/`. The address of a file contains a hash of its content, so that a
//! new version has another address.

use std::{io::Write as _, sync::LazyLock};

use axum::{
    extract::Path,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};

/// Permits caching for a year. Source: RFC 9111, 5.2.2.1.
const ONE_YEAR: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// The number of the hash's hexadecimal digits in an address.
const HASH_CHARS: usize = 12;

/// A static file.
pub(crate) struct Asset {
    name: &'static str,
    media_type: HeaderValue,
    content: &'static [u8],
    gzipped: Vec<u8>,
    hash: String,
}

static ASSETS: LazyLock<[Asset; 6]> = LazyLock::new(|| {
    const SCRIPT: &str = "text/javascript; charset=utf-8";
    [
        Asset::new(
            "style.css",
            "text/css; charset=utf-8",
            include_bytes!("../../assets/style.css"),
        ),
        Asset::new("pages.js", SCRIPT, include_bytes!("../../assets/pages.js")),
        Asset::new("graph.js", SCRIPT, include_bytes!("../../assets/graph.js")),
        Asset::new(
            "progress.js",
            SCRIPT,
            include_bytes!("../../assets/progress.js"),
        ),
        Asset::new(
            "htmx.js",
            SCRIPT,
            include_bytes!("../../assets/htmx.min.js"),
        ),
        Asset::new(
            "icon.svg",
            "image/svg+xml",
            include_bytes!("../../assets/icon.svg"),
        ),
    ]
});

impl Asset {
    fn new(name: &'static str, media_type: &'static str, content: &'static [u8]) -> Self {
        let digest = Sha256::digest(content);
        let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Self {
            name,
            media_type: HeaderValue::from_static(media_type),
            content,
            gzipped: gzip(content),
            hash: hash.chars().take(HASH_CHARS).collect(),
        }
    }

    fn find(name: &str) -> Option<&'static Self> {
        ASSETS.iter().find(|asset| asset.name == name)
    }
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(content).and_then(|()| encoder.finish());
    written.expect("writing to memory does not fail")
}

/// Returns the address of a file.
pub(crate) fn address(name: &'static str) -> String {
    let asset = Asset::find(name).expect("pages name only existing files");
    format!("/assets/{name}?v={}", asset.hash)
}

/// Answers with a file.
pub(crate) async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(asset) = Asset::find(&name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let accepted = headers.get(header::ACCEPT_ENCODING);
    let accepted = accepted.and_then(|accepted| accepted.to_str().ok());
    let headers = [
        (header::CONTENT_TYPE, asset.media_type.clone()),
        (header::CACHE_CONTROL, ONE_YEAR),
        (header::VARY, HeaderValue::from_static("accept-encoding")),
    ];
    if accepted.is_some_and(|accepted| accepted.contains("gzip")) {
        let encoding = [(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))];
        (headers, encoding, asset.gzipped.as_slice()).into_response()
    } else {
        (headers, asset.content).into_response()
    }
}
