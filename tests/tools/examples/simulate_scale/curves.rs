//! The curves behind the tables, as comma-separated values.

use std::fmt::Write as _;

use crate::{
    Args,
    costs::{self, Kind},
    tables::REPLICAS,
};

/// Points of a curve per power of ten.
const POINTS: i32 = 4;
/// The powers of ten of the numbers of records.
const POWERS: std::ops::Range<i32> = 4..9;
/// Bounds for 99 % of the queries, in milliseconds.
const BOUNDS: [f64; 4] = [20.0, 50.0, 100.0, 200.0];
/// Simulated calls of a replica for each point.
const CALLS: usize = 8_000;
/// The number of records for the curves over replicas.
const MILLION: f64 = 1e6;

/// Returns all curves, one point per line: the curve's name, the position, and the value.
pub(crate) fn csv(args: &Args) -> String {
    let mut text = "curve,at,value\n".to_owned();
    let mut point = |curve: &str, at: f64, value: f64| {
        writeln!(text, "{curve},{at:.0},{value:.4}").expect("a string takes everything");
    };
    let steps = POWERS.start * POINTS..=POWERS.end * POINTS;
    for records in steps.map(|step| 10_f64.powf(f64::from(step) / f64::from(POINTS))) {
        let [index, database] = costs::disks(records);
        point(
            "memory of a replica in GiB by records",
            records,
            costs::memory(records),
        );
        point("index on disk in GiB by records", records, index);
        point("database in GiB by records", records, database);
        for kind in Kind::ALL {
            let curve = format!("query {} in ms by records", kind.name());
            point(&curve, records, costs::query(kind, records).mean);
        }
    }
    for kind in Kind::ALL {
        for bound in BOUNDS {
            let name = kind.name();
            let curve = format!("queries a second {name} with p99 {bound:.0} ms by replicas");
            for replicas in REPLICAS {
                let queries = most_queries(args, kind, replicas, bound);
                point(&curve, replicas as f64, queries);
            }
        }
    }
    text
}

/// Returns the maximum queries per second that replicas with a million records answer in time.
pub(crate) fn most_queries(args: &Args, kind: Kind, replicas: usize, bound: f64) -> f64 {
    let sizes = (replicas, args.cores.into(), args.database_cores.into());
    costs::system(kind, MILLION, sizes).most_queries(bound, CALLS, args.seed)
}
