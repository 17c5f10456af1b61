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
    /// Reports of each honest principal
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    reports: u32,
    /// Simulated worlds, each with another seed; the table has their means
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    seeds: u32,
}

/// The days in which the reports are made.
const DAYS: f64 = 90.0;
/// The periods for which collusion is simulated, too.
const PERIODS: [f64; 3] = [60.0, 90.0, 180.0];

fn main() {
    let args = Args::parse();
    print!("{}\n{}", table(args), periods(args));
}

/// Returns the table of the attacks, as Markdown.
fn table(args: Args) -> String {
    let mut table = "| | outcomes | relevance differs | Wilson bound | confirmations |\n|---|---|---|---|---|\n".to_owned();
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

/// Returns the table of collusion in worlds of several lengths, as Markdown.
fn periods(args: Args) -> String {
    let mut table =
        "| days | right order | collude | poison | lower rivals |\n|---|---|---|---|---|\n"
            .to_owned();
    for days in PERIODS {
        let share = |attack| {
            let above = |world: &World| attacks::above(world, attack, Rule::Outcomes);
            mean((args, days), above)
        };
        let right = mean((args, days), |world| right_order(world, Rule::Outcomes));
        table.push_str(&format!(
            "| {days} | {right:.1} % | {:.1} % | {:.1} % | {:.1} % |\n",
            share(Attack::Collusion),
            share(Attack::SlowPoisoning),
            share(Attack::RivalsLowered),
        ));
    }
    table
}

/// Returns the mean percentages over all worlds for each rule.
fn row(args: Args, share: impl Fn(&World, Rule) -> f64) -> String {
    let mean = |rule| mean((args, DAYS), |world| share(world, rule));
    let means = Rule::ALL.map(|rule| format!("{:.1} %", mean(rule)));
    means.join(" | ")
}

/// Returns the mean over all worlds, in percent.
fn mean((args, days): (Args, f64), share: impl Fn(&World) -> f64) -> f64 {
    let worlds = (1..=args.seeds).map(|seed| World::new(seed.into(), args.reports, days));
    let shares = worlds.map(|world| share(&world));
    100.0 * shares.sum::<f64>() / f64::from(args.seeds)
}

/// Returns the share of the pairs of experiences that are in the order of their quality; equally placed ones are half
/// the time.
fn right_order(world: &World, rule: Rule) -> f64 {
    let scores = world.scores(rule);
    let (mut right, mut pairs) = (0.0, 0.0);
    for (place, (score, quality)) in scores.iter().zip(world.qualities()).enumerate() {
        let others = scores.iter().zip(world.qualities()).take(place);
        for (other_score, other_quality) in others {
            pairs += 1.0;
            let is_better = quality > other_quality;
            right += match is_better {
                true => attacks::before(*score, *other_score),
                false => attacks::before(*other_score, *score),
            };
        }
    }
    right / pairs
}
