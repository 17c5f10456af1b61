//! `recall-kit-server health`: checks whether the server that runs with these settings is ready.
//!
//! It is for containers and supervisors, which then need no other program for the check.

mod own_certificate;

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use recall_kit_settings::Settings;
use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpStream,
};

/// How long the check may take.
const TIMEOUT: Duration = Duration::from_secs(3);
/// The most bytes of the answer that are read; more than its head.
const HEAD_BYTES: u64 = 1024;

/// Why the server is not ready.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The settings name no port.
    #[error("with port 0 the server's port is not known; give it with --port")]
    NoPort,
    /// No server answers at the address.
    #[error("no server answers at {address}")]
    NoAnswer {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
    /// The server answers that it is not ready.
    #[error("the server at {address} is not ready: {status_line}")]
    NotReady {
        /// The address.
        address: SocketAddr,
        /// The status line of the answer.
        status_line: String,
    },
}

/// Returns the address of the server if it is ready.
///
/// *Errors*: [`ProbeError`].
pub async fn check_ready(settings: &Settings) -> Result<SocketAddr, ProbeError> {
    if settings.port == 0 {
        return Err(ProbeError::NoPort);
    }
    let address = SocketAddr::new(reachable(settings.host), settings.port);
    let answer = tokio::time::timeout(TIMEOUT, status_line(address, settings)).await;
    let status_line = answer
        .unwrap_or_else(|late| Err(late.into()))
        .map_err(|source| ProbeError::NoAnswer { address, source })?;
    if status_line.split(' ').nth(1) == Some("200") {
        Ok(address)
    } else {
        Err(ProbeError::NotReady {
            address,
            status_line,
        })
    }
}

/// Returns the address to connect to: loopback if the server listens on all addresses.
fn reachable(host: IpAddr) -> IpAddr {
    match host {
        IpAddr::V4(host) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(host) if host.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        host => host,
    }
}

async fn status_line(address: SocketAddr, settings: &Settings) -> std::io::Result<String> {
    let stream = TcpStream::connect(address).await?;
    match &settings.tls.certificate {
        None => request_ready(stream, address).await,
        Some(certificate) => {
            let tls = own_certificate::connector(certificate)?;
            let name = ServerName::IpAddress(address.ip().into());
            request_ready(tls.connect(name, stream).await?, address).await
        }
    }
}

/// Requests `/readyz` and returns the status line of the answer.
async fn request_ready(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    address: SocketAddr,
) -> std::io::Result<String> {
    let request = format!("GET /readyz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(HEAD_BYTES).read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    Ok(answer.lines().next().unwrap_or_default().to_owned())
}
