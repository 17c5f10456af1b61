//! Standard input, with a signal when the host has closed it.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

/// An input that signals its end.
pub(super) struct Watched<R> {
    input: R,
    gone: CancellationToken,
}

impl<R> Watched<R> {
    /// `gone` is cancelled when the input ends or breaks.
    pub(super) fn new(input: R, gone: CancellationToken) -> Self {
        Self { input, gone }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.input).poll_read(context, buffer));
        if read.is_err() || buffer.filled().len() == before {
            self.gone.cancel();
        }
        Poll::Ready(read)
    }
}
