//! CSV tables that are safe to open in spreadsheets.

use jiff::Timestamp;
use recall_kit_store::{Day, QuestionFamily};

use super::*;

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
    for (text, cell) in [
        ("x;=1+1", "\"x;'=1+1\""),
        ("a, @b", "\"a, '@b\""),
        ("a;\" -1", "\"a;\"\" '-1\""),
        ("a=b; c", "\"a=b; c\""),
        ("a-b", "a-b"),
    ] {
        let returned = ReturnedRecord {
            id: 1,
            title: text.to_owned(),
            count: 2,
        };
        assert_eq!(
            csv(&[returned]),
            format!("id,title,count\r\n1,{cell},2\r\n")
        );
    }
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
