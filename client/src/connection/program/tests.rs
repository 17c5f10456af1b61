//! Logs of any bytes, and which of their lines are kept.

use super::*;

/// Returns the lines that are kept of a log.
async fn kept(log: &[u8]) -> Vec<String> {
    let lines = Lines::default();
    read(log, lines.clone(), false).await;
    let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    lines.iter().cloned().collect()
}

#[tokio::test]
async fn a_log_of_any_bytes_is_read_to_its_end() {
    assert_eq!(
        kept(b"started\r\n\xff\xfe broken\n\nlast").await,
        ["started", "\u{fffd}\u{fffd} broken", "", "last"]
    );
    assert_eq!(kept(b"1\n2\n3\n4\n5\n6\n").await, ["2", "3", "4", "5", "6"]);
}

#[tokio::test]
async fn a_line_without_an_end_is_cut_into_pieces() {
    let endless = vec![b'x'; 100 * LONGEST_LINE as usize];
    let kept = kept(&endless).await;
    assert_eq!(kept.len(), KEPT_LINES);
    assert!(kept.iter().all(|line| line.len() as u64 == LONGEST_LINE));
}
