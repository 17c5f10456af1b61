//! Compares the model with the measurements, and the documentation page with the model.

#![allow(clippy::unwrap_used)]

use clap::Parser as _;

use crate::{
    Args,
    costs::{self, Kind},
    measured::{ALONE, BESIDE, SIZES, TWO_OF_ONE},
    plan::{Layout, plan},
    queue::{P99, Service, System},
    tables,
};

const PAGE: &str = include_str!("../../../../docs/operations/scaling.md");

fn args(arguments: &[&str]) -> Args {
    Args::parse_from(["simulate_scale"].iter().chain(arguments))
}

/// A system of one replica with one core and a database that takes no time.
fn one_core(mean: f64, spread: f64, queries: f64) -> System {
    let nothing = Service {
        mean: 1e-9,
        spread: 0.0,
    };
    System {
        replicas: 1,
        cores: 1,
        database_cores: 1,
        query: Service { mean, spread },
        database_query: nothing,
        submit: nothing,
        intake: nothing,
        insert: nothing,
        queries,
        submits: 0.0,
    }
}

#[test]
fn the_page_has_the_tables_of_this_program() {
    for table in tables::all(&args(&[])) {
        assert!(
            PAGE.contains(&table),
            "docs/operations/scaling.md lacks:\n\n{table}"
        );
    }
}

#[test]
fn the_model_reproduces_the_measurements() {
    for size in SIZES {
        for kind in Kind::ALL {
            let query = costs::query(kind, size.records).mean;
            assert!((query - kind.of(size.query)).abs() < 1e-9, "{kind:?}");
        }
        let memory = costs::memory(size.records) * 1024.0;
        assert!((memory - size.own - size.mapped).abs() < 1e-9);
    }
    assert_eq!(SIZES[0].query, ALONE, "both are of 10,000 records");
}

#[test]
fn two_replicas_have_the_measured_throughput() {
    for kind in Kind::ALL {
        let ceiling = |replicas| {
            // PostgreSQL has as many cores as it needs.
            let system = costs::system(kind, SIZES[0].records, (replicas, 1, 64));
            system.ceiling()
        };
        let ratio = ceiling(2) / ceiling(1);
        let measured = kind.of(TWO_OF_ONE);
        assert!((ratio - measured).abs() < 1e-9, "{kind:?}: {ratio}");
        // The median of the ratios is close to the ratio of the medians.
        let medians = 2.0 * kind.of(ALONE) / kind.of(BESIDE);
        assert!(
            (medians / measured - 1.0).abs() < 0.1,
            "{kind:?}: {medians}"
        );
    }
}

/// With exponential gaps and constant service times the mean waiting time is known: half a service time, times
/// the utilisation, divided by one minus the utilisation (Pollaczek and Khinchine).
#[test]
fn waiting_times_match_queueing_theory() {
    for busy in [0.3, 0.6, 0.8] {
        let times = one_core(1.0, 0.0, busy * 1e3).run(400_000, 7);
        let expected = 1.0 + busy / (2.0 * (1.0 - busy));
        let mean = times.mean();
        assert!((mean / expected - 1.0).abs() < 0.03, "{busy}: {mean}");
    }
}

#[test]
fn the_slowest_of_several_systems_is_slower_than_one() {
    let times = one_core(1.0, 0.5, 1.0).run(50_000, 7);
    // Quantiles of a log-normal distribution: 99 % for one system, and 99.9 % for ten.
    for (systems, quantile) in [(1, 2.326), (10, 3.090)] {
        let expected = f64::exp(0.5 * quantile - 0.125);
        let within = times.slowest_within(systems, P99);
        assert!(
            (within / expected - 1.0).abs() < 0.05,
            "{systems}: {within}"
        );
    }
}

#[test]
fn more_records_need_more_machines_and_many_projects_fewer_than_one() {
    let args = args(&[]);
    let machines = |records, layout| {
        let plan = plan(&args, records, layout).unwrap();
        plan.shards * plan.replicas
    };
    let by_project = [1e6, 1e8].map(|records| machines(records, Layout::ByProject));
    let everywhere = machines(1e8, Layout::Everywhere);
    assert!(by_project[0] < by_project[1] && by_project[1] < everywhere);
}
