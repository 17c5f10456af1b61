//! Tools and a prompt that need input from the client first (SEP-2322): they answer with what they need, and
//! the client calls again with it.

use rmcp::{ErrorData, model::GetPromptResponse};
use serde_json::{Map, Value, json};

use crate::{
    content::text,
    prompts,
    round::{Round, form, name_form, needs, roots_request, sampling},
};

/// The result of a round: a text, or the requests to the client with the state to remember until then.
pub(crate) enum Outcome {
    Done(String),
    Needs(Map<String, Value>, Option<Value>),
}

/// Calls a tool of this kind; returns `None` if there is none of that name.
pub(crate) fn call(round: &Round<'_>) -> Option<Outcome> {
    Some(match round.name {
        "test_streaming_elicitation"
        | "test_input_required_result_elicitation"
        | "test_tool_with_task" => greet(round),
        "test_input_required_result_sampling" => sample(round),
        "test_input_required_result_list_roots" => list_roots(round),
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => confirm(round),
        "test_input_required_result_multiple_inputs" => need_three(round),
        "test_input_required_result_multi_round" => ask_twice(round),
        "test_input_required_result_capabilities" => ask_what_is_possible(round),
        _ => return None,
    })
}

/// Gets the prompt of this kind.
///
/// *Errors*: the client lacks a capability that the prompt requires.
pub(crate) fn get(round: &Round<'_>) -> Result<GetPromptResponse, ErrorData> {
    match round.elicited("user_context", "context") {
        Some(context) => {
            let message = text(&format!("Use this context: {context}"));
            Ok(prompts::of_user(vec![message]).into())
        }
        None => {
            let form = form("What context should the prompt use?", "context", "string");
            let requests = needs([("user_context", form)]);
            round.ask(requests, None).map(Into::into)
        }
    }
}

fn greet(round: &Round<'_>) -> Outcome {
    match round.elicited("user_name", "name") {
        Some(name) => Outcome::Done(format!("Hello, {name}!")),
        None => Outcome::Needs(needs([("user_name", name_form())]), None),
    }
}

fn sample(round: &Round<'_>) -> Outcome {
    match round.sampled("capital_question") {
        Some(answer) => Outcome::Done(answer),
        None => {
            let question = sampling("What is the capital of France?");
            Outcome::Needs(needs([("capital_question", question)]), None)
        }
    }
}

fn list_roots(round: &Round<'_>) -> Outcome {
    match round.roots() {
        Some(roots) => Outcome::Done(format!("Roots: {roots}")),
        None => Outcome::Needs(needs([("client_roots", roots_request())]), None),
    }
}

fn confirm(round: &Round<'_>) -> Outcome {
    match (&round.state, round.elicited("confirm", "ok")) {
        (Some(_), Some(ok)) => Outcome::Done(format!("state-ok, confirmed: {ok}")),
        _ => {
            let form = form("Please confirm", "ok", "boolean");
            Outcome::Needs(
                needs([("confirm", form)]),
                Some(json!({"asked": "confirm"})),
            )
        }
    }
}

fn need_three(round: &Round<'_>) -> Outcome {
    let (name, greeting) = (
        round.elicited("user_name", "name"),
        round.sampled("greeting"),
    );
    match (&round.state, name, greeting, round.roots()) {
        (Some(_), Some(name), Some(greeting), Some(roots)) => {
            Outcome::Done(format!("{greeting} {name}, your roots: {roots}"))
        }
        _ => Outcome::Needs(
            needs([
                ("user_name", name_form()),
                ("greeting", sampling("Generate a greeting")),
                ("client_roots", roots_request()),
            ]),
            Some(json!({"asked": "three"})),
        ),
    }
}

fn ask_twice(round: &Round<'_>) -> Outcome {
    let state = round.state.as_ref().unwrap_or(&Value::Null);
    let name = round
        .elicited("step1", "name")
        .filter(|_| state["step"] == 1)
        .or(state["name"].as_str().map(str::to_owned));
    let Some(name) = name else {
        let form = form("Step 1: What is your name?", "name", "string");
        return Outcome::Needs(needs([("step1", form)]), Some(json!({"step": 1})));
    };
    match round
        .elicited("step2", "color")
        .filter(|_| state["step"] == 2)
    {
        Some(color) => Outcome::Done(format!("{name} likes {color}")),
        None => {
            let form = form("Step 2: What is your favorite color?", "color", "string");
            let state = json!({"step": 2, "name": name});
            Outcome::Needs(needs([("step2", form)]), Some(state))
        }
    }
}

fn ask_what_is_possible(round: &Round<'_>) -> Outcome {
    let answers = (
        round.elicited("user_name", "name"),
        round.sampled("greeting"),
    );
    match answers {
        (None, None) => {
            let mut requests = needs([
                ("user_name", name_form()),
                ("greeting", sampling("Generate a greeting")),
            ]);
            requests.retain(|_, request| round.lacks(request).is_none());
            Outcome::Needs(requests, None)
        }
        (name, greeting) => Outcome::Done(format!(
            "{} {}",
            greeting.unwrap_or("Hello,".to_owned()),
            name.unwrap_or("whoever you are".to_owned())
        )),
    }
}
