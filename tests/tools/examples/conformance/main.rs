//! The fixtures of the MCP conformance suites over the server's own transports.
//!
//! `@modelcontextprotocol/conformance` expects a server with tools, resources and prompts made for it
//! (`test_simple_text`, `test://static-text`, …). They have no place in the product, so they are implemented
//! here, behind exactly the transports of the product.

mod call;
mod changes;
mod content;
mod conversation;
mod handler;
mod input_required;
mod log;
mod prompts;
mod resources;
mod round;
mod session;
mod skills;
mod tasks;
mod tools;

use std::{net::Ipv4Addr, sync::Arc};

use clap::Parser;
use recall_kit_core::app::App;
use recall_kit_libraries::Libraries;
use recall_kit_mcp::{
    tools::Features,
    transports::{self, NoPages},
};
use recall_kit_settings::{EmbeddingProvider, Settings};
use recall_kit_telemetry as telemetry;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::session::{Fixtures, Shared};

/// Serves the fixtures of the MCP conformance suites.
#[derive(Parser)]
struct Args {
    /// Port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let folder = tempfile::tempdir()?;
    let mut settings = Settings {
        data_dir: Some(folder.path().to_owned()),
        ..Settings::default()
    };
    settings.embeddings.provider = EmbeddingProvider::Off;
    let _telemetry = telemetry::start(&settings)?;
    let app = App::open(settings).await?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).await?;
    eprintln!("listening on http://{}", listener.local_addr()?);

    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        tokio::signal::ctrl_c().await.ok();
        stopping.cancel();
    });
    let features = Features::new(Libraries::new(app));
    let shared = Shared::new();
    let pages = Arc::new(NoPages);
    let factory = move || Fixtures::new(&shared);
    transports::serve_handler(features, pages, listener, stop, factory).await?;
    Ok(())
}

/// Parses a fixture that is written as JSON.
fn fixture<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).expect("the fixture has the shape of its type")
}

/// Parses a result that is written as JSON, and marks it as complete (SEP-2322); rmcp leaves that out for
/// clients of older versions.
fn complete<T: DeserializeOwned>(mut result: Value) -> T {
    result["resultType"] = "complete".into();
    fixture(result)
}
