//! Answers of models, valid and invalid, and how they are parsed.

#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;

const GOOD: &str = r#"{"title": "Build fails", "problem_description": "It says no", "root_cause": null,
    "solution": "Say yes", "context": "v1 {x}", "keywords": ["Build", "no", "build"]}"#;

#[test]
fn common_mistakes_in_answers_are_repaired() {
    let inner: Value = serde_json::from_str(GOOD).unwrap();
    for answer in [
        GOOD.to_owned(),
        format!("```json\n{GOOD}\n```"),
        format!("Sure! Here is {{the}} object:\n\n{GOOD}\n\nI hope {{this}} helps."),
        format!("<think>What about {{\"title\": \"x\"}}?</think>\n{GOOD}"),
        json!({"experience": inner}).to_string(),
        GOOD.replace("\"Say yes\"", "[\"Say\", \"yes\"]")
            .replace("[\"Build\", \"no\", \"build\"]", "\"Build, no\""),
    ] {
        let draft = read(&answer).unwrap();
        assert_eq!(draft.title, "Build fails", "{answer}");
        assert_eq!(draft.problem_description, "It says no", "{answer}");
        assert_eq!(draft.root_cause, None, "{answer}");
        assert_eq!(draft.solution.replace('\n', " "), "Say yes", "{answer}");
        assert_eq!(draft.context.as_deref(), Some("v1 {x}"), "{answer}");
        assert_eq!(draft.keywords, ["build", "no"], "{answer}");
    }
}

#[test]
fn a_title_may_begin_like_a_refusal_but_a_solution_may_not() {
    let words = "I can't help";
    assert!(is_refusal(words));
    let draft = read(&GOOD.replace("Build fails", words)).unwrap();
    assert_eq!(draft.title, words);
    let declined = read(&GOOD.replace("Say yes", words));
    assert_eq!(declined, Err(AiFailure::Declined));
}

#[test]
fn unusable_answers_are_rejected() {
    let without = |field: &str| GOOD.replace(field, "other");
    for (answer, failure) in [
        (String::new(), AiFailure::Unusable),
        ("no JSON".to_owned(), AiFailure::Unusable),
        (GOOD.replace("]}", "]"), AiFailure::Unusable),
        ("{".repeat(100_000), AiFailure::Unusable),
        ("[".repeat(100_000), AiFailure::Unusable),
        (without("problem_description"), AiFailure::Unusable),
        (without("solution"), AiFailure::Unusable),
        (GOOD.replace("Say yes", " - "), AiFailure::Unusable),
        (GOOD.replace("\"Say yes\"", "7"), AiFailure::Unusable),
        (
            GOOD.replace("Say yes", "I’m sorry, but I can't help with that."),
            AiFailure::Declined,
        ),
        (
            "I cannot assist with this request.".to_owned(),
            AiFailure::Declined,
        ),
        ("抱歉，我无法回答。".to_owned(), AiFailure::Declined),
        ("Désolé, je ne peux pas.".to_owned(), AiFailure::Declined),
    ] {
        let shown: String = answer.chars().take(80).collect();
        assert_eq!(read(&answer), Err(failure), "{shown}");
    }
}

#[test]
fn the_limits_of_a_second_question_leave_room_for_its_answer() {
    for max_tokens in [256, 512, 1_200] {
        let bounds = Bounds {
            max_tokens,
            in_schema: true,
            is_second: true,
        };
        let question = about(String::new(), bounds);
        let properties = question.schema["properties"].as_object().unwrap();
        let lengths = properties
            .values()
            .filter_map(|one| one["maxLength"].as_u64());
        let items = &properties["keywords"];
        let keywords =
            items["maxItems"].as_u64().unwrap() * items["items"]["maxLength"].as_u64().unwrap();
        // One character per token, and the JSON around them.
        assert!(
            lengths.sum::<u64>() + keywords < u64::from(max_tokens),
            "{max_tokens}"
        );
        assert!(
            question.system.ends_with(AGAIN.trim_start()),
            "{}",
            question.system
        );
    }
}
