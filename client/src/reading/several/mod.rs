//! The reading commands with several servers: each is asked, and the answers are merged.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use futures::FutureExt as _;
use recall_kit_shared_types::{
    applicability::Environment,
    knowledge::{SearchRequest, knowledge_limits},
    recall::{RecallRequest, recall_limits},
};
use rmcp::model::RequestMetaObject;
use serde_json::{Value, json};

use super::{
    DocsRequest, FoundDocs, FoundEntries, FoundLibraries, Recalled, Reference, Shown, ambiguous,
    missing, uncounted,
};
use crate::{Error, RecallKitClient, Servers, Unanswered, connection::servers::Answers};

/// What one server has for a reference.
enum Lookup {
    One(Shown),
    /// Several that the reference fits, as `{id, title}`.
    Several(Vec<Value>),
    Missing,
}

impl Servers {
    /// Asks every server for the best of all families and merges the results by their scores.
    ///
    /// *Errors*: if no server answers, the error of [`RecallKitClient::recall`] of the one that submissions go to.
    pub async fn recall(
        &self,
        request: RecallRequest,
        environment: Option<Environment>,
    ) -> Result<Recalled, Error> {
        let limit = request.limit.unwrap_or(recall_limits::LIMIT.0);
        let asked = self.ask(move |client| {
            let (request, environment) = (request.clone(), environment.clone());
            async move { client.recall(&request, environment.as_ref()).await }.boxed()
        });
        Ok(asked.await?.merged(limit as usize))
    }

    /// Searches the knowledge base of every server and merges the entries by their scores.
    ///
    /// *Errors*: like [`Servers::recall`].
    pub async fn search_knowledge(&self, request: SearchRequest) -> Result<FoundEntries, Error> {
        let limit = request.limit.unwrap_or(knowledge_limits::SEARCH_LIMIT.0);
        let asked = self.ask(move |client| {
            let request = request.clone();
            async move { client.search_knowledge(&request).await }.boxed()
        });
        Ok(asked.await?.merged(limit as usize))
    }

    /// Lists the libraries of every server that fit a name or a purpose; all of them without a name.
    ///
    /// *Errors*: like [`Servers::recall`].
    pub async fn search_libraries(&self, name: Option<String>) -> Result<FoundLibraries, Error> {
        let asked = self.ask(move |client| {
            let name = name.clone();
            async move { client.search_libraries(name).await }.boxed()
        });
        Ok(asked.await?.merged())
    }

    /// Reads documentation of every server that has the library.
    ///
    /// *Errors*: [`Error::Unresolved`] if no server has it; else like [`Servers::recall`].
    pub async fn library_docs(&self, request: DocsRequest) -> Result<FoundDocs, Error> {
        let asked = self.ask(move |client| {
            let request = request.clone();
            async move {
                match client.library_docs(&request).await {
                    Ok(docs) => Ok(Ok(docs)),
                    Err(Error::Unresolved(body)) => Ok(Err(body)),
                    Err(error) => Err(error),
                }
            }
            .boxed()
        });
        let Answers {
            answered,
            unanswered,
        } = asked.await?;
        let mut missing = None;
        let mut found = Vec::new();
        for (server, docs) in answered {
            match docs {
                Ok(docs) => found.push((server, docs)),
                Err(body) => missing = Some(body),
            }
        }
        match missing {
            Some(body) if found.is_empty() => Err(Error::Unresolved(body)),
            _ => Ok(Answers {
                answered: found,
                unanswered,
            }
            .merged()),
        }
    }

    /// Shows what a reference names on any server, or on the one with the name `from`.
    ///
    /// *Errors*: [`Error::UnknownServer`]; [`Error::Unresolved`] if no server has it, or if it fits several
    /// records; else like [`Servers::recall`].
    pub async fn show(&self, reference: &Reference, from: Option<&str>) -> Result<Shown, Error> {
        self.shown(reference, from, RequestMetaObject::new()).await
    }

