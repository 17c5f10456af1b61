//! Submissions: a draft is sanitized, then confirmed, then sent, in this order.
//!
//! Only a [`Confirmed`] can be sent. Only [`SanitizedDraft::confirm`] and
//! [`SanitizedDraft::confirm_unasked`] create one (the outbox stores one and returns it), and only
//! [`Draft::sanitize`] creates a [`SanitizedDraft`]. So an unsanitized or unconfirmed draft cannot leave
//! this machine.

mod accepted;
pub(crate) mod applies;
mod citations;
mod entries;
mod environment;
mod episodes;
pub(crate) mod held_outcome;
mod outcomes;
#[cfg(test)]
mod tests;

use std::{cmp::Reverse, collections::BTreeSet, fmt, sync::Arc};

use recall_kit_applicability::Claims;
use recall_kit_sanitizer::{Finding, RuleGroup, summary};
use recall_kit_shared_types::SubmitExperienceRequest;
use uuid::Uuid;

pub use accepted::Overruled;
pub use applies::Installed;
pub use entries::{ConfirmedEntry, SanitizedEntry};
pub use held_outcome::HeldOutcome;
pub use outcomes::PreparedOutcome;

use crate::{
    config::ClientConfig, sanitizer::ConfiguredSanitizer, submit::accepted::accepted,
    summarize::code::without_blank_edges,
};

/// An experience as it was written, possibly with secrets. `Debug` shows only lengths.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// The problem in one line.
    pub title: String,
    /// What happened.
    pub problem_description: String,
    /// Why it happened.
    pub root_cause: Option<String>,
    /// What solved it.
    pub solution: String,
    /// Versions, surroundings, code.
    pub context: Option<String>,
    /// The keywords to find it by.
    pub keywords: Vec<String>,
    /// The versions for which it is said to apply, such as `"npm react <19; node 20".parse()`. With `None` nothing is
    /// said, and servers read it from the texts; an empty list says that it depends on no version.
    pub applies: Option<Claims>,
}

impl Draft {
    /// Creates a draft with the three required fields.
    pub fn new(
        title: impl Into<String>,
        problem_description: impl Into<String>,
        solution: impl Into<String>,
    ) -> Self {
        Self {
            title: title.into(),
            problem_description: problem_description.into(),
            solution: solution.into(),
            ..Self::default()
        }
    }

    /// Removes secrets and personal data from every field, with the
    /// [outgoing groups](crate::SanitizerConfig::outgoing_groups) of the settings. A secret that is found in
    /// one field is removed from all of them. What servers reject is removed too, whatever the rules and the
    /// allow list say: in the context that is everything that the three removal groups find. Blank optional
    /// fields are dropped.
    pub fn sanitize(mut self, sanitizer: &ConfiguredSanitizer) -> SanitizedDraft {
        let applies = self.applies.take();
        let request = self.trimmed();
        let settings = sanitizer.settings();
        let fields = texts_of(&request);
        let mut texts: Vec<&str> = fields.iter().map(|(_, text)| *text).collect();
        // What is found in a text is found in the names of what it applies to, and the other way round.
        let names = applies.as_ref().map(applies::names_in).unwrap_or_default();
        texts.extend(names.iter().map(String::as_str));
        let mut sanitized = sanitizer
            .rules()
            .sanitize_all(&texts, &settings.outgoing_groups());
        let names = sanitized.split_off(fields.len());
        let mut texts = Vec::with_capacity(sanitized.len());
        let mut findings: Vec<Finding> = Vec::new();
        let mut overruled = Vec::new();
        for ((field, _), clean) in fields.into_iter().zip(sanitized) {
            findings.extend(clean.findings);
            if !settings.enabled {
                texts.push(clean.text);
                continue;
            }
            let accepted = accepted(field, clean.text, sanitizer.rules());
            texts.push(accepted.text);
            findings.extend(accepted.findings);
            overruled.extend(accepted.overruled);
        }
        let mut left_out = Vec::new();
        let applies = applies.and_then(|claims| {
            let checked = applies::checked(&claims, names, sanitizer);
            findings.extend(checked.findings);
            left_out = checked.left_out;
            applies::left_of(claims.len(), checked.claims)
        });
        let demanded = unlisted(&findings, &settings.rules);
        SanitizedDraft {
            request: with_texts(request, texts),
            applies,
            proposed_for: None,
            left_out,
            removed: summary(&findings),
            demanded,
            replacements: replacements(&findings),
            overruled,
            sanitizer: sanitizer.clone(),
        }
    }

