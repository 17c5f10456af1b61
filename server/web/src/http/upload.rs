//! Forms with a file, which browsers send as `multipart/form-data`, read as a stream.
//!
//! The form's token is its first field, so that nothing is stored of a form from another site or from a
//! visitor who may not write. A file is written to disk in pieces and is never in memory as a whole. Its
//! size, its duration and the number of simultaneous uploads are limited. Source: RFC 7578.

use std::time::Duration;

use axum::{
    extract::{
        FromRequest, FromRequestParts as _, Request,
        multipart::{Field, Multipart},
    },
    http::{HeaderMap, StatusCode, header},
    response::Response,
};
use recall_kit_core::access::Scope;
use recall_kit_libraries::{Libraries, jobs::Place};
use recall_kit_sources::SentFile;
use tempfile::NamedTempFile;
use tokio::{fs::File, io::AsyncWriteExt as _, time::timeout};

use super::{
    failure::Failure,
    form::{Fields, SessionForm, TOKEN_FIELD, is_same_origin, refused},
};
use crate::{
    SiteState, account,
    visitor::{Anybody, Visitor},
};

/// The name of the field with the file.
pub(crate) const FILE_FIELD: &str = "file";
/// The most bytes of a text field.
const MAX_TEXT: usize = 16 * 1024;
/// The most fields of a form.
const MAX_FIELDS: usize = 20;
/// The longest duration of an upload.
const MAX_DURATION: Duration = Duration::from_secs(30 * 60);

/// A form with a file, from a visitor who may write.
pub(crate) struct Upload {
    /// The visitor who sent it.
    pub(crate) visitor: Visitor,
    /// Its other fields.
    pub(crate) fields: Fields,
    /// The file and the place of its ingest job; `None` if no file was chosen.
    pub(crate) file: Result<Option<(SentFile, Place)>, UploadError>,
}

/// Why a file was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UploadError {
    /// It is larger than the limit.
    TooLarge,
    /// The limit of simultaneous jobs is reached.
    Busy,
    /// It did not arrive completely or in time, or the form is malformed.
    Incomplete,
    /// It could not be written to disk.
    NotStored,
}

impl FromRequest<SiteState> for Upload {
    /// A refusal, or the sign-in page, which preserves the input.
    type Rejection = Response;

    async fn from_request(request: Request, site: &SiteState) -> Result<Self, Response> {
        // The page that preserves the input of an ended session sends it as an ordinary form.
        if !is_multipart(request.headers()) {
            let form = SessionForm::from_request(request, site).await?;
            let SessionForm { visitor, fields } = form;
            let file = Ok(None);
            return Ok(Self {
                visitor,
                fields,
                file,
            });
        }
        let (mut parts, body) = request.into_parts();
        let Anybody(visitor) = Anybody::from_request_parts(&mut parts, site).await?;
        if !is_same_origin(&visitor, &parts) {
            return Err(refused(&visitor));
        }
        let headers = parts.headers.clone();
        let request = Request::from_parts(parts, body);
        let form = Multipart::from_request(request, site).await;
        let form = form.map_err(|_| malformed(&visitor))?;
        let mut incoming = IncomingForm::new(site.libraries(), &headers, form);
        let has_token = incoming.has_token(&visitor).await;
        if !has_token.ok_or_else(|| refused(&visitor))? {
            incoming.read(false).await.ok();
            incoming.discard().await;
            return Err(account::ask_again(
                site.app(),
                &visitor,
                (&headers, &incoming.fields),
            ));
        }
        if !visitor.may(Scope::Write) {
            return Err(visitor.fail(&Failure::Forbidden));
        }
        let file = timeout(MAX_DURATION, incoming.read(true)).await;
        let file = file.unwrap_or(Err(UploadError::Incomplete));
        if file.is_err() {
            incoming.discard().await;
        }
        let fields = incoming.fields;
        Ok(Self {
            visitor,
            fields,
            file,
        })
    }
}

fn is_multipart(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"multipart/"))
}

fn malformed(visitor: &Visitor) -> Response {
    let (failure, words) = (&visitor.words.failure, &visitor.words.ingest);
    visitor.message_page(StatusCode::BAD_REQUEST, failure.refused, words.incomplete)
}