    /// Looks up what a reference names, as [`RecallKitClient::look_up`] does.
    ///
    /// *Errors*: those of [`Servers::show`].
    pub async fn look_up(&self, reference: &Reference, from: Option<&str>) -> Result<Shown, Error> {
        self.shown(reference, from, uncounted()).await
    }

    async fn shown(
        &self,
        reference: &Reference,
        from: Option<&str>,
        meta: RequestMetaObject,
    ) -> Result<Shown, Error> {
        if let Some(name) = from {
            return self.named(name)?.shown(reference, meta).await;
        }
        if self.all().len() == 1 {
            return self.chosen().shown(reference, meta).await;
        }
        let asked = self.ask({
            let reference = reference.clone();
            move |client| {
                let (reference, meta) = (reference.clone(), meta.clone());
                async move { lookup(client, &reference, meta).await }.boxed()
            }
        });
        let Answers {
            answered,
            unanswered,
        } = asked.await?;
        resolved(reference, answered, &unanswered)
    }

    /// Returns the client of the server with a name.
    pub(crate) fn named(&self, name: &str) -> Result<&RecallKitClient, Error> {
        let found = self.all().iter().find(|one| one.name() == Some(name));
        found.ok_or_else(|| Error::UnknownServer {
            name: name.to_owned(),
            known: self
                .all()
                .iter()
                .filter_map(|one| one.name().map(str::to_owned))
                .collect(),
        })
    }
}

async fn lookup(
    client: &RecallKitClient,
    reference: &Reference,
    meta: RequestMetaObject,
) -> Result<Lookup, Error> {
    match client.shown(reference, meta).await {
        Ok(shown) => Ok(Lookup::One(shown)),
        Err(Error::Unresolved(body)) => {
            let candidates = body.details.as_ref().map(|details| &details["candidates"]);
            Ok(match candidates.and_then(Value::as_array) {
                Some(candidates) => Lookup::Several(candidates.clone()),
                None => Lookup::Missing,
            })
        }
        Err(error) => Err(error),
    }
}

/// Returns the only record that a reference names on all servers. The same record on two servers counts once.
fn resolved(
    reference: &Reference,
    answered: Vec<(Option<String>, Lookup)>,
    unanswered: &[Unanswered],
) -> Result<Shown, Error> {
    let mut ids = HashSet::new();
    let mut candidates = Vec::new();
    let mut first = None;
    for (server, found) in answered {
        let server = server.unwrap_or_default();
        let named = |id: &Value, title: &Value| json!({"id": id, "title": title, "origin": server});
        match found {
            Lookup::Missing => {}
            Lookup::Several(several) => {
                let several = several.iter();
                candidates.extend(several.map(|one| named(&one["id"], &one["title"])));
            }
            Lookup::One(shown) => {
                let (id, title) = name_of(&shown, reference, &server);
                if ids.insert(id.clone()) {
                    candidates.push(named(&json!(id), &json!(title)));
                    first.get_or_insert(shown.labelled(&server));
                }
            }
        }
    }
    match (first, candidates.len()) {
        (Some(shown), 1) => Ok(shown),
        (None, 0) => Err(with_unanswered(missing(reference), unanswered)),
        _ => Err(ambiguous(reference, candidates)),
    }
}

/// Returns what tells a record from others, and its title. Sections of two servers are never the same.
fn name_of(shown: &Shown, reference: &Reference, server: &str) -> (String, String) {
    match shown {
        Shown::Record(record) => (record.item.id.clone(), record.item.title.clone()),
        Shown::Section(documents) => {
            let title = documents.first().map(|one| one.item.title.clone());
            (format!("{reference} ({server})"), title.unwrap_or_default())
        }
    }
}

/// Adds the servers that did not answer to an error, since they may have the record.
fn with_unanswered(error: Error, unanswered: &[Unanswered]) -> Error {
    let Error::Unresolved(mut body) = error else {
        return error;
    };
    for Unanswered { server, reason } in unanswered {
        let more = format!("; {server} did not answer: {reason}");
        body.message.push_str(&more);
    }
    Error::Unresolved(body)
}
