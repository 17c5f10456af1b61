//! Accepts connections, with or without TLS, within limits of number and time, and passes their
//! requests to the router.

mod descriptors;
mod linger;
mod tls;

use std::{io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::{Router, body::Body, extract::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use recall_kit_core::access::peer_address::PeerAddress;
use recall_kit_settings::{Network, Settings};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;
use tokio_util::{
    sync::CancellationToken,
    task::{TaskTracker, task_tracker::TaskTrackerToken},
};
use tower::ServiceExt as _;

use self::linger::Lingering;
pub use self::tls::check_tls;
use crate::error::ServeError;

/// How long running requests may take to finish after the server is told to stop.
const GRACE: Duration = Duration::from_secs(5);
/// The largest size of a request's headers and of a connection's read and write buffers, in bytes.
const BUFFER: usize = 64 * 1024;
/// The pause after `accept` fails because the system is out of resources.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves a router on a listener until `stop` is cancelled and running requests are done.
///
/// *Errors*: [`ServeError::Tls`] when certificate or key cannot be used.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    settings: &Settings,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    let open = TaskTracker::new();
    let connections = Connections {
        router,
        tls: tls::acceptor(&settings.tls)?,
        header_timeout: Duration::from_millis(settings.limits.header_timeout_ms),
        write_timeout: Duration::from_millis(settings.limits.write_timeout_ms),
        open: open.clone(),
        trusted: settings.access.trusted_proxies.clone(),
        stop: stop.clone(),
    };
    let connections = Arc::new(connections);
    let limit = descriptors::raise_limit(settings.limits.connections);
    let slots = Arc::new(Semaphore::new(limit as usize));
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                pause_after(&error).await;
                continue;
            }
        };
        // Beyond the limit a connection is closed at once: waiting here would delay all others.
        let Ok(slot) = Arc::clone(&slots).try_acquire_owned() else {
            continue;
        };
        let connections = Arc::clone(&connections);
        open.spawn(async move {
            connections.serve(stream, peer).await;
            drop(slot);
        });
    }
    drop(listener);
    open.close();
    if tokio::time::timeout(GRACE, open.wait()).await.is_err() {
        tracing::warn!("some requests were still running and were cut off");
    }
    Ok(())
}

/// Pauses after `accept` failed, for example because the system is out of file descriptors; does not
/// pause if the client was only gone already.
async fn pause_after(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if !matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    ) {
        tracing::warn!(error = %error, "a connection could not be accepted");
        tokio::time::sleep(PAUSE).await;
    }
}

/// The state that every connection is served with.
struct Connections {
    router: Router,
    tls: Option<TlsAcceptor>,
    header_timeout: Duration,
    open: TaskTracker,
    write_timeout: Duration,
    /// Proxies whose headers are trusted for the client's address.
    trusted: Vec<Network>,
    stop: CancellationToken,
}

/// Delays the server's shutdown, up to [`GRACE`], for work that continues after a connection was upgraded.
#[derive(Clone)]
pub(crate) struct OpenConnection(#[expect(dead_code, reason = "only held")] TaskTrackerToken);

impl Connections {
    async fn serve(&self, stream: TcpStream, peer: SocketAddr) {
        // Without this a streamed answer waits for the peer's delayed acknowledgement, 40 ms each time.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(error = %error, "TCP_NODELAY was refused");
        }
        let Some(tls) = &self.tls else {
            return self.serve_http(stream, peer).await;
        };
        match tokio::time::timeout(self.header_timeout, tls.accept(stream)).await {
            Ok(Ok(stream)) => self.serve_http(stream, peer).await,
            Ok(Err(error)) => tracing::debug!(error = %error, "a TLS handshake failed"),
            Err(_) => tracing::debug!("a TLS handshake took too long"),
        }
    }

    async fn serve_http<S>(&self, stream: S, peer: SocketAddr)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.write_timeout));
        let answer = service_fn(|request: hyper::Request<Incoming>| {
            let mut request: Request = request.map(|body| Body::new(Lingering::new(body)));
            let from = PeerAddress::of(peer.ip(), request.headers(), &self.trusted);
            let extensions = request.extensions_mut();
            extensions.insert(from);
            extensions.insert(OpenConnection(self.open.token()));
            self.router.clone().oneshot(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.header_timeout)
            .max_header_size(BUFFER)
            .max_buf_size(BUFFER)
            .serve_connection(TokioIo::new(Box::pin(stream)), answer)
            .with_upgrades();
        let mut connection = pin!(connection);
        let served = tokio::select! {
            served = &mut connection => served,
            () = self.stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = served {
            tracing::debug!(error = %error, "a connection ended early");
        }
    }
}
