//! Accepting connections: how many, how slow, plain or TLS. What they ask for is the router's.

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

/// How long running requests may take to finish after the order to stop.
const GRACE: Duration = Duration::from_secs(5);
/// The most that a request's headers may be, and that is kept of what a client sent or reads, in bytes.
const BUFFER: usize = 64 * 1024;
/// A pause when the system has no room for another connection.
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
    let most = descriptors::make_room(settings.limits.connections);
    let room = Arc::new(Semaphore::new(most as usize));
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                wait_for_room(&error).await;
                continue;
            }
        };
        // Beyond the limit a connection is closed at once: waiting would keep everyone waiting.
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else {
            continue;
        };
        let connections = Arc::clone(&connections);
        open.spawn(async move {
            connections.serve(stream, peer).await;
            drop(place);
        });
    }
    drop(listener);
    open.close();
    if tokio::time::timeout(GRACE, open.wait()).await.is_err() {
        tracing::warn!("some requests were still running and were cut off");
    }
    Ok(())
}

/// Waits where the system is out of file descriptors; a client that was gone already is no reason to.
async fn wait_for_room(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if !matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    ) {
        tracing::warn!(error = %error, "a connection could not be accepted");
        tokio::time::sleep(PAUSE).await;
    }
}

/// What every connection is served with.
struct Connections {
    router: Router,
    tls: Option<TlsAcceptor>,
    header_timeout: Duration,
    open: TaskTracker,
    write_timeout: Duration,
    /// Proxies that are believed about the client's address.
    trusted: Vec<Network>,
    stop: CancellationToken,
}

/// Keeps the server from ending; for what goes on after a connection changed its protocol.
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
