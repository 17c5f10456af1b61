//! Embeds texts with the built-in model, for `server/embed/models/training`.
//!
//! Reads one line of JSON for each text, `{"kind": "query" | "record", "text": "…"}`, from standard input and
//! writes its vector to standard output: 384 little-endian f32, centred and L2-normalised.

use std::io::{BufRead as _, Write as _};

use futures::{StreamExt as _, stream};
use recall_kit_embed::{BuiltinEmbedder, Embedder as _};
use serde::Deserialize;

/// The number of texts embedded concurrently.
const AT_ONCE: usize = 4;

#[derive(Deserialize)]
struct Line {
    kind: Kind,
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Query,
    Record,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let embedder = BuiltinEmbedder::new();
    let lines = std::io::stdin().lock().lines();
    let vectors = stream::iter(lines).map(async |line| {
        let line: Line = serde_json::from_str(&line?)?;
        let vector = match line.kind {
            Kind::Query => embedder.embed_query(&line.text).await,
            Kind::Record => embedder.embed_record(&line.text).await,
        };
        Ok::<_, Box<dyn std::error::Error>>(vector?)
    });
    let mut vectors = std::pin::pin!(vectors.buffered(AT_ONCE));
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    while let Some(vector) = vectors.next().await {
        for value in vector? {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(out.flush()?)
}
