//! Simulates deployments larger than any that was measured, based on the measurements: `cargo run --release -p
//! recall-kit-tools --example simulate_scale`.
//!
//! Needs no database and no network. `docs/operations/scaling.md` shows the tables and explains them; a test
//! checks that the page has this program's output.

#![allow(
    clippy::print_stdout,
    missing_docs,
    reason = "a program that prints what it worked out"
)]

mod costs;
mod curves;
mod measured;
mod plan;
mod queue;
mod tables;
#[cfg(test)]
mod tests;

use clap::Parser;

/// Estimate what RecallKit costs beyond one cluster, from measured figures.
#[derive(Debug, Clone, Copy, Parser)]
#[command(name = "simulate_scale")]
struct Args {
    /// Cores of a replica's machine
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=512))]
    cores: u16,
    /// Memory of a replica's machine, in GiB
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    memory_gib: u32,
    /// Cores of a PostgreSQL server
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=512))]
    database_cores: u16,
    /// Queries per second of the deployments that are sized
    #[arg(long, default_value_t = 1_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    queries: u32,
    /// Submissions per second of these deployments
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    submits: u32,
    /// Milliseconds within which 99 % of their queries are answered
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=60_000))]
    p99_ms: u32,
    /// Seed of the random numbers; the same seed gives the same output
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print curves as comma-separated values instead of tables
    #[arg(long)]
    csv: bool,
}

fn main() {
    let args = Args::parse();
    if args.csv {
        print!("{}", curves::csv(&args));
    } else {
        print!("{}", tables::all(&args).join("\n"));
    }
}
