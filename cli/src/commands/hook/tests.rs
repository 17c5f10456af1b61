//! What counts as a solution in a transcript, and what the reports of a host's shell say, and large payloads.

use serde_json::json;

use super::*;

#[test]
fn a_turn_is_solved_if_a_command_fails_and_the_last_one_succeeds() {
    let user = json!({"type": "user", "message": {"content": "fix it"}});
    let call = |id: &str, name: &str| json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "id": id, "name": name}]}});
    let result = |id: &str, is_error: bool| {
        json!({"type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": id, "is_error": is_error}
        ]}})
    };
    let check = |entries: &[&Value], expected: bool| {
        let lines: Vec<String> = entries.iter().map(ToString::to_string).collect();
        assert_eq!(
            turn::Turn::of(&lines.join("\n")).is_solved(),
            expected,
            "{entries:?}"
        );
    };
    let [run, again] = ["1", "2"].map(|id| call(id, "Bash"));
    let [failed, fails_again, works] = [result("1", true), result("2", true), result("2", false)];
    check(&[&user, &run, &failed, &again, &works], true);
    check(&[&user, &run, &failed, &again, &fails_again], false);
    check(&[&user, &run, &failed], false);
    check(&[&user, &again, &works], false);
    // A solution before the user's last message was offered at that time.
    check(&[&user, &run, &failed, &again, &works, &user], false);
    let share = call("3", "mcp__recall-kit__share_experience");
    check(&[&user, &run, &failed, &again, &works, &share], false);
    assert!(!turn::Turn::of("no JSON\n{}\n[]").is_solved());
}

/// A random word of five letters has 2.2 tokens on average, with the blank before it.
#[test]
fn random_words_are_not_estimated_too_low() {
    let mut state = 7_u32;
    let mut letter = || {
        // A linear congruential generator; its higher bits are random enough.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + u8::try_from((state >> 16) % 26).expect("it is less than 26"))
    };
    let words: Vec<String> = (0..200)
        .map(|_| (0..5).map(|_| letter()).collect())
        .collect();
    for count in [1, 10, 200] {
        let text = words
            .iter()
            .take(count)
            .cloned()
            .collect::<Vec<_>>()
            .join(" ");
        let tokens = tokens::estimated(&text);
        assert!(tokens >= count * 2, "{count}: {tokens}");
    }
    assert_eq!(tokens::estimated(""), 0);
    // What has more tokens than that keeps its estimate.
    assert_eq!(tokens::estimated("{}[]();"), 7);
}

#[test]
fn the_writer_of_a_payload_that_is_too_large_sees_no_error() {
    use std::io::Write as _;

    let (reader, mut writer) = io::pipe().expect("the system has pipes");
    let payload = vec![b'x'; usize::try_from(MAX_BYTES).expect("it fits") + (1 << 20)];
    let written = thread::spawn(move || writer.write_all(&payload));
    let read = read_payload(reader).expect("a pipe can be read");
    let written = written.join().expect("the thread ends");
    assert!(written.is_ok(), "{written:?}");
    assert_eq!(read.len() as u64, MAX_BYTES);
}

/// Both forms of the reports in which Gemini CLI tells what a command did.
#[test]
fn the_labels_of_a_report_are_no_errors() {
    use failure::Ended;

    let ended = |report: &str| {
        let payload = json!({
            "hook_event_name": "AfterTool", "session_id": "s1", "timestamp": "2026-11-27T10:00:00.000Z",
            "tool_name": "run_shell_command", "tool_input": {"command": "go build ./..."},
            "tool_response": {"llmContent": report, "returnDisplay": ""},
        });
        match hosts::read(&payload).map(|(_, event)| event.moment) {
            Some(hosts::Moment::Command(ran)) => failure::ended(&ran),
            other => panic!("{report}: {other:?}"),
        }
    };
    let undefined = "cart.go:12:9: undefined: Price";
    let all = |output: &str, code: &str| {
        format!(
            "Command: go build \\\n  ./...\nDirectory: (root)\nOutput: {output}\nError: (none)\nExit Code: {code}\n\
             Signal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 4711"
        )
    };
    let mut fingerprints = Vec::new();
    for report in [
        all(undefined, "1"),
        format!("Output: {undefined}\nExit Code: 2\nProcess Group PGID: 4711"),
        format!("Output: {undefined}\nExit Code: 1"),
        format!("Output: {undefined}\nSignal: 9\nProcess Group PGID: 4711"),
    ] {
        match ended(&report) {
            Ended::Failed(failure) => {
                assert_eq!(failure.message, undefined, "{report}");
                fingerprints.push(failure.fingerprint);
            }
            other => panic!("{report}: {other:?}"),
        }
    }
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), 1, "{fingerprints:?}");
    for (report, expected) in [
        // A failure without a word has no fingerprint, so it is not taken for another one.
        (all("(empty)", "1"), Ended::Silently),
        (
            "Output: (empty)\nExit Code: 1\nProcess Group PGID: 1".to_owned(),
            Ended::Silently,
        ),
    ] {
        assert_eq!(ended(&report), expected, "{report}");
    }
    for report in [
        all("(empty)", "0"),
        all("error: none of it matters", "0"),
        "Output: ok".to_owned(),
        "Output: (empty)\nProcess Group PGID: 4711".to_owned(),
    ] {
        let ended = ended(&report);
        assert!(
            matches!(&ended, Ended::Worked { mains, .. } if mains.len() == 1),
            "{report}: {ended:?}"
        );
    }
    // A real error of the host.
    for report in [
        "Output: (empty)\nError: spawn go ENOENT",
        "Command: go build ./...\nDirectory: (root)\nOutput: (empty)\nError: spawn go ENOENT\nExit Code: (none)\nSignal: (none)",
    ] {
        let ended = ended(report);
        assert!(
            matches!(&ended, Ended::Failed(failure) if failure.fingerprint.contains("spawn")),
            "{report}: {ended:?}"
        );
    }
}
