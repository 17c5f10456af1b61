//! Which candidates get into the answer.

use super::*;

fn candidate(family: RecallFamily, score: f64, snippet: &str) -> Candidate {
    Candidate::new(RecallResult {
        family,
        id: "01HX1234".to_owned(),
        title: format!("{score}"),
        snippet: snippet.to_owned(),
        score,
        fits: None,
        open: ToolCall {
            tool: ToolName::RekallShow.to_string(),
            arguments: Map::new(),
        },
    })
}

#[test]
fn the_best_of_all_families_come_first_and_the_irrelevant_stay_out() {
    use RecallFamily::{Experience, Knowledge, Library};
    let candidates = vec![
        candidate(Experience, 0.3, "a"),
        candidate(Experience, 0.04, "b"),
        candidate(Knowledge, 0.9, "c"),
        candidate(Library, 0.3, "d"),
        candidate(Library, 0.1, "e"),
    ];
    let shown = |limit| {
        let best = best(candidates.clone(), limit).into_iter();
        best.map(|one| one.result.snippet).collect::<String>()
    };
    assert_eq!(shown(10), "cade");
    assert_eq!(shown(2), "ca");
}

#[test]
fn an_answer_has_at_most_600_tokens_but_never_loses_its_best_result() {
    let data = |snippet: &str| {
        let results = (0..10).map(|_| candidate(RecallFamily::Experience, 0.5, snippet).result);
        within_tokens(RecallData {
            query: "q".to_owned(),
            results: results.collect(),
            hint: hint(false).to_owned(),
        })
    };
    assert_eq!(data(&"one two ".repeat(1_000)).results.len(), 1);
    let words = "a snippet of an ordinary length, with a number of words that add up to tokens";
    let some = data(&[words; 4].concat());
    let json = serde_json::to_string(&some).expect("plain data");
    assert!(tokens::count(&json) <= 600, "{json}");
    assert!(
        (5..10).contains(&some.results.len()),
        "{}",
        some.results.len()
    );
}
