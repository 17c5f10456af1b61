//! Percentiles of single calls, in addition to criterion's medians.

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use criterion::{BenchmarkGroup, measurement::WallTime};

/// Runs one call per iteration, reports the total time to criterion and prints the percentiles of all calls.
pub fn measure<F>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    runtime: &tokio::runtime::Runtime,
    name: &str,
    mut call: F,
) where
    F: AsyncFnMut(),
{
    let all = RefCell::new(Vec::new());
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            let mut sum = Duration::ZERO;
            for _ in 0..iterations {
                let started = Instant::now();
                runtime.block_on(call());
                let took = started.elapsed();
                all.borrow_mut().push(took);
                sum += took;
            }
            sum
        });
    });
    let mut all = all.into_inner();
    all.sort_unstable();
    let at = |share: f64| {
        all.get(((all.len() as f64 - 1.0) * share) as usize)
            .copied()
            .unwrap_or_default()
    };
    #[expect(clippy::print_stdout, reason = "the benchmark's answer")]
    {
        println!(
            "    {name}: p50 {:.2?}  p95 {:.2?}  p99 {:.2?}  of {} calls",
            at(0.5),
            at(0.95),
            at(0.99),
            all.len()
        );
    }
}
