//! Outcomes: whether an experience helped. The note is sanitized before the outcome is sent; the rest is ids and words.
//!
//! Only a [`PreparedOutcome`] can be sent, and only [`RecallKitClient::prepare_outcome`] creates one (the outbox stores
//! one and returns it).

use recall_kit_sanitizer::RuleGroup;
use recall_kit_shared_types::{
    IDEMPOTENCY_KEY_META, ToolName,
    applicability::Environment,
    outcomes::{EVIDENCE_META, Evidence, ReportOutcomeData, ReportOutcomeRequest},
};
use rmcp::model::RequestMetaObject;
use uuid::Uuid;

use super::accepted::{NOTE, accepted};
use crate::{Error, RecallKitClient, Servers, connection::answer};

/// An outcome whose note has no secrets.
///
/// It keeps its idempotency key, so that sending it again after an error stores it only once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedOutcome {
    request: ReportOutcomeRequest,
    evidence: Evidence,
    idempotency_key: Uuid,
    environment: Option<Environment>,
}

impl PreparedOutcome {
    /// Restores an outcome that was stored in the outbox, with its key.
    pub(crate) fn restored(
        request: ReportOutcomeRequest,
        evidence: Evidence,
        idempotency_key: Uuid,
    ) -> Self {
        Self {
            request,
            evidence,
            idempotency_key,
            environment: None,
        }
    }

    /// Says in which environment it was observed. It leaves this machine only if the settings want it, and if the sanitizer finds
    /// no secret in it.
    pub fn with_environment(self, environment: impl Into<Option<Environment>>) -> Self {
        let environment = environment.into();
        Self {
            environment,
            ..self
        }
    }

    /// Returns in which environment it was observed.
    pub fn environment(&self) -> Option<&Environment> {
        self.environment.as_ref()
    }

    /// Returns the request that is sent.
    pub fn request(&self) -> &ReportOutcomeRequest {
        &self.request
    }

    /// Returns on what the outcome is based.
    pub fn evidence(&self) -> Evidence {
        self.evidence
    }

    /// Returns the idempotency key, by which the server stores the outcome only once.
    pub fn idempotency_key(&self) -> Uuid {
        self.idempotency_key
    }
}

impl RecallKitClient {
    /// Removes secrets and personal data from the note of an outcome, as from the context of a submission; a blank one is
    /// left out.
    pub fn prepare_outcome(
        &self,
        request: ReportOutcomeRequest,
        evidence: Evidence,
    ) -> PreparedOutcome {
        let note = request.note.as_deref().map(str::trim);
        let note = note.filter(|note| !note.is_empty()).map(|note| {
            let settings = self.sanitizer.settings();
            let mut groups = settings.outgoing_groups();
            groups.extend(RuleGroup::REMOVAL.into_iter().filter(|_| settings.enabled));
            let clean = self.sanitizer.sanitize_outgoing_text(&groups, note);
            match settings.enabled {
                true => accepted(NOTE, clean, self.sanitizer.rules()).text,
                false => clean,
            }
        });
        PreparedOutcome {
            request: ReportOutcomeRequest { note, ..request },
            evidence,
            idempotency_key: Uuid::new_v4(),
            environment: None,
        }
    }

    /// Reports an outcome. After an error the same [`PreparedOutcome`] may be sent again: the server stores it only once.
    ///
    /// *Errors*: [`Error::Validation`] with `NOT_FOUND` if the server has no such experience, or with each rejected
    /// field; [`Error::ToolMissing`] for a server without outcomes; any error of a failed call.
    pub async fn report_outcome(
        &self,
        outcome: &PreparedOutcome,
    ) -> Result<ReportOutcomeData, Error> {
        let tool = ToolName::ReportOutcome;
        let mut meta = RequestMetaObject::new();
        let key = outcome.idempotency_key.to_string();
        meta.0.insert(IDEMPOTENCY_KEY_META.to_owned(), key.into());
        let evidence = outcome.evidence.as_str();
        meta.0.insert(EVIDENCE_META.to_owned(), evidence.into());
        self.add_environment(outcome.environment(), &mut meta);
        let answered = self.call(tool, &outcome.request, meta).await;
        let answered = answered.map_err(|error| self.explained(error, tool));
        let read = |result| answer::read(result, &self.target.url);
        self.logged(tool.as_str(), answered.and_then(read))
    }
}

impl Servers {
    /// Returns the servers that may have an experience: the one with the name `from`, else all, the one that submissions
    /// go to first.
    ///
    /// *Errors*: [`Error::UnknownServer`].
    pub fn candidates(&self, from: Option<&str>) -> Result<Vec<&RecallKitClient>, Error> {
        if let Some(name) = from {
            return Ok(vec![self.named(name)?]);
        }
        let chosen = self.chosen();
        let others = self
            .all()
            .iter()
            .filter(|other| !std::ptr::eq(*other, chosen));
        Ok(std::iter::once(chosen).chain(others).collect())
    }
}

#[cfg(test)]
mod tests {
    //! Notes leave this machine without secrets.

    #![allow(clippy::unwrap_used)]

    use recall_kit_shared_types::outcomes::OutcomeKind;

    use super::*;
    use crate::ClientConfig;

    #[test]
    fn notes_are_sanitized_like_a_context_and_blank_ones_left_out() {
        let client = RecallKitClient::new(ClientConfig::default()).unwrap();
        let prepared = |note: Option<&str>| {
            let request = ReportOutcomeRequest {
                experience_id: "01a2006f-0eef-7035-b7ed-2bebae567e13".to_owned(),
                outcome: OutcomeKind::Worked,
                note: note.map(str::to_owned),
                recall_id: None,
            };
            let prepared = client.prepare_outcome(request, Evidence::Person);
            prepared.request().note.clone()
        };
        assert_eq!(prepared(None), None);
        assert_eq!(prepared(Some(" \n")), None);
        assert_eq!(
            prepared(Some(" only on zsh ")).as_deref(),
            Some("only on zsh")
        );
        let word = ["hunter", "2"].concat();
        let note = format!("ask jane.doe@corp-mail.net, password={word}x9!");
        let clean = prepared(Some(&note)).unwrap();
        assert!(
            !clean.contains("jane.doe") && !clean.contains(&word),
            "{clean}"
        );
    }
}
