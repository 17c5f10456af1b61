//! The form that edits an experience. If somebody else has changed the record meanwhile, the form shows a
//! conflict: the visitor's input beside the present text.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::{
    access::{Forbidden, Scope},
    error::ServiceError,
    experiences::{self, Edited, Experiences, Shown},
    validation::{applies_as_lines, applies_in_lines},
};
use recall_kit_sanitizer::without_invisible;
use recall_kit_shared_types::applicability::{Applies, AppliesSource};
use recall_kit_store::{ExperienceContent, StoreError};
use uuid::Uuid;

use super::{parsed, texts};
use crate::{
    http::{
        failure::Failure,
        form::{Fields, SessionForm, alert, broad_field, token_field},
    },
    i18n::words::ExperienceWords,
    layout::{
        page::{Page, Section, choice},
        plain::visible,
    },
    see_other,
    visitor::Visitor,
};

/// The values of the form.
struct FormInput {
    /// The version of the record that the visitor saw.
    version: u64,
    /// The texts; where the record applies is beside them.
    content: ExperienceContent,
    /// A form without this field changes nothing of it.
    applies: Option<FormApplies>,
}

/// Where the record applies, as the form has it.
struct FormApplies {
    /// Whether its texts say it, or the lines.
    from: AppliesFrom,
    lines: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AppliesFrom {
    Texts,
    Lines,
}

impl AppliesFrom {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Texts => "texts",
            Self::Lines => "stated",
        }
    }
}

impl FormApplies {
    fn of(shown: &Shown) -> Self {
        // What was read from the texts is a start for what can be stated instead.
        let (from, known) = match &shown.record.content.applies {
            Some(stated) => (AppliesFrom::Lines, applies_as_lines(stated)),
            None => {
                let read = readable(&shown.applies.stated);
                (AppliesFrom::Texts, applies_as_lines(&read))
            }
        };
        Self { from, lines: known }
    }

    fn read(fields: &Fields) -> Result<Option<Self>, Failure> {
        let from = match fields.get("applies_from") {
            "" => return Ok(None),
            "texts" => AppliesFrom::Texts,
            "stated" => AppliesFrom::Lines,
            _ => {
                let message = "applies_from must be texts or stated";
                return Err(Failure::refused(message.to_owned()));
            }
        };
        let lines = fields.text("applies");
        Ok(Some(Self { from, lines }))
    }
}

impl FormInput {
    fn of(shown: &Shown) -> Self {
        Self {
            version: shown.state.version,
            applies: Some(FormApplies::of(shown)),
            content: shown.record.content.clone(),
        }
    }

    fn read(fields: &Fields) -> Result<Self, Failure> {
        let non_empty = |name| Some(fields.text(name)).filter(|text| !text.trim().is_empty());
        let keywords = fields.text("keywords");
        let keywords = keywords.split(['\n', ',', '，', '、']).map(str::trim);
        let keywords = keywords.filter(|keyword| !keyword.is_empty());
        Ok(Self {
            version: fields.get("version").parse().map_err(|_| {
                Failure::refused("version must be the number of the record's version".to_owned())
            })?,
            content: ExperienceContent {
                title: fields.text("title"),
                problem_description: fields.text("problem_description"),
                root_cause: non_empty("root_cause"),
                solution: fields.text("solution"),
                context: non_empty("context"),
                keywords: keywords.map(str::to_owned).collect(),
                applies: None,
            },
            applies: FormApplies::read(fields)?,
        })
    }

    /// Returns the content to store. Where the record applies stays as it is if the form has no field for it, or if its lines
    /// are as `present` states them; a missing field is filled in.
    ///
    /// *Errors*: those of the lines.
    fn content_to_store(&mut self, present: &Shown) -> Result<ExperienceContent, ServiceError> {
        let FormApplies { from, lines } =
            self.applies.get_or_insert_with(|| FormApplies::of(present));
        let stated = present.record.content.applies.as_ref();
        let is_same =
            |stated: &[Applies]| lines.trim().lines().eq(applies_as_lines(stated).lines());
        let applies = match (from, stated) {
            (AppliesFrom::Lines, Some(stated)) if is_same(stated) => Some(stated.clone()),
            (AppliesFrom::Lines, _) => Some(applies_in_lines(lines.lines())?),
            (AppliesFrom::Texts, _) => None,
        };
        Ok(ExperienceContent {
            applies,
            ..self.content.clone()
        })
    }
}

