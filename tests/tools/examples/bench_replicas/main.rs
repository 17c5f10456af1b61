//! Measures what a query and a submission cost for one replica, for a replica beside another one, and for
//! PostgreSQL: `cargo run --release -p recall-kit-tools --example bench_replicas -- --help`, after `cargo build
//! --release -p recall-kit-server --bins`.
//!
//! Two cores are not enough to run two replicas, PostgreSQL and the load generator undisturbed, so processor
//! time is measured instead of throughput: both replicas share one core, and everything else runs on the other
//! one. Rounds with one replica alternate with rounds with two. A replica with its own core would then answer a
//! query in the processor time that it needs beside the other one. This reads `/proc` and runs `taskset`, so it
//! needs Linux.

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

/// Measure what queries and submissions cost replicas and PostgreSQL.
#[derive(Debug, Parser)]
struct Args {
    /// Records in the database
    #[arg(long, default_value_t = 10_000)]
    records: usize,
    /// Turns, each with a round with one replica and a round with two
    #[arg(long, default_value_t = 7)]
    turns: usize,
    /// Queries that each replica answers in a round
    #[arg(long, default_value_t = 1_000)]
    queries: usize,
    /// Submissions: first one at a time, then this many to each replica by many clients at once
    #[arg(long, default_value_t = 200)]
    submits: usize,
    /// The embedding provider; off means that queries are lexical
    #[arg(long, value_parser = ["off", "builtin"], default_values = ["off", "builtin"])]
    embeddings: Vec<String>,
    /// Give the second server its own database, so that the first one only shares a core with it
    #[arg(long)]
    apart: bool,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    drop(rustls::crypto::ring::default_provider().install_default());
    measure::run(&Args::parse()).await
}
