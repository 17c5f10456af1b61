//! Faults under a server while clients work: no acknowledged write is lost and nothing is stored twice.
//!
//! Each test prints its line of the table of faults.

mod cluster;
pub(crate) mod crashes;
mod damage;
mod files;
mod full_disk;
mod hung_up;
mod killed;
pub(crate) mod load;
mod machine;
pub(crate) mod processes;
mod replicas;
pub(crate) mod unread;
mod upgrade;

use recall_kit_tests::{Acknowledged, Home, print_figure};

/// Compares what was acknowledged with what is stored, and prints the fault's line of the table.
async fn check(fault: &str, runs: usize, acknowledged: &Acknowledged, home: &Home) {
    let (lost, doubled) = acknowledged.compare(home).await;
    print_figure(format!(
        "| {fault} | {runs} | {} | {} | {} | {:.1} s | {:?} |",
        acknowledged.count(),
        lost.len(),
        doubled.len(),
        acknowledged.longest_gap.as_secs_f64(),
        acknowledged.refused,
    ));
    assert!(lost.is_empty(), "{fault}: lost {lost:?}");
    assert!(doubled.is_empty(), "{fault}: twice {doubled:?}");
}
