//! `calculator_add`: an example tool that adds two numbers, off unless the settings switch it on.

use futures::{FutureExt as _, future::BoxFuture};
use recall_kit_shared_types::ToolName;
use serde_json::{Number, Value, json};

use super::{
    Annotations, Call, CallError, Object, Outcome, ToolDef,
    definition::{SUM, icons, own},
    invalid, kind_of, refuse_unknown,
};

pub(super) fn tool() -> ToolDef {
    ToolDef {
        name: ToolName::CalculatorAdd.as_str().to_owned(),
        title: Some("Add".to_owned()),
        description: "Add two numbers".to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
            "required": ["a", "b"],
        }),
        output_schema: Some(json!({
            "type": "object",
            "properties": { "result": { "type": "number" } },
            "required": ["result"],
        })),
        annotations: Annotations {
            read_only_hint: true,
            destructive_hint: false,
            idempotent_hint: true,
            open_world_hint: false,
        },
        icons: icons(SUM),
        for_admins: false,
        run: own(run),
    }
}

fn run(call: Call<'_>) -> BoxFuture<'_, Result<Outcome, CallError>> {
    async move { add(&call.arguments) }.boxed()
}

fn add(arguments: &Object) -> Result<Outcome, CallError> {
    refuse_unknown(arguments, &["a", "b"])?;
    let sum = sum(number(arguments, "a")?, number(arguments, "b")?);
    let sum = sum.ok_or_else(|| invalid("the sum is too large for a number".to_owned()))?;
    let mut outcome = Outcome::structured(&json!({ "result": sum }), false);
    outcome.text = sum.to_string();
    Ok(outcome)
}

fn number<'a>(arguments: &'a Object, name: &str) -> Result<&'a Number, CallError> {
    match arguments.get(name) {
        Some(Value::Number(number)) => Ok(number),
        Some(other) => Err(invalid(format!(
            "argument `{name}` must be a number, not {}",
            kind_of(other)
        ))),
        None => Err(invalid(format!("argument `{name}` is required"))),
    }
}

/// Adds two integers exactly if they and their sum fit into 64 bits, other numbers as floating point;
/// `None` if the sum is infinite.
fn sum(a: &Number, b: &Number) -> Option<Number> {
    match (a.as_i64(), b.as_i64()) {
        (Some(a), Some(b)) if a.checked_add(b).is_some() => Some(Number::from(a + b)),
        _ => Number::from_f64(a.as_f64()? + b.as_f64()?),
    }
}