    /// Trims the texts and drops blank optional fields.
    fn trimmed(self) -> SubmitExperienceRequest {
        let text = |text: String| without_blank_edges(&text).to_owned();
        let optional = |written: Option<String>| written.map(text).filter(|text| !text.is_empty());
        let keywords = self.keywords.iter().map(|word| word.trim().to_owned());
        let keywords: Vec<String> = keywords.filter(|word| !word.is_empty()).collect();
        SubmitExperienceRequest {
            title: self.title.trim().to_owned(),
            problem_description: text(self.problem_description),
            root_cause: optional(self.root_cause),
            solution: text(self.solution),
            context: optional(self.context),
            keywords: (!keywords.is_empty()).then_some(keywords),
        }
    }
}

/// Counts the replacements whose group the configured rules do not list.
fn unlisted(findings: &[Finding], rules: &[RuleGroup]) -> Vec<(String, usize)> {
    let listed = |group: &RuleGroup| rules.contains(group);
    let demanded = findings
        .iter()
        .filter(|finding| finding.group.is_some_and(|group| !listed(&group)));
    summary(&demanded.cloned().collect::<Vec<_>>())
}

/// Returns the replacement texts, each once, the longest first. A replacement with several lines gives one
/// text for each line.
fn replacements(findings: &[Finding]) -> Vec<String> {
    let lines = findings.iter().flat_map(|found| found.replacement.lines());
    let texts = lines.map(str::trim).filter(|text| !text.is_empty());
    let texts: BTreeSet<&str> = texts.collect();
    let mut texts: Vec<String> = texts.into_iter().map(str::to_owned).collect();
    texts.sort_by_key(|text| Reverse(text.len()));
    texts
}

/// Returns the texts of a request and the field of each, in the order of [`with_texts`].
fn texts_of(request: &SubmitExperienceRequest) -> Vec<(&'static str, &str)> {
    let required = [
        ("title", &request.title),
        ("problem_description", &request.problem_description),
        ("solution", &request.solution),
    ];
    let root_cause = request.root_cause.iter().map(|text| ("root_cause", text));
    let context = request.context.iter().map(|text| ("context", text));
    let keywords = request.keywords.iter().flatten();
    required
        .into_iter()
        .chain(root_cause)
        .chain(context)
        .chain(keywords.map(|word| (accepted::KEYWORDS, word)))
        .map(|(field, text)| (field, text.as_str()))
        .collect()
}

/// Replaces the texts of a request by others, in the order of [`texts_of`].
fn with_texts(request: SubmitExperienceRequest, texts: Vec<String>) -> SubmitExperienceRequest {
    let mut texts = texts.into_iter();
    let mut next = || texts.next().unwrap_or_default();
    SubmitExperienceRequest {
        title: next(),
        problem_description: next(),
        solution: next(),
        root_cause: request.root_cause.map(|_| next()),
        context: request.context.map(|_| next()),
        keywords: request
            .keywords
            .map(|words| words.iter().map(|_| next()).collect()),
    }
}

impl fmt::Debug for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = |text: &String| text.len();
        f.debug_struct("Draft")
            .field("title", &self.title.len())
            .field("problem_description", &self.problem_description.len())
            .field("root_cause", &self.root_cause.as_ref().map(length))
            .field("solution", &self.solution.len())
            .field("context", &self.context.as_ref().map(length))
            .field("keywords", &self.keywords.len())
            .field("applies", &self.applies.as_ref().map(Claims::len))
            .finish()
    }
}

