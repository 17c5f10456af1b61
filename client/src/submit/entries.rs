//! Entries of the knowledge base that come from another memory: sanitized, then confirmed, then added, in
//! this order.
//!
//! Only a [`ConfirmedEntry`] can be added, only [`SanitizedEntry::confirm`] creates one, and only
//! [`RecallKitClient::prepare_entry`] creates a [`SanitizedEntry`].

use recall_kit_shared_types::{
    ErrorBody, IDEMPOTENCY_KEY_META, ToolName,
    knowledge::{AddData, AddRequest, KnowledgeFailure, LinkRequest},
};
use rmcp::model::{CallToolResult, RequestMetaObject};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use uuid::Uuid;

use crate::{Error, RecallKitClient};

/// An entry without secrets, ready to be shown to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SanitizedEntry {
    request: AddRequest,
}

impl SanitizedEntry {
    /// Returns the request that would be sent.
    pub fn request(&self) -> &AddRequest {
        &self.request
    }

    /// Records that a person agreed to add it. Added again with the same key, it is stored only once.
    pub fn confirm(self, idempotency_key: Uuid) -> ConfirmedEntry {
        ConfirmedEntry {
            request: self.request,
            idempotency_key,
        }
    }
}

/// An entry that a person agreed to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfirmedEntry {
    request: AddRequest,
    idempotency_key: Uuid,
}

impl ConfirmedEntry {
    /// Returns the request that is sent.
    pub fn request(&self) -> &AddRequest {
        &self.request
    }
}

impl RecallKitClient {
    /// Sanitizes an entry like a submission. A secret that is found in one text is removed from all.
    pub fn prepare_entry(&self, request: AddRequest) -> SanitizedEntry {
        let mut texts = vec![request.title.as_str()];
        texts.extend(request.content.as_deref());
        texts.extend(request.context.as_deref());
        texts.extend(request.project.as_deref());
        texts.extend(request.tags.iter().flatten().map(String::as_str));
        let groups = self.sanitizer.settings().outgoing_groups();
        let clean = self.sanitizer.sanitize_outgoing(&groups, &texts);
        let mut clean = clean.into_iter();
        let mut next = || clean.next().unwrap_or_default();
        SanitizedEntry {
            request: AddRequest {
                title: next(),
                content: request.content.map(|_| next()),
                context: request.context.map(|_| next()),
                project: request.project.map(|_| next()),
                tags: request
                    .tags
                    .map(|tags| tags.iter().map(|_| next()).collect()),
                ..request
            },
        }
    }

    /// Adds a confirmed entry to the knowledge base. After an error the same [`ConfirmedEntry`] may be added
    /// again: the server stores it only once.
    ///
    /// *Errors*: [`Error::Validation`] with each rejected field, and any error of a failed call.
    pub async fn add_entry(&self, entry: &ConfirmedEntry) -> Result<AddData, Error> {
        let mut meta = RequestMetaObject::new();
        let key = entry.idempotency_key.to_string();
        meta.0.insert(IDEMPOTENCY_KEY_META.to_owned(), key.into());
        self.knowledge_call(ToolName::RekallAdd, &entry.request, meta)
            .await
    }

    /// Links two entries of the knowledge base. The request has no text, only ids.
    ///
    /// *Errors*: any error of a failed call.
    pub async fn link_entries(&self, link: &LinkRequest) -> Result<(), Error> {
        let meta = RequestMetaObject::new();
        let linked = self.knowledge_call::<Value>(ToolName::RekallLink, link, meta);
        linked.await.map(drop)
    }

    async fn knowledge_call<T: DeserializeOwned>(
        &self,
        tool: ToolName,
        request: &impl Serialize,
        meta: RequestMetaObject,
    ) -> Result<T, Error> {
        let answered = self.call(tool, &without_nulls(request), meta).await;
        let read = |result| self.knowledge_answer(result);
        self.logged(tool.as_str(), answered.and_then(read))
    }

    /// Reads an answer of a knowledge tool, which has no envelope.
    fn knowledge_answer<T: DeserializeOwned>(&self, result: CallToolResult) -> Result<T, Error> {
        let unexpected = |reason: String| Error::Answer {
            server: self.target.url.to_string(),
            reason,
        };
        let text = result.content.iter().find_map(|block| block.as_text());
        let text = text.map(|text| text.text.as_str()).unwrap_or_default();
        let value = match result.structured_content {
            Some(value) => value,
            None => serde_json::from_str(text).map_err(|_| unexpected("it is not JSON".into()))?,
        };
        if let Ok(failure) = serde_json::from_value::<KnowledgeFailure>(value.clone()) {
            let body = ErrorBody {
                code: failure.error.code,
                message: failure.error.message,
                details: Some(failure.error.details),
                validation_errors: None,
            };
            return Err(Error::from_body(Box::new(body)));
        }
        serde_json::from_value(value).map_err(|error| unexpected(error.to_string()))
    }
}

/// Leaves out the fields without a value: the tools reject a null.
fn without_nulls(request: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(request).unwrap_or_default();
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, field| !field.is_null());
    }
    value
}
