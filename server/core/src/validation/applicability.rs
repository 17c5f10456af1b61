//! The validation rules of environments and of where experiences apply, which calls carry in their `_meta`.

use recall_kit_applicability::{Claims, InvalidLine, LineProblem, Surroundings};
use recall_kit_sanitizer::check;
use recall_kit_shared_types::{
    ErrorCode,
    applicability::{
        APPLIES_META, Applies, AppliesSource, ENVIRONMENT_META, Environment,
        applicability_limits::MAX_APPLIES,
    },
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Flaw, NOT_ANYWHERE, Problems};

/// The largest value, in bytes of JSON.
const MAX_BYTES: usize = 64 << 10;
/// Says that an experience depends on no version.
const NONE: &str = "none";

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
        let code = ErrorCode::ValidationError;
        problems.flaw(Flaw::Applies, code, field, error.to_string());
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

/// Reads lines that people wrote, such as `npm react <19`, as statements about where an experience applies; blank lines
/// are skipped. `none` alone says that no version matters, as no line does.
///
/// *Errors*: `VALIDATION_ERROR` for each line that cannot be read.
pub fn applies_in_lines<'a>(
    lines: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<Applies>, Problems> {
    let mut problems = Problems::default();
    let mut applies = Vec::new();
    let lines = lines.into_iter().filter(|line| !line.trim().is_empty());
    let lines: Vec<&str> = lines.collect();
    if let [line] = lines[..]
        && line.trim().eq_ignore_ascii_case(NONE)
    {
        return Ok(applies);
    }
    for (at, line) in lines.into_iter().enumerate() {
        let error = match line.parse::<Claims>() {
            Ok(claims) => {
                let new = claims.to_wire().into_iter();
                let new: Vec<Applies> = new.filter(|one| !applies.contains(one)).collect();
                applies.extend(new);
                if applies.len() <= MAX_APPLIES {
                    continue;
                }
                InvalidLine::too_many(line)
            }
            Err(error) => error,
        };
        let is_last = error.problem == LineProblem::TooMany;
        let field = format!("applies[{at}]");
        let message = format!("{field}: {error}");
        let flaw = Flaw::AppliesLine(Box::new(error));
        problems.flaw(flaw, ErrorCode::ValidationError, field, message);
        if is_last {
            break;
        }
    }
    problems.or(applies)
}

/// Returns where an experience applies according to options: as before without any, unstated for an empty one, for all
/// versions for `none`.
///
/// *Errors*: those of [`applies_in_lines`], and if an empty one or `none` does not stand alone.
pub fn applies_in_options(
    options: &[String],
    before: Option<Vec<Applies>>,
) -> Result<Option<Vec<Applies>>, Problems> {
    let lines: Vec<&str> = options.iter().map(|line| line.trim()).collect();
    match lines[..] {
        [] => Ok(before),
        [""] => Ok(None),
        [NONE] => Ok(Some(Vec::new())),
        _ if lines.iter().any(|line| ["", NONE].contains(line)) => {
            let mut problems = Problems::default();
            let message = "applies: `none` and an empty value stand alone; leave the others out";
            let code = ErrorCode::ValidationError;
            problems.flaw(Flaw::Applies, code, "applies", message.to_owned());
            problems.or(None)
        }
        _ => applies_in_lines(lines).map(Some),
    }
}

/// Writes statements as lines that [`applies_in_lines`] reads.
pub fn applies_as_lines(applies: &[Applies]) -> String {
    Claims::read_known(applies).to_lines().join("\n")
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
