//! Small shell programs: their results and reports, and that none of their processes is left.

#![allow(clippy::unwrap_used)]

use std::{path::Path, process::Command, sync::Mutex, time::Duration};

use serde_json::{Value, json};
use tokio::{io::AsyncReadExt as _, net::unix::pipe};

use super::{Answer, Program, ProgramError, Report};

/// How long the end of a process is awaited before the test fails.
const DEADLINE: Duration = Duration::from_secs(60);

fn program(command: &[&str], more: Value) -> Program {
    let mut settings = json!({ "name": "t", "description": "d", "command": command });
    let fields = settings.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    Program::new(&serde_json::from_value(settings).unwrap()).unwrap()
}

async fn run(command: &[&str], more: Value, arguments: Value) -> Result<Answer, ProgramError> {
    program(command, more).run(&arguments, |_| {}).await
}

#[tokio::test]
async fn the_result_is_what_a_program_prints() {
    let check = async |script: &str, arguments: Value, expected: (&str, bool)| {
        let answer = run(&["sh", "-c", script], json!({}), arguments)
            .await
            .unwrap();
        assert_eq!(answer.json, None);
        assert_eq!((answer.text.as_str(), answer.failed), expected, "{script}");
    };
    check("cat", json!({"a": 1}), (r#"{"a":1}"#, false)).await;
    check("echo one; echo two", json!({}), ("one\ntwo", false)).await;
    check("printf 'end\\r\\n\\n'", json!({}), ("end", false)).await;
    check("echo no; exit 3", json!({}), ("no", true)).await;
    check("kill -9 $$", json!({}), ("", true)).await;
    // More than fits in a pipe, for a program that closes its input, and for one that never reads.
    let long = json!({ "text": "x".repeat(1 << 20) });
    check("exec <&-; echo done", long.clone(), ("done", false)).await;
    check("echo done", long.clone(), ("done", false)).await;
    check("wc -c | tr -d ' '", long, ("1048588", false)).await;
}

#[tokio::test]
async fn a_failure_reports_the_exit_status_and_the_end_of_stderr() {
    let failure = async |script: &str| {
        let answer = run(&["sh", "-c", script], json!({}), json!({})).await;
        answer.unwrap().failure
    };
    assert_eq!(failure("echo fine >&2").await, None);
    let message = failure("echo oops >&2; echo '{\"progress\": 1}' >&2; exit 3")
        .await
        .unwrap();
    assert!(message.contains("exit status: 3"), "{message}");
    assert!(message.ends_with(":\noops"), "{message}");
    let message = failure("kill -9 $$").await.unwrap();
    assert!(message.contains("signal: 9"), "{message}");
    let message = failure("printf 'a\\033[31mb\\007\\tc' >&2; exit 1")
        .await
        .unwrap();
    assert!(
        message.ends_with("a⟨U+001B⟩[31mb⟨U+0007⟩\tc"),
        "{message:?}"
    );
    let long = "i=0; while [ $i -lt 2000 ]; do echo \"line $i é\" >&2; i=$((i+1)); done; exit 1";
    let message = failure(long).await.unwrap();
    assert!(message.ends_with("line 1999 é"), "{message}");
    assert!(message.len() < 5_000, "{}", message.len());
}

#[tokio::test]
async fn programs_run_without_a_shell_and_with_a_minimal_environment() {
    let literal = "$HOME `id` ; * && ~";
    let echoed = run(&["printf", "%s", literal], json!({}), json!({})).await;
    assert_eq!(echoed.unwrap().text, literal);

    let folder = tempfile::tempdir().unwrap();
    let more = json!({ "env": { "GREETING": "hi there" }, "working_dir": folder.path() });
    let script = "echo $GREETING; pwd -P; env";
    let answer = run(&["sh", "-c", script], more, json!({})).await.unwrap();
    let mut lines = answer.text.lines();
    assert_eq!(lines.next(), Some("hi there"));
    let folder_path = folder.path().canonicalize().unwrap();
    assert_eq!(lines.next().map(Path::new), Some(folder_path.as_path()));
    // Cargo sets this for the test; it stands for a secret in the server's environment.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    assert!(!answer.text.contains("CARGO_"), "{}", answer.text);
}

#[tokio::test]
async fn output_is_checked_against_the_output_schema() {
    let schema = json!({ "output_schema": {
        "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"]
    } });
    let answer = async |script: &str| run(&["sh", "-c", script], schema.clone(), json!({})).await;
    let good = answer("echo '{\"n\": 5}'").await.unwrap();
    assert_eq!(good.json, Some(json!({ "n": 5 })));
    let failed = answer("echo sorry; exit 1").await.unwrap();
    assert_eq!(
        (failed.json, failed.text.as_str(), failed.failed),
        (None, "sorry", true)
    );
    for (script, words) in [
        ("echo plain words", "expected value"),
        ("echo '{\"n\": \"private\"}'", "/n: "),
        ("true", "EOF"),
    ] {
        let message = answer(script).await.unwrap_err().to_string();
        assert!(
            message.contains("does not fit its output schema"),
            "{message}"
        );
        assert!(
            message.contains(words) && !message.contains("private"),
            "{script}: {message}"
        );
    }
}

#[tokio::test]
async fn errors_say_what_failed() {
    let check = async |command: &[&str], more: Value, words: &str| {
        let message = run(command, more, json!({})).await.unwrap_err().to_string();
        assert!(message.contains(words), "{command:?}: {message}");
    };
    check(&["/no/such/program"], json!({}), "could not be run").await;
    let nowhere = json!({ "working_dir": "/no/such/folder" });
    check(&["true"], nowhere, "could not be run").await;
    check(&["printf", "\\377\\376"], json!({}), "not UTF-8").await;
    let short = json!({ "output_bytes": 4 });
    check(&["printf", "12345"], short.clone(), "more than 4 bytes").await;
    let fits = run(&["printf", "1234"], short, json!({})).await.unwrap();
    assert_eq!(fits.text, "1234");
    let hurried = json!({ "timeout_ms": 50 });
    check(&["sleep", "1000"], hurried, "longer than 50 ms").await;
}

#[tokio::test]
async fn lines_on_standard_error_become_reports() {
    let script = r#"exec >&2
        echo '{"progress": 1, "total": 2.5, "message": "reading"}'
        echo; echo "  a line  "; echo '{"progress": "soon"}'
        printf '{"progress": 2}'"#;
    let reports = Mutex::new(Vec::new());
    let collect = |report| reports.lock().unwrap().push(report);
    let running = program(&["sh", "-c", script], json!({}));
    running.run(&json!({}), collect).await.unwrap();
    let progress = |progress, total, message: Option<&str>| Report::Progress {
        progress,
        total,
        message: message.map(str::to_owned),
    };
    let expected = [
        progress(1.0, Some(2.5), Some("reading")),
        Report::Line("  a line".to_owned()),
        Report::Line(r#"{"progress": "soon"}"#.to_owned()),
        progress(2.0, None, None),
    ];
    assert_eq!(*reports.lock().unwrap(), expected);
}

#[tokio::test]
async fn simultaneous_calls_are_limited() {
    let script = "read asked; case $asked in *stay*) echo here >&2; sleep 1000;; esac; echo done";
    let only = program(&["sh", "-c", script], json!({ "at_once": 1 }));
    let (sender, mut reports) = tokio::sync::mpsc::unbounded_channel();
    let stays = json!({ "until": "stay" });
    let mut first = Box::pin(only.run(&stays, move |report| drop(sender.send(report))));
    tokio::select! {
        ended = &mut first => panic!("{ended:?}"),
        report = reports.recv() => assert_eq!(report, Some(Report::Line("here".to_owned()))),
    }
    let second = only.run(&json!({}), |_| ()).await;
    assert!(matches!(second, Err(ProgramError::Busy(1))), "{second:?}");
    drop(first);
    let third = only.run(&json!({}), |_| ()).await;
    assert_eq!(third.unwrap().text, "done");
}

#[tokio::test]
async fn a_flood_of_reports_does_not_block_a_program() {
    let script = "head -c 1000000 /dev/zero | tr '\\0' x >&2; echo done";
    let answer = run(&["sh", "-c", script], json!({}), json!({})).await;
    assert_eq!(answer.unwrap().text, "done");
}

/// Every process of a program holds the pipe `alive` open: reading it ends when the last one has ended.
#[tokio::test]
async fn child_processes_end_with_their_program() {
    let (hurried, short) = (json!({ "timeout_ms": 500 }), json!({ "output_bytes": 10 }));
    for (script, more, expected) in [
        // Stopped by the limits.
        ("sleep 1000 & wait", hurried, None),
        ("sleep 1000 & yes", short, None),
        // Ended by itself, with a background process that holds the output open, or does not.
        ("sleep 1000 & echo hi", json!({}), Some("hi")),
        (
            "sleep 1000 >/dev/null 2>&1 & echo hi",
            json!({}),
            Some("hi"),
        ),
    ] {
        let (folder, ended) = witness();
        let mut more = more;
        more["working_dir"] = json!(folder.path());
        let script = format!("exec 3>alive; {script}");
        let answer = run(&["sh", "-c", &script], more, json!({})).await;
        assert_eq!(answer.ok().map(|a| a.text).as_deref(), expected, "{script}");
        let ended = tokio::time::timeout(DEADLINE, ended);
        assert!(ended.await.is_ok(), "something is left of: {script}");
    }
}

#[tokio::test]
async fn a_cancelled_call_stops_the_program() {
    let (folder, ended) = witness();
    let script = "exec 3>alive; echo started >&2; sleep 1000 & wait";
    let more = json!({ "working_dir": folder.path() });
    let running = program(&["sh", "-c", script], more);
    let (started, mut starts) = tokio::sync::mpsc::unbounded_channel();
    let report_start = move |report| started.send(report).unwrap();
    let arguments = json!({});
    tokio::select! {
        answer = running.run(&arguments, report_start) => panic!("{answer:?}"),
        report = starts.recv() => assert_eq!(report, Some(Report::Line("started".to_owned()))),
    }
    assert!(tokio::time::timeout(DEADLINE, ended).await.is_ok());
}

/// Creates a folder with the pipe `alive`; the future ends when no process holds the pipe open any more.
fn witness() -> (tempfile::TempDir, impl Future<Output = ()>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("alive");
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    let mut pipe = pipe::OpenOptions::new().open_receiver(path).unwrap();
    let ended = async move {
        pipe.read_to_end(&mut Vec::new()).await.unwrap();
    };
    (folder, ended)
}

#[test]
fn invalid_settings_are_rejected() {
    let check = |field: &str, value: Value, words: &str| {
        let mut settings = json!({ "name": "good-name", "description": "d", "command": ["true"] });
        settings[field] = value;
        let message = Program::new(&serde_json::from_value(settings).unwrap());
        let message = message.map(|_| ()).unwrap_err().to_string();
        assert!(message.starts_with("tools.programs `"), "{message}");
        assert!(message.contains(words), "{field}: {message}");
    };
    check("name", json!(""), "1-64 letters");
    check("name", json!("x".repeat(65)), "1-64 letters");
    check("name", json!("run it"), "1-64 letters");
    check("command", json!([]), "names no program");
    check("command", json!([""]), "names no program");
    check(
        "input_schema",
        json!({"type": "string"}),
        "type = \"object\"",
    );
    check(
        "input_schema",
        json!({"properties": 5}),
        "`input_schema` is not a JSON Schema",
    );
    check(
        "output_schema",
        json!({"properties": 5}),
        "`output_schema` is not a JSON Schema",
    );
    check(
        "output_schema",
        json!({"type": "array"}),
        "`output_schema` must describe an object",
    );
}

#[test]
fn faults_name_the_location_but_not_the_value() {
    let schema = json!({ "input_schema": {
        "type": "object",
        "properties": { "path": { "type": "string", "maxLength": 3 } },
        "required": ["path"]
    } });
    let program = program(&["true"], schema);
    assert_eq!(program.faults(&json!({ "path": "abc" })), None);
    let check = |arguments: Value, words: &str| {
        let message = program.faults(&arguments).unwrap();
        assert!(
            message.contains(words) && !message.contains("hush"),
            "{message}"
        );
    };
    check(json!({}), "path");
    check(json!({ "path": "hush" }), "/path: ");
    check(json!({ "path": ["hush"] }), "/path: ");
}
