//! `recall-kit-server health`: asks the server that runs with these settings whether it is ready.
//!
//! For containers and supervisors: nothing else has to be installed to ask.

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

/// How long the server may take.
const TIMEOUT: Duration = Duration::from_secs(3);
/// More than the head of the answer; the rest is not read.
const HEAD_BYTES: u64 = 1024;

/// Why the server is not ready.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The settings name no port.
    #[error("with port 0 nobody knows where the server listens; give its --port")]
    NoPort,
    /// Nothing answers there.
    #[error("no server answers at {address}")]
    Away {
        /// Where it was looked for.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// It answers, but not that it is ready.
    #[error("the server at {address} is not ready: {said}")]
    NotReady {
        /// Where it is.
        address: SocketAddr,
        /// The status line of its answer.
        said: String,
    },
}

/// Asks, and returns where the server is.
///
/// *Errors*: [`ProbeError`].
pub async fn ask(settings: &Settings) -> Result<SocketAddr, ProbeError> {
    if settings.port == 0 {
        return Err(ProbeError::NoPort);
    }
    let address = SocketAddr::new(reachable(settings.host), settings.port);
    let asked = tokio::time::timeout(TIMEOUT, status_line(address, settings)).await;
    let said = asked
        .unwrap_or_else(|late| Err(late.into()))
        .map_err(|source| ProbeError::Away { address, source })?;
    if said.split(' ').nth(1) == Some("200") {
        Ok(address)
    } else {
        Err(ProbeError::NotReady { address, said })
    }
}

/// A server that listens everywhere is asked on loopback.
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
        None => ask_ready(stream, address).await,
        Some(certificate) => {
            let tls = own_certificate::connector(certificate)?;
            let name = ServerName::IpAddress(address.ip().into());
            ask_ready(tls.connect(name, stream).await?, address).await
        }
    }
}

async fn ask_ready(
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
