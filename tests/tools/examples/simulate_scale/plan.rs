//! The number of shards and replicas that a deployment needs, and its bottleneck.

use crate::{
    Args,
    costs::{self, Kind},
    measured::{HEAD_ROW_SUBMITS, INSERT, INTAKE},
    queue::{P99, System},
};

/// The share of a machine's memory that a replica may use.
const MEMORY_SHARE: f64 = 0.8;
/// The maximum numbers of shards, and of replicas of each, that are tried.
const MOST_SHARDS: usize = 512;
const MOST_REPLICAS: usize = 64;
/// Simulated calls of a replica to determine how long queries take.
const CALLS: usize = 20_000;

/// The distribution of records over shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Each project is in one shard; a query goes to that shard only.
    ByProject,
    /// One project is in all shards; a query goes to all of them.
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

/// A deployment that meets the requirements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) shards: usize,
    /// The records of each shard.
    pub(crate) records: f64,
    pub(crate) replicas: usize,
    /// The 99th percentile in milliseconds; that of the slowest shard if a query goes to all.
    pub(crate) p99: f64,
    pub(crate) tightest: Part,
}

/// A resource of a shard, and how much of it is used, 0–1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) used: f64,
}

/// Finds the smallest numbers of shards and of replicas of each that answer queries with the model in time;
/// `None` if no number that is tried is enough.
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
    let shards_per_query = match layout {
        Layout::ByProject => 1,
        Layout::Everywhere => shards,
    };
    let queries = f64::from(args.queries) * shards_per_query as f64 / shards as f64;
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
    let slowest = |system: &System| {
        system
            .run(CALLS, args.seed)
            .slowest_within(shards_per_query, P99)
    };
    // The time of one query at a time, which more replicas do not reduce.
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

/// Finds the resource of a shard that is used most, apart from replicas, since more of them can be added.
fn tightest(args: &Args, system: &System, records: f64, time_used: f64) -> Part {
    let at_database = system.queries * system.database_query.mean + system.submits * INSERT.mean;
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

/// Returns the maximum number of records that fit into a replica's memory.
pub(crate) fn records_in_memory(args: &Args) -> f64 {
    largest(|records| memory_used(args, records) <= 1.0)
}

/// Returns the maximum number of records with which an idle replica answers 99 % of the queries in time.
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

/// Finds the largest number for which a condition holds, with a precision of a thousandth.
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
