//! Pending queries are bounded, and are cleaned and normalized before they are stored.

#![allow(clippy::unwrap_used)]

use super::*;

fn answered(results: u64, relevance: Option<f64>, ms: u64) -> Answered {
    Answered {
        results,
        relevance,
        took: Duration::from_millis(ms),
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

#[test]
fn equal_queries_are_merged_and_secrets_are_removed() {
    let query_log = QueryLog::new(1, Clock::system());
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let experiences = QuestionFamily::Experiences;
    for (second, text) in [
        (9, "Disk  full".to_owned()),
        (5, " disk\nFULL ".to_owned()),
        (6, format!("login fails with {secret}")),
        (7, " \n ".to_owned()),
        (8, "long ".repeat(100)),
    ] {
        let relevance = Some(second as f64 / 10.0);
        query_log.add(
            (experiences, Some(&text)),
            answered(2, relevance, 3),
            at(second),
        );
    }
    let stored = cleaned(query_log.take().texts.into_values());
    let [disk, login, long] = &stored[..] else {
        panic!("{stored:?}")
    };
    assert_eq!(
        (disk.text.as_str(), disk.asked, disk.results),
        ("disk full", 2, 4)
    );
    assert_eq!((disk.relevance, disk.last_at), (Some(0.9), at(9)));
    assert!(
        login.text.starts_with("login fails with "),
        "{}",
        login.text
    );
    assert!(!login.text.contains(&secret.to_lowercase()));
    assert_eq!(long.text.chars().count(), MAX_CHARS - 1);
}

#[test]
fn queries_beyond_the_capacity_are_only_counted() {
    let query_log = QueryLog::new(1, Clock::system());
    let family = QuestionFamily::Libraries;
    for number in 0..MOST_TEXTS + 3 {
        let text = format!("question {number}");
        query_log.add((family, Some(&text)), answered(1, None, 1), at(1));
    }
    query_log.add(
        (family, Some("question 0")),
        answered(0, None, 3_000),
        at(1),
    );
    query_log.add((family, None), answered(1, Some(0.1), 1), at(1));
    let big = "x".repeat(MOST_BYTES);
    let waiting = query_log.take();
    assert_eq!(waiting.texts.len(), MOST_TEXTS);
    let day = waiting.days.values().next().unwrap();
    let counts = (day.asked, day.unanswered, day.others);
    assert_eq!(counts, (MOST_TEXTS as u64 + 5, 2, 4));
    assert_eq!(
        (day.latencies[0], day.latencies[11]),
        (MOST_TEXTS as u64 + 4, 1)
    );
    query_log.add((family, Some(&big)), answered(1, None, 1), at(1));
    assert!(query_log.take().texts.is_empty(), "it is too large");
}

#[test]
fn queries_that_could_not_be_stored_stay_pending() {
    let query_log = QueryLog::new(1, Clock::system());
    let family = QuestionFamily::Knowledge;
    query_log.add((family, Some("one")), answered(1, None, 1), at(1));
    let Waiting { texts, days, .. } = query_log.take();
    let (texts, days) = (cleaned(texts.into_values()), days.into_values().collect());
    query_log.add((family, Some("one")), answered(0, None, 20), at(2));
    query_log.put_back(texts, days);
    let waiting = query_log.take();
    let one = waiting.texts.values().next().unwrap();
    assert_eq!((one.asked, one.unanswered, one.last_at), (2, 1, at(2)));
    let day = waiting.days.values().next().unwrap();
    assert_eq!((day.asked, day.latencies[0], day.latencies[4]), (2, 1, 1));
}
