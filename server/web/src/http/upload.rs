//! Forms with a file, as browsers send them: `multipart/form-data`, read as it comes in.
//!
//! The form's token is its first field, so that nothing is kept of what was not filled in here by
//! somebody who may write. A file goes to disk piece by piece and never into memory as a whole; how
//! large it may be, how long it may take and how many may come in at once is bounded.
//! Source: RFC 7578.

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
    form::{Fields, Signed, TOKEN_FIELD, comes_from_here, refused},
};
use crate::{
    SiteState, account,
    visitor::{Anybody, Visitor},
};

/// The field that carries the file.
pub(crate) const FILE_FIELD: &str = "file";
/// Bytes of a field of text, at most.
const MAX_TEXT: usize = 16 * 1024;
/// Fields of a form, at most.
const MAX_FIELDS: usize = 20;
/// A file that is not there after so long is refused.
const LONGEST: Duration = Duration::from_secs(30 * 60);

/// A form with a file that somebody who may write sent.
pub(crate) struct Upload {
    /// Who sent it.
    pub(crate) visitor: Visitor,
    /// What it says besides.
    pub(crate) fields: Fields,
    /// The file and the place of what is made of it; none where none was chosen.
    pub(crate) file: Result<Option<(SentFile, Place)>, Unkept>,
}

/// Why a file was not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unkept {
    /// It is larger than it may be.
    TooLarge,
    /// As much is done at once as may be.
    Busy,
    /// It did not come in whole, or the form is none.
    BrokenOff,
    /// There is no room on disk.
    NoRoom,
}

impl FromRequest<SiteState> for Upload {
    /// A refusal, or the way to sign in that keeps what was typed.
    type Rejection = Response;

    async fn from_request(request: Request, site: &SiteState) -> Result<Self, Response> {
        // As it comes from the page that keeps what was typed when a session ended.
        if !is_multipart(request.headers()) {
            let Signed { visitor, fields } = Signed::from_request(request, site).await?;
            let file = Ok(None);
            return Ok(Self {
                visitor,
                fields,
                file,
            });
        }
        let (mut parts, body) = request.into_parts();
        let Anybody(visitor) = Anybody::from_request_parts(&mut parts, site).await?;
        if !comes_from_here(&visitor, &parts) {
            return Err(refused(&visitor));
        }
        let headers = parts.headers.clone();
        let request = Request::from_parts(parts, body);
        let form = Multipart::from_request(request, site).await;
        let form = form.map_err(|_| malformed(&visitor))?;
        let mut coming = Coming::new(site.libraries(), &headers, form);
        let is_own = coming.has_token(&visitor).await;
        if !is_own.ok_or_else(|| refused(&visitor))? {
            coming.read(false).await.ok();
            coming.discard().await;
            return Err(account::ask_again(
                site.app(),
                &visitor,
                (&headers, &coming.fields),
            ));
        }
        if !visitor.may(Scope::Write) {
            return Err(visitor.fail(&Failure::Forbidden));
        }
        let file = timeout(LONGEST, coming.read(true)).await;
        let file = file.unwrap_or(Err(Unkept::BrokenOff));
        if file.is_err() {
            coming.discard().await;
        }
        let fields = coming.fields;
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
    visitor.say(StatusCode::BAD_REQUEST, failure.refused, words.broken_off)
}

/// A form that comes in.
struct Coming<'a> {
    libraries: &'a Libraries,
    form: Multipart,
    fields: Fields,
    /// The largest file.
    limit: u64,
    /// Whether the sender says that the whole is larger than that.
    is_announced_too_large: bool,
    /// How long the next piece may take.
    patience: Duration,
}

impl<'a> Coming<'a> {
    fn new(libraries: &'a Libraries, headers: &HeaderMap, form: Multipart) -> Self {
        let limits = libraries.app().limits();
        let limit = u64::from(limits.upload_bytes);
        let length = headers.get(header::CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        let around = (MAX_TEXT * MAX_FIELDS) as u64;
        Self {
            libraries,
            form,
            fields: Fields::default(),
            limit,
            is_announced_too_large: length.is_some_and(|length| length > limit + around),
            patience: Duration::from_millis(limits.body_timeout_ms),
        }
    }

    /// Whether the first field is the token of the visitor's forms; `None` where it is no token.
    async fn has_token(&mut self, visitor: &Visitor) -> Option<bool> {
        let next = timeout(self.patience, self.form.next_field()).await;
        let field = next.ok()?.ok()??;
        let is_token = field.name() == Some(TOKEN_FIELD);
        let said = text(field, self.patience).await.ok()?;
        let token = visitor.session.as_ref().map(|session| session.form_token());
        is_token.then(|| token.is_some_and(|token| token.is(&said)))
    }

    /// Reads the fields, and keeps the file if it is wanted.
    async fn read(&mut self, wants_file: bool) -> Result<Option<(SentFile, Place)>, Unkept> {
        let mut file = None;
        for _ in 0..MAX_FIELDS {
            let next = timeout(self.patience, self.form.next_field()).await;
            let next = next.map_err(|_| Unkept::BrokenOff)?;
            let Some(field) = next.map_err(|_| Unkept::BrokenOff)? else {
                return Ok(file);
            };
            let name = field.name().unwrap_or_default().to_owned();
            if name != FILE_FIELD {
                self.fields.add(&name, text(field, self.patience).await?);
            } else if !wants_file {
                return Ok(None);
            } else if field.file_name().is_some_and(|name| !name.is_empty()) {
                if self.is_announced_too_large {
                    return Err(Unkept::TooLarge);
                }
                let place = self.libraries.jobs().place().ok_or(Unkept::Busy)?;
                let kept = kept(field, self.limit, self.patience).await?;
                file = Some((kept, place));
            }
        }
        Err(Unkept::BrokenOff)
    }

    /// Reads on for a while and keeps nothing: browsers hear no answer while they send.
    async fn discard(&mut self) {
        let discarding = async { while let Ok(Some(_)) = self.form.next_field().await {} };
        timeout(self.patience, discarding).await.ok();
    }
}

async fn text(mut field: Field<'_>, patience: Duration) -> Result<String, Unkept> {
    let mut text = Vec::new();
    while let Some(piece) = piece(&mut field, patience).await? {
        text.extend_from_slice(&piece);
        if text.len() > MAX_TEXT {
            return Err(Unkept::BrokenOff);
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Writes a file to disk, where nobody else can read it.
async fn kept(mut field: Field<'_>, limit: u64, patience: Duration) -> Result<SentFile, Unkept> {
    let name = field.file_name().unwrap_or_default().to_owned();
    let no_room = |error: std::io::Error| {
        tracing::error!(%error, "a file that was sent could not be kept");
        Unkept::NoRoom
    };
    let file = NamedTempFile::new().map_err(no_room)?;
    let mut written = File::from_std(file.reopen().map_err(no_room)?);
    let mut bytes = 0;
    while let Some(piece) = piece(&mut field, patience).await? {
        bytes += piece.len() as u64;
        if bytes > limit {
            return Err(Unkept::TooLarge);
        }
        written.write_all(&piece).await.map_err(no_room)?;
    }
    written.flush().await.map_err(no_room)?;
    Ok(SentFile::new(&name, file))
}

async fn piece(
    field: &mut Field<'_>,
    patience: Duration,
) -> Result<Option<axum::body::Bytes>, Unkept> {
    let piece = timeout(patience, field.chunk()).await;
    let piece = piece.map_err(|_| Unkept::BrokenOff)?;
    piece.map_err(|_| Unkept::BrokenOff)
}
