//! Checks `Cargo.lock` against the stored list of advisories; `.ci/run` starts it without the network.
//!
//! The last line names the list and its matches. The check fails on a match that `deny.toml` does not list.

use std::{fs, path::Path, process::ExitCode};

use recall_kit_tests::AdvisoryReport;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |name: &str| {
        let path = root.join(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let report = || {
        let (lock, deny) = (read("Cargo.lock")?, read("deny.toml")?);
        AdvisoryReport::of(&lock, &read("tests/advisories.toml")?, &deny)
    };
    match report() {
        Ok(report) => print_report(&report),
        Err(error) => {
            #[expect(
                clippy::print_stderr,
                reason = "the error is for the person who runs the checks"
            )]
            {
                eprintln!("error: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stdout, reason = "the answer")]
fn print_report(report: &AdvisoryReport) -> ExitCode {
    for found in &report.matches {
        let reason = found.reason.as_deref();
        let reason = reason.unwrap_or("NOT listed in deny.toml, [advisories] ignore");
        println!(
            "{}: {}: {} ({reason})",
            found.id, found.package, found.title
        );
    }
    println!("{}", report.summary());
    match report.passes() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
