//! What counts as an error, and what as a solution.

use serde_json::json;

use super::*;

#[test]
fn the_error_is_found_in_the_output() {
    let check = |input: Value, expected: Option<&str>| {
        assert_eq!(failure::message(&input).as_deref(), expected, "{input}");
    };
    let failed = |error: &str| json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": error});
    let done = |response: Value| json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": response});
    check(
        failed(
            "Exit code 101\n   Compiling x\n\u{1b}[31merror[E0502]: cannot borrow `v`\u{1b}[0m\n  --> src/a.rs:1",
        ),
        Some("error[E0502]: cannot borrow `v`"),
    );
    check(failed("Exit code 3\na\nb\nc\nd"), Some("b\nc\nd"));
    check(failed("Exit code 1"), None);
    check(
        json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": "x failed", "is_interrupt": true}),
        None,
    );
    check(
        done(json!({"stdout": "0 errors, none failed", "stderr": ""})),
        None,
    );
    check(
        done(json!({"stdout": "line\nTypeError: x is not a function\n", "stderr": ""})),
        Some("TypeError: x is not a function"),
    );
    check(
        done(json!({"stdout": "", "stderr": "boom", "exit_code": 2})),
        Some("boom"),
    );
    check(
        json!({"tool_name": "Read", "hook_event_name": "PostToolUseFailure", "error": "e"}),
        None,
    );
    check(json!([]), None);
}

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
        assert_eq!(turn::is_solved(&lines.join("\n")), expected, "{entries:?}");
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
    assert!(!turn::is_solved("no JSON\n{}\n[]"));
}