/// Returns what was read from texts as a start for what can be stated. Versions with which the advice does not help are
/// left out: a statement says where it does.
fn readable(read: &[Applies]) -> Vec<Applies> {
    let affirmed = read
        .iter()
        .filter(|one| one.source == AppliesSource::Stated);
    affirmed.cloned().collect()
}

/// Answers with the form, filled with the record's present text.
pub(crate) async fn form(
    State(experiences): State<Arc<Experiences>>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Response {
    let made = opened(&experiences, &visitor, &id).await;
    visitor.answer(made)
}

async fn opened(
    experiences: &Arc<Experiences>,
    visitor: &Visitor,
    id: &str,
) -> Result<Page, Failure> {
    may_edit(visitor)?;
    let shown = experiences::inspect(experiences, &visitor.caller, parsed(id)?).await?;
    let input = FormInput::of(&shown);
    Ok(page(visitor, shown.record.id, (&input, html! {})))
}

fn may_edit(visitor: &Visitor) -> Result<(), ServiceError> {
    let permitted: Result<(), Forbidden> = visitor.caller.require(Scope::Write);
    Ok(permitted?)
}

/// Stores the input, or shows it again with what is wrong.
pub(crate) async fn edit(
    State(experiences): State<Arc<Experiences>>,
    Path(id): Path<String>,
    SessionForm { visitor, fields }: SessionForm,
) -> Response {
    let read = parsed(&id).and_then(|id| Ok((id, FormInput::read(&fields)?)));
    let (id, mut input) = match read {
        Ok(read) => read,
        Err(failure) => return visitor.fail(&failure),
    };
    match stored(&experiences, &visitor, (id, &mut input)).await {
        Ok(_) => see_other(&format!("/experiences/{id}?done=edit")),
        Err(ServiceError::Store(StoreError::VersionChanged { .. })) => {
            let made = conflict(&experiences, &visitor, (id, &mut input)).await;
            visitor.answer_with(StatusCode::CONFLICT, made)
        }
        Err(error) => match error.into() {
            Failure::Refused(why) => {
                let page = page(&visitor, id, (&input, alert(&why.message(visitor.words))));
                visitor.answer_with(StatusCode::BAD_REQUEST, Ok(page))
            }
            failure => visitor.fail(&failure),
        },
    }
}

/// Stores the input.
async fn stored(
    experiences: &Arc<Experiences>,
    visitor: &Visitor,
    (id, input): (Uuid, &mut FormInput),
) -> Result<Edited, ServiceError> {
    may_edit(visitor)?;
    let present = experiences::inspect(experiences, &visitor.caller, id).await?;
    let content = input.content_to_store(&present)?;
    let at = (id, input.version);
    experiences::edit(experiences, &visitor.caller, at, content).await
}

/// Shows the input beside the text that somebody else has stored meanwhile; if the input is sent again, it
/// replaces that text.
async fn conflict(
    experiences: &Arc<Experiences>,
    visitor: &Visitor,
    (id, input): (Uuid, &mut FormInput),
) -> Result<Page, Failure> {
    let words = &visitor.words.experience;
    let present = experiences::inspect(experiences, &visitor.caller, id).await?;
    input.version = present.state.version;
    let applies = FormApplies::of(&present).lines;
    let notice = html! {
        (alert(words.conflict_edit))
        details.card open {
            summary { (words.present_text) }
            h2 dir="auto" { (visible(&present.record.content.title)) }
            (texts(words, &present.record))
            @if !applies.is_empty() {
                h3 { (words.applies_to) }
                pre dir="auto" { (visible(&applies)) }
            }
        }
    };
    Ok(page(visitor, id, (input, notice)))
}

/// Renders the choice of where the record applies.
fn applies_fields(words: &ExperienceWords, applies: &FormApplies) -> Markup {
    let options = [
        (AppliesFrom::Texts.as_str(), words.applies_by_texts),
        (AppliesFrom::Lines.as_str(), words.applies_by_lines),
    ];
    let chosen = applies.from.as_str();
    html! {
        div.actions { (choice(words.applies_to, "applies_from", options, chosen)) }
        (broad_field(words.applies_lines, "applies", &applies.lines, false))
        p.hint { (words.applies_hint) }
    }
}

fn page(visitor: &Visitor, id: Uuid, (input, notice): (&FormInput, Markup)) -> Page {
    let words = &visitor.words.experience;
    let content = &input.content;
    let keywords = content.keywords.join(", ");
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let fields = [
        (
            words.problem,
            "problem_description",
            content.problem_description.clone(),
            true,
        ),
        (
            words.root_cause,
            "root_cause",
            text(&content.root_cause),
            false,
        ),
        (words.solution, "solution", content.solution.clone(), true),
        (words.context, "context", text(&content.context), false),
    ];
    let main = html! {
        h1 { (words.edit_title) }
        (notice)
        form method="post" action={ "/experiences/" (id) "/edit" } {
            (token_field(visitor))
            input type="hidden" name="version" value=(input.version);
            label.field.broad { span { (words.title) }
                input type="text" name="title" value=(without_invisible(&content.title)) dir="auto" required;
            }
            @for (label, name, text, is_required) in fields {
                (broad_field(label, name, &text, is_required))
            }
            label.field.broad { span { (words.keywords) }
                input type="text" name="keywords" value=(without_invisible(&keywords)) dir="auto";
            }
            @if let Some(applies) = &input.applies { (applies_fields(words, applies)) }
            p.hint { (words.edit_hint) }
            p.actions {
                button.main type="submit" { (visitor.words.admin.save) }
                a href={ "/experiences/" (id) } { (words.back) }
            }
        }
    };
    Page::new(words.edit_title, Section::Experiences, main)
}

#[cfg(test)]
mod tests {
    use recall_kit_core::experiences::applicability::AppliesTo;
    use recall_kit_store::{Experience, ExperienceState};

    use super::*;

    #[test]
    fn a_form_begins_with_what_its_texts_affirm_and_not_with_what_they_rule_out() {
        let one = |range: &str, source| Applies {
            purl: Some("pkg:npm/react".to_owned()),
            range: Some(range.to_owned()),
            source,
            ..Applies::default()
        };
        let content = ExperienceContent {
            title: "t".to_owned(),
            problem_description: "p".to_owned(),
            root_cause: None,
            solution: "s".to_owned(),
            context: None,
            keywords: Vec::new(),
            applies: None,
        };
        let mut shown = Shown {
            record: Experience {
                id: Uuid::nil(),
                content,
                query_count: 0,
                popularity: 0,
                created_at: jiff::Timestamp::UNIX_EPOCH,
            },
            state: ExperienceState::default(),
            applies: AppliesTo {
                stated: vec![
                    one("vers:npm/<19", AppliesSource::Stated),
                    one("vers:npm/!=18.1.0", AppliesSource::Inferred),
                ],
                ..AppliesTo::default()
            },
            promoted_to: None,
        };
        let form = FormApplies::of(&shown);
        assert!(form.from == AppliesFrom::Texts);
        assert_eq!(form.lines, "npm react <19");
        // What is stated is there as a whole.
        shown.record.content.applies = Some(shown.applies.stated.clone());
        let form = FormApplies::of(&shown);
        assert!(form.from == AppliesFrom::Lines);
        assert_eq!(form.lines, "npm react <19\nnpm react <18.1.0 or >18.1.0");
    }
}
