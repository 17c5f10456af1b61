//! How many shards and replicas a deployment needs, and which of its parts is the tightest.

use crate::{
    Args,
    costs::{self, Kind},
    measured::{HEAD_ROW_SUBMITS, INSERT, INTAKE},
    queue::{P99, System},
};

/// Share of a machine's memory that a replica may have resident.
const MEMORY_SHARE: f64 = 0.8;
/// The most shards and the most replicas of each that are looked at.
const MOST_SHARDS: usize = 512;
const MOST_REPLICAS: usize = 64;
/// Calls of a replica that are simulated to see how long queries take.
const CALLS: usize = 20_000;

/// Where records lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Each project in one shard, which alone is asked.
    ByProject,
    /// One project in all shards, which are all asked.
    Everywhere,
}

impl Layout {
    pub(crate) const ALL: [Self; 2] = [Self::ByProject, Self::Everywhere];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::ByProject => "many projects",
            Self::Everywhere => "one project",
        }
    }
}

/// A deployment that keeps its promise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) shards: usize,
    /// Of each shard.
    pub(crate) records: f64,
    pub(crate) replicas: usize,
    /// In milliseconds, of the slowest shard where all are asked.
    pub(crate) p99: f64,
    pub(crate) tightest: Part,
}

/// A part of a shard, and how much of it is used, 0–1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) used: f64,
}

/// Finds the fewest shards, and replicas of each, that answer queries with the model in time;
/// `None` where no number that is looked at does.
pub(crate) fn plan(args: &Args, records: f64, layout: Layout) -> Option<Plan> {
    let numbers = (0..).map(|power| 1 << power);
    let mut shards = numbers.take_while(|shards| *shards <= MOST_SHARDS);
    shards.find_map(|shards| with_shards(args, records, layout, shards))
}

fn with_shards(args: &Args, records: f64, layout: Layout, shards: usize) -> Option<Plan> {
    let each = records / shards as f64;
    if memory_used(args, each) > 1.0 {
        return None;
    }
    let asked = match layout {
        Layout::ByProject => 1,
        Layout::Everywhere => shards,
    };
    let queries = f64::from(args.queries) * asked as f64 / shards as f64;
    let submits = f64::from(args.submits) / shards as f64;
    let system = |replicas| {
        let sizes = (replicas, args.cores.into(), args.database_cores.into());
        let empty = costs::system(Kind::WithModel, each, sizes);
        System {
            queries,
            submits,
            ..empty
        }
    };
    let bound = f64::from(args.p99_ms);
    let slowest = |system: &System| system.run(CALLS, args.seed).slowest_within(asked, P99);
    // One query at a time: what no further replica makes quicker.
    let idle = slowest(&System {
        queries: 1.0,
        submits: 0.0,
        ..system(1)
    });
    if idle > bound {
        return None;
    }
    let (replicas, p99) = (1..=MOST_REPLICAS)
        .filter(|replicas| system(*replicas).ceiling() > queries)
        .map(|replicas| (replicas, slowest(&system(replicas))))
        .find(|(_, p99)| *p99 <= bound)?;
    Some(Plan {
        shards,
        records: each,
        replicas,
        p99,
        tightest: tightest(args, &system(replicas), each, idle / bound),
    })
}

/// Finds the part of a shard of which most is used, replicas left out: of these there can be more.
fn tightest(args: &Args, system: &System, records: f64, time_used: f64) -> Part {
    let at_database = system.queries * system.question.mean + system.submits * INSERT.mean;
    let parts = [
        ("memory of a replica", memory_used(args, records)),
        ("time of one query", time_used),
        (
            "processor of PostgreSQL",
            at_database / (system.database_cores as f64 * 1e3),
        ),
        ("row of `heads`", system.submits / HEAD_ROW_SUBMITS),
        ("intake", system.submits * INTAKE.mean / 1e3),
    ];
    let parts = parts.map(|(name, used)| Part { name, used });
    let most = parts.into_iter().max_by(|a, b| a.used.total_cmp(&b.used));
    most.expect("a shard has parts")
}

fn memory_used(args: &Args, records: f64) -> f64 {
    costs::memory(records) / (f64::from(args.memory_gib) * MEMORY_SHARE)
}

/// The most records that a replica's memory has room for.
pub(crate) fn records_in_memory(args: &Args) -> f64 {
    largest(|records| memory_used(args, records) <= 1.0)
}

/// The most records of which an idle replica answers 99 % of the queries in time.
pub(crate) fn records_in_time(args: &Args) -> f64 {
    largest(|records| {
        let sizes = (1, args.cores.into(), args.database_cores.into());
        let idle = System {
            queries: 1.0,
            ..costs::system(Kind::WithModel, records, sizes)
        };
        idle.run(CALLS, args.seed).within(P99) <= f64::from(args.p99_ms)
    })
}

/// Finds the largest number for which something holds, to a thousandth.
fn largest(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut least, mut most) = (1.0_f64, 1e12_f64);
    while most / least > 1.001 {
        let middle = (least * most).sqrt();
        if holds(middle) {
            least = middle;
        } else {
            most = middle;
        }
    }
    least
}