impl From<SubmitExperienceRequest> for Draft {
    fn from(request: SubmitExperienceRequest) -> Self {
        Self {
            title: request.title,
            problem_description: request.problem_description,
            root_cause: request.root_cause,
            solution: request.solution,
            context: request.context,
            keywords: request.keywords.unwrap_or_default(),
            applies: None,
        }
    }
}

/// A draft without secrets, ready to be shown to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SanitizedDraft {
    request: SubmitExperienceRequest,
    applies: Option<Claims>,
    /// What a proposal of `applies` was made for; `None` if its author stated it.
    proposed_for: Option<Arc<Installed>>,
    left_out: Vec<String>,
    removed: Vec<(String, usize)>,
    demanded: Vec<(String, usize)>,
    replacements: Vec<String>,
    overruled: Vec<Overruled>,
    sanitizer: ConfiguredSanitizer,
}

impl SanitizedDraft {
    /// Returns the request that would be sent.
    pub fn request(&self) -> &SubmitExperienceRequest {
        &self.request
    }

    /// Returns where the experience is said to apply, which is sent with it; see [`Draft::applies`].
    pub fn applies(&self) -> Option<&Claims> {
        self.applies.as_ref()
    }

    /// Returns what the sanitizer left out of [`SanitizedDraft::applies`], with what it found replaced.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Returns whether its author stated where it applies.
    pub fn is_stated(&self) -> bool {
        self.applies.is_some() && self.proposed_for.is_none()
    }

    /// Returns the texts that would be sent.
    pub fn texts(&self) -> Vec<&str> {
        let texts = texts_of(&self.request).into_iter();
        texts.map(|(_, text)| text).collect()
    }

    /// Proposes where the experience applies, unless its author has stated it: as its sanitized texts say, and with the
    /// packages that they name in the versions that are installed. A person has to see it, because it is sent when the
    /// draft is confirmed. A package that only the texts name is proposed if it is popular or
    /// [certainly public](Installed::public).
    pub fn propose(mut self, installed: impl Into<Arc<Installed>>) -> Self {
        if !self.is_stated() {
            let installed = installed.into();
            let proposed = applies::proposed(&self.request, &installed);
            let names = applies::names_in(&proposed);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let groups = self.sanitizer.settings().outgoing_groups();
            let names = self.sanitizer.rules().sanitize_all(&names, &groups);
            let proposed = applies::checked(&proposed, names, &self.sanitizer).claims;
            self.applies = Some(proposed).filter(|claims| !claims.is_empty());
            self.proposed_for = Some(installed);
        }
        self
    }

    /// Returns the lines of [`SanitizedDraft::applies`] whose names may be private: nothing says that everybody may know
    /// them.
    pub fn maybe_private(&self, installed: &Installed) -> Vec<String> {
        let stated = self.applies.iter();
        let others = stated.map(|claims| applies::public_and_others(claims, installed).1);
        others.flat_map(|claims| claims.to_lines()).collect()
    }

    /// Leaves out the lines that [may be private](SanitizedDraft::maybe_private), where nobody sees them before they
    /// are sent.
    pub fn without_private(mut self, installed: &Installed) -> Self {
        self.applies = self.applies.and_then(|claims| {
            let (public, _) = applies::public_and_others(&claims, installed);
            applies::left_of(claims.len(), public)
        });
        self
    }

    /// Returns the draft as it would be sent, for a person to change it.
    pub fn to_draft(&self) -> Draft {
        Draft {
            applies: self.applies.clone(),
            ..self.request.clone().into()
        }
    }

    /// Returns what was replaced, including before an edit: each kind of finding, in words for people, and
    /// its number of replacements.
    pub fn removed(&self) -> &[(String, usize)] {
        &self.removed
    }

    /// Returns what was replaced although `sanitizer.rules` does not list its group, because servers
    /// reject it; [`SanitizedDraft::removed`] counts it too.
    pub fn demanded(&self) -> &[(String, usize)] {
        &self.demanded
    }

