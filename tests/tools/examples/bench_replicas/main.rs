//! Measures what a query and a submit cost one replica, a replica beside another one, and
//! PostgreSQL: `cargo run --release -p recall-kit-tools --example bench_replicas -- --help`, after
//! `cargo build --release -p recall-kit-server --bins`.
//!
//! Two cores are not enough to let two replicas, PostgreSQL and the load run undisturbed, so
//! processor time is measured instead of what came out in a second: both replicas share one core,
//! everything else has the other one. Rounds with one replica and with two follow each other in
//! turns. A replica with a core of its own then answers one query in the processor time it needs
//! beside the other one. This reads `/proc` and runs `taskset`, so it needs Linux.

#![allow(
    clippy::print_stdout,
    missing_docs,
    reason = "a program that prints what it measured"
)]

mod load;
mod machine;
mod measure;
mod replica;

use clap::Parser;

/// Measure what queries and submits cost replicas and PostgreSQL.
#[derive(Debug, Parser)]
struct Args {
    /// Records in the database
    #[arg(long, default_value_t = 10_000)]
    records: usize,
    /// Turns of a round with one replica and a round with two
    #[arg(long, default_value_t = 7)]
    turns: usize,
    /// Queries that each replica answers in a round
    #[arg(long, default_value_t = 1_000)]
    queries: usize,
    /// Submits, first one after the other, then so many to each replica by many clients at once
    #[arg(long, default_value_t = 200)]
    submits: usize,
    /// What makes embeddings; off means that queries are lexical
    #[arg(long, value_parser = ["off", "builtin"], default_values = ["off", "builtin"])]
    embeddings: Vec<String>,
    /// Give the second server a database of its own: what it then costs the first is sharing a core
    #[arg(long)]
    apart: bool,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    drop(rustls::crypto::ring::default_provider().install_default());
    measure::run(&Args::parse()).await
}