/// A form while it is being received.
struct IncomingForm<'a> {
    libraries: &'a Libraries,
    form: Multipart,
    fields: Fields,
    /// The most bytes of the file.
    limit: u64,
    /// Whether the request's `Content-Length` exceeds that limit.
    is_announced_too_large: bool,
    /// How long the next piece may take.
    piece_timeout: Duration,
}

impl<'a> IncomingForm<'a> {
    fn new(libraries: &'a Libraries, headers: &HeaderMap, form: Multipart) -> Self {
        let limits = libraries.app().admission.limits();
        let limit = u64::from(limits.upload_bytes);
        let length = headers.get(header::CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        let other_fields = (MAX_TEXT * MAX_FIELDS) as u64;
        Self {
            libraries,
            form,
            fields: Fields::default(),
            limit,
            is_announced_too_large: length.is_some_and(|length| length > limit + other_fields),
            piece_timeout: Duration::from_millis(limits.body_timeout_ms),
        }
    }

    /// Whether the first field is the token of the visitor's forms; `None` if it is not a token field.
    async fn has_token(&mut self, visitor: &Visitor) -> Option<bool> {
        let next = timeout(self.piece_timeout, self.form.next_field()).await;
        let field = next.ok()?.ok()??;
        let is_token = field.name() == Some(TOKEN_FIELD);
        let value = text(field, self.piece_timeout).await.ok()?;
        let token = visitor.session.as_ref().map(|session| session.form_token());
        is_token.then(|| token.is_some_and(|token| token.matches(&value)))
    }

    /// Reads the fields, and stores the file if `wants_file` is true; otherwise stops at the file.
    async fn read(&mut self, wants_file: bool) -> Result<Option<(SentFile, Place)>, UploadError> {
        let mut file = None;
        for _ in 0..MAX_FIELDS {
            let next = timeout(self.piece_timeout, self.form.next_field()).await;
            let next = next.map_err(|_| UploadError::Incomplete)?;
            let Some(field) = next.map_err(|_| UploadError::Incomplete)? else {
                return Ok(file);
            };
            let name = field.name().unwrap_or_default().to_owned();
            if name != FILE_FIELD {
                self.fields
                    .add(&name, text(field, self.piece_timeout).await?);
            } else if !wants_file {
                return Ok(None);
            } else if field.file_name().is_some_and(|name| !name.is_empty()) {
                if self.is_announced_too_large {
                    return Err(UploadError::TooLarge);
                }
                let place = self.libraries.jobs().place().ok_or(UploadError::Busy)?;
                let stored = store_file(field, self.limit, self.piece_timeout).await?;
                file = Some((stored, place));
            }
        }
        Err(UploadError::Incomplete)
    }

    /// Reads the rest and discards it, for a limited time: browsers read no response while they send.
    async fn discard(&mut self) {
        let discarding = async { while let Ok(Some(_)) = self.form.next_field().await {} };
        timeout(self.piece_timeout, discarding).await.ok();
    }
}

async fn text(mut field: Field<'_>, piece_timeout: Duration) -> Result<String, UploadError> {
    let mut text = Vec::new();
    while let Some(piece) = piece(&mut field, piece_timeout).await? {
        text.extend_from_slice(&piece);
        if text.len() > MAX_TEXT {
            return Err(UploadError::Incomplete);
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Writes a file to disk, readable only by the server's own user.
async fn store_file(
    mut field: Field<'_>,
    limit: u64,
    piece_timeout: Duration,
) -> Result<SentFile, UploadError> {
    let name = field.file_name().unwrap_or_default().to_owned();
    let failed = |error: std::io::Error| {
        tracing::error!(%error, "an uploaded file could not be stored");
        UploadError::NotStored
    };
    let file = NamedTempFile::new().map_err(failed)?;
    let mut written = File::from_std(file.reopen().map_err(failed)?);
    let mut bytes = 0;
    while let Some(piece) = piece(&mut field, piece_timeout).await? {
        bytes += piece.len() as u64;
        if bytes > limit {
            return Err(UploadError::TooLarge);
        }
        written.write_all(&piece).await.map_err(failed)?;
    }
    written.flush().await.map_err(failed)?;
    Ok(SentFile::new(&name, file))
}

async fn piece(
    field: &mut Field<'_>,
    piece_timeout: Duration,
) -> Result<Option<axum::body::Bytes>, UploadError> {
    let piece = timeout(piece_timeout, field.chunk()).await;
    let piece = piece.map_err(|_| UploadError::Incomplete)?;
    piece.map_err(|_| UploadError::Incomplete)
}