    /// Returns the replacement texts, each once, the longest first.
    pub fn replacements(&self) -> &[String] {
        &self.replacements
    }

    /// Returns what was replaced although the allow list permits it, because servers reject it;
    /// [`SanitizedDraft::removed`] counts it too.
    pub fn overruled(&self) -> &[Overruled] {
        &self.overruled
    }

    /// Returns whether the sanitizer was on. If it was not, the text is unchanged, and a server rejects it
    /// if it contains a secret.
    pub fn is_sanitizer_on(&self) -> bool {
        self.sanitizer.settings().enabled
    }

    /// Adds the replacements that were made before the text was edited.
    pub fn after(mut self, removed: &[(String, usize)]) -> Self {
        let later = std::mem::replace(&mut self.removed, removed.to_vec());
        for (kind, count) in later {
            match self.removed.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, known)) => *known += count,
                None => self.removed.push((kind, count)),
            }
        }
        self
    }

    /// Applies a person's answer. An edited draft is sanitized again and has to be shown again.
    pub fn confirm(self, answer: Answer) -> Decision {
        match answer {
            Answer::Confirm => Decision::Send(Confirmed::new(self.request, self.applies)),
            Answer::Edit(mut draft) => {
                // A proposal that was left as it is follows the changed texts.
                let proposed_for = self.proposed_for.filter(|_| draft.applies == self.applies);
                draft.applies = draft.applies.filter(|_| proposed_for.is_none());
                let mut edited = draft.sanitize(&self.sanitizer).after(&self.removed);
                if let Some(installed) = proposed_for {
                    edited = edited.propose(installed);
                }
                Decision::Review(edited)
            }
            Answer::Cancel => Decision::Drop,
        }
    }

    /// Confirms without a person, where the settings allow it
    /// ([`ClientConfig::sends_unasked`]).
    ///
    /// *Errors*: the unchanged draft, if a person has to be asked.
    pub fn confirm_unasked(self, config: &ClientConfig) -> Result<Confirmed, Box<Self>> {
        match config.sends_unasked() {
            true => Ok(Confirmed::new(self.request, self.applies)),
            false => Err(Box::new(self)),
        }
    }
}

/// A person's answer to a sanitized draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Send it.
    Confirm,
    /// Send nothing.
    Cancel,
    /// Use this draft instead.
    Edit(Draft),
}

/// The consequence of an [`Answer`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The experience may be sent.
    Send(Confirmed),
    /// The draft was edited and has to be shown again.
    Review(SanitizedDraft),
    /// Nothing is sent.
    Drop,
}

/// A sanitized draft that a person, or the settings, agreed to send.
///
/// It keeps its idempotency key, so that sending it again after an error stores it only once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmed {
    request: SubmitExperienceRequest,
    applies: Option<Claims>,
    idempotency_key: Uuid,
}

impl Confirmed {
    fn new(request: SubmitExperienceRequest, applies: Option<Claims>) -> Self {
        Self::restored(request, applies, Uuid::new_v4())
    }

    /// Restores an experience that was confirmed before and stored in the outbox, with its key.
    pub(crate) fn restored(
        request: SubmitExperienceRequest,
        applies: Option<Claims>,
        idempotency_key: Uuid,
    ) -> Self {
        Self {
            request,
            applies,
            idempotency_key,
        }
    }

    /// Returns where the experience is said to apply, which is sent with it.
    pub fn applies(&self) -> Option<&Claims> {
        self.applies.as_ref()
    }

    /// Returns the request that is sent.
    pub fn request(&self) -> &SubmitExperienceRequest {
        &self.request
    }

    /// Returns the idempotency key, by which the server stores the experience only once.
    pub fn idempotency_key(&self) -> Uuid {
        self.idempotency_key
    }

    /// Withdraws the confirmation, to change the text.
    pub fn into_draft(self) -> Draft {
        Draft {
            applies: self.applies,
            ..self.request.into()
        }
    }
}
