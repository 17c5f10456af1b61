//! What counts as a solution in a transcript.

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
