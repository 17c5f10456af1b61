//! Converts the errors of rmcp and reqwest into the client's own errors.

use std::{error::Error as StdError, io, time::Duration};

use recall_kit_shared_types::{ErrorBody, ErrorCode};
use rmcp::{
    ErrorData, ServiceError,
    service::ClientInitializeError,
    transport::{DynamicTransportError, streamable_http_client::StreamableHttpError},
};

use crate::{Error, ServerUrl};

type HttpError = StreamableHttpError<reqwest::Error>;

/// Converts the error of a failed handshake. No call was sent before it.
pub(super) fn of_handshake(error: ClientInitializeError, server: &str) -> Error {
    let mut error = handshake_error(error, server);
    if let Error::Network { unsent, .. } = &mut error {
        *unsent = true;
    }
    error
}

fn handshake_error(error: ClientInitializeError, server: &str) -> Error {
    match error {
        ClientInitializeError::TransportError { error, .. } => of_transport(&error, server),
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::Cancelled => {
            network(server, "the connection was closed")
        }
        ClientInitializeError::JsonRpcError(error) => of_rpc(error),
        other => answer(server, other.to_string()),
    }
}

/// Converts the error of a failed call.
pub(super) fn of_call(error: ServiceError, server: &str) -> Error {
    match error {
        ServiceError::McpError(error) => of_rpc(error),
        ServiceError::TransportSend(error) => of_transport(&error, server),
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => {
            network(server, "the connection was closed")
        }
        other => answer(server, other.to_string()),
    }
}

/// Converts the error of a plain HTTP request that got no answer.
pub(crate) fn http_failure(error: reqwest::Error, after: Duration, server: &ServerUrl) -> Error {
    let server = server.to_string();
    match error.is_timeout() {
        true => Error::Timeout { server, after },
        false => of_client(&error, &server),
    }
}

fn of_rpc(error: ErrorData) -> Error {
    let details = error.data.as_ref().and_then(|data| data.get("details"));
    let message = match details.and_then(|details| details.as_str()) {
        Some(details) => format!("{}: {details}", error.message),
        None => error.message.into_owned(),
    };
    Error::Protocol {
        code: error.code.0,
        message,
    }
}

fn of_transport(error: &DynamicTransportError, server: &str) -> Error {
    let cause: &(dyn StdError + 'static) = error.error.as_ref();
    match cause.downcast_ref::<HttpError>() {
        Some(error) => of_http(error, server),
        // Only the pipes of the local program remain.
        None => network(server, innermost(cause)),
    }
}

fn of_http(error: &HttpError, server: &str) -> Error {
    match error {
        HttpError::HttpStatus(status) => of_status(status.status, server),
        HttpError::AuthRequired(_) => denied(server, 401),
        HttpError::InsufficientScope(_) => denied(server, 403),
        HttpError::UnexpectedServerResponse(message) => match status_in(message) {
            Some(status) => of_status(status, server),
            None => answer(server, error.to_string()),
        },
        HttpError::Client(error) if error.is_builder() => answer(server, innermost(error)),
        HttpError::Client(error) => of_client(error, server),
        HttpError::Io(_)
        | HttpError::Sse(_)
        | HttpError::UnexpectedEndOfStream
        | HttpError::TransportChannelClosed
        | HttpError::SessionExpired
        | HttpError::SessionRecoveryTimeout
        | HttpError::ControlRequestTimeout => network(server, innermost(error)),
        HttpError::UnexpectedContentType(_) => {
            answer(server, "it does not speak MCP at this path".to_owned())
        }
        other => answer(server, other.to_string()),
    }
}

/// Converts the error of a request that got no answer. Without a connection nothing was sent.
fn of_client(error: &reqwest::Error, server: &str) -> Error {
    Error::Network {
        server: server.to_owned(),
        reason: innermost(error),
        attempts: 1,
        unsent: error.is_connect(),
    }
}

/// Returns the HTTP status in the message that rmcp uses for statuses without an error of their own:
/// `HTTP 413 Payload Too Large: …`. The rest of the message is the answer's text, which is not trusted.
fn status_in(message: &str) -> Option<u16> {
    message.strip_prefix("HTTP ")?.get(..3)?.parse().ok()
}

/// Converts an HTTP status. A gateway that cannot reach the server counts as a network error.
fn of_status(status: u16, server: &str) -> Error {
    let reason = format!("{}{status}", crate::error_log::STATUS);
    match status {
        502..=504 => network(server, reason),
        401 | 403 => denied(server, status),
        status @ 400..500 if status != 429 => Error::Rejected {
            server: server.to_owned(),
            status,
        },
        // A redirection, most likely to a sign-in page.
        ..400 => answer(server, reason),
        status => {
            tracing::error!(%server, status, "the server failed");
            Error::Server(Box::new(ErrorBody::new(ErrorCode::InternalError, reason)))
        }
    }
}

fn network(server: &str, reason: impl Into<String>) -> Error {
    Error::Network {
        server: server.to_owned(),
        reason: reason.into(),
        attempts: 1,
        unsent: false,
    }
}

fn answer(server: &str, reason: String) -> Error {
    Error::Answer {
        server: server.to_owned(),
        reason,
    }
}

fn denied(server: &str, status: u16) -> Error {
    Error::Denied {
        server: server.to_owned(),
        status,
    }
}

/// Returns the message of the innermost cause; the outer ones only repeat the URL, which may contain
/// credentials.
fn innermost(error: &(dyn StdError + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    match cause.downcast_ref::<io::Error>() {
        Some(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            "connection refused".to_owned()
        }
        Some(error) if is_not_tls(error) => {
            "the server speaks http://, not https://; correct server.url".to_owned()
        }
        _ => without_url(cause),
    }
}

/// Returns whether the other side answered a TLS handshake in another protocol.
fn is_not_tls(error: &io::Error) -> bool {
    let Some(cause) = error.get_ref() else {
        return false;
    };
    let wrong = rustls::InvalidMessage::InvalidContentType;
    match (cause.downcast_ref(), cause.downcast_ref::<rustls::Error>()) {
        // Connectors wrap one error in another.
        (Some(inner), _) => is_not_tls(inner),
        (_, Some(rustls::Error::InvalidMessage(message))) => *message == wrong,
        _ => false,
    }
}

/// Returns the message of an error without the URL that reqwest appends to its own errors.
fn without_url(error: &(dyn StdError + 'static)) -> String {
    let message = error.to_string();
    match error
        .downcast_ref::<reqwest::Error>()
        .and_then(reqwest::Error::url)
    {
        Some(url) => message.replace(&format!(" for url ({url})"), ""),
        None => message,
    }
}
