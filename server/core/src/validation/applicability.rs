//! The validation rules of environments and of where experiences apply, which calls carry in their `_meta`.

use recall_kit_applicability::{Claims, Surroundings};
use recall_kit_sanitizer::check;
use recall_kit_shared_types::{
    ErrorCode,
    applicability::{APPLIES_META, Applies, AppliesSource, ENVIRONMENT_META, Environment},
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Flaw, NOT_ANYWHERE, Problems};

/// The largest value, in bytes of JSON.
const MAX_BYTES: usize = 64 << 10;

/// Decodes an environment; absent and `null` mean the same.
pub(super) fn decoded_environment(value: Option<Value>, problems: &mut Problems) -> Environment {
    let field = format!("_meta.{ENVIRONMENT_META}");
    decoded(&field, value, problems).unwrap_or_default()
}

/// Decodes and checks an environment.
pub(super) fn environment(value: Option<Value>, problems: &mut Problems) -> Environment {
    let environment = decoded_environment(value, problems);
    checked_environment(environment, problems)
}

/// Checks an environment.
pub(super) fn checked_environment(
    environment: Environment,
    problems: &mut Problems,
) -> Environment {
    let field = format!("_meta.{ENVIRONMENT_META}");
    if let Err(error) = Surroundings::read(&environment) {
        problems.add(ErrorCode::ValidationError, field, error.to_string());
        return Environment::default();
    }
    let packages = environment.packages.iter();
    let packages = packages.map(|one| format!("{} {}", one.purl, text(&one.version)));
    let named = environment.runtimes.iter().chain(&environment.tools);
    let named = named.map(|one| format!("{} {}", one.name, text(&one.version)));
    let platform = environment.os.iter().chain(&environment.arch).cloned();
    let lines: Vec<String> = packages.chain(named).chain(platform).collect();
    match refused_secrets(&field, &lines, problems) {
        true => Environment::default(),
        false => environment,
    }
}

/// Decodes where an experience applies; `None` if the author does not say so.
pub(super) fn decoded_applies(
    value: Option<Value>,
    problems: &mut Problems,
) -> Option<Vec<Applies>> {
    decoded(&format!("_meta.{APPLIES_META}"), value, problems)
}

/// Checks where an experience applies. Its author can only state it: what was observed comes from reports.
pub(super) fn checked_applies(
    applies: Option<Vec<Applies>>,
    problems: &mut Problems,
) -> Option<Vec<Applies>> {
    let applies = applies?;
    let field = format!("_meta.{APPLIES_META}");
    if let Err(error) = Claims::read(&applies) {
        problems.add(ErrorCode::ValidationError, field, error.to_string());
        return None;
    }
    let lines: Vec<String> = applies
        .iter()
        .map(|one| {
            let subject = [&one.purl, &one.runtime, &one.tool, &one.os];
            let subject: Vec<&str> = subject.into_iter().map(text).collect();
            format!("{} {}", subject.concat(), text(&one.range))
        })
        .collect();
    if refused_secrets(&field, &lines, problems) {
        return None;
    }
    let stated = applies.into_iter().map(|one| Applies {
        source: AppliesSource::Stated,
        support: None,
        ..one
    });
    Some(stated.collect())
}

fn text(optional: &Option<String>) -> &str {
    optional.as_deref().unwrap_or_default()
}

/// Rejects lines with credentials; returns whether there were any.
fn refused_secrets(field: &str, lines: &[String], problems: &mut Problems) -> bool {
    let has_secrets = !check(&lines.join("\n"), &NOT_ANYWHERE).is_empty();
    if has_secrets {
        let message = format!("{field} contains secrets; remove them");
        problems.flaw(
            Flaw::NotSanitized,
            ErrorCode::ValidationError,
            field,
            message,
        );
    }
    has_secrets
}

/// Decodes a value of `_meta`.
fn decoded<T: DeserializeOwned>(
    field: &str,
    value: Option<Value>,
    problems: &mut Problems,
) -> Option<T> {
    let value = value.filter(|value| !value.is_null())?;
    if value.to_string().len() > MAX_BYTES {
        let message = format!("{field} is larger than 64 kB; give what matters to the problem");
        problems.add(ErrorCode::ValidationError, field, message);
        return None;
    }
    match serde_json::from_value(value) {
        Ok(decoded) => Some(decoded),
        Err(error) => {
            let message = format!("{field} has another shape than expected: {error}");
            problems.add(ErrorCode::ValidationError, field, message);
            None
        }
    }
}
