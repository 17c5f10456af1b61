//! Logs with arbitrary bytes, and which of their lines are quoted.

use super::*;

/// Returns the lines of a log that are quoted.
async fn quoted(log: &[u8]) -> Vec<String> {
    let lines = Lines::default();
    read(log, lines.clone(), false).await;
    let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    lines.iter().cloned().collect()
}

#[tokio::test]
async fn a_log_with_arbitrary_bytes_is_read_to_its_end() {
    assert_eq!(
        quoted(b"started\r\n\xff\xfe broken\n\nlast").await,
        ["started", "\u{fffd}\u{fffd} broken", "", "last"]
    );
    assert_eq!(
        quoted(b"1\n2\n3\n4\n5\n6\n").await,
        ["2", "3", "4", "5", "6"]
    );
}

#[tokio::test]
async fn an_endless_line_is_split() {
    let endless = vec![b'x'; 100 * LONGEST_LINE as usize];
    let lines = quoted(&endless).await;
    assert_eq!(lines.len(), QUOTED_LINES);
    assert!(lines.iter().all(|line| line.len() as u64 == LONGEST_LINE));
}
