//! Simulates attacks on the order that outcomes give experiences: `cargo run --release -p recall-kit-tools --example
//! simulate_outcomes`.
//!
//! It uses the program's own code for standings and factors, and needs no database and no network. Its tests check the
//! goals; `docs/design/outcomes.md` shows the table.

#![allow(
    clippy::print_stdout,
    missing_docs,
    reason = "a program that prints what it worked out"
)]

mod attacks;
#[cfg(test)]
mod tests;
mod world;

use clap::Parser;

use self::{
    attacks::Attack,
    world::{Rule, World},
};

/// Simulate attacks on the order of experiences.
#[derive(Debug, Clone, Copy, Parser)]
#[command(name = "simulate_outcomes")]
struct Args {
    /// Reports of each honest principal in ninety days
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    reports: u32,
    /// Simulated worlds, each with another seed; the table has their means
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    seeds: u32,
}

fn main() {
    print!("{}", table(Args::parse()));
}

/// Returns the table of the attacks, as Markdown.
fn table(args: Args) -> String {
    let mut table = "| | outcomes | Wilson bound | confirmations |\n|---|---|---|---|\n".to_owned();
    let right = row(args, right_order);
    table.push_str(&format!(
        "| pairs in the right order, without an attack | {right} |\n"
    ));
    for attack in Attack::ALL {
        let shares = row(args, |world, rule| attacks::above(world, attack, rule));
        table.push_str(&format!("| {} | {shares} |\n", attack.name()));
    }
    table
}

/// Returns the mean percentages over all worlds for each rule.
fn row(args: Args, share: impl Fn(&World, Rule) -> f64) -> String {
    let means = Rule::ALL.map(|rule| format!("{:.1} %", mean(args, |world| share(world, rule))));
    means.join(" | ")
}

/// Returns the mean over all worlds, in percent.
fn mean(args: Args, share: impl Fn(&World) -> f64) -> f64 {
    let shares = (1..=args.seeds).map(|seed| share(&World::new(seed.into(), args.reports)));
    100.0 * shares.sum::<f64>() / f64::from(args.seeds)
}

/// Returns the share of the pairs of experiences that are in the order of their quality.
fn right_order(world: &World, rule: Rule) -> f64 {
    let scores = world.scores(rule);
    let (mut right, mut pairs) = (0_u32, 0_u32);
    for (place, (score, quality)) in scores.iter().zip(world.qualities()).enumerate() {
        let others = scores.iter().zip(world.qualities()).take(place);
        for (other_score, other_quality) in others {
            pairs += 1;
            right += u32::from((score - other_score) * (quality - other_quality) > 0.0);
        }
    }
    f64::from(right) / f64::from(pairs)
}
