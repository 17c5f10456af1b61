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

fn of(ran: &Ran) -> Option<Failure> {
    match ended(ran) {
        Ended::Failed(failure) => Some(failure),
        _ => None,
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
    check("", type_error, Status::Passed, None);
    check("", type_error, Status::Unknown, shown);
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

/// What the host says is not overruled by what a program prints.
#[test]
fn a_command_works_only_if_somebody_says_so() {
    let check = |line: &str, output: &str, status: Status, expected: &str| {
        let found = match ended(&ran(line, output, status)) {
            Ended::NotRun => "not run".to_owned(),
            Ended::Failed(_) => "failed".to_owned(),
            Ended::Silently => "silent".to_owned(),
            Ended::Unknown => "unknown".to_owned(),
            Ended::Worked { mains, is_certain } => {
                let names: Vec<_> = mains.into_iter().map(|main| main.family.name).collect();
                let doubt = if is_certain { "" } else { "?" };
                names.join(" + ") + doubt
            }
        };
        assert_eq!(found, expected, "{line}: {output}: {status:?}");
    };
    use Status::{Failed, Passed, Unknown};
    check(
        "cargo test",
        "error: of a test\n3 failed",
        Passed,
        "cargo test",
    );
    check("cargo test", "test result: ok. 3 passed", Failed, "failed");
    check("cargo test", "", Failed, "silent");
    check("cargo test", "", Passed, "cargo test");
    check("tsc", "", Unknown, "tsc?");
    check("cargo test", "compiling x", Unknown, "cargo test?");
    check(
        "cargo test",
        "test result: ok. 3 passed",
        Unknown,
        "cargo test",
    );
    check("cargo test | grep FAILED", "", Passed, "unknown");
    check("cargo test | grep FAILED", "", Unknown, "unknown");
    check("cargo test | tail -3", "error: it broke", Passed, "failed");
    check("cargo test | tail -3", "compiling x", Passed, "unknown");
    check(
        "cargo test | tail -3",
        "test result: ok. 3 passed; 0 failed",
        Passed,
        "cargo test",
    );
    check("pytest -q | tail -1", "3 passed in 0.2s", Passed, "pytest");
    check("pytest -q || true", "3 passed in 0.2s", Passed, "pytest");
    check("pytest -q || true", "", Passed, "unknown");
    check("pytest -q; echo done", "done", Passed, "unknown");
    check("npm start &", "", Passed, "unknown");
    check(
        "cargo build && cargo test",
        "",
        Passed,
        "cargo build + cargo test",
    );
    check("cargo build; cargo test", "", Passed, "cargo test");
    for refused in [
        "The user doesn't want to proceed with this tool use.",
        "Permission to use Bash with command npm test has been denied.",
        "exec command rejected by user",
        "Command running in background with ID: b1",
        "Process running with session ID 3",
        "Interrupted by user",
    ] {
        check("npm test", refused, Unknown, "not run");
        check("npm test", refused, Failed, "not run");
    }
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

/// The most failures that may be missed if the host says nothing of the exit code. *Unit*: percent.
const MISSED: usize = 5;

#[test]
fn few_failures_are_missed_and_few_recalls_are_for_nothing() {
    judge(
        include_str!("../../../../../tests/data/hooks/steps.jsonl"),
        MISSED,
    );
}

/// Steps of other transcripts and programs. The rules were made for the first set and mended after each of these, which
/// were labelled before that.
#[test]
fn the_same_holds_for_other_steps() {
    judge(
        include_str!("../../../../../tests/data/hooks/steps-apart.jsonl"),
        MISSED,
    );
    judge(
        include_str!("../../../../../tests/data/hooks/steps-apart-2.jsonl"),
        MISSED,
    );
    judge(
        include_str!("../../../../../tests/data/hooks/steps-apart-3.jsonl"),
        MISSED,
    );
}

/// Examples of outputs of programs that no list names, without an exit code.
#[test]
fn programs_that_nobody_listed_complain_in_common_words() {
    let check = |line: &str, output: &str, expected: bool| {
        let found = of(&ran(line, output, Status::Unknown));
        assert_eq!(found.is_some(), expected, "{line}: {output}: {found:?}");
    };
    let fails = |line: &str, output: &str| check(line, output, true);
    // In their own name.
    fails(
        "cp a",
        "cp: missing destination file operand after 'a'\nTry 'cp --help' for more information.",
    );
    fails("make zz", "make: *** No rule to make target 'zz'.  Stop.");
    fails(
        "timeout x ls",
        "timeout: invalid time interval \u{2018}x\u{2019}\nTry 'timeout --help' for more information.",
    );
    fails(
        "dpkg -s nope",
        "dpkg-query: package 'nope' is not installed\nUse dpkg --info to examine archive files.",
    );
    fails(
        "bash e.sh",
        "step 1\nstep 2\nstep 3\ne.sh: line 4: X: unbound variable",
    );
    fails("cat a.log", "cat: a.log: Is a directory");
    // At the beginning or at the end.
    fails("perl b.pl", "bad input at b.pl line 1.");
    fails(
        "git bisect good",
        "You need to start by \"git bisect start\"",
    );
    fails("cd b && git am f", "Patch format detection failed.");
    fails(
        "tox --nope",
        "ROOT: HandledError| unrecognized arguments: --nope\nhint: to pass arguments, use --",
    );
    fails("inv nope", "No idea what 'nope' is!");
    fails(
        "mycli",
        "(1698, \"Access denied for user 'root'@'localhost'\")",
    );
    fails(
        "concurrently a b",
        "[0] a\n[0] a exited with code 0\n[1] b exited with code 1",
    );
    fails("node f.js", "usage: f <file>");
    fails(
        "jshint c.js",
        "c.js: line 1, col 5, Unexpected early end of program.\n\n1 error",
    );
    fails(
        "vulture a.py",
        "a.py:1: unused import 'os' (90% confidence)\na.py:2: unused function 'f' (60% confidence)",
    );
    let generators = "  Ninja = builds\n".repeat(30);
    fails(
        "cmake -G Nope a",
        &format!("CMake Error: Could not create named generator Nope\n\nGenerators\n{generators}"),
    );
    let works = |line: &str, output: &str| check(line, output, false);
    works("make sub", "make: 'sub' is up to date.");
    works("ninja a", "ninja: no work to do.");
    works("vacuumdb x", "vacuumdb: vacuuming database \"x\"");
    works("node a.js", "error count: 0");
    works("ruby a.rb", "errors: []");
    works(
        "python train.py",
        "epoch 1 loss 0.31 error rate 0.12\nepoch 2 loss 0.22 error rate 0.09",
    );
    works("pip check", "No broken requirements found.");
    works(
        "python manage.py migrate",
        "Running migrations:\n  No migrations to apply.",
    );
    works(
        "git commit -m x",
        "[main 1a2b3c4] fix: what failed\n 1 file changed, 2 insertions(+)",
    );
    works(
        "npx eslint .",
        "a.js\n  1:1  warning  Unexpected var  no-var\n\n\u{2716} 1 problem (0 errors, 1 warning)",
    );
    works("python g.py", "ERROR:root:retrying\ndone");
    works(
        "psql -c \"select 'error: failed'\"",
        "?column?\n---------------\n error: failed\n(1 row)",
    );
    works(
        "test -f a || echo \"file is missing, creating\"",
        "file is missing, creating",
    );
    works(
        "ld --help",
        "Usage: ld [options] file...\nOptions:\n  -o FILE  Set the output\n  -u SYMBOL  Start with undefined reference to SYMBOL\n  --x  cannot be undone",
    );
    let recap = "fatal: [localhost]: FAILED! => {}\n...ignoring\nlocalhost : ok=1 unreachable=0 failed=0 skipped=0 ignored=1";
    works("ansible-playbook d.yml", recap);
}

/// Whether an output complains, of a program that no list names.
fn complains(line: &str, output: &str, expected: bool) {
    let found = of(&ran(line, output, Status::Unknown));
    assert_eq!(found.is_some(), expected, "{line}: {output}: {found:?}");
}

#[test]
fn a_number_counts_what_it_stands_with() {
    let check = |output: &str, expected: bool| complains("runner all", output, expected);
    check("Tests run: 5, Failures: 0, Errors: 0, Skipped: 0", false);
    check("Tests run: 5, Failures: 1, Errors: 0, Skipped: 0", true);
    check("Errors: 0, Failures: 2", true);
    check("Errors: 0, Failed: 3", true);
    check("tests=5 errors=0 failures=2", true);
    check("4 passed, 1 error", true);
    check("4 passed, 0 errors", false);
    check("2 problems (0 errors, 2 warnings)", false);
    check("Found 3 errors (3 fixed, 0 remaining).", false);
    check("1 error ignored", false);
    check("1 error, 2 ignored", true);
}

#[test]
fn harmless_beginnings_are_whole_words() {
    let check = |output: &str, expected: bool| complains("runner all", output, expected);
    check("Password authentication failed for user bob", true);
    check("Notebook x.ipynb does not exist", true);
    check("Test database could not be created", true);
    check("Information about the host is not available", true);
    check("Note: the cache does not exist", false);
    check("[info] the cache does not exist", false);
    check("test a::cannot_open ... ignored", false);
    check("No configuration for exchange found", true);
    check("No update server found", true);
    check("No crontab for bob", true);
    check("No known vulnerabilities found", false);
    check("No type errors were found", false);
    check("No updates found", false);
}

#[test]
fn good_news_covers_only_its_own_clause() {
    let check = |output: &str, expected: bool| complains("runner all", output, expected);
    check("lint passed, build failed", true);
    check("lint passed, nothing failed", false);
    check("cannot open file created by another user", true);
    check("cannot find what was created", true);
    check(
        "created the missing folder, which does not exist yet",
        false,
    );
}

#[test]
fn results_of_a_search_are_no_findings() {
    let found = "a.c:3:    foo()\na.c:9:    foo()";
    complains("git add -A && grep -n foo a.c", found, false);
    complains("runner all", found, false);
    let found = "a.c:3: foo\na.c:9: foo";
    complains("git add -A && grep -n foo a.c", found, false);
    complains("runner all", found, true);
}

#[test]
fn only_some_words_ask_for_help() {
    let usage = "Usage: npm [command]\nnpm: unknown option";
    let check = |line: &str, expected: bool| {
        assert_eq!(LinePrograms::of(line).asks_for_help, expected, "{line}");
    };
    check("npm version patch", false);
    check("git checkout version", false);
    check("make man", false);
    check("sort -V a", false);
    check("cargo run -- --help", false);
    check("npm version", true);
    check("mycli -V", true);
    check("ld --help", true);
    check("help read", true);
    complains("npm version patch", usage, true);
}

#[test]
fn a_script_is_all_that_a_line_runs() {
    let check = |line: &str, expected: bool| {
        assert_eq!(LinePrograms::of(line).is_script, expected, "{line}");
    };
    check("cd a && python3 b.py", true);
    check("python3 a.py; node b.js", true);
    check("python3 a.py && mycli", false);
    check("echo a; python3 a.py", false);
    check("mycli", false);
}

#[test]
fn only_whole_texts_of_a_command_are_copied() {
    complains(
        "echo \"it cannot be opened\" && true",
        "it cannot be opened",
        false,
    );
    complains(
        "mycli <<EOF\nit cannot be opened\nEOF",
        "it cannot be opened",
        false,
    );
    complains("mycli --no-denied-list", "denied", true);
    // Neither many lines nor a long command take long.
    let line = format!("mycli '{}'", "it is so\n".repeat(20_000));
    let output = "that is so\n".repeat(20_000);
    let begun = std::time::Instant::now();
    complains(&line, &output, false);
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}

/// Steps that were labelled last. When they were looked at first, up to a third of the failures was missed, since programs wrote
/// them that nobody had thought of.
#[test]
fn the_same_holds_for_programs_that_nobody_thought_of() {
    judge(
        include_str!("../../../../../tests/data/hooks/steps-apart-4.jsonl"),
        MISSED,
    );
}

fn judge(steps: &str, most_missed: usize) {
    let steps: Vec<Step> = steps
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is a step"))
        .collect();
    // With the exit code, which most hosts tell, hardly anything is missed.
    let missed = steps.iter().filter(|step| {
        let status = match step.failed {
            true => Status::Failed,
            false => Status::Passed,
        };
        of(&ran(&step.command, &step.output, status)).is_some() != step.failed
    });
    let missed: Vec<&str> = missed.map(|step| step.command.as_str()).collect();
    assert!(missed.len() * 100 <= steps.len() * 2, "{missed:?}");
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
    assert!(steps.len() >= 30, "{figures}");
    assert!(missed * 100 <= failed * most_missed, "{figures}");
    assert!(idle * 100 <= recalls * 2, "{figures}");
}
