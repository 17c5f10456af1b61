//! Percentiles of counts, and tables that spreadsheets read as they are.

#![allow(clippy::unwrap_used)]

use jiff::Timestamp;

use super::*;
use crate::store::LATENCY_BUCKETS;

#[test]
fn percentiles_are_the_bounds_that_so_many_kept() {
    let check = |counts: &[(usize, u64)], expected: [Option<u32>; 3]| {
        let mut latencies = [0; LATENCY_BUCKETS];
        for (bucket, count) in counts {
            latencies[*bucket] = *count;
        }
        let found = PERCENTILES.map(|percent| within_ms(&latencies, percent));
        assert_eq!(found, expected, "{counts:?}");
    };
    check(&[(0, 1)], [Some(1); 3]);
    check(&[(2, 50), (4, 45), (7, 5)], [Some(5), Some(20), Some(200)]);
    check(&[(2, 98), (11, 2)], [Some(5), Some(5), None]);
    check(&[(11, 1)], [None; 3]);
}

#[test]
fn tables_are_quoted_and_hold_no_formulas() {
    let question = AskedQuestion {
        family: QuestionFamily::Knowledge,
        text: "=1+1, \"so\"".to_owned(),
        asked: 3,
        unanswered: 1,
        results: 7,
        relevance: Some(0.456),
        last_at: Timestamp::UNIX_EPOCH,
    };
    let expected = "family,question,asked,unanswered,results,relevance,last_at\r\n\
                    knowledge,\"'=1+1, \"\"so\"\"\",3,1,7,0.46,1970-01-01T00:00:00Z\r\n";
    assert_eq!(csv(&[question]), expected);
    let day = DayOfQuestions {
        date: Day(1).date(),
        family: QuestionFamily::Libraries,
        asked: 5,
        unanswered: 0,
        others: 2,
        within_ms: [Some(1), Some(20), None],
    };
    let table = csv(&[day]);
    let (_, row) = table.split_once("\r\n").unwrap();
    assert_eq!(row, "1970-01-02,libraries,5,0,2,1,20,\r\n");
    let nothing: [DayOfGrowth; 0] = [];
    assert_eq!(csv(&nothing), "date,family,records\r\n");
}
