//! What counts as a failure, on single outputs and on labelled steps of agents.

use serde::Deserialize;

use super::*;

fn ran(line: &str, output: &str, status: Status) -> Ran {
    Ran {
        line: line.to_owned(),
        output: output.to_owned(),
        status,
    }
}

#[test]
fn the_error_is_found_in_the_output() {
    let check = |line: &str, output: &str, status: Status, expected: Option<&str>| {
        let found = of(&ran(line, output, status)).map(|failure| failure.message);
        assert_eq!(found.as_deref(), expected, "{line}: {output}");
    };
    check(
        "cargo check",
        "Exit code 101\n   Compiling x\n\u{1b}[31merror[E0502]: cannot borrow `v`\u{1b}[0m\n  --> src/a.rs:1",
        Status::Failed,
        Some("error[E0502]: cannot borrow `v`"),
    );
    check(
        "x",
        "Exit code 3\na\nb\nc\nd",
        Status::Failed,
        Some("b\nc\nd"),
    );
    check("x", "Exit code 1", Status::Failed, None);
    check("x", "0 errors, none failed", Status::Unknown, None);
    let type_error = "line\nTypeError: x is not a function\n";
    let shown = Some("TypeError: x is not a function");
    check("", type_error, Status::Passed, shown);
    check("node a.js | tail -5", type_error, Status::Passed, shown);
    check("node a.js", type_error, Status::Passed, None);
    check("node a.js", "boom", Status::Failed, Some("boom"));
    // Somebody else's errors.
    check("cat build.log", type_error, Status::Unknown, None);
    check(
        "cat build.log",
        "cat: build.log: No such file or directory",
        Status::Unknown,
        Some("cat: build.log: No such file or directory"),
    );
    check("grep -q x a", "", Status::Failed, None);
    let huge = format!("error: first\n{}", "noise\n".repeat(200_000));
    check("make", &huge, Status::Failed, Some("error: first"));
}

#[test]
fn a_prompt_holds_an_error_only_as_programs_report_it() {
    let check = |prompt: &str, expected: bool| {
        assert_eq!(in_prompt(prompt).is_some(), expected, "{prompt}");
    };
    check(
        "I get this:\nerror[E0502]: cannot borrow `v` as mutable",
        true,
    );
    check("it says ModuleNotFoundError: No module named 'x'", true);
    check("fix the error handling of uploads", false);
    check("why does this fail? I cannot see it", false);
    check("add a button", false);
}

#[test]
fn a_fingerprint_leaves_out_what_differs_from_one_occurrence_to_the_next() {
    let same = |one: &str, other: &str| assert_eq!(fingerprint(one), fingerprint(other));
    same(
        "error[E0502]: cannot borrow `a.b` as mutable at src/a.rs:3",
        "error[E0502]: cannot borrow `the list` as mutable at src/b.rs:17",
    );
    same(
        "FileNotFoundError: [Errno 2] No such file or directory: 'a b.txt'",
        "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/x'",
    );
    let other = |one: &str, other: &str| assert_ne!(fingerprint(one), fingerprint(other));
    other("error[E0502]: cannot borrow", "error[E0499]: cannot borrow");
    other(
        "a.ts(1,2): error TS2304: no name",
        "a.ts(1,2): error TS2322: no name",
    );
    let shown = fingerprints("note\n  error[E0502]: cannot borrow `y` as mutable\n");
    assert!(shown.contains(&fingerprint("error[E0502]: cannot borrow `x` as mutable")));
    assert!(!shown.contains(&fingerprint("error[E0382]: borrow of moved value: `y`")));
}

/// A step of an agent, labelled by hand before the rules were written.
#[derive(Deserialize)]
struct Step {
    source: String,
    at: usize,
    command: String,
    output: String,
    status: String,
    failed: bool,
}

#[test]
fn few_failures_are_missed_and_few_recalls_are_for_nothing() {
    let steps = include_str!("../../../../../tests/data/hooks/steps.jsonl");
    let steps: Vec<Step> = steps
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is a step"))
        .collect();
    let mut wrong = Vec::new();
    let [mut failed, mut missed, mut recalls, mut idle] = [0_usize; 4];
    for step in &steps {
        let status = match step.status.as_str() {
            "failed" => Status::Failed,
            "passed" => Status::Passed,
            _ => Status::Unknown,
        };
        let found = of(&ran(&step.command, &step.output, status));
        failed += usize::from(step.failed);
        recalls += usize::from(found.is_some());
        missed += usize::from(step.failed && found.is_none());
        idle += usize::from(!step.failed && found.is_some());
        if step.failed != found.is_some() {
            wrong.push(format!(
                "{} {}: {} → {found:?}",
                step.source, step.at, step.command
            ));
        }
    }
    let figures = format!(
        "{} steps: {missed} of {failed} failures missed, {idle} of {recalls} recalls for nothing\n{}",
        steps.len(),
        wrong.join("\n")
    );
    assert!(steps.len() >= 100, "{figures}");
    assert!(missed * 100 <= failed * 5, "{figures}");
    assert!(idle * 100 <= recalls * 2, "{figures}");
}
