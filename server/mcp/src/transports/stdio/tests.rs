//! Answers and refusals are written completely.

#![allow(clippy::unwrap_used)]

use axum::body::Bytes;

use super::write_answers;

#[tokio::test]
async fn refusals_are_written_even_after_mcp_has_ended() {
    let (sender, refusals) = tokio::sync::mpsc::channel(16);
    for number in 0..16 {
        sender
            .send(Bytes::from(format!("refusal {number}")))
            .await
            .unwrap();
    }
    drop(sender);
    let mut output = Vec::new();
    let from_mcp: &[u8] = b"answer\n";
    write_answers(from_mcp, refusals, &mut output)
        .await
        .unwrap();
    let written = String::from_utf8(output).unwrap();
    let mut lines: Vec<&str> = written.lines().collect();
    lines.retain(|line| *line != "answer");
    let expected: Vec<String> = (0..16).map(|number| format!("refusal {number}")).collect();
    assert_eq!(lines, expected);
}
